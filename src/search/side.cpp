// SPDX-License-Identifier: MIT
#include "search/side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <numeric>

namespace lacuna {
namespace {

constexpr double kFirstShare = 0.5;
constexpr double kOtherShares[] = {0.9, 0.1};
constexpr double kLeastCold = 0.1;  // of what is held out: fewer positions than that say nothing
constexpr double kMostCold = 0.5;

using Parts = std::vector<PartOptions>;

// On all processes that share them.
std::vector<double> entries_of_positions(const ObservedTensor& tensor, int mode,
                                         const Communicator& sharers) {
  std::vector<double> entries(tensor.extent(mode), 0.0);
  for (const Index i : tensor.index(mode)) entries[i] += 1.0;
  sharers.sum(entries);
  return entries;
}

// The modes with side information, with their names.
std::vector<int> known_modes(const ObservedTensor& tensor) {
  std::vector<int> modes;
  for (int k = 0; k < tensor.order(); ++k)
    if (tensor.modes()[k].side) modes.push_back(k);
  return modes;
}

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class SideSearch {
 public:
  explicit SideSearch(Evaluator& evaluator)
      : evaluator_(&evaluator), contest_(evaluator), known_(known_modes(evaluator.kept())) {}

  void run();

 private:
  [[nodiscard]] const ObservedTensor& kept() const { return evaluator_->kept(); }
  [[nodiscard]] bool with_share(double share, Settings& settings) const;
  bool consider(Settings settings, double share);
  void consider_als();
  [[nodiscard]] std::string cold_error(const Trial& trial) const;
  void tell(const Trial& before) const;

  Evaluator* evaluator_;
  Contest contest_;  // of those that use it: the first is tried whatever the search has cost so far
  std::vector<int> known_;
};

// Gives every part that learns a mode with side information this share of it; false when none does.
bool SideSearch::with_share(double share, Settings& settings) const {
  if (settings.latent.parts.open()) return false;
  bool any = false;
  for (PartOptions& part : *settings.latent.parts) {
    PartSpec& spec = part.spec;
    // als treats both modes of a pair alike, but only positions of the learned one may be without entries.
    if (*settings.method == Method::kAls && spec.agree.size() == 1 && !contains(known_, spec.mode))
      std::swap(spec.mode, spec.agree[0]);
    if (!spec.learns() || !contains(known_, spec.mode)) continue;
    spec.side = share;
    any = true;
  }
  return any;
}

bool SideSearch::consider(Settings settings, double share) {
  if (!with_share(share, settings)) return false;
  return contest_.consider(settings, fmt::format("{}, parts {}", name(*settings.method),
                                                 lacuna::describe(*settings.latent.parts, kept().modes())));
}

// Where the best has no parts that could take it: als on pairs of modes, one of which has side information.
void SideSearch::consider_als() {
  const Settings& asked = evaluator_->asked();
  if (asked.method.given() && *asked.method != Method::kAls) return;
  for (const int mode : known_)
    for (int other = 0; other < kept().order(); ++other) {
      if (other == mode) continue;
      Settings settings = asked;
      settings.method = Method::kAls;
      settings.latent.parts = Parts{{.spec = {.mode = mode, .agree = {other}}}};
      consider(settings, kFirstShare);
    }
}

// The error where a position along a mode with side information has no entry; nothing where no process has all of the
// model.
std::string SideSearch::cold_error(const Trial& trial) const {
  if (is_gone(trial.model()) || !evaluator_->sharers().alone()) return "";
  std::vector<double> truth;
  std::vector<double> predicted;
  const Entries& held = evaluator_->held();
  const std::vector<double> all = Predictor(trial.model()).predict_as_told(held.cells).value;
  std::vector<bool> cold(static_cast<std::size_t>(held.size()), false);
  for (const int mode : known_) {
    const std::vector<double> entries = entries_of_positions(kept(), mode, evaluator_->sharers());
    for (Count e = 0; e < held.size(); ++e) cold[e] = cold[e] || entries[held.cells[mode][e]] == 0.0;
  }
  for (Count e = 0; e < held.size(); ++e)
    if (cold[e]) {
      truth.push_back(held.value[e]);
      predicted.push_back(all[e]);
    }
  return truth.empty() ? "" : fmt::format(", RMSE {:.5g} where no entry is near", rmse(truth, predicted));
}

void SideSearch::tell(const Trial& before) const {
  std::string names;
  for (const int mode : known_) names += (names.empty() ? "" : ", ") + kept().modes()[mode].name;
  const Trial& after = evaluator_->best();
  const bool used = after.settings.latent.parts.given() &&
                    std::any_of(after.settings.latent.parts->begin(), after.settings.latent.parts->end(),
                                [](const PartOptions& part) { return part.spec.side > 0.0; });
  if (used)
    evaluator_->tell(fmt::format("what is known of {} helps: {}{}, without {}{}", names,
                                 evaluator_->measure(after.error), cold_error(after),
                                 evaluator_->measure(before.error), cold_error(before)));
  else
    evaluator_->tell(fmt::format("what is known of {} does not help the parts and is not used by them: {}{}",
                                 names, evaluator_->measure(before.error), cold_error(before)));
}

void SideSearch::run() {
  if (known_.empty() || !std::isfinite(evaluator_->best().error)) return;
  const Trial before = evaluator_->best();
  const Method method = before.settings.method.value_or(Method::kTrMm);
  if (method == Method::kAls || method == Method::kTrMm || method == Method::kTrLs) {
    consider(before.settings, kFirstShare);
    if (method != Method::kAls && Evaluator::better(contest_.best().error, before.error))
      for (const double share : kOtherShares)
        if (consider(before.settings, share)) break;
  }
  if (method != Method::kAls && evaluator_->sharers().alone()) consider_als();
  if (!contest_.empty()) tell(before);
}

}  // namespace

void hold_out_cold_positions(const ObservedTensor& tensor, double share, Rng& rng,
                             const Communicator& sharers, std::vector<bool>& held) {
  const auto all = static_cast<double>(sharers.sum(tensor.size()));
  for (const int mode : known_modes(tensor)) {
    const std::vector<double> entries = entries_of_positions(tensor, mode, sharers);
    const auto cold = static_cast<double>(std::count(entries.begin(), entries.end(), 0.0));
    if (cold == 0.0) continue;
    const double of_held = std::clamp(cold / static_cast<double>(entries.size()), kLeastCold, kMostCold);
    const double wanted = share * all * of_held / (1.0 - of_held);
    std::vector<Index> order(entries.size());
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    std::vector<bool> chosen(entries.size(), false);
    double covered = 0.0;
    for (const Index i : order) {
      if (covered >= wanted) break;
      chosen[i] = entries[i] > 0.0;
      covered += entries[i];
    }
    for (Count e = 0; e < tensor.size(); ++e) held[e] = held[e] || chosen[tensor.index(mode)[e]];
  }
}

void choose_side(Evaluator& evaluator) {
  if (evaluator.asked().latent.parts.given()) return;  // and with them how much of it they use
  SideSearch(evaluator).run();
}

}  // namespace lacuna
