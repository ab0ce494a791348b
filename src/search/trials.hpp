// SPDX-License-Identifier: MIT
// Short fits on most of the entries, judged by their error on the rest: what every automatic choice is made
// by.
#pragma once

#include <lacuna/method/fit.hpp>
#include <string>

#include "search/hold_out.hpp"

namespace lacuna {

// What only the last fit needs is left out: the certificate, the calibration.
[[nodiscard]] FitOptions without_extras(FitOptions options);

// How many of the entries are held out to find the number of steps.
[[nodiscard]] double early_stop_share(const FitOptions& options);

class Trials {
 public:
  static constexpr int kSteps = 8;          // of a trial, at most,
  static constexpr int kMostSteps = 30;     // or this many where steps are cheap
  static constexpr double kRoughly = 1e-2;  // relative gradient: the last steps cost most and say least
  static constexpr double kWorthwhile =
      0.999;  // a choice that adds something must lower the error to below this

  // `options` says what all trials have in common; it and the callbacks must outlive this.
  Trials(HoldOut split, const FitOptions& options, const FitCallbacks& callbacks);

  // The options of a trial, before what is tried is filled in.
  [[nodiscard]] FitOptions settings() const;
  [[nodiscard]] FitResult run(const FitOptions& settings);
  // RMSE on the held-out entries, or 1 - AUC where all values are 0 or 1.
  // Infinite where it was stopped before it came to its own lambda.
  [[nodiscard]] static double error(const FitResult& result);
  // It is the best so far: what needs many times its work is not waited for.
  void note_best(const FitResult& result);
  [[nodiscard]] std::string measure(double error) const;  // that, for the reader

  void tell(const std::string& sentence) const {
    if (callbacks_->notice) callbacks_->notice("auto: " + sentence);
  }
  [[nodiscard]] bool stopped() const { return callbacks_->interrupted && callbacks_->interrupted(); }
  [[nodiscard]] const HoldOut& split() const { return split_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  // Operator applications up to which a trial may take more than the usual steps.
  [[nodiscard]] Count cheap_work() const;

  HoldOut split_;
  const FitOptions* options_;
  const FitCallbacks* callbacks_;
  bool binary_;
  int count_ = 0;
  Count most_work_;
};

}  // namespace lacuna
