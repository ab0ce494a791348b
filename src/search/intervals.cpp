// SPDX-License-Identifier: MIT
#include "search/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "search/holes.hpp"
#include "search/robust.hpp"

namespace lacuna {
namespace {

// The fewer entries are set aside, the more a fit without them is like the one on all; but there must be enough
// to read quantiles off.
constexpr double kWanted = 1000.0;
constexpr double kMostShare = 0.2;

}  // namespace

std::optional<HoldOut> reserve_for_intervals(const ObservedTensor& tensor, const Settings& asked) {
  if (asked.calibrate == 0.0) return std::nullopt;
  const double needed = std::min(kMostShare, kWanted / static_cast<double>(tensor.size()));
  auto reserved = hold_out_like_holes(tensor, std::max(asked.calibrate, needed),
                                      stream_seed(asked.seed, Role::kCalibrating));
  if (!reserved) throw std::invalid_argument("there are too few entries to hold any out for intervals");
  return reserved;
}

Calibration calibrate_on(const HoldOut& reserved, Settings chosen, const FitCallbacks& callbacks) {
  chosen.certify = Certify::kNever;
  chosen.warm_start = nullptr;  // it may have seen them
  FitCallbacks quiet;
  quiet.interrupted = callbacks.interrupted;
  const FitResult fitted = chosen.loss.value_or(Loss::kSquared) == Loss::kHuber
                               ? fit_robustly(reserved.kept, chosen, quiet, nullptr)
                               : fit_once(reserved.kept, chosen, quiet);
  const Predictor predictor(fitted.model);
  const std::vector<double> predicted = predictor.predict(reserved.held.index).value;
  std::vector<double> residuals;
  for (std::size_t e = 0; e < predicted.size(); ++e)
    residuals.push_back(std::abs(reserved.held.value[e] - predicted[e]));
  return calibrate(residuals, predictor.support(reserved.held.index));
}

}  // namespace lacuna
