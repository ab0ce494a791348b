// SPDX-License-Identifier: MIT
// A fit: watched by Python's callbacks, stopped by Ctrl-C.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <lacuna/base/base.hpp>
#include <lacuna/search/fit.hpp>
#include <lacuna/solver/stop_reason.hpp>

#include "arrays.hpp"
#include "errors.hpp"
#include "fitted_model.hpp"
#include "method/run_record.hpp"
#include "register.hpp"
#include "steps.hpp"
#include "watch.hpp"

namespace lacuna::python {
namespace {

// How a fit ended, and its model.
struct Outcome {
  std::shared_ptr<FittedModel> model;
  FitResult result;  // its model has moved to the above
  std::vector<StepRecord> history;
  bool interrupted = false;
};

// A fit's callbacks: every step is kept, and shown to Python when somebody looks.
class Audience {
 public:
  Audience(Watch& watch, nb::object progress, nb::object notice)
      : watch_(&watch), progress_(std::move(progress)), notice_(std::move(notice)) {}

  [[nodiscard]] FitCallbacks callbacks() {
    FitCallbacks all;
    all.interrupted = watch_->stop_asked();
    all.progress = [this](const FitProgress& step) {
      history.push_back(step_record(step));
      if (!progress_.is_none()) watch_->ask([&] { show(); });
      return watch_->stop_asked()() ? Flow::kStop : Flow::kContinue;
    };
    if (!notice_.is_none())
      all.notice = [this](const std::string& sentence) { watch_->ask([&] { notice_(sentence); }); };
    return all;
  }

  std::vector<StepRecord> history;

 private:
  // A callback that returns True has seen enough.
  void show() {
    const nb::object answer = progress_(dict_of(history.back()));
    if (answer.is(Py_True)) watch_->stop();
  }

  Watch* watch_;
  nb::object progress_;
  nb::object notice_;
};

void check_fit_memory(const ObservedTensor& tensor, const Settings& settings) {
  if (settings.method.open()) return;
  require_memory(info(*settings.method).bytes(tensor.size(), tensor.modes(), settings), "this fit");
}

// The tensor is taken over.
Outcome fit_tensor(ObservedTensor& tensor, const Settings& settings, const Entries* test, nb::object progress,
                   nb::object notice, const std::string& command, Checkpoint* checkpoint, bool picture,
                   nb::object tick) {
  check_fit_memory(tensor, settings);
  Watch watch;
  if (!tick.is_none()) watch.meanwhile([&] { tick(); });
  Audience audience(watch, std::move(progress), std::move(notice));
  Outcome outcome;
  FitCallbacks callbacks = audience.callbacks();
  callbacks.checkpoint = checkpoint;
  watch.run([&] { outcome.result = fit(std::move(tensor), settings, callbacks, test); });
  outcome.interrupted = watch.interrupted();
  outcome.history = std::move(audience.history);
  FitResult& result = outcome.result;
  // The last step with the certificate of the end, which a file keeps with it.
  if (result.certificate && !outcome.history.empty()) outcome.history.back().gap = result.certificate->gap();
  result.model.index_base = 0;
  result.model.record.run = run_record(result, command, outcome.history);
  result.model.record.run->picture = picture;
  outcome.model = std::make_shared<FittedModel>(std::move(result.model));
  return outcome;
}

std::optional<double> gap_of(const FitResult& result) {
  return result.certificate ? std::optional(result.certificate->gap()) : result.last.gap;
}

}  // namespace

nb::dict dict_of(const StepRecord& step) {
  nb::dict row;
  row["iteration"] = step.iteration;
  row["seconds"] = step.seconds;
  row["objective"] = step.objective;
  row["gradient_norm"] = step.gradient_norm;
  row["train_rmse"] = step.train_rmse;
  row["test_rmse"] = step.test_rmse;
  row["test_auc"] = step.test_auc;
  row["test_mrr"] = step.test_mrr;
  row["gap"] = step.gap;
  row["operator_applications"] = step.operator_applications;
  return row;
}

void register_fit(nb::module_& m) {
  nb::class_<Outcome>(m, "Outcome", "How a fit ended, and its model.")
      .def_ro("model", &Outcome::model)
      .def_ro("interrupted", &Outcome::interrupted)
      .def_prop_ro("history",
                   [](const Outcome& o) {
                     nb::list steps;
                     for (const StepRecord& step : o.history) steps.append(dict_of(step));
                     return steps;
                   })
      .def_prop_ro("converged", [](const Outcome& o) { return o.result.converged; })
      .def_prop_ro("stop_reason", [](const Outcome& o) { return o.result.stop_reason; })
      .def_prop_ro("iterations", [](const Outcome& o) { return o.result.last.iteration; })
      .def_prop_ro("objective", [](const Outcome& o) { return o.result.last.objective; })
      .def_prop_ro("train_rmse", [](const Outcome& o) { return o.result.last.train_rmse; })
      .def_prop_ro("test_rmse", [](const Outcome& o) { return o.result.last.test_rmse; })
      .def_prop_ro("test_auc", [](const Outcome& o) { return o.result.last.test_auc; })
      .def_prop_ro("held_out_rmse", [](const Outcome& o) { return o.result.held_out_rmse; })
      .def_prop_ro("held_out_auc", [](const Outcome& o) { return o.result.held_out_auc; })
      .def_prop_ro("held_out_mrr", [](const Outcome& o) { return o.result.held_out_mrr; })
      .def_prop_ro("gap", [](const Outcome& o) { return gap_of(o.result); })
      .def_prop_ro(
          "mixture", [](const Outcome& o) { return copied(std::span<const double>(o.result.mixture)); },
          nb::rv_policy::move)
      .def_prop_ro("seconds", [](const Outcome& o) { return o.result.seconds; })
      .def_prop_ro("choosing_seconds", [](const Outcome& o) { return o.result.choosing_seconds; });
  m.def(
      "converged",
      [](const std::string& reason) {
        if (reason == kEnoughSteps) return true;
        for (const StopReason one :
             {StopReason::kGradientTolerance, StopReason::kNoFurtherDecrease, StopReason::kMaxIterations,
              StopReason::kStopped, StopReason::kDirect, StopReason::kSmallChange, StopReason::kSmallGap,
              StopReason::kWithinAccuracy})
          if (reason == describe(one)) return converged(one);
        return false;  // interrupted, or out of time
      },
      nb::arg("stop_reason"), "Whether a fit that ended so is solved.");
  m.def("fit", &fit_tensor, nb::arg("tensor"), nb::arg("settings"), nb::arg("test").none(),
        nb::arg("progress").none(), nb::arg("notice").none(), nb::arg("command"),
        nb::arg("checkpoint").none(), nb::arg("picture"), nb::arg("tick").none(),
        "Chooses what the settings leave open, and fits. The tensor is taken over.");
}

}  // namespace lacuna::python
