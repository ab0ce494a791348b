// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/base/version.hpp>
#include <lacuna/evaluate/metrics.hpp>
#include <lacuna/method/fit.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/stopwatch.hpp"
#include "method/solve.hpp"
#include "search/choose.hpp"
#include "search/robust.hpp"
#include "search/trials.hpp"

namespace lacuna {

std::string_view name(Optimizer optimizer) {
  return optimizer == Optimizer::kTrustRegion ? "trust-region" : "conjugate-gradients";
}
std::string_view name(Precision precision) { return precision == Precision::kDouble ? "double" : "float"; }
std::string_view name(Loss loss) { return loss == Loss::kSquared ? "squared" : "huber"; }
std::string_view name(Start start) {
  constexpr std::string_view kNames[] = {"auto", "random", "spectral", "grow"};
  return kNames[static_cast<int>(start)];
}

namespace {

// The one place that knows which method is solved where.
Solved solve(ObservedTensor& tensor, const FitOptions& options, FitRun& run) {
  switch (options.method) {
    case Method::kTrMm:
    case Method::kTrLs:
      return solve_latent(tensor, options, run);
    case Method::kFfw:
      return solve_ffw(tensor, options, run);
    case Method::kAls:
      return solve_als(tensor, options, run);
    case Method::kBayesCp:
      return solve_bayes_cp(tensor, options, run);
    case Method::kRprecon:
    case Method::kGeomCg:
    case Method::kTopt:
      return solve_tucker(tensor, options, run);
    case Method::kHalrtc:
    case Method::kHard:
      return solve_overlapped(tensor, options, run);
    case Method::kLatent:
      return solve_latent_admm(tensor, options, run);
    case Method::kTsvd:
      return solve_tsvd(tensor, options, run);
    case Method::kMean:
    case Method::kOffsets:
      return solve_offsets(tensor, options, run);
  }
  throw std::invalid_argument("no such method");
}

// Methods that are nothing but offsets have some even when none were asked for.
OffsetSpec offset_spec(const FitOptions& options, int order) {
  OffsetSpec spec = options.offsets;
  if (options.method == Method::kMean) spec.mean = true;
  if (options.method == Method::kOffsets && !spec.mean) {
    spec.mean = true;
    for (int k = 0; k < order; ++k) spec.effects.push_back({k});
  }
  return spec;
}

// Fits on a part of the entries until the error on the rest has not improved for a while; returns the best
// number of steps. Nothing when there are too few entries to hold any out.
std::optional<int> best_steps(const ObservedTensor& tensor, const FitOptions& options, double share,
                              const FitCallbacks& callbacks) {
  constexpr int kPatience = 5;  // accepted steps without improvement; the error often rises for one or two
  auto split = hold_out(tensor, share, options.seed);
  if (!split) return std::nullopt;
  const Count held = split->held.size();

  FitOptions trial = without_extras(options);
  trial.early_stop = 0.0;
  if (options.method == Method::kTrMm) trial.tolerance = std::max(Trials::kRoughly, options.tolerance);
  int best = 0;
  int since = 0;
  double lowest = std::numeric_limits<double>::infinity();
  FitCallbacks watching;
  watching.interrupted = callbacks.interrupted;
  watching.progress = [&](const FitProgress& progress) {
    if (!progress.accepted || progress.lambda < 1.0) return Flow::kContinue;
    ++since;
    if (progress.test_error() < lowest) since = 0;
    lowest = std::min(lowest, progress.test_error());
    if (progress.test_error() <= as_good_as(lowest, held)) best = progress.iteration;
    return since >= kPatience ? Flow::kStop : Flow::kContinue;
  };
  const FitResult last = fit(std::move(split->kept), trial, watching, &split->held);
  if (last.reason == StopReason::kStopped && since < kPatience) return std::nullopt;  // no time to find out
  // Solved roughly and the error still falls: as many steps again solve it well.
  if (since == 0 && last.reason == StopReason::kGradientTolerance) best = std::max(kPatience, 2 * best);
  if (callbacks.notice)
    callbacks.notice("early stop: going by the held-out error, " + std::to_string(best) +
                     " steps are enough");
  return best;
}

// Fits on all entries for as many steps as the error on some of them, held out first, asks for.
FitResult stop_early(ObservedTensor tensor, FitOptions options, double share, const FitCallbacks& callbacks,
                     const Entries* test) {
  if (!(share < 1.0)) throw std::invalid_argument("early_stop must be below 1, got " + std::to_string(share));
  const int most = options.max_iterations;
  const auto steps = best_steps(tensor, options, share, callbacks);
  options.early_stop = 0.0;
  if (steps) options.max_iterations = *steps;
  FitResult result = fit(std::move(tensor), options, callbacks, test);
  if (steps && result.reason == StopReason::kMaxIterations && *steps < most) {
    result.stop_reason = "as many steps as the held-out error asked for";
    result.converged = true;
  }
  return result;
}

// What predictions of fits on most of the entries miss on the others. The fewer are held out, the more such a
// fit is like the one on all of them; so that there are enough to judge by, small tensors are fitted several
// times.
Calibration held_out_residuals(const ObservedTensor& tensor, const FitOptions& options,
                               const FitCallbacks& callbacks) {
  constexpr double kResiduals = 4000;
  constexpr double kMostFits = 5;
  if (!(options.calibrate > 0.0 && options.calibrate < 1.0))
    throw std::invalid_argument("calibrate must be a share between 0 and 1, got " +
                                std::to_string(options.calibrate));
  FitOptions trial = without_extras(options);
  trial.warm_start = nullptr;  // it has seen every entry
  FitCallbacks quiet;
  quiet.interrupted = callbacks.interrupted;
  const double held_each = options.calibrate * static_cast<double>(tensor.size());
  const int fits = static_cast<int>(std::clamp(std::ceil(kResiduals / held_each), 1.0, kMostFits));
  std::vector<double> residuals;
  std::vector<Count> support;
  for (int i = 0; i < fits; ++i) {
    auto split = hold_out(tensor, options.calibrate, options.seed + static_cast<std::uint64_t>(i));
    if (!split) continue;
    const FitResult fitted = fit(std::move(split->kept), trial, quiet);
    const Predictor predictor(fitted.model);
    const std::vector<double> predicted = predictor.predict(split->held.index).value;
    for (std::size_t e = 0; e < predicted.size(); ++e)
      residuals.push_back(std::abs(split->held.value[e] - predicted[e]));
    const std::vector<Count> of_split = predictor.support(split->held.index);
    support.insert(support.end(), of_split.begin(), of_split.end());
    if (fitted.reason == StopReason::kStopped) break;
  }
  if (residuals.empty())
    throw std::invalid_argument("there are too few entries to hold any out for intervals");
  return calibrate(residuals, support);
}

FitResult choose_and_fit(ObservedTensor tensor, const FitOptions& options, const FitCallbacks& callbacks,
                         const Entries* test) {
  const Stopwatch watch;
  FitCallbacks timed = callbacks;
  timed.interrupted = [&] {
    return (callbacks.interrupted && callbacks.interrupted()) ||
           (options.max_time > 0.0 && watch.seconds() > options.max_time / 2);
  };
  Choice choice = options.loss == Loss::kSquared
                      ? choose(tensor, options, timed)
                      : choose(believed_entries(tensor, options, timed), options, timed);
  if (choice.start) choice.options.warm_start = &*choice.start;
  const double choosing = watch.seconds();
  if (options.max_time > 0.0) choice.options.max_time = std::max(1e-3, options.max_time - choosing);
  // The trials were short, so how many steps the last fit takes is chosen like the rest.
  const bool count_steps = (options.auto_rank || options.auto_lambda) && options.early_stop < 0.0;
  const bool takes_it = (info(options.method).settings & kTakesEarlyStop) != 0;
  if (count_steps && takes_it) choice.options.early_stop = kHeldOutShare;
  FitResult result = count_steps && !takes_it && options.loss == Loss::kSquared
                         ? stop_early(std::move(tensor), choice.options, kHeldOutShare, callbacks, test)
                         : fit(std::move(tensor), choice.options, callbacks, test);
  result.choosing_seconds = choosing;
  return result;
}

}  // namespace

FitResult fit(ObservedTensor tensor, const FitOptions& given, const FitCallbacks& callbacks,
              const Entries* test) {
  if (tensor.size() == 0)
    throw std::invalid_argument("there is nothing to fit: the tensor has no observed entry");
  const FitOptions options = complete_options(given);
  if (leaves_a_choice(options)) return choose_and_fit(std::move(tensor), options, callbacks, test);
  if (options.loss == Loss::kHuber) return fit_robustly(std::move(tensor), options, callbacks, test);
  if (const double share = early_stop_share(options); share > 0.0)
    return stop_early(std::move(tensor), options, share, callbacks, test);
  const OffsetSpec spec = offset_spec(options, tensor.order());
  const auto [low, high] = std::minmax_element(tensor.values().begin(), tensor.values().end());

  FitResult result;
  Model& model = result.model;
  if (options.calibrate != 0.0) model.calibration = held_out_residuals(tensor, options, callbacks);
  model.method = name(options.method);
  model.version = version();
  model.modes = tensor.take_labels();
  model.entries = tensor.size();
  model.observed = {.low = *low, .high = *high};
  model.clip = options.clip_observed ? model.observed : options.clip;
  model.offsets = fit_offsets(tensor, spec);
  if (!model.offsets.empty()) tensor.replace_values(model.offsets.taken_off(tensor));

  FitRun run(options, callbacks, test, model.offsets, model.clip);
  Solved solved = solve(tensor, options, run);
  run.finish(solved.summary, result);
  for (Effect& effect : solved.effects) model.offsets.add(std::move(effect));
  result.mixture = std::move(solved.mixture);
  result.certificate = std::move(solved.certificate);
  nlohmann::ordered_json settings{
      {"method", model.method}, {"offsets", describe(spec, model.modes)}, {"seed", options.seed}};
  settings.update(solved.settings);
  model.settings = settings.dump();
  model.body = std::move(solved.body);
  return result;
}

}  // namespace lacuna
