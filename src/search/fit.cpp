// SPDX-License-Identifier: MIT
// fit(): set entries aside for intervals, choose what is open, fit on everything, calibrate.
#include <fmt/format.h>

#include <algorithm>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>
#include <memory>
#include <stdexcept>

#include "method/saved_fit.hpp"
#include "method/together.hpp"
#include "method/unit_scale.hpp"
#include "model/body.hpp"
#include "model/shared_values.hpp"
#include "search/choose.hpp"
#include "search/facts.hpp"
#include "search/found.hpp"
#include "search/intervals.hpp"
#include "search/rank.hpp"
#include "search/remembered.hpp"
#include "search/robust.hpp"

namespace lacuna {
namespace {

// What is known of the test cells, of a model that was judged on others before. Where it is shared the first process
// gets all of it.
void measure(const Entries* test, FitResult& result, const Communicator& sharers) {
  result.last.test_rmse.reset();
  result.last.test_auc.reset();
  result.last.test_mrr.reset();
  if (test == nullptr || test->size() == 0) return;
  gather_dual(sharers, result.model, GatherTo::kFirst);
  std::vector<double> found;
  if (sharers.first()) {
    const auto predicted = Predictor(result.model).predict_as_told(test->cells, test->coordinates).value;
    found.push_back(rmse(test->value, predicted));
    if (const auto area = auc(test->value, predicted)) found.push_back(*area);
  }
  found = sharers.gather(std::span<const double>(found));
  result.last.test_rmse = found[0];
  if (found.size() > 1) result.last.test_auc = found[1];
}

// What a fit with the settings found should begin with, or null.
const Model* factors_of(const Found& found) {
  const bool usable = found.grown && found.trial && found.trial->model.latent() != nullptr &&
                      takes(*found.settings.method, kTakesPath);
  return usable ? &found.trial->model : nullptr;
}

FitResult fit_member(ObservedTensor tensor, const Found& found, const FitCallbacks& callbacks,
                     const Entries* test) {
  if (are_facts(tensor, found.settings) && !learns_from_facts(found.settings.method.value_or(Method::kTrMm)))
    tensor = with_drawn(tensor, found.settings);
  if (found.settings.latent.certified_gap.given() && !is_robust(found.settings))
    return fit_certified(tensor, found.settings, callbacks, test);
  Settings settings = found.settings;
  if (settings.warm_start == nullptr) settings.warm_start = factors_of(found);
  if (is_robust(settings)) return fit_robustly(std::move(tensor), settings, callbacks, test);
  return fit_once(std::move(tensor), settings, callbacks, test);
}

// The time that all runs of a fit have taken together.
Stopwatch clock_of(const FitCallbacks& callbacks) {
  Journal* const journal = journal_of(callbacks.checkpoint);
  return journal == nullptr ? Stopwatch() : Stopwatch([journal] { return journal->seconds(); });
}

// All members, one after the other, each with its part of the time that is left. When interrupted, those that are
// whole.
FitResult fit_chosen(ObservedTensor tensor, const Found& found, const FitCallbacks& callbacks,
                     const Entries* test) {
  if (found.others.empty()) return fit_member(std::move(tensor), found, callbacks, test);
  const Stopwatch watch = clock_of(callbacks);
  const std::optional<double> limit = found.settings.max_time;
  FitResult whole;
  Blend blend;
  double total = 0.0;
  bool converged = true;
  for (std::size_t m = 0; m < found.weights.size(); ++m) {
    Found member = m == 0 ? found : found.others[m - 1];
    const auto left = static_cast<double>(found.weights.size() - m);
    if (limit) member.settings.max_time = std::max(1e-3, (*limit - watch.seconds()) / left);
    member.settings.latent.certify = Certify::kNever;  // a bound on one of them says nothing of their mean
    FitResult one =
        remember(callbacks, {.kind = "member", .hold = Journal::Hold::kAll},
                 [&](const FitCallbacks& listening) { return fit_member(tensor, member, listening, test); });
    if (m > 0 && one.reason == StopReason::kStopped) break;
    converged = converged && (one.converged || one.reason == StopReason::kMaxIterations);
    blend.members.push_back(one.model);
    blend.weights.push_back(found.weights[m]);
    total += found.weights[m];
    if (m == 0) whole = std::move(one);
  }
  for (double& weight : blend.weights) weight /= total;
  if (blend.members.size() == 1) return whole;
  whole.stop_reason = "a blend, " + describe(blend);
  whole.model = blended(std::move(blend));
  whole.converged = converged;
  whole.mixture.clear();
  whole.seconds = watch.seconds();
  const std::vector<double> fitted = Predictor(whole.model).predict_as_told(tensor.cells()).value;
  whole.last.train_rmse = rmse(tensor.values(), fitted);
  measure(test, whole, serial_communicator());
  return whole;
}

// The best trial in place of a fit to all entries. Effects, which take no time, are of all entries where those are there.
FitResult kept_trial(const ObservedTensor* tensor, const Found& found, std::string_view when,
                     const FitCallbacks& callbacks, const Entries* test) {
  FitResult result = *found.trial;
  if (tensor != nullptr && tensor->size() > 0 &&
      info(found.settings.method.value_or(Method::kTrMm)).model == "offsets") {
    FitCallbacks together;
    together.everyone = callbacks.everyone;
    together.shared = callbacks.shared;
    Settings effects = found.settings;
    effects.max_time.reset();
    result = fit_once(*tensor, effects, together);
  }
  result.converged = false;
  result.reason = StopReason::kStopped;
  const bool by_user = callbacks.interrupted && callbacks.interrupted();
  result.stop_reason =
      fmt::format("{} {}; the best trial is kept", by_user ? "interrupted" : "time limit reached", when);
  measure(test, result, sharers(callbacks));
  return result;
}

// Whether all fits that were to be blended are in it: then it is what the error found is about.
bool is_whole_blend(const Found& found, const FitResult& result) {
  return !found.others.empty() && members(result.model).size() == found.weights.size();
}

// Whether the trial is worth more than a last fit that was stopped: that one had not made a step, or had begun afresh and
// not come as far as the trial.
bool trial_is_better(const Found& found, const FitResult& result) {
  if (result.reason != StopReason::kStopped || !found.trial || is_gone(found.trial->model)) return false;
  const bool afresh = factors_of(found) == nullptr && found.settings.warm_start == nullptr;
  return result.last.iteration < (afresh ? found.trial->last.iteration : 1);
}

// What `fit` is about: the entries and those of them that only intervals may see.
struct Task {
  const ObservedTensor* tensor;
  const std::optional<HoldOut>* reserved;
  const Settings* asked;
  const FitCallbacks* callbacks;
  const Stopwatch* watch;
  int turns = 0;  // fits that calibrate intervals
};

// Of the time of all, what choosing and fitting may take: so much that each fit that calibrates gets as much as the last
// one, which gets what choosing leaves.
std::optional<double> time_of_fit(const Task& task) {
  if (!task.asked->max_time) return std::nullopt;
  return *task.asked->max_time / (1.0 + (1.0 - kShareOfTime) * task.turns);
}

// Intervals for the result, or a word about why there are none. `is_trial`: it is the trial that was found, which has seen
// none of what is reserved, so that no other fit is needed.
void calibrate_result(const Task& task, Found found, bool is_trial, FitResult& result) {
  const FitCallbacks& callbacks = *task.callbacks;
  const auto stopped = [&] {
    return any_process(callbacks, callbacks.interrupted && callbacks.interrupted());
  };
  if (is_trial) {
    result.model.calibration = calibrate_by(found.trial->model, **task.reserved, sharers(callbacks));
    return;
  }
  const bool by_user = stopped() || (result.reason == StopReason::kStopped && !task.asked->max_time);
  if (!by_user) {
    FitCallbacks quiet;
    quiet.interrupted = callbacks.interrupted;
    quiet.everyone = callbacks.everyone;
    quiet.shared = callbacks.shared;
    quiet.checkpoint = callbacks.checkpoint;
    found.settings.latent.certify = Certify::kNever;
    if (task.asked->max_time)
      found.settings.max_time = std::clamp((*task.asked->max_time - task.watch->seconds()) / task.turns, 1e-3,
                                           *found.settings.max_time);
    // The factors it starts from are of a trial that has seen none of what is reserved.
    result.model.calibration = calibrate_on(
        *task.tensor, **task.reserved, task.turns, sharers(callbacks), journal_of(callbacks.checkpoint),
        [&](const ObservedTensor& kept) { return fit_chosen(kept, found, quiet, nullptr).model; });
    if (!stopped()) return;
    result.model.calibration = {};  // of fits that were cut short
  }
  if (callbacks.notice) callbacks.notice("no intervals: the fit was stopped before they were calibrated");
}

// Cells of value 0 beside values that are not all 1 would be values like them.
void check_facts(const ObservedTensor& tensor, const Settings& asked) {
  if (asked.links.negatives.value_or(0) == 0) return;
  for (const double value : tensor.values())
    if (value != 1.0)
      throw std::invalid_argument(
          fmt::format("negatives are drawn for facts, whose values are all 1; found {}", value));
}

// What is asked for, with what follows from it. Throws where it does not fit the tensor.
Settings checked(const ObservedTensor& tensor, Settings asked, const FitCallbacks& callbacks) {
  if (asked.loss.given() && has_loss(Method::kComplEx, *asked.loss)) asked.method.settle(Method::kComplEx);
  if (callbacks.shared && needs_all_entries(asked))
    throw std::invalid_argument("the Huber loss and drawn negatives need all entries on every process");
  if (sharers(callbacks).sum(tensor.size()) == 0)
    throw std::invalid_argument("there is nothing to fit: the tensor has no observed entry");
  if (asked.method.given()) (void)settled(asked, tensor.order());
  (void)UnitScale(tensor, sharers(callbacks));  // of all values, not those of a trial
  check_facts(tensor, asked);
  return asked;
}

// How a fit ends: fitted to all entries, or as the trial that was found.
struct Ending {
  FitResult result{};
  bool is_trial = false;
};

// The fit to all entries by what was found, or the trial where there is no time for one, or it was stopped too early.
Ending fit_last(ObservedTensor tensor, const Found& found, bool reserved, const FitCallbacks& callbacks,
                const Entries* test) {
  if (found.keep_trial) return {kept_trial(&tensor, found, "while choosing", callbacks, test), true};
  const auto last = [&](const FitCallbacks& listening) {
    return fit_chosen(std::move(tensor), found, listening, test);
  };
  // Where more is to be done afterwards it has to be known when that goes on.
  FitResult result =
      reserved ? remember(callbacks, {.kind = "final", .hold = Journal::Hold::kAll}, last) : last(callbacks);
  if (!trial_is_better(found, result)) return {std::move(result), false};
  return {kept_trial(nullptr, found, "before the last fit had come as far", callbacks, test), true};
}

// What the search has to say about the result: how sure it is that no more was to be tried, and what to expect.
void tell_of_choice(const Found& found, const Settings& asked, double seconds, Ending& ending) {
  FitResult& result = ending.result;
  if (!ending.is_trial && found.others.empty() && found.settings.max_iterations.given() &&
      asked.max_iterations.open() && result.reason == StopReason::kMaxIterations) {
    result.stop_reason = kEnoughSteps;
    result.converged = true;
  }
  if (found.cut_short && result.converged) {
    result.converged = false;
    result.stop_reason += "; the time for choosing was up before all was tried";
  }
  result.choosing_seconds = seconds;
  result.choosing_applications = found.applications;
  if (!found.trial) return;
  result.held_out_rmse = is_whole_blend(found, result) ? found.error : found.trial->last.test_rmse;
  result.held_out_auc = found.trial->last.test_auc;
  result.held_out_mrr = found.trial->last.test_mrr;
}

FitResult fit_all(ObservedTensor tensor, const Settings& given, const FitCallbacks& callbacks,
                  const Entries* test) {
  Settings asked = checked(tensor, given, callbacks);
  const Stopwatch watch = clock_of(callbacks);
  if (asked.links.negatives.value_or(0) > 0 && !are_facts(tensor, asked)) tensor = with_drawn(tensor, asked);
  const std::optional<HoldOut> reserved = reserve_for_intervals(tensor, asked, sharers(callbacks));
  Task task{&tensor, &reserved, &given, &callbacks, &watch};
  if (reserved) task.turns = calibration_turns(tensor, *reserved, asked.search.calibrate, sharers(callbacks));
  asked.max_time = time_of_fit(task);

  Found found = choose_settings(reserved ? reserved->kept : tensor, asked, callbacks, watch);
  const double choosing = watch.seconds();
  if (asked.max_time) found.settings.max_time = std::max(1e-3, *asked.max_time - choosing);

  const ObservedTensor everything = reserved ? tensor : ObservedTensor();  // the last fit takes its own over
  task.tensor = &everything;
  Ending ending = fit_last(std::move(tensor), found, reserved.has_value(), callbacks, test);
  tell_of_choice(found, asked, choosing, ending);
  if (reserved) calibrate_result(task, std::move(found), ending.is_trial, ending.result);
  return std::move(ending.result);
}

// What the fit is about, for the checkpoint: data and test entries by their checksums, settings by their names.
Journal::About about(const ObservedTensor& tensor, const Settings& settings, const FitCallbacks& callbacks,
                     const Entries* test) {
  Journal::About about{{"version", version()}, {"task", "fit"}};
  about.emplace_back("data", checksum_text(tensor, sharers(callbacks)));
  if (test != nullptr) about.emplace_back("test", checksum_text(*test));
  if (settings.warm_start != nullptr)
    about.emplace_back("init", checksum_text(*settings.warm_start, sharers(callbacks)));
  for (auto& [name, value] : about_settings(settings, tensor.modes()))
    if (name != "init" || settings.warm_start == nullptr) about.emplace_back(name, std::move(value));
  return about;
}

// Whoever says stop closes the journal. Alone with the entries, it is written at once: between two solves nothing else
// would, and when the search has come to its end the models that a blend needs are gone. Processes that share the entries
// write when they have agreed.
FitCallbacks closing(const FitCallbacks& callbacks, Journal& journal) {
  FitCallbacks watched = callbacks;
  watched.interrupted = [&callbacks, &journal] {
    if (!callbacks.interrupted || !callbacks.interrupted()) return false;
    journal.close();
    if (sharers(callbacks).alone()) journal.save();
    return true;
  };
  watched.progress = [&callbacks, &journal](const FitProgress& progress) {
    const Flow flow = callbacks.progress ? callbacks.progress(progress) : Flow::kContinue;
    if (flow == Flow::kStop) journal.close();
    return flow;
  };
  return watched;
}

}  // namespace

bool leaves_several_fits(const Settings& settings) {
  return leaves_a_choice(settings) || steps_share(settings) > 0.0 || settings.latent.certified_gap.given();
}

bool needs_all_entries(const Settings& settings) {
  return is_robust(settings) || settings.links.negatives.value_or(0) > 0;
}

FitResult fit(ObservedTensor tensor, const Settings& settings, const FitCallbacks& callbacks,
              const Entries* test) {
  check_values(settings, tensor.order());
  if (callbacks.checkpoint == nullptr) return fit_all(std::move(tensor), settings, callbacks, test);
  Journal& journal = callbacks.checkpoint->journal();
  journal.share(sharers(callbacks));
  journal.bind(about(tensor, settings, callbacks, test));
  check_remembered(journal, tensor.modes());
  journal.on_problem(callbacks.notice);
  try {
    FitResult result = fit_all(std::move(tensor), settings, closing(callbacks, journal), test);
    close_together(callbacks);
    if (journal.closed()) journal.save();
    return result;
  } catch (const SavedError& problem) {
    throw journal.refusal(std::string("the checkpoint is damaged: ") + problem.what());
  }
}

}  // namespace lacuna
