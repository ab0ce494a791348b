// SPDX-License-Identifier: MIT
#include "auto_method.hpp"

#include <fmt/format.h>

#include <lacuna/base/parallel.hpp>
#include <lacuna/evaluate/metrics.hpp>

#include "input.hpp"
#include "signals.hpp"

namespace lacuna::cli {
namespace {

constexpr int kFolds = 3;
// Tried for methods that do not find their own.
const std::vector<double> kLambdas = {3.0, 10.0, 30.0};

Result<TuneCandidate> candidate(const FitFlags& flags, const std::string& name,
                                const std::vector<Mode>& modes) {
  std::unique_ptr<Model> none;
  auto options = flags.fit_options(none);
  if (!options) return options.error();
  if (auto fits = flags.set_structure(modes, *options); !fits) return fits.error();
  return TuneCandidate{.name = name, .options = std::move(*options)};
}

// The method with what it does not choose by itself: lambda, from a list, where it takes one.
Result<TuneCandidate> open_candidate(const std::string& method, const FitFlags& given,
                                     const std::vector<Mode>& modes) {
  const FitFlags flags = flags_for(given, method);
  auto found = candidate(flags, method, modes);
  if (!found) return found.error();
  const bool chooses_lambda = (info(found->options.method).settings & kTakesPath) != 0;
  const bool given_lambda = !flags.lambda.empty() && flags.lambda != "auto";
  found->lambdas = given_lambda || chooses_lambda ? std::vector<double>{found->options.lambda} : kLambdas;
  if (chooses_lambda && flags.lambda.empty()) found->options.auto_lambda = true;
  return found;
}

}  // namespace

FitFlags flags_for(FitFlags flags, const std::string& method) {
  const FitFlags plain;
  const unsigned takes = info(*parse_method(method)).settings;
  flags.method = method;
  if ((takes & kTakesRank) == 0) flags.rank = plain.rank;
  if ((takes & kTakesLambda) == 0 || ((takes & kTakesPath) == 0 && flags.lambda == "auto"))
    flags.lambda = plain.lambda;
  if ((takes & kTakesPath) == 0) {
    flags.options.lambdas = plain.options.lambdas;
    flags.options.path = plain.options.path;
  }
  if ((takes & kTakesParts) == 0) flags.parts = plain.parts;
  if ((takes & kTakesInit) == 0) flags.init = plain.init;
  if ((takes & kTakesLoss) == 0) flags.loss = plain.loss;
  if ((takes & kTakesTubes) == 0) flags.tubes = plain.tubes;
  if ((takes & kTakesOptimizer) == 0) flags.optimizer = plain.optimizer;
  if ((takes & kTakesPrecision) == 0) flags.precision = plain.precision;
  if ((takes & kTakesEarlyStop) == 0) flags.options.early_stop = plain.options.early_stop;
  if ((takes & kTakesSteps) == 0) {
    flags.options.max_iterations = plain.options.max_iterations;
    flags.options.tolerance = plain.options.tolerance;
  }
  if (method == name(Method::kMean)) flags.offsets = plain.offsets;
  return flags;
}

std::vector<std::string> methods_for(const ObservedTensor& tensor, const FitFlags& flags) {
  std::vector<std::string> names;
  for (const MethodInfo& one : kMethods) {
    if (one.order != 0 && one.order != tensor.order()) continue;
    const auto found = candidate(flags_for(flags, std::string(one.name)), "", tensor.modes());
    if (found && check_fit_memory(tensor, found->options)) names.emplace_back(one.name);
  }
  return names;
}

double largest_fit(const ObservedTensor& tensor, const std::vector<TuneCandidate>& candidates) {
  double bytes = 0.0;
  for (const TuneCandidate& one : candidates)
    bytes = std::max(bytes, fit_memory(tensor.size(), tensor.modes(), one.options));
  return bytes;
}

int fits_side_by_side(double bytes, int folds) {
  int count = 1;
  while (count < std::min(thread_count(), folds) && check_memory(bytes * (count + 1), "folds")) ++count;
  return count;
}

Result<FitOptions> best_method(const ObservedTensor& tensor, const FitFlags& flags, const Output& output) {
  TuneOptions tuning;
  tuning.folds = kFolds;
  tuning.seed = flags.options.seed;
  tuning.refinements = 0;
  tuning.metric = is_binary(tensor.values()) ? Metric::kAuc : Metric::kRmse;
  tuning.lambdas = kLambdas;
  for (const std::string& method : methods_for(tensor, flags)) {
    auto one = open_candidate(method, flags, tensor.modes());
    if (!one) return one.error();
    tuning.candidates.push_back(std::move(*one));
  }
  tuning.side_by_side = fits_side_by_side(largest_fit(tensor, tuning.candidates), kFolds);
  // What --max-time leaves for choosing is shared by the fits of the first fold, which all candidates see.
  if (flags.options.max_time > 0.0)
    for (TuneCandidate& one : tuning.candidates)
      one.options.max_time = flags.options.max_time / 2.0 / static_cast<double>(tuning.candidates.size() + 2);

  catch_signals();
  TuneCallbacks callbacks;
  callbacks.interrupted = [] { return signal_seen() != 0; };
  callbacks.found = [&](const TuneCandidate& one, double lambda, int fold, double error) {
    output.say(fmt::format("note: auto: {:<14}{} fold {}  held-out {} {:.5g}", one.name,
                           lambda > 0.0 ? fmt::format(" lambda {:<5.3g}", lambda) : "", fold + 1,
                           name(tuning.metric), tuning.metric == Metric::kAuc ? 1.0 - error : error));
  };
  const TuneResult found = tune(tensor, tuning, callbacks);
  const TuneRow& best = found.rows[std::min(found.best, found.rows.size() - 1)];
  output.say(fmt::format("note: auto: method {}", tuning.candidates[best.candidate].name));
  FitOptions chosen = settings_of(tuning, best);
  chosen.max_time = flags.options.max_time / 2.0;
  chosen.calibrate = flags.intervals ? kCalibrationShare : 0.0;
  return chosen;
}

}  // namespace lacuna::cli
