// SPDX-License-Identifier: MIT
#include "search/near.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/rank.hpp"
#include "search/structure.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/positions.hpp"

namespace lacuna {
namespace {

constexpr std::size_t kMostNear = 3;  // modes of a grid
constexpr double kMostCells = 4e6;    // of a grid: beyond it a transform takes longer than a fit may
constexpr double kLongest = 256.0;    // typical distances of neighbours, as is the next
constexpr double kShortest = 0.5;
constexpr Index kMostIrregular = 1024;  // positions of a grid: a transform costs so much for each cell
constexpr int kMostRank = 5;            // of a learned mode, at first
constexpr double kFirstLambda = 10.0;
constexpr double kFirstLambdaOfLines = 1.0;
constexpr double kFarAhead = 0.9;             // of the lowest error before, by the video of a highway
constexpr double kLambdaOfSmoothness = 10.0;  // factor for each half more

}  // namespace

bool NearParts::fits(const PartSpec& spec) const {
  if (count_cells(kept().modes(), spec.fiber_modes()) > kMostCells) return false;
  if (spec.near.size() == 1 && spec.smoothness == 1.0) return true;  // sweeps, whatever the spacing
  return std::all_of(spec.near.begin(), spec.near.end(),
                     [this](const NearMode& near) { return suits_a_grid(kept().modes()[near.mode]); });
}

const OrderedMode* NearParts::ordered(int mode) const {
  const auto found = std::find_if(ordered_.begin(), ordered_.end(),
                                  [mode](const OrderedMode& one) { return one.mode == mode; });
  return found == ordered_.end() ? nullptr : &*found;
}

NearMode NearParts::near(int mode) const { return {.mode = mode, .length = ordered(mode)->length}; }

// A part that learns this mode, near along the ordered ones, agreeing along the rest.
PartSpec NearParts::grid_part(int learned) const {
  PartSpec spec{.mode = learned, .agree = {}};
  for (int k = 0; k < order(); ++k) {
    if (k == learned) continue;
    if (is_ordered(k) && spec.near.size() < kMostNear)
      spec.near.push_back(near(k));
    else
      spec.agree.push_back(k);
  }
  return spec;
}

// One grid part for each mode that is not ordered; where all are, one that learns the shortest.
std::vector<NearParts::Parts> NearParts::grid_candidates() const {
  Parts loose;
  std::optional<PartSpec> shortest;
  for (int k = 0; k < order(); ++k) {
    const PartSpec spec = grid_part(k);
    if (spec.near.empty() || !fits(spec)) continue;
    if (!shortest || kept().extent(k) < kept().extent(shortest->mode)) shortest = spec;
    if (!is_ordered(k)) loose.push_back({.spec = spec});
  }
  std::vector<Parts> list;
  if (!loose.empty()) list.push_back(loose);
  if (shortest && loose != Parts{{.spec = *shortest}}) list.push_back({{.spec = *shortest}});
  return list;
}

// The paper's parts of the other modes, softer along this one: what moves in a picture, what changes in time.
NearParts::Parts NearParts::line_candidate(int along) const {
  Parts parts;
  for (PartSpec spec : full_parts(order())) {
    if (spec.mode == along || order() < 3) continue;
    std::erase(spec.agree, along);
    spec.near = {near(along)};
    if (fits(spec)) parts.push_back({.spec = std::move(spec)});
  }
  return parts;
}

// Effects that the parts say better are left out.
Settings NearParts::settings(const Parts& parts, double lambda, const EffectTest& said_by_parts) const {
  Settings first = *asked_;
  first.method = Method::kTrMm;
  first.latent.parts = parts;
  first.offsets.settle(*alone_);
  if (asked_->offsets.open()) {
    std::erase_if(first.offsets->effects, said_by_parts);
    first.offsets->mean = true;
  }
  first.latent.path.settle(0);  // near parts lead to their solution from anywhere
  if (first.ranks.open()) first.ranks = {kMostRank};
  first.lambda.settle(lambda);
  first.latent.certify = Certify::kNever;
  return first;
}

// Smoother kernels leave less to the ridge at the distance of neighbouring entries, so that lambda has to rise
// with them. Along single modes nothing is as cheap as the roughest.
bool NearParts::choose_smoothness() {
  if (contest_.settings().latent.parts->front().spec.near.size() == 1) return false;
  bool smoother = false;
  for (const double smoothness : {1.5, 2.0}) {
    Settings other = contest_.settings();
    double before = smoothness;
    for (PartOptions& part : *other.latent.parts)
      if (!part.spec.near.empty()) before = std::exchange(part.spec.smoothness, smoothness);
    const bool fit =
        std::all_of(other.latent.parts->begin(), other.latent.parts->end(),
                    [this](const PartOptions& part) { return part.spec.near.empty() || fits(part.spec); });
    if (before >= smoothness || !fit) continue;
    if (open_lambda()) *other.lambda *= std::pow(kLambdaOfSmoothness, 2.0 * (smoothness - before));
    if (!contest_.consider(other, fmt::format("smoothness {}, lambda {:.3g}", smoothness, *other.lambda)))
      break;
    smoother = true;
  }
  return smoother;
}

// Whether all lengths times the factor are longer or shorter than there is use for.
bool NearParts::beyond_limits(double factor) const {
  bool long_enough = false;
  for (const PartOptions& part : *contest_.settings().latent.parts)
    for (const NearMode& near : part.spec.near) {
      const Mode& mode = kept().modes()[near.mode];
      const double spacing = typical_spacing(mode);
      const double length = near.length * factor;
      if (length > std::max(kLongest * spacing, extent(mode))) return true;
      long_enough = long_enough || length >= kShortest * spacing;
    }
  return !long_enough;
}

// All lengths together, up or down while it helps.
void NearParts::choose_length(double step) {
  contest_.walk({step, 1.0 / step}, [this](double factor) -> std::optional<Candidate> {
    if (beyond_limits(factor)) return std::nullopt;
    Settings other = contest_.settings();
    for (PartOptions& part : *other.latent.parts) {
      for (NearMode& near : part.spec.near) near.length *= factor;
      if (!part.spec.near.empty() && !fits(part.spec)) return std::nullopt;
    }
    return Candidate{other, fmt::format("lengths times {}", factor)};
  });
}

void NearParts::try_grids() {
  for (const Parts& parts : grid_candidates())
    contest_.consider(
        settings(parts, kFirstLambda,
                 [this](const auto& effect) { return effect.size() > 1 || is_ordered(effect[0]); }),
        "parts " + describe(parts, kept().modes()));
}

// Where several modes are ordered and others are not, as in pictures, grids say all there is to say of order. Where all are,
// what is alike at the next position says little of what is alike for long: along each of them, until one is so far ahead of
// all that was tried that refining it is worth more than trying others. True when one is.
bool NearParts::try_lines() {
  if (ordered_.size() > 1 && !all_ordered()) return false;
  const std::vector<Parts> grids = grid_candidates();
  for (const OrderedMode& one : ordered_) {
    const int along = one.mode;
    const Parts parts = line_candidate(along);
    if (parts.empty() || std::find(grids.begin(), grids.end(), parts) != grids.end()) continue;
    const double before = contest_.evaluator().best().error;
    contest_.consider(settings(parts, kFirstLambdaOfLines,
                               [along](const auto& effect) {
                                 return std::find(effect.begin(), effect.end(), along) != effect.end();
                               }),
                      "parts " + describe(parts, kept().modes()));
    if (contest_.best().error < kFarAhead * before) return true;
  }
  return false;
}

void NearParts::tell_order() const {
  std::string alike;
  std::string others;
  for (const OrderedMode& one : ordered_) {
    std::string& names = one.alike() ? alike : others;
    names += (names.empty() ? "" : ", ") + kept().modes()[one.mode].name;
  }
  if (!alike.empty()) contest_.evaluator().tell("neighbours are alike along " + alike);
  if (!others.empty()) contest_.evaluator().tell("in order, though neighbours do not show it: " + others);
}

// Where nothing but that there is an order speaks for it, and the first try does not.
bool NearParts::given_up() const {
  return contest_.hopeless() &&
         std::none_of(ordered_.begin(), ordered_.end(), [](const OrderedMode& one) { return one.alike(); });
}

bool NearParts::open_lambda() const { return asked_->lambda.open() && asked_->latent.lambdas.open(); }

// What is learned hardly depends on lengths, smoothness and lambda: looks decide.
void NearParts::choose_roughly() {
  contest_.only_look();
  choose_length(4.0);  // while solves are cheap
  if (open_lambda()) choose_lambda(contest_, 3.0);
  if (choose_smoothness() && open_lambda()) choose_lambda(contest_, 3.0);
  contest_.fit_again();
}

// The factors are those of other lengths and another lambda: whether they are better for some steps with these.
void NearParts::learn_again() {
  const Trial from = contest_.best();
  if (from.steps > 0 || !from.from_factors) return;
  contest_.consider(from.settings, "factors learned again", &from.model());
}

bool suits_a_grid(const Mode& mode) { return mode.size <= kMostIrregular || regular_spacing(mode) > 0.0; }

NearParts::NearParts(Evaluator& evaluator, const OffsetSpec& alone)
    : contest_(evaluator),
      alone_(&alone),
      asked_(&evaluator.asked()),
      ordered_(ordered_modes(evaluator.kept(), evaluator.sharers())) {
  if (ordered_.empty() || order() < 2) return;
  tell_order();
  if (all_ordered() && try_lines()) return;  // cheaper than a grid of all modes
  try_grids();
  if (!all_ordered()) (void)try_lines();
}

void NearParts::refine() {
  if (contest_.empty() || given_up()) return;
  choose_roughly();
  if (asked_->ranks.open()) grow_latent_ranks(contest_);
  contest_.only_look();
  choose_length(2.0);
  if (open_lambda()) choose_lambda(contest_, 2.0);
  contest_.fit_again();
  learn_again();
}

}  // namespace lacuna
