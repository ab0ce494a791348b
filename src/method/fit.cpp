// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/base/stopwatch.hpp>
#include <lacuna/base/version.hpp>
#include <lacuna/method/fit.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "method/choose.hpp"
#include "method/fit_run.hpp"
#include "method/hold_out.hpp"

namespace lacuna {

std::string_view name(Method method) { return method == Method::kTrMm ? "tr-mm" : "tr-ls"; }
std::string_view name(Optimizer optimizer) {
  return optimizer == Optimizer::kTrustRegion ? "trust-region" : "conjugate-gradients";
}
std::string_view name(Precision precision) { return precision == Precision::kDouble ? "double" : "float"; }
std::string_view name(Start start) { return start == Start::kRandom ? "random" : "spectral"; }

namespace {

std::string settings_json(const std::vector<Mode>& modes, const FitPlan& plan, const FitOptions& options) {
  return nlohmann::ordered_json{{"method", name(options.method)},
                                {"optimizer", name(options.optimizer)},
                                {"precision", name(options.precision)},
                                {"init", name(options.start)},
                                {"parts", describe(plan.parts, modes)},
                                {"offsets", describe(options.offsets, modes)},
                                {"rank", plan.ranks},
                                {"lambda", options.lambda},
                                {"lambdas", plan.lambda},
                                {"path", plan.path},
                                {"max_iterations", options.max_iterations},
                                {"tolerance", options.tolerance},
                                {"seed", options.seed}}
      .dump();
}

template <class Real>
FitResult fit_in(ObservedTensor tensor, const FitPlan& plan, const FitOptions& options, FitRun& run,
                 Offsets offsets) {
  Solution<Real> solution = options.method == Method::kTrMm ? solve_dual<Real>(tensor, plan, options, run)
                                                            : solve_primal<Real>(tensor, plan, options, run);
  FitResult result;
  run.finish(solution.summary, result);
  result.mixture = std::move(solution.mixture);
  result.certificate = std::move(solution.certificate);
  result.model.method = name(options.method);
  result.model.version = version();
  result.model.settings = settings_json(tensor.modes(), plan, options);
  result.model.offsets = std::move(offsets);
  if constexpr (std::is_same_v<Real, double>) {
    tensor.replace_values(std::move(solution.z));
  } else {
    tensor.replace_values({solution.z.begin(), solution.z.end()});
  }
  result.model.dual = std::move(tensor);
  for (std::size_t p = 0; p < plan.parts.size(); ++p)
    result.model.parts.push_back({.modes = plan.parts[p].spec,
                                  .lambda = solution.lambda[p],
                                  .factor = solution.u[p].template cast<double>()});
  return result;
}

std::vector<double> residual(const ObservedTensor& tensor, const Offsets& offsets) {
  std::vector<double> left = offsets.at(tensor.indices());
  for (std::size_t e = 0; e < left.size(); ++e) left[e] = tensor.values()[e] - left[e];
  return left;
}

double held_out_share(const FitOptions& options) {
  if (options.early_stop >= 0.0) return options.early_stop;
  return options.method == Method::kTrLs ? 0.1 : 0.0;
}

// Fits on a part of the entries until the error on the rest has not improved for a while; returns the best
// number of steps. Nothing when there are too few entries to hold any out.
std::optional<int> best_steps(const ObservedTensor& tensor, const FitOptions& options, double share,
                              const FitCallbacks& callbacks) {
  constexpr int kPatience = 5;  // accepted steps without improvement; the error often rises for one or two
  auto split = hold_out(tensor, share, options.seed);
  if (!split) return std::nullopt;

  FitOptions trial = options;
  trial.early_stop = 0.0;
  trial.certify = Certify::kNever;
  int best = 0;
  int since = 0;
  double lowest = std::numeric_limits<double>::infinity();
  FitCallbacks watching;
  watching.interrupted = callbacks.interrupted;
  watching.progress = [&](const FitProgress& progress) {
    if (!progress.accepted) return Flow::kContinue;
    ++since;
    if (*progress.test_rmse < lowest) {
      lowest = *progress.test_rmse;
      best = progress.iteration;
      since = 0;
    }
    return since >= kPatience ? Flow::kStop : Flow::kContinue;
  };
  (void)fit(std::move(split->kept), trial, watching, &split->held);
  if (callbacks.notice)
    callbacks.notice("early stop: held-out error is lowest after " + std::to_string(best) + " steps");
  return best;
}

}  // namespace

FitResult fit(ObservedTensor tensor, const FitOptions& options, const FitCallbacks& callbacks,
              const Entries* test) {
  if (tensor.size() == 0)
    throw std::invalid_argument("there is nothing to fit: the tensor has no observed entry");
  if (leaves_a_choice(options)) {
    const Stopwatch watch;
    FitCallbacks timed = callbacks;
    timed.interrupted = [&] {
      return (callbacks.interrupted && callbacks.interrupted()) ||
             (options.max_time > 0.0 && watch.seconds() > options.max_time / 2);
    };
    Choice choice = choose(tensor, options, timed);
    if (choice.start) choice.options.warm_start = &*choice.start;
    const double choosing = watch.seconds();
    if (options.max_time > 0.0) choice.options.max_time = std::max(1e-3, options.max_time - choosing);
    FitResult result = fit(std::move(tensor), choice.options, callbacks, test);
    result.choosing_seconds = choosing;
    return result;
  }
  if (const double share = held_out_share(options); share > 0.0) {
    if (!(share < 1.0))
      throw std::invalid_argument("early_stop must be below 1, got " + std::to_string(share));
    FitOptions bounded = options;
    bounded.early_stop = 0.0;
    if (const auto steps = best_steps(tensor, options, share, callbacks)) bounded.max_iterations = *steps;
    return fit(std::move(tensor), bounded, callbacks, test);
  }
  const FitPlan plan = make_plan(tensor, options, callbacks);
  const auto [low, high] = std::minmax_element(tensor.values().begin(), tensor.values().end());
  const Range observed{.low = *low, .high = *high};
  const std::optional<Range> clip = options.clip_observed ? observed : options.clip;
  Offsets offsets = fit_offsets(tensor, options.offsets);
  if (!offsets.empty()) tensor.replace_values(residual(tensor, offsets));
  FitRun run(options, callbacks, test, offsets, clip);
  FitResult result = options.precision == Precision::kDouble
                         ? fit_in<double>(std::move(tensor), plan, options, run, std::move(offsets))
                         : fit_in<float>(std::move(tensor), plan, options, run, std::move(offsets));
  result.model.observed = observed;
  result.model.clip = clip;
  return result;
}

}  // namespace lacuna
