// SPDX-License-Identifier: MIT
#include "search/robust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>

#include "model/body.hpp"
#include "search/evaluator.hpp"
#include "search/remembered.hpp"
#include "tensor/hold_out.hpp"

namespace lacuna {
namespace {

constexpr double kBound = 1.345;       // deviations
constexpr double kDeviation = 1.4826;  // of a normal error, in units of its median size
// The reweighted fits only have to find the weights, so each is short; they end when the weights have settled.
constexpr int kReweightings = 30;
constexpr int kStepsPerReweighting = 5;
constexpr double kReweightingTolerance = 1e-3;
constexpr double kSettled = 0.002;  // on the mean change of a robust weight
// An entry with a smaller robust weight counts as down-weighted, any other as an inlier.
constexpr double kInlierWeight = 0.5;
// The model of the fit that finds the inliers while rank and lambda are still open: too small to follow outliers.
constexpr int kScreeningRank = 3;
constexpr double kScreeningLambda = 1.0;

// weight_e = min(1, delta / |r_e|), which multiplies the weight that entry e was given.
struct RobustWeights {
  std::vector<double> weight;
  double delta = 0.0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Residuals r_e = y_e - center(e).
template <class Center>
RobustWeights weights_about(const ObservedTensor& tensor, Center&& center) {
  std::vector<double> size;  // |r_e|
  for (Count e = 0; e < tensor.size(); ++e) size.push_back(std::abs(tensor.values()[e] - center(e)));
  const double delta = kBound * kDeviation * median(size);
  // delta = 0: more than half of the entries are fitted exactly, which gives no scale to judge the others by.
  for (double& one : size) one = delta > 0.0 && one > delta ? delta / one : 1.0;
  return {.weight = std::move(size), .delta = delta};
}

// Before there is a model, such as the one that was found on the inliers: residuals from the median. Starting from an unweighted fit instead could end in a
// model that follows the outliers.
RobustWeights initial_weights(const ObservedTensor& tensor) {
  const double middle = median({tensor.values().begin(), tensor.values().end()});
  return weights_about(tensor, [&](Count) { return middle; });
}

RobustWeights weights_from(const ObservedTensor& tensor, const Model& model) {
  const std::vector<double> predicted = Predictor(model).predict_as_told(tensor.cells()).value;
  return weights_about(tensor, [&](Count e) { return predicted[e]; });
}

double mean_change(const std::vector<double>& before, const std::vector<double>& after) {
  double sum = 0.0;
  for (std::size_t e = 0; e < after.size(); ++e) sum += std::abs(after[e] - before[e]);
  return sum / static_cast<double>(after.size());
}

// weight_e times the weight given with entry e, if weights were given.
std::vector<double> combined(const RobustWeights& robust, const std::vector<double>& given) {
  std::vector<double> weights = robust.weight;
  for (std::size_t e = 0; e < given.size(); ++e) weights[e] *= given[e];
  return weights;
}

// A sequence of fits that reports its steps, seconds and operator applications as those of one fit.
class FitSequence {
 public:
  FitSequence(const Settings& options, const FitCallbacks& callbacks)
      : options_(&options), callbacks_(&callbacks) {
    forwarded_.interrupted = callbacks.interrupted;
    forwarded_.everyone = callbacks.everyone;
    forwarded_.checkpoint = callbacks.checkpoint;
    forwarded_.progress = [this](FitProgress progress) {
      progress.iteration += steps_;
      progress.seconds += seconds_;
      progress.operator_applications += applications_;
      return callbacks_->progress ? callbacks_->progress(progress) : Flow::kContinue;
    };
  }

  // The next fit, with these options. Notices of the first and the last fit are passed on: those between
  // would repeat them.
  FitResult next(const ObservedTensor& tensor, Settings options, const Entries* test, bool last) {
    if (options_->max_time) options.max_time = std::max(1e-3, *options_->max_time - seconds_);
    if (last || steps_ == 0) forwarded_.notice = callbacks_->notice;
    FitResult result = fit_remembered(tensor, options, forwarded_, test);
    forwarded_.notice = {};
    result.last.iteration = steps_ += result.last.iteration;
    result.seconds = result.last.seconds = seconds_ += result.seconds;
    result.last.operator_applications = applications_ += result.last.operator_applications;
    return result;
  }

  [[nodiscard]] Journal* journal() const { return journal_of(callbacks_->checkpoint); }

 private:
  const Settings* options_;
  const FitCallbacks* callbacks_;
  FitCallbacks forwarded_;
  int steps_ = 0;
  double seconds_ = 0.0;
  Count applications_ = 0;
};

bool stopped(const FitResult& result) { return result.reason == StopReason::kStopped; }

// Fits and reweights in turn until the weights have settled. On return `last` holds the last fit, the weights
// returned come from its residuals, and the tensor carries them.
RobustWeights find_weights(ObservedTensor& tensor, const Settings& options, FitSequence& fits,
                           const Entries* test, FitResult& last) {
  const std::vector<double> given(tensor.weights().begin(), tensor.weights().end());
  Settings reweighted = options;
  reweighted.latent.certify = Certify::kNever;
  // Problem P is regularised only by its number of steps: fit after fit it would come to fit the outliers too.
  // Problem D has the same model and an explicit regulariser.
  if (*reweighted.method == Method::kTrLs) reweighted.method = Method::kTrMm;
  reweighted.loss = Loss::kSquared;
  reweighted.tolerance = std::max(kReweightingTolerance, *options.tolerance);
  RobustWeights robust =
      options.warm_start == nullptr ? initial_weights(tensor) : weights_from(tensor, *options.warm_start);
  tensor.replace_weights(combined(robust, given));
  for (int count = 0; count < kReweightings; ++count) {
    last = fits.next(tensor, reweighted, test, false);
    if (stopped(last)) break;
    // A model that is gone was followed by others: only whether it was settled matters.
    RobustWeights found = is_gone(last.model) ? robust : weights_from(tensor, last.model);
    const auto change = remembered<double>(fits.journal(), "change",
                                           [&] { return mean_change(robust.weight, found.weight); });
    robust = std::move(found);
    tensor.replace_weights(combined(robust, given));
    reweighted.warm_start = &last.model;
    if (takes(*options.method, kTakesPath)) reweighted.latent.path = 0;
    reweighted.max_iterations = std::min(kStepsPerReweighting, *options.max_iterations);
    if (change < kSettled) break;
  }
  return robust;
}

double downweighted_share(const RobustWeights& robust) {
  const auto count = std::count_if(robust.weight.begin(), robust.weight.end(),
                                   [](double weight) { return weight < kInlierWeight; });
  return static_cast<double>(count) / static_cast<double>(robust.weight.size());
}

}  // namespace

FitResult fit_robustly(ObservedTensor tensor, const Settings& given, const FitCallbacks& callbacks,
                       const Entries* test) {
  const Settings options = settled(given, tensor.order());
  if (callbacks.notice && is_binary(tensor.values()))
    callbacks.notice(
        "huber: all values are 0 or 1, so wrong values are no outliers; the squared loss does better");
  FitSequence fits(options, callbacks);
  FitResult found;
  const RobustWeights robust = find_weights(tensor, options, fits, test, found);
  if (stopped(found)) return found;
  if (callbacks.notice)
    callbacks.notice(fmt::format(
        "huber: errors beyond {:.4g} are down-weighted; {:.1f} % of the entries have less than half weight",
        robust.delta, 100.0 * downweighted_share(robust)));
  Settings last = options;
  last.loss = Loss::kSquared;
  // Problem P is regularised by its number of steps, so it begins anew.
  if (*options.method != Method::kTrLs) {
    last.warm_start = &found.model;
    if (takes(*options.method, kTakesPath)) last.latent.path = 0;
  }
  FitResult result = fits.next(tensor, last, test, true);
  result.model.record.set("loss", std::string(name(Loss::kHuber)));
  result.model.record.set("huber_delta", robust.delta);
  result.model.record.set("downweighted_share", downweighted_share(robust));
  return result;
}

ObservedTensor inlier_entries(const ObservedTensor& tensor, const Settings& settings,
                              const FitCallbacks& callbacks) {
  Settings screening = settings;
  screening.method.settle(Method::kTrMm);
  screening.ranks.settle({kScreeningRank});
  if (screening.latent.lambdas.open() && takes(*screening.method, kTakesLambda))
    screening.lambda.settle(kScreeningLambda);
  screening.offsets.settle({.mean = true, .effects = {}});
  screening = settled(std::move(screening), tensor.order());
  FitCallbacks quiet;
  quiet.interrupted = callbacks.interrupted;
  quiet.everyone = callbacks.everyone;
  quiet.checkpoint = callbacks.checkpoint;
  Journal* const journal = journal_of(callbacks.checkpoint);
  const auto outliers = remembered<std::vector<std::uint64_t>>(journal, "outliers", [&] {
    FitSequence fits(screening, quiet);
    FitResult found;
    ObservedTensor weighted = tensor;
    const RobustWeights robust = find_weights(weighted, screening, fits, nullptr, found);
    std::vector<std::uint64_t> numbers;
    for (Count e = 0; e < tensor.size(); ++e)
      if (robust.weight[e] < kInlierWeight) numbers.push_back(static_cast<std::uint64_t>(e));
    return numbers;
  });
  std::vector<bool> is_outlier(static_cast<std::size_t>(tensor.size()), false);
  for (const std::uint64_t e : outliers) {
    if (e >= is_outlier.size()) Archive::refuse("outliers", "numbers of entries");
    is_outlier[e] = true;
  }
  return hold_out(tensor, [&](Count e) { return is_outlier[e]; }).kept;
}

}  // namespace lacuna
