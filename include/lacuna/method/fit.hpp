// SPDX-License-Identifier: MIT
// Fitting a model to observed entries: where problems, solvers and models meet.
#pragma once

#include <functional>
#include <lacuna/base/interrupted.hpp>
#include <lacuna/method/methods.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/model/structure.hpp>
#include <lacuna/problem/certificate.hpp>
#include <lacuna/solver/stop_reason.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

enum class Optimizer { kTrustRegion, kNonlinearCg };
enum class Precision { kDouble, kFloat };
// What an error r of an observed entry costs. Squared: r^2. Huber: r^2 up to a bound, beyond it as its
// tangent, so that entries that are plain wrong pull little; the bound is found from the data.
enum class Loss { kSquared, kHuber };
enum class Certify { kNever, kAtTheEnd, kEveryStep };

[[nodiscard]] std::string_view name(Optimizer optimizer);
[[nodiscard]] std::string_view name(Precision precision);
[[nodiscard]] std::string_view name(Start start);
[[nodiscard]] std::string_view name(Loss loss);

struct FitOptions {
  Method method = Method::kTrMm;
  Optimizer optimizer = Optimizer::kTrustRegion;
  Precision precision = Precision::kDouble;
  Loss loss = Loss::kSquared;
  Start start = Start::kAuto;        // auto: the method's
  std::vector<PartOptions> parts{};  // empty: the paper's, one for each mode
  OffsetSpec
      offsets{};  // `mean` and `offsets` without any have the mean, and that and an effect of each mode
  bool auto_parts = false;    // parts, their lambdas and weighting chosen by the error on a held-out tenth
  bool auto_offsets = false;  // likewise the offsets
  bool auto_rank = false;     // likewise the ranks, which grow from 1; latent and Tucker methods
  bool auto_lambda = false;   // likewise lambda, from the one given
  std::vector<int> ranks{};   // one for each part, or for each mode, or one for all; empty: kDefaultRank.
                              // Capped at n_k
  double lambda = 10.0;       // > 0; lambda_p = lambda times part_scale() times the part's own factor
  std::vector<double> lambdas{};  // lambda_p themselves, one for each part; overrides lambda
  int tubes = -1;                 // the mode that tsvd transforms along; -1: the smallest
  double unshrunk = 0.0;        // share of each unfolding's singular values, the largest, that halrtc leaves
                                // as they are; in [0, 1)
  std::optional<Range> clip{};  // keep predictions within
  bool clip_observed = false;   // keep predictions within the observed values
  int path = -1;                // warm-started fits at smaller lambdas first, each 10 times the one before;
                                // -1: as many as lie above kPathStart
  int max_iterations = -1;      // in all; -1: the method's
  double tolerance = -1.0;      // on the gradient norm relative to the objective; -1: the method's
  double max_time = 0.0;        // seconds; 0: no limit. Choices may take half of it
  double early_stop = -1.0;  // share of the entries held out first, to find after how many steps the error on
                             // them is lowest; then fitted on all for that many. 0: never; -1: 0.1 for TR-LS
  bool keep_best =
      false;  // TR-MM, dense methods: the model of the step at which the test error was lowest, not the last
  Certify certify = Certify::kAtTheEnd;  // when to bound the distance to the best over all ranks; TR-MM only
  double calibrate = 0.0;  // share of the entries held out in fits before the last, for intervals; 0: none
  std::uint64_t seed = 1;
  const Model* warm_start =
      nullptr;  // takes its factors where modes, parts and ranks agree, and its Z where Omega does

  static constexpr int kDefaultRank = 10;
  static constexpr double kPathStart = 1.0;
};

// The options with the method's own defaults where nothing was said. Throws std::invalid_argument when they
// set what the method does not have.
[[nodiscard]] FitOptions complete_options(FitOptions options);

struct FitProgress {
  int iteration = 0;     // counts on through the path in lambda
  double lambda = 0.0;   // of this stage of the path, in units of the final one's `lambda`
  double seconds = 0.0;  // fitting only: what measuring took is left out
  double objective = 0.0;
  double gradient_norm = 0.0;
  double relative_gradient = 0.0;
  double train_rmse = 0.0;
  std::optional<double> test_rmse;
  std::optional<double> test_auc;
  std::optional<double> gap;  // Certificate::gap(), where it was asked for
  double radius = 0.0;
  double ratio = 0.0;
  int inner_iterations = 0;
  bool accepted = true;
  Count operator_applications = 0;

  // 1 - AUC where that is defined, else RMSE; infinite where there is nothing to test on.
  [[nodiscard]] double test_error() const;
};

struct FitCallbacks {
  std::function<Flow(const FitProgress&)> progress;  // after every step; may stop the fit
  Interrupted interrupted;                           // polled inside steps
  std::function<void(const std::string&)> notice;    // a sentence for the user, such as a capped rank
};

struct FitResult {
  Model model;
  FitProgress last;
  StopReason reason = StopReason::kMaxIterations;
  std::string stop_reason;  // in words
  bool converged = false;
  std::vector<double> mixture;             // Predictor::mixture()
  std::optional<Certificate> certificate;  // of the end, unless interrupted
  double seconds = 0.0;
  double choosing_seconds = 0.0;  // what automatic choices took before that
};

// Throws std::invalid_argument when the options do not fit the tensor, ValueRangeError when its values are so
// large or small that the result has no finite double.
[[nodiscard]] FitResult fit(ObservedTensor tensor, const FitOptions& options,
                            const FitCallbacks& callbacks = {}, const Entries* test = nullptr);

}  // namespace lacuna
