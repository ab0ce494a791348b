// SPDX-License-Identifier: MIT
#include "search/trials.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <lacuna/evaluate/metrics.hpp>
#include <limits>
#include <sstream>

namespace lacuna {
namespace {
constexpr double kTolerance = 1e-3;
// A trial takes no further step after this many operator applications: at first, then as a multiple of the
// best's.
constexpr Count kFirstWork = 700;
constexpr Count kLeastWork = 300;
constexpr Count kTimesBest = 4;
constexpr Count kCheap = 100'000'000;  // entries gone through: then it may take more than the usual steps
}  // namespace

FitOptions without_extras(FitOptions options) {
  options.certify = Certify::kNever;
  options.calibrate = 0.0;
  return options;
}

double early_stop_share(const FitOptions& options) {
  if (options.early_stop >= 0.0) return options.early_stop;
  return options.method == Method::kTrLs ? kHeldOutShare : 0.0;
}

Trials::Trials(HoldOut split, const FitOptions& options, const FitCallbacks& callbacks)
    : split_(std::move(split)),
      options_(&options),
      callbacks_(&callbacks),
      binary_(is_binary(split_.held.value)),
      most_work_(kFirstWork) {}

void Trials::note_best(const FitResult& result) {
  most_work_ = std::clamp(kTimesBest * result.last.operator_applications, kLeastWork, kFirstWork);
}

FitOptions Trials::settings() const {
  FitOptions trial = without_extras(*options_);
  trial.auto_parts = trial.auto_offsets = trial.auto_rank = trial.auto_lambda = false;
  if ((info(trial.method).settings & kTakesParts) != 0) {
    trial.method = Method::kTrMm;  // what suits D suits P: the model is the same
    trial.keep_best = true;
    if (cheap_work() < kLeastWork) trial.path = 0;  // there are too few steps for several lambdas
  }
  trial.loss = Loss::kSquared;
  trial.early_stop = 0.0;
  trial.max_iterations = std::min(kMostSteps, options_->max_iterations);
  trial.tolerance = std::max(kTolerance, options_->tolerance);
  trial.warm_start = nullptr;
  return trial;
}

Count Trials::cheap_work() const { return kCheap / split_.kept.size(); }

FitResult Trials::run(const FitOptions& settings) {
  ++count_;
  FitCallbacks quiet;
  quiet.interrupted = callbacks_->interrupted;
  quiet.progress = [this](const FitProgress& progress) {
    const Count work = progress.operator_applications;
    const bool go_on = work < cheap_work() || (work < most_work_ && progress.iteration < kSteps);
    return go_on ? Flow::kContinue : Flow::kStop;
  };
  return fit(split_.kept, settings, quiet, &split_.held);
}

double Trials::error(const FitResult& result) {
  return result.last.lambda < 1.0 ? std::numeric_limits<double>::infinity() : result.last.test_error();
}

std::string Trials::measure(double error) const {
  if (!std::isfinite(error)) return "too much work to see";
  std::ostringstream text;
  text << "held-out " << (binary_ ? "AUC " : "RMSE ") << std::setprecision(5)
       << (binary_ ? 1.0 - error : error);
  return text.str();
}

}  // namespace lacuna
