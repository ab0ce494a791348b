// SPDX-License-Identifier: MIT
#include "search/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/journal.hpp"
#include "search/holes.hpp"

namespace lacuna {
namespace {

// The fewer entries are set aside, the more a fit without them is like the one on all; but there must be enough
// to read quantiles off.
constexpr double kWanted = 4000.0;
constexpr double kMostShare = 0.2;

// How far a model is off on entries it has not seen, and how well those are supported.
struct Misses {
  std::vector<double> residuals{};
  std::vector<Count> support{};

  template <class A>
  void fields(A& archive) {
    archive("residuals", residuals);
    archive("support", support);
    if (support.size() != residuals.size()) Archive::refuse("support", "as many as residuals");
  }
};

Misses misses_of(const Model& model, const Entries& held) {
  const Predictor predictor(model);
  const std::vector<double> predicted = predictor.predict_as_told(held.cells).value;
  Misses misses;
  for (std::size_t e = 0; e < predicted.size(); ++e)
    misses.residuals.push_back(std::abs(held.value[e] - predicted[e]));
  misses.support = predictor.support(held.cells);
  return misses;
}

Misses misses_without(const HoldOut& split, const std::function<Model(const ObservedTensor&)>& fit_on) {
  Misses misses = misses_of(fit_on(split.kept), split.held);
  // The model on all entries supports every cell by that much more, and its cells are to fall into the same groups.
  const double thinned =
      static_cast<double>(split.kept.size()) / static_cast<double>(split.kept.size() + split.held.size());
  for (Count& support : misses.support)
    support = static_cast<Count>(std::llround(static_cast<double>(support) / thinned));
  return misses;
}

}  // namespace

std::optional<HoldOut> reserve_for_intervals(const ObservedTensor& tensor, const Settings& asked) {
  if (asked.search.calibrate == 0.0) return std::nullopt;
  const double needed = std::min(kMostShare, kWanted / static_cast<double>(tensor.size()));
  auto reserved = hold_out_like_holes(tensor, std::max(asked.search.calibrate, needed),
                                      stream_seed(asked.seed, Role::kCalibrating));
  if (!reserved) throw std::invalid_argument("there are too few entries to hold any out for intervals");
  return reserved;
}

int calibration_turns(const ObservedTensor& tensor, const HoldOut& reserved, double wanted) {
  const double share = static_cast<double>(reserved.held.size()) / static_cast<double>(tensor.size());
  const auto lists = hole_kinds(tensor);
  const bool alone = lists.size() == 1 && static_cast<int>(lists[0].fixed.size()) == tensor.order();
  return alone ? std::max(1, static_cast<int>(std::lround(share / wanted))) : 1;
}

Calibration calibrate_on(const ObservedTensor& tensor, const HoldOut& reserved, int turns, Journal* journal,
                         const std::function<Model(const ObservedTensor&)>& fit_on) {
  // Which of the turns holds an entry out: reserved ones are found by walking through both lists, in one order.
  std::vector<int> turn_of(static_cast<std::size_t>(tensor.size()), -1);
  Count next = 0;
  for (Count e = 0; e < tensor.size() && next < reserved.held.size(); ++e) {
    bool same = true;
    for (int k = 0; k < tensor.order(); ++k)
      same = same && tensor.index(k)[e] == reserved.held.cells[k][next];
    if (same) turn_of[e] = static_cast<int>(next++ % turns);
  }
  Misses all;
  for (int turn = 0; turn < turns; ++turn) {
    const auto of_turn = remembered<Misses>(journal, "turn", [&] {
      return misses_without(hold_out(tensor, [&](Count e) { return turn_of[e] == turn; }), fit_on);
    });
    all.residuals.insert(all.residuals.end(), of_turn.residuals.begin(), of_turn.residuals.end());
    all.support.insert(all.support.end(), of_turn.support.begin(), of_turn.support.end());
  }
  return calibrate(all.residuals, all.support);
}

Calibration calibrate_by(const Model& model, const HoldOut& reserved) {
  const Misses misses = misses_of(model, reserved.held);
  return calibrate(misses.residuals, misses.support);
}

}  // namespace lacuna
