// SPDX-License-Identifier: MIT
// Fits that choose what is left open: on held-out entries, or by cross-validation.
#pragma once

#include <functional>
#include <lacuna/method/fit_once.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// FitResult::stop_reason of a fit that took as many steps as were found best on held-out entries: it has converged.
inline constexpr std::string_view kEnoughSteps = "as many steps as the held-out error asked for";

// From data to a model: chooses on held-out entries whatever the settings leave open, then fits on everything.
//
// Throws std::invalid_argument when the settings do not fit the tensor. Any value given is kept. With the method open the
// mean and the main effects are judged beside all else, and the result is never worse than they are on the held-out
// entries; a method that is given is kept, better or worse. When interrupted, it is the best that was found until then.
[[nodiscard]] FitResult fit(ObservedTensor tensor, const Settings& settings = {},
                            const FitCallbacks& callbacks = {}, const Entries* test = nullptr);

// Settings by cross-validation: every entry is held out once, by one of k folds, and predicted from the
// others.
//
// All settings are fitted on the first fold; those far behind its best are abandoned, the others go through
// the remaining folds, side by side where there are threads. Then lambdas between the best and its neighbours
// are tried. Along lambda each fit of a fold starts from the one before.

enum class Metric { kRmse, kMae, kAuc };

[[nodiscard]] std::string_view name(Metric metric);  // "rmse", "mae", "auc"

// One combination of everything but lambda.
struct TuneCandidate {
  std::string name;               // what is special about it; no two are alike
  Settings options;               // its lambda is not looked at
  std::vector<double> lambdas{};  // instead of the common ones; tried, too, where the method is open
};

struct TuneOptions {
  int folds = 5;  // 2 or more, at most one for each entry
  std::vector<TuneCandidate> candidates;
  // Ascending; not for candidates whose method takes none, or is open: those find their own.
  std::vector<double> lambdas{1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3};
  int refinements = 2;  // rounds of trying the geometric means between the best and its neighbours
  Metric metric = Metric::kRmse;
  double abandon = 1.1;  // times the first fold's lowest error: what is above is abandoned
  std::uint64_t seed = 1;
  int side_by_side = 1;  // fits at a time
  // Seconds, > 0, the fit of the best on all entries included: three fifths for trying, the rest for that. A fit that is
  // under way when trying has to end is given up.
  std::optional<double> max_time{};
};

struct TuneRow {
  std::size_t candidate = 0;
  std::optional<double> lambda{};               // nothing: the method takes none, or each fit finds its own
  std::vector<std::optional<double>> errors{};  // of each fold: RMSE, MAE, or 1 - AUC; none where abandoned

  [[nodiscard]] bool complete() const;
  [[nodiscard]] double mean() const;    // over the folds there are
  [[nodiscard]] double spread() const;  // standard error of that mean; 0 for a single fold
};

struct TuneResult {
  std::vector<TuneRow> rows;  // by candidate and lambda
  // The complete row of lowest mean. Where time ran out before there was one, the lowest of those on the most folds.
  std::size_t best = 0;
  bool interrupted = false;
  bool out_of_time = false;  // trying ended because of max_time
  double seconds = 0.0;      // of trying
};

// What is known from an earlier run, and what is found out now. Called from one thread at a time.
struct TuneCallbacks {
  // lambda: TuneRow::lambda.
  std::function<std::optional<double>(const TuneCandidate&, std::optional<double> lambda, int fold)> known;
  std::function<void(const TuneCandidate&, std::optional<double> lambda, int fold, double error)> found;
  Interrupted interrupted;
  // As of a fit. What is kept are the fits that have ended and the models that others begin with: a fit that was under
  // way begins anew. Where `known` knows an error it is taken, and a fit that would begin with that one does not.
  Checkpoint* checkpoint = nullptr;
  const Entries* test = nullptr;  // of the fit that follows, which the checkpoint is about as well
  // As of a fit. `known` is asked on the first process, `found` told on all.
  const Communicator* everyone = nullptr;
  bool shared = false;
};

// Throws std::invalid_argument when the options leave nothing to compare, the folds do not fit the tensor, or
// the metric does not fit the values.
[[nodiscard]] TuneResult tune(const ObservedTensor& tensor, const TuneOptions& options,
                              const TuneCallbacks& callbacks = {});

// The settings of a row, to fit on all entries.
[[nodiscard]] Settings settings_of(const TuneOptions& options, const TuneRow& row);
// Those of the best row, with the time that is left.
[[nodiscard]] Settings settings_of(const TuneOptions& options, const TuneResult& result);

}  // namespace lacuna
