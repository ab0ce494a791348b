// SPDX-License-Identifier: MIT
// Settings by cross-validation.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>
#include <utility>

#include "errors.hpp"
#include "register.hpp"
#include "search/tune_memory.hpp"
#include "watch.hpp"

namespace nb = nanobind;

namespace lacuna::python {
namespace {

Metric metric_of(const std::string& text, const ObservedTensor& tensor) {
  const bool binary = is_binary(tensor.values());
  if (text == "auto") return binary ? Metric::kAuc : Metric::kRmse;
  for (const Metric metric : {Metric::kRmse, Metric::kMae, Metric::kAuc})
    if (text == name(metric)) {
      if (metric == Metric::kAuc && !binary)
        throw std::invalid_argument(
            "metric: auc needs values that are 0 or 1, both present; data has others");
      return metric;
    }
  throw std::invalid_argument(fmt::format("metric: found '{}', expected auto, rmse, mae or auc", text));
}

// As many at a time as there is room for. A fit whose method is open tries what memory can hold.
int fits_at_a_time(const ObservedTensor& tensor, const TuneOptions& options) {
  std::vector<TuneCandidate> bound = options.candidates;
  std::erase_if(bound, [](const TuneCandidate& one) { return one.options.method.open(); });
  require_memory(largest_fit(tensor.size(), tensor.modes(), bound), "one of these fits");
  return fits_side_by_side(largest_fit(tensor.size(), tensor.modes(), options.candidates), options.folds);
}

double shown(const TuneOptions& options, double error) {
  return options.metric == Metric::kAuc ? 1.0 - error : error;
}

nb::dict row_of(const TuneOptions& options, const TuneRow& row) {
  nb::list folds;
  for (const auto& error : row.errors)
    folds.append(error ? nb::cast(shown(options, *error)) : nb::object(nb::none()));
  const bool any =
      std::any_of(row.errors.begin(), row.errors.end(), [](const auto& e) { return e.has_value(); });
  nb::dict all;
  all["candidate"] = options.candidates[row.candidate].name;
  all["lam"] = row.lambda;
  all["mean"] = any ? std::optional(shown(options, row.mean())) : std::nullopt;
  all["standard_error"] = row.spread();
  all["complete"] = row.complete();
  all["folds"] = folds;
  return all;
}

// Fits of folds, when none is abandoned and nothing is refined.
Count folds_of(const TuneOptions& options) {
  Count rows = 0;
  for (const TuneCandidate& one : options.candidates) {
    const bool takes_lambda = one.options.method.given() && takes(*one.options.method, kTakesLambda);
    const std::vector<double>& lambdas = one.lambdas.empty() ? options.lambdas : one.lambdas;
    rows += takes_lambda || !one.lambdas.empty() ? static_cast<Count>(lambdas.size()) : 1;
  }
  return rows * options.folds;
}

using Candidates = std::vector<std::pair<std::string, Settings>>;

nb::dict tune_tensor(const ObservedTensor& tensor, const Candidates& candidates, std::vector<double> lambdas,
                     int folds, int refinements, const std::string& metric, double abandon,
                     std::uint64_t seed, const nb::object& found, Checkpoint* checkpoint) {
  std::sort(lambdas.begin(), lambdas.end());
  TuneOptions options{.folds = folds,
                      .candidates = {},
                      .refinements = refinements,
                      .metric = metric_of(metric, tensor),
                      .abandon = abandon,
                      .seed = seed};
  if (!lambdas.empty()) options.lambdas = lambdas;
  for (const auto& [label, settings] : candidates) {
    TuneCandidate& one = options.candidates.emplace_back(TuneCandidate{.name = label, .options = settings});
    options.max_time = std::exchange(one.options.max_time, std::nullopt);  // of all fits, not of each
    if (settings.method.open()) one.lambdas = lambdas;
  }
  options.side_by_side = fits_at_a_time(tensor, options);
  Watch watch;
  TuneCallbacks callbacks;
  callbacks.interrupted = watch.stop_asked();
  callbacks.checkpoint = checkpoint;
  const Count planned = folds_of(options);
  Count done = 0;
  if (!found.is_none())
    callbacks.found = [&](const TuneCandidate& candidate, auto lambda, int fold, double error) {
      watch.ask([&] {
        nb::dict row;
        row["candidate"] = candidate.name;
        row["lam"] = lambda;
        row["fold"] = fold;
        row["error"] = shown(options, error);
        row["done"] = ++done;
        row["of"] = std::max(done, planned);
        if (found(row).is(Py_True)) watch.stop();  // it has seen enough
      });
    };
  TuneResult result;
  watch.run([&] { result = tune(tensor, options, callbacks); });

  nb::list rows;
  for (const TuneRow& row : result.rows) rows.append(row_of(options, row));
  nb::dict all;
  all["metric"] = std::string(name(options.metric));
  all["rows"] = rows;
  all["interrupted"] = result.interrupted || watch.interrupted();
  all["ctrl_c"] = watch.interrupted();
  const bool any = std::any_of(result.rows.begin(), result.rows.end(), [](const TuneRow& row) {
    return std::any_of(row.errors.begin(), row.errors.end(), [](const auto& e) { return e.has_value(); });
  });
  if (any || !result.interrupted) {  // else there is nothing to choose by
    all["best"] = result.best;
    all["settings"] = settings_of(options, result);
  }
  return all;
}

}  // namespace

void register_tune(nb::module_& m) {
  m.def("tune", &tune_tensor, nb::arg("tensor"), nb::arg("candidates"), nb::arg("lambdas"), nb::arg("folds"),
        nb::arg("refinements"), nb::arg("metric"), nb::arg("abandon"), nb::arg("seed"),
        nb::arg("found").none(), nb::arg("checkpoint").none());
}

}  // namespace lacuna::python
