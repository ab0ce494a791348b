// SPDX-License-Identifier: MIT
#include "search/robust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/metrics.hpp>
#include <nlohmann/json.hpp>

#include "model/body.hpp"
#include "search/trials.hpp"

namespace lacuna {
namespace {

constexpr double kBound = 1.345;       // deviations
constexpr double kDeviation = 1.4826;  // of a normal error, in units of its median size
// Turns find the weights only, so each is short, and they end when the weights have settled.
constexpr int kTurns = 30;
constexpr int kTurnSteps = 5;
constexpr double kTurnTolerance = 1e-3;
constexpr double kSettled = 0.002;  // the mean change of a weight's factor
// The first fit of the choices, which knows nothing yet: small enough that wrong entries stand out.
constexpr int kFirstRank = 3;
constexpr double kFirstLambda = 1.0;

// The factor on each entry's weight, and the bound on errors it came from.
struct Trust {
  std::vector<double> factor;
  double delta = 0.0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// `center`: what each value is compared with.
template <class Center>
Trust trust_about(const ObservedTensor& tensor, Center&& center) {
  Trust trust;
  for (Count e = 0; e < tensor.size(); ++e) trust.factor.push_back(std::abs(tensor.values()[e] - center(e)));
  trust.delta = kBound * kDeviation * median(trust.factor);
  // More than half fitted exactly: there is no scale to judge the others by.
  for (double& one : trust.factor) one = trust.delta > 0.0 && one > trust.delta ? trust.delta / one : 1.0;
  return trust;
}

// Before there is any model. A fit that took every entry at its word could be wrong everywhere.
Trust first_trust(const ObservedTensor& tensor) {
  const double middle = median({tensor.values().begin(), tensor.values().end()});
  return trust_about(tensor, [&](Count) { return middle; });
}

Trust trust_in(const ObservedTensor& tensor, const Model& model) {
  const std::vector<double> predicted = Predictor(model).predict(tensor.indices()).value;
  return trust_about(tensor, [&](Count e) { return predicted[e]; });
}

double mean_change(const std::vector<double>& before, const std::vector<double>& after) {
  double sum = 0.0;
  for (std::size_t e = 0; e < after.size(); ++e) sum += std::abs(after[e] - before[e]);
  return sum / static_cast<double>(after.size());
}

std::vector<double> weights_with(const Trust& trust, const std::vector<double>& given) {
  std::vector<double> weights = trust.factor;
  for (std::size_t e = 0; e < given.size(); ++e) weights[e] *= given[e];
  return weights;
}

// Counts steps and seconds on through the turns.
class Turns {
 public:
  Turns(const FitOptions& options, const FitCallbacks& callbacks)
      : options_(&options), callbacks_(&callbacks) {
    watching_.interrupted = callbacks.interrupted;
    watching_.progress = [this](FitProgress progress) {
      progress.iteration += steps_;
      progress.seconds += seconds_;
      progress.operator_applications += applications_;
      return callbacks_->progress ? callbacks_->progress(progress) : Flow::kContinue;
    };
  }

  // The next one, of these options; what its model says of itself is the user's business only at the end.
  FitResult next(const ObservedTensor& tensor, FitOptions turn, const Entries* test, bool last) {
    if (options_->max_time > 0.0) turn.max_time = std::max(1e-3, options_->max_time - seconds_);
    if (last || steps_ == 0) watching_.notice = callbacks_->notice;
    FitResult result = fit(tensor, turn, watching_, test);
    watching_.notice = {};
    result.last.iteration = steps_ += result.last.iteration;
    result.seconds = result.last.seconds = seconds_ += result.seconds;
    result.last.operator_applications = applications_ += result.last.operator_applications;
    return result;
  }

 private:
  const FitOptions* options_;
  const FitCallbacks* callbacks_;
  FitCallbacks watching_;
  int steps_ = 0;
  double seconds_ = 0.0;
  Count applications_ = 0;
};

bool stopped(const FitResult& result) { return result.reason == StopReason::kStopped; }

// Fits until the weights have settled. The tensor ends with the weights of the last turn but for the trust
// returned, which belongs to the model that `last` ends with.
Trust find_trust(ObservedTensor& tensor, const FitOptions& options, Turns& turns, const Entries* test,
                 FitResult& last) {
  const std::vector<double> given(tensor.weights().begin(), tensor.weights().end());
  FitOptions turn = without_extras(options);
  // Only the number of its steps holds problem P back: in turns it would come to believe every entry. D has
  // the same model.
  if (turn.method == Method::kTrLs) turn.method = Method::kTrMm;
  turn.loss = Loss::kSquared;
  turn.early_stop = 0.0;
  turn.tolerance = std::max(kTurnTolerance, options.tolerance);
  Trust trust = first_trust(tensor);
  tensor.replace_weights(weights_with(trust, given));
  for (int count = 0; count < kTurns; ++count) {
    last = turns.next(tensor, turn, test, false);
    if (stopped(last)) break;
    Trust found = trust_in(tensor, last.model);
    const double change = mean_change(trust.factor, found.factor);
    trust = std::move(found);
    tensor.replace_weights(weights_with(trust, given));
    turn.warm_start = &last.model;
    turn.path = (info(options.method).settings & kTakesPath) != 0 ? 0 : options.path;
    turn.max_iterations = std::min(kTurnSteps, options.max_iterations);
    if (change < kSettled) break;
  }
  return trust;
}

double doubted_share(const Trust& trust) {
  const auto doubted =
      std::count_if(trust.factor.begin(), trust.factor.end(), [](double f) { return f < 0.5; });
  return static_cast<double>(doubted) / static_cast<double>(trust.factor.size());
}

}  // namespace

FitResult fit_robustly(ObservedTensor tensor, const FitOptions& options, const FitCallbacks& callbacks,
                       const Entries* test) {
  if (callbacks.notice && is_binary(tensor.values()))
    callbacks.notice(
        "huber: all values are 0 or 1, where a wrong one does not stand out; squared does better");
  Turns turns(options, callbacks);
  FitResult found;
  const Trust trust = find_trust(tensor, options, turns, test, found);
  if (stopped(found)) return found;
  if (callbacks.notice)
    callbacks.notice(
        fmt::format("huber: errors beyond {:.4g} count less; {:.1f} % of the entries at most half",
                    trust.delta, 100.0 * doubted_share(trust)));
  FitOptions last = options;
  last.loss = Loss::kSquared;
  // What the turns found has seen every entry, so steps that held-out ones are to count must begin anew.
  if (early_stop_share(options) == 0.0) {
    last.warm_start = &found.model;
    if ((info(options.method).settings & kTakesPath) != 0) last.path = 0;
  }
  FitResult result = turns.next(tensor, last, test, true);
  auto settings = nlohmann::ordered_json::parse(result.model.settings);
  settings["loss"] = name(Loss::kHuber);
  settings["huber_delta"] = trust.delta;
  settings["doubted_share"] = doubted_share(trust);
  result.model.settings = settings.dump();
  return result;
}

ObservedTensor believed_entries(const ObservedTensor& tensor, const FitOptions& options,
                                const FitCallbacks& callbacks) {
  FitOptions first = options;
  if (first.auto_rank) first.ranks = {kFirstRank};
  if (first.auto_lambda) first.lambda = kFirstLambda;
  if (first.auto_parts) first.parts.clear();
  if (first.auto_offsets) first.offsets = {.mean = true, .effects = {}};
  first.auto_rank = first.auto_lambda = first.auto_parts = first.auto_offsets = false;
  FitCallbacks quiet;
  quiet.interrupted = callbacks.interrupted;
  Turns turns(first, quiet);
  FitResult found;
  ObservedTensor weighted = tensor;
  const Trust trust = find_trust(weighted, first, turns, nullptr, found);
  return hold_out(tensor, [&](Count e) { return trust.factor[e] < 0.5; }).kept;
}

}  // namespace lacuna
