// SPDX-License-Identifier: MIT
#include "search/near.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "search/rank.hpp"
#include "search/structure.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/lexicographic_order.hpp"
#include "tensor/positions.hpp"

namespace lacuna {
namespace {

constexpr Index kLeastSize = 8;        // of a mode, for neighbours to differ from strangers
constexpr double kLeastPairs = 50.0;   // of neighbours, to tell by
constexpr double kAlike = 0.6;         // of strangers' difference, for a mode to be ordered
constexpr std::size_t kMostNear = 3;   // modes of a grid
constexpr double kMostCells = 4e6;     // of a grid: beyond it a transform takes longer than a fit may
constexpr double kFirstLength = 16.0;  // typical distances of neighbours, as are the next two
constexpr double kLongest = 256.0;
constexpr double kShortest = 0.5;
constexpr Index kMostIrregular = 1024;  // positions of a grid: a transform costs so much for each cell
constexpr int kMostRank = 5;            // of a learned mode, at first
constexpr double kFirstLambda = 10.0;
constexpr double kLambdaOfSmoothness = 10.0;  // factor for each half more

using Parts = std::vector<PartOptions>;

class NearSearch {
 public:
  NearSearch(Contest& contest, const OffsetSpec& alone)
      : contest_(&contest),
        alone_(&alone),
        asked_(&contest.evaluator().asked()),
        ordered_(ordered_modes(contest.evaluator().kept())) {}

  void run();
  void refine();

 private:
  [[nodiscard]] const ObservedTensor& kept() const { return contest_->evaluator().kept(); }
  [[nodiscard]] int order() const { return kept().order(); }
  [[nodiscard]] bool fits(const PartSpec& spec) const;
  [[nodiscard]] PartSpec grid_part(int learned) const;
  [[nodiscard]] std::vector<Parts> candidates() const;
  [[nodiscard]] Settings settings(const Parts& parts) const;
  bool consider(const std::string& what, const std::function<void(PartSpec&)>& change);
  void choose_smoothness(bool open_lambda);
  void choose_length(double step);

  Contest* contest_;
  const OffsetSpec* alone_;
  const Settings* asked_;
  std::vector<int> ordered_;
};

bool NearSearch::fits(const PartSpec& spec) const {
  if (count_cells(kept().modes(), spec.fiber_modes()) > kMostCells) return false;
  if (spec.near.size() == 1 && spec.smoothness == 1.0) return true;  // sweeps, whatever the spacing
  return std::all_of(spec.near.begin(), spec.near.end(),
                     [this](const NearMode& near) { return suits_a_grid(kept().modes()[near.mode]); });
}

// A part that learns this mode, near along the ordered ones, agreeing along the rest.
PartSpec NearSearch::grid_part(int learned) const {
  PartSpec spec{.mode = learned, .agree = {}};
  for (int k = 0; k < order(); ++k) {
    if (k == learned) continue;
    const bool near = std::find(ordered_.begin(), ordered_.end(), k) != ordered_.end();
    if (near && spec.near.size() < kMostNear)
      spec.near.push_back({.mode = k, .length = kFirstLength * typical_spacing(kept().modes()[k])});
    else
      spec.agree.push_back(k);
  }
  return spec;
}

// One grid part for each mode that is not ordered; where all are, one that learns the shortest.
std::vector<Parts> NearSearch::candidates() const {
  Parts loose;
  std::optional<PartSpec> shortest;
  for (int k = 0; k < order(); ++k) {
    const PartSpec spec = grid_part(k);
    if (spec.near.empty() || !fits(spec)) continue;
    if (!shortest || kept().extent(k) < kept().extent(shortest->mode)) shortest = spec;
    if (std::find(ordered_.begin(), ordered_.end(), k) == ordered_.end()) loose.push_back({.spec = spec});
  }
  std::vector<Parts> list;
  if (!loose.empty()) list.push_back(loose);
  if (shortest && loose != Parts{{.spec = *shortest}}) list.push_back({{.spec = *shortest}});
  return list;
}

Settings NearSearch::settings(const Parts& parts) const {
  Settings first = *asked_;
  first.method = Method::kTrMm;
  first.latent.parts = parts;
  first.offsets.settle(*alone_);
  if (asked_->offsets.open()) {  // effects of single modes that are not ordered: a grid says the rest better
    std::erase_if(first.offsets->effects, [this](const std::vector<int>& effect) {
      return effect.size() > 1 || std::find(ordered_.begin(), ordered_.end(), effect[0]) != ordered_.end();
    });
    first.offsets->mean = true;
  }
  first.latent.path.settle(0);  // near parts lead to their solution from anywhere
  if (first.ranks.open()) first.ranks = {kMostRank};
  first.lambda.settle(kFirstLambda);
  first.latent.certify = Certify::kNever;
  return first;
}

// The best, changed in all of its near parts.
bool NearSearch::consider(const std::string& what, const std::function<void(PartSpec&)>& change) {
  Settings other = contest_->settings();
  for (PartOptions& part : *other.latent.parts) {
    if (part.spec.near.empty()) continue;
    change(part.spec);
    if (!fits(part.spec)) return false;
  }
  return contest_->consider(other, what);
}

// Smoother kernels leave less to the ridge at the distance of neighbouring entries, so that lambda has to rise
// with them.
void NearSearch::choose_smoothness(bool open_lambda) {
  for (const double smoothness : {1.5, 2.0}) {
    Settings other = contest_->settings();
    double before = smoothness;
    for (PartOptions& part : *other.latent.parts)
      if (!part.spec.near.empty()) before = std::exchange(part.spec.smoothness, smoothness);
    const bool fit =
        std::all_of(other.latent.parts->begin(), other.latent.parts->end(),
                    [this](const PartOptions& part) { return part.spec.near.empty() || fits(part.spec); });
    if (before >= smoothness || !fit) continue;
    if (open_lambda) *other.lambda *= std::pow(kLambdaOfSmoothness, 2.0 * (smoothness - before));
    if (!contest_->consider(other, fmt::format("smoothness {}, lambda {:.3g}", smoothness, *other.lambda)))
      break;
  }
}

// All lengths together, up or down while it helps.
void NearSearch::choose_length(double step) {
  for (const double factor : {step, 1.0 / step}) {
    bool moved = false;
    for (;;) {
      double longest = 0.0;
      for (const PartOptions& part : *contest_->settings().latent.parts)
        for (const NearMode& near : part.spec.near)
          longest = std::max(longest, near.length / typical_spacing(kept().modes()[near.mode]));
      if (longest * factor > kLongest || longest * factor < kShortest) break;
      if (!consider(fmt::format("lengths times {}", factor), [&](PartSpec& spec) {
            for (NearMode& near : spec.near) near.length *= factor;
          }))
        break;
      moved = true;
    }
    if (moved) return;
  }
}

void NearSearch::run() {
  if (ordered_.empty() || order() < 2) return;
  std::string names;
  for (const int k : ordered_) names += (names.empty() ? "" : ", ") + kept().modes()[k].name;
  contest_->evaluator().tell("neighbours are alike along " + names);
  for (const Parts& parts : candidates())
    contest_->consider(settings(parts), "parts " + describe(parts, kept().modes()));
  if (contest_->empty()) return;
  contest_->only_look();  // what is learned hardly depends on lengths, smoothness and lambda
  const bool open_lambda = asked_->lambda.open() && asked_->latent.lambdas.open();
  choose_smoothness(open_lambda);
  choose_length(4.0);
  if (open_lambda) choose_lambda(*contest_, 3.0);
  contest_->fit_again();
}

void NearSearch::refine() {
  contest_->only_look();
  choose_length(2.0);
  if (asked_->lambda.open() && asked_->latent.lambdas.open()) choose_lambda(*contest_, 2.0);
  contest_->fit_again();
}

}  // namespace

std::optional<double> neighbour_difference(const ObservedTensor& tensor, int mode) {
  std::vector<int> modes;
  for (int k = 0; k < tensor.order(); ++k)
    if (k != mode) modes.push_back(k);
  modes.push_back(mode);
  std::vector<Index> order = lexicographic_order(tensor.cells(), modes);
  const std::vector<Index> place = places(tensor.modes()[mode]);
  const auto along = [&](Index entry) {
    const Index i = tensor.index(mode)[entry];
    return place.empty() ? i : place[i];
  };
  double beside = 0.0;  // squared differences of neighbours, and how many
  double pairs = 0.0;
  double within = 0.0;  // squares about the fibers' means, and their degrees of freedom
  double freedom = 0.0;
  std::size_t begin = 0;
  const auto same_fiber = [&](std::size_t a, std::size_t b) {
    return std::all_of(modes.begin(), modes.end() - 1,
                       [&](int k) { return tensor.index(k)[order[a]] == tensor.index(k)[order[b]]; });
  };
  for (std::size_t i = 1; i <= order.size() && !place.empty(); ++i) {  // fibers by position
    if (i < order.size() && same_fiber(i, begin)) continue;
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
              order.begin() + static_cast<std::ptrdiff_t>(i),
              [&](Index a, Index b) { return along(a) < along(b); });
    begin = i;
  }
  begin = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > begin && !same_fiber(i, begin)) begin = i;
    const bool last = i + 1 == order.size() || !same_fiber(i + 1, begin);
    if (i > begin && along(order[i]) == along(order[i - 1]) + 1) {
      const double difference = tensor.values()[order[i]] - tensor.values()[order[i - 1]];
      beside += difference * difference;
      pairs += 1.0;
    }
    if (!last || i == begin) continue;
    double mean = 0.0;
    for (std::size_t j = begin; j <= i; ++j) mean += tensor.values()[order[j]];
    mean /= static_cast<double>(i - begin + 1);
    for (std::size_t j = begin; j <= i; ++j) {
      const double away = tensor.values()[order[j]] - mean;
      within += away * away;
    }
    freedom += static_cast<double>(i - begin);
  }
  if (pairs < kLeastPairs || freedom < kLeastPairs || !(within > 0.0)) return std::nullopt;
  return beside / pairs / (2.0 * within / freedom);
}

bool suits_a_grid(const Mode& mode) { return mode.size <= kMostIrregular || regular_spacing(mode) > 0.0; }

std::vector<int> ordered_modes(const ObservedTensor& tensor) {
  std::vector<int> ordered;
  for (int k = 0; k < tensor.order(); ++k) {
    const Mode& mode = tensor.modes()[k];
    if (mode.size < kLeastSize || (!mode.labels.empty() && mode.positions.empty())) continue;
    const auto difference = neighbour_difference(tensor, k);
    if (difference && *difference < kAlike) ordered.push_back(k);
  }
  return ordered;
}

void choose_near(Contest& contest, const OffsetSpec& alone) {
  NearSearch search(contest, alone);
  search.run();
  if (contest.empty()) return;
  if (contest.evaluator().asked().ranks.open()) grow_latent_ranks(contest);
  search.refine();
}

}  // namespace lacuna
