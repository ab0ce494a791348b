// SPDX-License-Identifier: MIT
#include "search/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/journal.hpp"
#include "model/shared_values.hpp"
#include "search/holes.hpp"
#include "tensor/keep_if.hpp"

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

// The first process gathers the model and finds them, for all.
Misses misses_of(Model model, const Entries& held, const Communicator& sharers) {
  gather_dual(sharers, model, GatherTo::kFirst);
  Misses misses;
  if (sharers.first()) {
    const Predictor predictor(model);
    const std::vector<double> predicted = predictor.predict_as_told(held.cells).value;
    for (std::size_t e = 0; e < predicted.size(); ++e)
      misses.residuals.push_back(std::abs(held.value[e] - predicted[e]));
    misses.support = predictor.support(held.cells);
  }
  misses.residuals = sharers.gather(std::span<const double>(misses.residuals));
  misses.support = sharers.gather(std::span<const Count>(misses.support));
  return misses;
}

Misses misses_without(const ObservedTensor& kept, const Entries& held, const Communicator& sharers,
                      const std::function<Model(const ObservedTensor&)>& fit_on) {
  Misses misses = misses_of(fit_on(kept), held, sharers);
  // The model on all entries supports every cell by that much more, and its cells are to fall into the same groups.
  const auto left = static_cast<double>(sharers.sum(kept.size()));
  const double thinned = left / (left + static_cast<double>(held.size()));
  for (Count& support : misses.support)
    support = static_cast<Count>(std::llround(static_cast<double>(support) / thinned));
  return misses;
}

// Where each entry of the tensor is in the list, or -1: both are in canonical order.
std::vector<Count> places_in(const Cells& list, const ObservedTensor& tensor) {
  std::vector<Count> places(static_cast<std::size_t>(tensor.size()), -1);
  Count next = 0;
  const auto order = [&](Count e) {  // of the next one of the list and entry e
    for (int k = 0; k < tensor.order(); ++k)
      if (list[k][next] != tensor.index(k)[e]) return list[k][next] < tensor.index(k)[e] ? -1 : 1;
    return 0;
  };
  for (Count e = 0; e < tensor.size(); ++e) {
    while (next < list.size() && order(e) < 0) ++next;
    if (next < list.size() && order(e) == 0) places[e] = next;
  }
  return places;
}

}  // namespace

std::optional<HoldOut> reserve_for_intervals(const ObservedTensor& tensor, const Settings& asked,
                                             const Communicator& sharers) {
  if (asked.search.calibrate == 0.0) return std::nullopt;
  const double needed = std::min(kMostShare, kWanted / static_cast<double>(sharers.sum(tensor.size())));
  auto reserved = hold_out_like_holes(tensor, std::max(asked.search.calibrate, needed),
                                      stream_seed(asked.seed, Role::kCalibrating), sharers);
  if (!reserved) throw std::invalid_argument("there are too few entries to hold any out for intervals");
  return reserved;
}

int calibration_turns(const ObservedTensor& tensor, const HoldOut& reserved, double wanted,
                      const Communicator& sharers) {
  const double share =
      static_cast<double>(reserved.held.size()) / static_cast<double>(sharers.sum(tensor.size()));
  const auto lists = hole_kinds(tensor, sharers);
  const bool alone = lists.size() == 1 && static_cast<int>(lists[0].fixed.size()) == tensor.order();
  return alone ? std::max(1, static_cast<int>(std::lround(share / wanted))) : 1;
}

Calibration calibrate_on(const ObservedTensor& tensor, const HoldOut& reserved, int turns,
                         const Communicator& sharers, Journal* journal,
                         const std::function<Model(const ObservedTensor&)>& fit_on) {
  const std::vector<Count> places = places_in(reserved.held.cells, tensor);
  Misses all;
  for (int turn = 0; turn < turns; ++turn) {
    const auto of_turn = remembered<Misses>(journal, "turn", [&] {
      HoldOut split = hold_out(tensor, [&](Count e) { return places[e] >= 0 && places[e] % turns == turn; });
      split.held = reserved.held;
      keep_if(split.held, [&](Count e) { return e % turns == turn; });
      return misses_without(split.kept, split.held, sharers, fit_on);
    });
    all.residuals.insert(all.residuals.end(), of_turn.residuals.begin(), of_turn.residuals.end());
    all.support.insert(all.support.end(), of_turn.support.begin(), of_turn.support.end());
  }
  return calibrate(all.residuals, all.support);
}

Calibration calibrate_by(const Model& model, const HoldOut& reserved, const Communicator& sharers) {
  const Misses misses = misses_of(model, reserved.held, sharers);
  return calibrate(misses.residuals, misses.support);
}

}  // namespace lacuna
