// SPDX-License-Identifier: MIT
#include "search/choose.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <lacuna/evaluate/metrics.hpp>
#include <limits>

#include "model/body.hpp"
#include "search/grow_rank.hpp"
#include "search/trials.hpp"

namespace lacuna {
namespace {

constexpr double kWorthGoingUp = 0.995;  // of the error, for a larger lambda
constexpr int kTrialRank = 3;            // while the structure is chosen and the rank is not known yet
constexpr double kLeastShared = 0.05;    // of the entries, in fibers of two or more, for a part to be tried
constexpr double kWeightedPower = 0.5;   // of the counts, for rows and fibers, in a weighted norm
constexpr double kLeastMixture = 0.1;    // share of the prediction above which a part's own lambda is tuned

// To three digits, so that what is chosen reads well.
double rounded(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return std::round(value / unit) * unit;
}

struct Structure {
  std::vector<PartOptions> parts;
  OffsetSpec offsets;
  std::vector<int> ranks{};
};

class Chooser {
 public:
  Chooser(Trials& trials, const FitOptions& options) : trials_(&trials), options_(&options) {}

  Choice choose();

 private:
  [[nodiscard]] const ObservedTensor& kept() const { return trials_->split().kept; }
  [[nodiscard]] const std::vector<Mode>& modes() const { return kept().modes(); }
  [[nodiscard]] int order() const { return kept().order(); }

  [[nodiscard]] FitOptions settings(const Structure& structure) const;
  // Takes the candidate, which differs from the best by `what`, if its error is below `factor` times the
  // best's.
  bool consider(Structure candidate, double factor, const std::string& what);

  [[nodiscard]] OffsetSpec best_offsets_alone() const;
  void choose_offsets();
  void choose_lambda(double step);
  void reconsider_offsets();
  void choose_parts();
  void choose_weighting();
  void tune_each_part();
  void choose_rank();

  [[nodiscard]] std::vector<std::vector<PartOptions>> part_groups() const;
  [[nodiscard]] bool worth_trying(const PartSpec& part) const;

  Trials* trials_;
  const FitOptions* options_;
  Structure best_;
  double lowest_ = std::numeric_limits<double>::infinity();
  std::vector<double> mixture_;  // of the best
  std::optional<Model> start_;   // that the best was fitted from
};

FitOptions Chooser::settings(const Structure& structure) const {
  FitOptions trial = trials_->settings();
  trial.parts = structure.parts;
  trial.offsets = structure.offsets;
  trial.ranks = structure.ranks;
  if (start_) trial.warm_start = &*start_;
  return trial;
}

bool Chooser::consider(Structure candidate, double factor, const std::string& what) {
  if (trials_->stopped()) return false;
  FitResult result = trials_->run(settings(candidate));
  const double found = trials_->error(result);
  const bool better = found < factor * lowest_;
  trials_->tell(std::string(better ? "+ " : "  ") + trials_->measure(found) + "  " + what);
  if (better) {
    lowest_ = found;
    trials_->note_best(result);
    best_ = std::move(candidate);
    mixture_ = std::move(result.mixture);
  }
  return better;
}

// Offsets alone need no fit: effects are added one by one while they lower the held-out error.
OffsetSpec Chooser::best_offsets_alone() const {
  const auto alone = [&](const OffsetSpec& spec) {
    return rmse(trials_->split().held.value, fit_offsets(kept(), spec).at(trials_->split().held.index));
  };
  OffsetSpec chosen{.mean = true, .effects = {}};
  double lowest = alone(chosen);
  std::vector<std::vector<int>> candidates;
  for (int k = 0; k < order(); ++k) candidates.push_back({k});
  for (int k = 0; k < order(); ++k)
    for (int other = k + 1; other < order(); ++other) candidates.push_back({k, other});
  for (const std::vector<int>& effect : candidates) {
    if (effect.size() == 2 && order() == 2) continue;  // it would be the data itself
    OffsetSpec more = chosen;
    more.effects.push_back(effect);
    const double with = alone(more);
    if (with >= Trials::kWorthwhile * lowest) continue;
    chosen = std::move(more);
    lowest = with;
  }
  return chosen;
}

// One trial with parts says whether to use offsets at all, since a part may say the same better.
void Chooser::choose_offsets() {
  const OffsetSpec chosen = best_offsets_alone();
  Structure with = best_;
  with.offsets = chosen;
  consider(std::move(with), 1.0, "offsets " + describe(chosen, modes()));
  if (best_.offsets.effects.empty() && !best_.offsets.mean) {
    with = best_;
    with.offsets.mean = true;
    consider(std::move(with), 1.0, "offsets mean");
  }
}

// Down or up in steps while it helps. Up must help more: it makes every later fit harder.
void Chooser::choose_lambda(double step) {
  for (const double factor : {1.0 / step, step}) {
    const double enough = factor < 1.0 ? 1.0 : kWorthGoingUp;
    bool moved = false;
    for (;;) {
      Structure other = best_;
      for (PartOptions& part : other.parts) part.lambda = rounded(part.lambda * factor);
      if (!consider(std::move(other), enough, "every lambda times " + shortest(factor))) break;
      moved = true;
    }
    if (moved) return;
  }
}

bool Chooser::worth_trying(const PartSpec& part) const {
  const FiberView view(kept(), part);
  const double shared = 1.0 - static_cast<double>(view.single_fibers()) / static_cast<double>(kept().size());
  if (shared < kLeastShared) return false;
  if (static_cast<int>(part.agree.size()) == order() - 1)  // complete fibers say nothing of missing cells
    return !fibers_are_complete(kept(), part.mode);
  const FiberView full(kept(), full_parts(order())[part.mode]);
  return full.fibers() != view.fibers();  // else the modes left out decide nothing
}

// What to add to the paper's parts: at three modes the two parts of each pair of modes; at more, where there
// are too many, all parts with equally many agreeing modes.
std::vector<std::vector<PartOptions>> Chooser::part_groups() const {
  const int order = this->order();
  std::vector<std::vector<PartOptions>> groups;
  const auto add = [&](std::vector<PartOptions> group) {
    std::erase_if(group, [&](const PartOptions& part) { return !worth_trying(part.spec); });
    if (!group.empty()) groups.push_back(std::move(group));
  };
  if (order == 3) {
    for (int a = 0; a < order; ++a)
      for (int b = a + 1; b < order; ++b)
        add({{.spec = {.mode = a, .agree = {b}}}, {.spec = {.mode = b, .agree = {a}}}});
    return groups;
  }
  for (int agreeing = order - 2; agreeing >= 1; --agreeing) {
    std::vector<PartOptions> group;
    for (int mode = 0; mode < order; ++mode)
      for (unsigned set = 0; set < 1U << order; ++set) {
        if (std::popcount(set) != agreeing || (set >> mode & 1U) != 0) continue;
        PartSpec spec{.mode = mode, .agree = {}};
        for (int k = 0; k < order; ++k)
          if ((set >> k & 1U) != 0) spec.agree.push_back(k);
        group.push_back({.spec = std::move(spec)});
      }
    if (order <= 5) add(std::move(group));
  }
  return groups;
}

// First a group instead of the paper's parts, where their fibers are too short to say much; then the others,
// the paper's among them, in addition.
void Chooser::choose_parts() {
  const double lambda = best_.parts.front().lambda;
  const std::vector<PartOptions> paper = best_.parts;
  std::vector<std::vector<PartOptions>> groups = part_groups();
  for (std::vector<PartOptions>& group : groups)
    for (PartOptions& part : group) part.lambda = lambda;
  std::size_t base = groups.size();  // which group stands instead of the paper's parts
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (consider({.parts = groups[g], .offsets = best_.offsets, .ranks = best_.ranks}, Trials::kWorthwhile,
                 "instead " + describe(groups[g], modes())))
      base = g;
  const bool replaced = base < groups.size();
  if (replaced) {
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(base));
    groups.insert(groups.begin(), paper);
    reconsider_offsets();
  }
  for (const std::vector<PartOptions>& group : groups) {
    Structure more = best_;
    more.parts.insert(more.parts.end(), group.begin(), group.end());
    consider(std::move(more), Trials::kWorthwhile, "also " + describe(group, modes()));
  }
  if (!replaced) reconsider_offsets();
}

// Parts may do better what offsets did before them.
void Chooser::reconsider_offsets() {
  if (!options_->auto_offsets || best_.offsets.effects.empty()) return;
  Structure without = best_;
  without.offsets = {};
  consider(std::move(without), 1.0, "offsets none");
}

void Chooser::choose_weighting() {
  Structure weighted = best_;
  for (PartOptions& part : weighted.parts) {
    part.spec.row_power = kWeightedPower;
    if (part.spec.near.empty()) part.spec.fiber_power = kWeightedPower;  // which near parts do not have
  }
  consider(std::move(weighted), 1.0, "norms weighted by counts");
}

// A tenth of its lambda for each part that matters, in turn; one that does better so is then tried without.
void Chooser::tune_each_part() {
  for (std::size_t p = 0; p < best_.parts.size() && best_.parts.size() > 1;) {
    const std::string name = describe(PartOptions{.spec = best_.parts[p].spec}, modes());
    bool gone = false;
    if (mixture_[p] >= kLeastMixture) {
      Structure other = best_;
      other.parts[p].lambda = rounded(0.1 * other.parts[p].lambda);
      if (consider(std::move(other), 1.0, name + " with a tenth of its lambda")) {
        other = best_;
        other.parts.erase(other.parts.begin() + static_cast<std::ptrdiff_t>(p));
        gone = consider(std::move(other), 1.0, "without " + name);
      }
    }
    if (!gone) ++p;
  }
}

void Chooser::choose_rank() {
  Growth growth = grow_ranks(*trials_, settings(best_));
  if (growth.model.latent() == nullptr) return;
  best_.ranks = ranks(growth.model);
  lowest_ = growth.error;
  start_ = std::move(growth.model);
}

Choice Chooser::choose() {
  const FitOptions& asked = *options_;
  if ((info(asked.method).settings & kTakesParts) == 0) {  // nothing but offsets and ranks to choose
    Choice chosen{.options = asked, .start = std::nullopt};
    if (asked.auto_offsets) {
      chosen.options.offsets = best_offsets_alone();
      trials_->tell("offsets " + describe(chosen.options.offsets, modes()));
    }
    if (asked.auto_rank) {
      FitOptions trial = trials_->settings();
      trial.offsets = chosen.options.offsets;
      Growth growth = grow_tucker_ranks(*trials_, std::move(trial));
      if (std::isfinite(growth.error)) {
        chosen.options.ranks = ranks(growth.model);
        chosen.start = std::move(growth.model);
      }
    }
    return chosen;
  }
  best_.parts = asked.parts.empty() || asked.auto_parts ? full_structure(order()) : asked.parts;
  if (!asked.auto_offsets) best_.offsets = asked.offsets;
  best_.ranks = asked.auto_rank ? std::vector<int>{kTrialRank} : asked.ranks;
  if (asked.auto_parts)
    std::erase_if(best_.parts, [&](const PartOptions& part) { return !worth_trying(part.spec); });
  if (best_.parts.empty()) best_.parts = full_structure(order());

  if (asked.auto_offsets || asked.auto_parts || asked.auto_lambda)
    consider(best_, 1.0,
             "parts " + describe(best_.parts, modes()) + ", offsets " + describe(best_.offsets, modes()));
  if (asked.auto_offsets) choose_offsets();
  if (asked.auto_parts || asked.auto_lambda) choose_lambda(10.0);
  if (asked.auto_parts) {
    choose_parts();
    choose_lambda(2.0);
    choose_weighting();
    tune_each_part();
  }
  if (asked.auto_parts || asked.auto_lambda) choose_lambda(2.0);
  if (asked.auto_rank) choose_rank();
  if (asked.auto_rank && asked.auto_lambda) choose_lambda(2.0);

  trials_->tell(std::to_string(trials_->count()) + " trials; " + trials_->measure(lowest_) +
                " with --parts '" + describe(best_.parts, modes()) + "' --offsets '" +
                describe(best_.offsets, modes()) + "'");
  Choice chosen{.options = asked, .start = std::move(start_)};
  if (asked.auto_lambda && !asked.auto_parts) {  // one factor on all parts: it is lambda's
    const double factor =
        best_.parts.front().lambda / (asked.parts.empty() ? 1.0 : asked.parts.front().lambda);
    chosen.options.lambda *= factor;
    for (PartOptions& part : best_.parts) part.lambda = rounded(part.lambda / factor);
  }
  chosen.options.parts = best_.parts;
  chosen.options.offsets = best_.offsets;
  if (asked.auto_rank) chosen.options.ranks = best_.ranks;
  return chosen;
}

}  // namespace

bool leaves_a_choice(const FitOptions& options) {
  return options.auto_parts || options.auto_offsets || options.auto_rank || options.auto_lambda;
}

Choice choose(const ObservedTensor& tensor, const FitOptions& options, const FitCallbacks& callbacks) {
  Choice chosen{.options = options, .start = std::nullopt};
  if (auto split = hold_out(tensor, kHeldOutShare, options.seed)) {
    Trials trials(std::move(*split), options, callbacks);
    chosen = Chooser(trials, options).choose();
  } else {
    if (options.auto_parts) chosen.options.parts = full_structure(tensor.order());
    if (options.auto_offsets) chosen.options.offsets = {.mean = true, .effects = {}};
    if (callbacks.notice)
      callbacks.notice("auto: too few entries to hold any out; what was left open gets its default");
  }
  FitOptions& settled = chosen.options;
  settled.auto_parts = settled.auto_offsets = settled.auto_rank = settled.auto_lambda = false;
  return chosen;
}

}  // namespace lacuna
