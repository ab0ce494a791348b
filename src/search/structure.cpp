// SPDX-License-Identifier: MIT
#include "search/structure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/number_text.hpp"
#include "kernels/layouts.hpp"
#include "search/near.hpp"
#include "search/open_lengths.hpp"
#include "tensor/fiber_view.hpp"
#include "tensor/positions.hpp"

namespace lacuna {
namespace {

constexpr int kTrialRank = 3;           // while the structure is chosen and the rank is not known yet
constexpr double kLeastShared = 0.05;   // of the entries, in fibers of two or more, for a part to be tried
constexpr double kWeightedPower = 0.5;  // of the counts, for rows and fibers, in a weighted norm
constexpr double kLeastMixture = 0.1;   // share of the prediction above which a part's own lambda is tried
constexpr int kMostModes = 5;           // beyond it there are too many parts to try

// To three digits, so that what is chosen reads well.
double rounded(double value) {
  const double digits = std::pow(10.0, 2.0 - std::floor(std::log10(value)));
  return std::round(value * digits) / digits;
}

using Parts = std::vector<PartOptions>;

class StructureSearch {
 public:
  StructureSearch(Contest& contest, const OffsetSpec& alone)
      : contest_(&contest), alone_(&alone), asked_(&contest.evaluator().asked()) {}

  void run();

 private:
  [[nodiscard]] const ObservedTensor& kept() const { return contest_->evaluator().kept(); }
  [[nodiscard]] const std::vector<Mode>& modes() const { return kept().modes(); }
  [[nodiscard]] int order() const { return kept().order(); }
  [[nodiscard]] const Parts& parts() const { return *contest_->settings().latent.parts; }

  [[nodiscard]] Settings start() const;
  bool consider_offsets(const OffsetSpec& offsets);
  bool consider_parts(Parts parts, const std::string& what);
  void choose_offsets();
  void choose_parts();
  void reconsider_offsets();
  void choose_nearness();
  void choose_weighting();
  void choose_lambda_of_each_part();
  [[nodiscard]] std::vector<Parts> groups() const;

  Contest* contest_;
  const OffsetSpec* alone_;
  const Settings* asked_;
};

// The paper's parts that could say anything, without offsets, unless other ones are given.
Settings StructureSearch::start() const {
  Settings first = *asked_;
  first.method.settle(Method::kTrMm);
  if (first.latent.parts.given()) first.latent.parts = closed(*first.latent.parts);
  if (*first.method == Method::kTrLs)
    first.method = Method::kTrMm;  // the model is the same: what suits D suits P
  if (first.latent.lambdas.given())
    first.latent.parts.settle(full_structure(order()));  // one lambda for each of them
  if (first.latent.parts.open()) {
    Parts telling = full_structure(order());
    std::erase_if(telling, [&](const PartOptions& part) {
      return !says_something(kept(), part.spec, contest_->evaluator().sharers());
    });
    first.latent.parts = telling.empty() ? full_structure(order()) : std::move(telling);
  }
  first.offsets.settle({});
  if (first.ranks.open()) first.ranks = {kTrialRank};
  if (first.latent.lambdas.open()) first.lambda.settle(Settings::kDefaultLambda);
  first.latent.certify = Certify::kNever;
  return first;
}

bool StructureSearch::consider_offsets(const OffsetSpec& offsets) {
  Settings other = contest_->settings();
  other.offsets = offsets;
  return contest_->consider(other, "offsets " + describe(offsets, modes()));
}

bool StructureSearch::consider_parts(Parts parts, const std::string& what) {
  Settings other = contest_->settings();
  other.latent.parts = std::move(parts);
  return contest_->consider(other, what);
}

// One trial with parts says whether to use offsets at all, since a part may say the same better.
void StructureSearch::choose_offsets() {
  consider_offsets(*alone_);
  if (!contest_->settings().offsets->mean) consider_offsets({.mean = true, .effects = {}});
}

// Parts may do better what offsets did before them.
void StructureSearch::reconsider_offsets() {
  if (asked_->offsets.open() && !contest_->settings().offsets->effects.empty()) consider_offsets({});
}

// What to add to the paper's parts: at three modes the two parts of each pair of modes; at more, where there
// are too many, all parts with equally many agreeing modes.
std::vector<Parts> StructureSearch::groups() const {
  std::vector<Parts> groups;
  const auto add = [&](Parts group) {
    std::erase_if(group, [&](const PartOptions& part) {
      return !says_something(kept(), part.spec, contest_->evaluator().sharers());
    });
    if (!group.empty()) groups.push_back(std::move(group));
  };
  if (order() == 3) {
    for (int a = 0; a < order(); ++a)
      for (int b = a + 1; b < order(); ++b)
        add({{.spec = {.mode = a, .agree = {b}}}, {.spec = {.mode = b, .agree = {a}}}});
    return groups;
  }
  for (int agreeing = order() - 2; agreeing >= 1 && order() <= kMostModes; --agreeing) {
    Parts group;
    for (int mode = 0; mode < order(); ++mode)
      for (unsigned set = 0; set < 1U << order(); ++set) {
        if (std::popcount(set) != agreeing || (set >> mode & 1U) != 0) continue;
        PartSpec spec{.mode = mode, .agree = {}};
        for (int k = 0; k < order(); ++k)
          if ((set >> k & 1U) != 0) spec.agree.push_back(k);
        group.push_back({.spec = std::move(spec)});
      }
    add(std::move(group));
  }
  return groups;
}

// First a group instead of the paper's parts, where their fibers are too short to say much; then the others,
// the paper's among them, in addition.
void StructureSearch::choose_parts() {
  const double lambda = parts().front().lambda;
  const Parts paper = parts();
  std::vector<Parts> groups = this->groups();
  for (Parts& group : groups)
    for (PartOptions& part : group) part.lambda = lambda;
  std::size_t base = groups.size();  // which group stands instead of the paper's parts
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (consider_parts(groups[g], "instead " + describe(groups[g], modes()))) base = g;
  const bool replaced = base < groups.size();
  if (replaced) {
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(base));
    groups.insert(groups.begin(), paper);
    reconsider_offsets();
  }
  for (const Parts& group : groups) {
    Parts more = parts();
    more.insert(more.end(), group.begin(), group.end());
    consider_parts(std::move(more), "also " + describe(group, modes()));
  }
  if (!replaced) reconsider_offsets();
}

// Where neighbours along a mode are alike, the parts that ask it and others to agree ask it to be near instead.
void StructureSearch::choose_nearness() {
  constexpr double kLength = 3.0;  // typical distances of neighbours
  for (const OrderedMode& ordered : ordered_modes(kept(), contest_->evaluator().sharers())) {
    const int mode = ordered.mode;
    Parts softer = parts();
    bool any = false;
    for (PartOptions& part : softer) {
      const auto at = std::find(part.spec.agree.begin(), part.spec.agree.end(), mode);
      if (at == part.spec.agree.end() || part.spec.agree.size() < 2 || part.spec.near.size() > 1) continue;
      if (!part.spec.near.empty() &&
          !(suits_a_grid(modes()[mode]) && suits_a_grid(modes()[part.spec.near.front().mode])))
        continue;
      part.spec.agree.erase(at);
      part.spec.near.push_back({.mode = mode, .length = kLength * typical_spacing(modes()[mode])});
      std::sort(part.spec.near.begin(), part.spec.near.end(),
                [](const NearMode& a, const NearMode& b) { return a.mode < b.mode; });
      part.spec.fiber_power = 0.0;
      any = true;
    }
    if (any) consider_parts(std::move(softer), "near along " + modes()[mode].name);
  }
}

void StructureSearch::choose_weighting() {
  Parts weighted = parts();
  for (PartOptions& part : weighted) {
    part.spec.row_power = kWeightedPower;
    if (part.spec.near.empty()) part.spec.fiber_power = kWeightedPower;  // which near parts do not have
  }
  consider_parts(std::move(weighted), "norms weighted by counts");
}

// A tenth of its lambda for each part that matters, in turn; one that does better so is then tried without.
void StructureSearch::choose_lambda_of_each_part() {
  for (std::size_t p = 0; p < parts().size() && parts().size() > 1;) {
    const std::string name = describe(PartOptions{.spec = parts()[p].spec}, modes());
    const std::vector<double>& mixture = contest_->best().result->mixture;
    bool gone = false;
    if (p < mixture.size() && mixture[p] >= kLeastMixture) {
      Parts other = parts();
      other[p].lambda = rounded(0.1 * other[p].lambda);
      if (consider_parts(other, name + " with a tenth of its lambda")) {
        other.erase(other.begin() + static_cast<std::ptrdiff_t>(p));
        gone = consider_parts(std::move(other), "without " + name);
      }
    }
    if (!gone) ++p;
  }
}

void StructureSearch::run() {
  const Settings first = start();
  contest_->consider(first, "parts " + describe(*first.latent.parts, modes()) + ", offsets " +
                                describe(*first.offsets, modes()));
  if (contest_->empty()) return;  // interrupted
  if (asked_->offsets.open()) choose_offsets();
  if (contest_->hopeless()) return;
  const bool open_lambda = asked_->lambda.open() && asked_->latent.lambdas.open();
  if (open_lambda) choose_lambda(*contest_, 10.0);
  choose_open_lengths(*contest_);
  if (asked_->latent.parts.open() && asked_->latent.lambdas.open()) {
    choose_parts();
    if (contest_->far_behind()) return;
    choose_nearness();
    if (open_lambda) choose_lambda(*contest_, 2.0);
    choose_weighting();
    choose_lambda_of_each_part();
  }
  if (open_lambda) choose_lambda(*contest_, 2.0);
}

}  // namespace

bool says_something(const ObservedTensor& kept, const PartSpec& part, const Communicator& sharers) {
  const std::optional<ObservedTensor> dealt = with_whole_fibers(kept, part, sharers);
  const ObservedTensor& entries = dealt ? *dealt : kept;
  const auto all = static_cast<double>(sharers.sum(entries.size()));
  const FiberView view(entries, part);
  const auto fibers = static_cast<double>(sharers.sum(view.fibers()));
  const double shared = 1.0 - static_cast<double>(sharers.sum(view.single_fibers())) / all;
  if (shared < kLeastShared) return false;
  if (static_cast<int>(part.agree.size()) ==
      kept.order() - 1)  // complete fibers say nothing of missing cells
    return fibers * kept.extent(part.mode) != all;
  const FiberView full(entries, full_parts(kept.order())[part.mode]);
  return static_cast<double>(sharers.sum(full.fibers())) != fibers;  // else the modes left out decide nothing
}

void choose_structure(Contest& contest, const OffsetSpec& alone) { StructureSearch(contest, alone).run(); }

void choose_lambda(Contest& contest, double step) {
  contest.walk({1.0 / step, step}, [&contest](double factor) -> std::optional<Candidate> {
    Settings other = contest.settings();
    if (other.lambda.open()) return std::nullopt;
    other.lambda = rounded(*other.lambda * factor);
    return Candidate{other, "lambda " + shortest(*other.lambda)};
  });
}

}  // namespace lacuna
