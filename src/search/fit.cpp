// SPDX-License-Identifier: MIT
// fit(): set entries aside for intervals, choose what is open, fit on everything, calibrate.
#include <fmt/format.h>

#include <algorithm>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>
#include <memory>
#include <stdexcept>

#include "base/machine.hpp"
#include "method/saved_fit.hpp"
#include "method/together.hpp"
#include "model/body.hpp"
#include "search/choose.hpp"
#include "search/facts.hpp"
#include "search/intervals.hpp"
#include "search/rank.hpp"
#include "search/remembered.hpp"
#include "search/robust.hpp"
#include "search/side.hpp"

namespace lacuna {
namespace {

// What a search ends with.
struct Found {
  Settings settings{};  // nothing in it is open but what the method's default is good for
  std::shared_ptr<const FitResult> trial{};  // of the best trial, where there was a search
  bool grown = false;                        // its factors are where the final fit should begin
  bool keep_trial = false;                   // there is no time for another fit
  Count applications = 0;                    // of operators, by all trials
  double error = 0.0;                        // on the held-out entries, of what is to be fitted
  std::vector<Found> others{};               // that are blended with this one, if any
  std::vector<double> weights{};             // of this one and of each other
};

bool is_robust(const Settings& settings) { return settings.loss.value_or(Loss::kSquared) == Loss::kHuber; }

// The share of the entries to count steps on, where nothing else is chosen.
double steps_share(const Settings& settings) {
  const bool needs_it = settings.method.given() && *settings.method == Method::kTrLs;
  return settings.search.early_stop.value_or(needs_it ? kHeldOutShare : 0.0);
}

bool has_near_parts(const Settings& settings) {
  return settings.latent.parts.given() &&
         std::any_of(settings.latent.parts->begin(), settings.latent.parts->end(),
                     [](const PartOptions& part) { return !part.spec.near.empty(); });
}

// As many steps as the held-out error asked for; twice as many where it was still falling when a trial, which
// is solved roughly, ended.
void take_steps_of(const Trial& trial, const Settings& asked, Settings& chosen) {
  if (asked.max_iterations.given() || asked.search.early_stop.value_or(1.0) == 0.0) return;
  if (!takes(*chosen.method, kTakesSteps) || counts_by_its_end(*chosen.method)) return;
  constexpr int kLeast = 5;
  chosen.max_iterations = trial.falling ? std::max(kLeast, 2 * trial.steps) : std::max(1, trial.steps);
  if (has_near_parts(chosen)) chosen.tolerance.settle(kRoughly);  // solved as closely as it was judged
}

// The settings of the best trial, with what only the final fit needs, as it was asked for.
Settings settings_of(const Trial& trial, const Settings& asked) {
  Settings chosen = trial.settings;
  chosen.loss = asked.loss;
  chosen.latent.certify = asked.latent.certify;
  chosen.search.keep_best = asked.search.keep_best;
  chosen.warm_start = asked.warm_start;
  if (asked.method.given()) chosen.method = asked.method;
  return chosen;
}

Found count_steps(const ObservedTensor& tensor, const Settings& asked, const FitCallbacks& callbacks,
                  const Stopwatch& watch) {
  Found found{.settings = asked};
  Evaluator evaluator(tensor, asked, callbacks, watch, steps_share(asked), Role::kSteps);
  if (!evaluator.can_hold_out()) return found;
  const Trial trial = evaluator.judge(asked, "counting steps");
  found.applications = evaluator.applications();
  if (evaluator.interrupted()) return found;
  take_steps_of(trial, asked, found.settings);
  return found;
}

Found found_by(const Trial& trial, const Settings& asked) {
  Found found{.settings = settings_of(trial, asked),
              .trial = trial.result,
              .grown = asked.ranks.open() || trial.from_factors};
  if (*found.settings.method != Method::kTrLs) take_steps_of(trial, asked, found.settings);
  return found;
}

// Whether memory can hold a fit by this method: a few entries at positions far apart ask for all between.
bool can_hold(Method method, const ObservedTensor& tensor, const Settings& asked) {
  return info(method).bytes(tensor.size(), tensor.modes(), asked) < memory_limit().bytes;
}

Found search(const ObservedTensor& tensor, const Settings& asked, const FitCallbacks& callbacks,
             const Stopwatch& watch) {
  Evaluator evaluator(tensor, asked, callbacks, watch);
  if (!evaluator.can_hold_out()) {
    evaluator.tell("too few entries to hold any out; what was left open gets its default");
    Settings plain = asked;
    if (!can_hold(Method::kTrMm, tensor, asked)) plain.method.settle(Method::kOffsets);
    return {.settings = plain};
  }
  choose(evaluator);
  choose_side(evaluator);
  if (!std::isfinite(evaluator.best().error))
    return {.settings = asked};  // interrupted before the first trial ended
  const BlendChoice chosen = evaluator.best_blend();
  Found found = found_by(*chosen.members.front(), asked);
  if (*found.settings.method == Method::kTrLs && !evaluator.interrupted()) {
    Settings counted = found.settings;
    counted.latent.certify = Certify::kNever;
    take_steps_of(evaluator.judge(counted, "tr-ls, counting steps"), asked, found.settings);
  }
  for (std::size_t m = 1; m < chosen.members.size(); ++m)
    found.others.push_back(found_by(*chosen.members[m], asked));
  found.weights = chosen.weights;
  found.error = chosen.error;
  found.applications = evaluator.applications();
  evaluator.tell(
      fmt::format("{} trials; {}{}", evaluator.trials(), evaluator.measure(chosen.error),
                  found.others.empty() ? "" : ", as a blend of " + std::to_string(found.weights.size())));
  const bool by_user = callbacks.interrupted && callbacks.interrupted();
  const double left = asked.max_time.value_or(1e300) - watch.seconds();
  found.keep_trial = any_process(callbacks, by_user || left < chosen.members.front()->result->seconds);
  return found;
}

// What is known of the test cells, of a model that was judged on others before.
void measure(const Entries* test, FitResult& result) {
  result.last.test_rmse.reset();
  result.last.test_auc.reset();
  result.last.test_mrr.reset();
  if (test == nullptr || test->size() == 0) return;
  const std::vector<double> predicted = Predictor(result.model).predict(test->cells, test->coordinates).value;
  result.last.test_rmse = rmse(test->value, predicted);
  result.last.test_auc = auc(test->value, predicted);
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
  if (is_robust(found.settings)) return fit_robustly(std::move(tensor), found.settings, callbacks, test);
  if (found.settings.latent.certified_gap.given())
    return fit_certified(tensor, found.settings, callbacks, test);
  Settings settings = found.settings;
  if (settings.warm_start == nullptr) settings.warm_start = factors_of(found);
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
  const std::vector<double> fitted = Predictor(whole.model).predict(tensor.cells()).value;
  whole.last.train_rmse = rmse(tensor.values(), fitted);
  measure(test, whole);
  return whole;
}

Found choose_settings(const ObservedTensor& seen, const Settings& asked, const FitCallbacks& callbacks,
                      const Stopwatch& watch) {
  const bool choice = leaves_a_choice(asked);
  if (!choice && steps_share(asked) == 0.0) return {.settings = asked};
  if (!is_robust(asked))
    return choice ? search(seen, asked, callbacks, watch) : count_steps(seen, asked, callbacks, watch);
  const ObservedTensor inliers =
      can_hold(Method::kTrMm, seen, asked) ? inlier_entries(seen, asked, callbacks) : seen;
  return choice ? search(inliers, asked, callbacks, watch) : count_steps(inliers, asked, callbacks, watch);
}

}  // namespace

bool leaves_work(const Settings& settings) {
  return leaves_a_choice(settings) || steps_share(settings) > 0.0 || is_robust(settings) ||
         settings.latent.certified_gap.given() || settings.search.calibrate > 0.0 ||
         settings.links.negatives.value_or(0) > 0 || settings.warm_start != nullptr;
}

namespace {

FitResult fit_all(ObservedTensor tensor, const Settings& given, const FitCallbacks& callbacks,
                  const Entries* test) {
  Settings asked = given;
  if (asked.loss.given() && has_loss(Method::kComplEx, *asked.loss)) asked.method.settle(Method::kComplEx);
  if (callbacks.shared) {  // nothing is held out of entries that other processes have
    if (leaves_work(asked)) throw std::invalid_argument("processes that share the entries choose nothing");
    return fit_once(std::move(tensor), asked, callbacks, test);
  }
  if (tensor.size() == 0)
    throw std::invalid_argument("there is nothing to fit: the tensor has no observed entry");
  if (asked.method.given()) (void)settled(asked, tensor.order());  // throws where a setting does not fit
  const Stopwatch watch = clock_of(callbacks);
  if (asked.links.negatives.value_or(0) > 0 && !are_facts(tensor, asked)) tensor = with_drawn(tensor, asked);
  const std::optional<HoldOut> reserved = reserve_for_intervals(tensor, asked);
  Found found = choose_settings(reserved ? reserved->kept : tensor, asked, callbacks, watch);
  const double choosing = watch.seconds();
  if (asked.max_time) found.settings.max_time = std::max(1e-3, *asked.max_time - choosing);

  const ObservedTensor everything = reserved ? tensor : ObservedTensor();  // the last fit takes its own over
  FitResult result;
  if (found.keep_trial) {
    result = *found.trial;
    result.converged = false;
    result.reason = StopReason::kStopped;
    result.stop_reason = "interrupted while choosing; the best trial is kept";
    measure(test, result);
  } else {
    const auto last = [&](const FitCallbacks& listening) {
      return fit_chosen(std::move(tensor), found, listening, test);
    };
    // Where more is to be done afterwards it has to be known when that goes on.
    result = reserved ? remember(callbacks, {.kind = "final", .hold = Journal::Hold::kAll}, last)
                      : last(callbacks);
    if (found.others.empty() && found.settings.max_iterations.given() && asked.max_iterations.open() &&
        result.reason == StopReason::kMaxIterations) {
      result.stop_reason = kEnoughSteps;
      result.converged = true;
    }
  }
  result.choosing_seconds = choosing;
  result.choosing_applications = found.applications;
  if (found.trial) {
    result.held_out_rmse = found.trial->last.test_rmse;
    if (!found.others.empty() && !found.keep_trial) result.held_out_rmse = found.error;
    result.held_out_auc = found.trial->last.test_auc;
    result.held_out_mrr = found.trial->last.test_mrr;
  }
  if (reserved && result.reason != StopReason::kStopped) {
    FitCallbacks quiet;
    quiet.interrupted = callbacks.interrupted;
    quiet.everyone = callbacks.everyone;
    quiet.checkpoint = callbacks.checkpoint;
    found.settings.latent.certify = Certify::kNever;
    // The factors it starts from are of a trial that has seen none of what is reserved.
    result.model.calibration = calibrate_on(
        everything, *reserved, asked.search.calibrate, journal_of(callbacks.checkpoint),
        [&](const ObservedTensor& kept) { return fit_chosen(kept, found, quiet, nullptr).model; });
  }
  return result;
}

// What the fit is about, for the checkpoint: data and test entries by their checksums, settings by their names.
Journal::About about(const ObservedTensor& tensor, const Settings& settings, const FitCallbacks& callbacks,
                     const Entries* test) {
  Journal::About about{{"version", version()}, {"task", "fit"}};
  about.emplace_back("data",
                     checksum_text(tensor, callbacks.shared ? everyone(callbacks) : serial_communicator()));
  if (test != nullptr) about.emplace_back("test", checksum_text(*test));
  if (settings.warm_start != nullptr) about.emplace_back("init", checksum_text(*settings.warm_start));
  for (auto& [name, value] : about_settings(settings, tensor.modes()))
    if (name != "init" || settings.warm_start == nullptr) about.emplace_back(name, std::move(value));
  return about;
}

// Whoever says stop closes the journal. Alone, it is written at once: between two solves nothing else would, and when the
// search has come to its end the models that a blend needs are gone. Processes together write when they have agreed.
FitCallbacks closing(const FitCallbacks& callbacks, Journal& journal) {
  FitCallbacks watched = callbacks;
  watched.interrupted = [&callbacks, &journal] {
    if (!callbacks.interrupted || !callbacks.interrupted()) return false;
    journal.close();
    if (callbacks.everyone == nullptr) journal.save();
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

FitResult fit(ObservedTensor tensor, const Settings& settings, const FitCallbacks& callbacks,
              const Entries* test) {
  if (callbacks.checkpoint == nullptr) return fit_all(std::move(tensor), settings, callbacks, test);
  Journal& journal = callbacks.checkpoint->journal();
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
