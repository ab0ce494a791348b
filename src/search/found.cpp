// SPDX-License-Identifier: MIT
#include "search/found.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "method/costs.hpp"
#include "method/together.hpp"
#include "search/choose.hpp"
#include "search/facts.hpp"
#include "search/robust.hpp"
#include "search/side.hpp"

namespace lacuna {
namespace {

bool has_near_parts(const Settings& settings) {
  return settings.latent.parts.given() &&
         std::any_of(settings.latent.parts->begin(), settings.latent.parts->end(),
                     [](const PartOptions& part) { return !part.spec.near.empty(); });
}

// As many steps as the held-out error asked for; twice as many where it was still falling when a trial, which
// is solved roughly, ended. None where the factors it began with were best as they were.
void take_steps_of(const Trial& trial, const Settings& asked, Settings& chosen) {
  if (asked.latent.certified_gap.given()) return;  // the gap says when it is solved
  if (asked.max_iterations.given() || asked.search.early_stop.value_or(1.0) == 0.0) return;
  if (!takes(*chosen.method, kTakesSteps) || counts_by_its_end(*chosen.method)) return;
  constexpr int kLeast = 5;
  chosen.max_iterations =
      trial.falling ? std::max(kLeast, 2 * trial.steps) : std::max(trial.from_factors ? 0 : 1, trial.steps);
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

// The settings with main effects where offsets are open: what is known before any trial has ended.
Settings with_main_effects(Settings settings, int order) {
  const Method method = settings.method.value_or(Method::kTrMm);
  if (method != Method::kMean && method != Method::kComplEx) settings.offsets.settle(main_effects(order));
  return settings;
}

// Where the method is given no floors are judged. A trial of it that was cut short may be worse than main effects: then
// those are the best trial. True when they are.
bool falls_back(Evaluator& evaluator) {
  const Settings& asked = evaluator.asked();
  if (asked.method.open() || asked.offsets.given() || !evaluator.interrupted()) return false;
  const Settings effects = with_main_effects(asked, evaluator.kept().order());
  if (effects.offsets.open()) return false;
  (void)evaluator.judge(
      {.method = Method::kOffsets, .offsets = effects.offsets, .clip = asked.clip, .seed = asked.seed},
      "main effects");
  return evaluator.best().settings.method == Method::kOffsets && *asked.method != Method::kOffsets;
}

// Whether memory can hold a fit by this method: a few entries at positions far apart ask for all between.
bool can_hold(Method method, const ObservedTensor& tensor, const Settings& asked,
              const Communicator& sharers) {
  const Count entries = sharers.sum(tensor.size()) / sharers.size();
  return memory_holds(method, entries, tensor.modes(), asked);
}

// Whether the method is open and nothing is given that main effects do not take: then they are all that few entries support.
bool says_nothing_but_effects(const Settings& asked) {
  return asked.method.open() && takes_everything_given(Method::kOffsets, asked);
}

Found search(const ObservedTensor& tensor, const Settings& asked, const FitCallbacks& callbacks,
             const Stopwatch& watch) {
  Evaluator evaluator(tensor, asked, callbacks, watch);
  if (!evaluator.can_hold_out()) {
    evaluator.tell(
        "too few entries to hold any out; what was left open gets its default, around main effects");
    if (are_facts(tensor, asked)) return {.settings = asked};
    Settings plain = with_main_effects(asked, tensor.order());
    if (says_nothing_but_effects(asked) || !can_hold(Method::kTrMm, tensor, asked, sharers(callbacks)))
      plain.method.settle(Method::kOffsets);
    return {.settings = plain};
  }
  choose(evaluator);
  choose_side(evaluator);
  const bool fell_back = falls_back(evaluator);
  if (!std::isfinite(evaluator.best().error))  // interrupted before the first trial ended
    return {.settings = with_main_effects(asked, tensor.order())};
  const BlendChoice chosen = evaluator.best_blend();
  Found found = found_by(*chosen.members.front(), asked);
  if (fell_back) found.settings = chosen.members.front()->settings;
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
  found.cut_short = evaluator.interrupted();
  const bool by_user = callbacks.interrupted && callbacks.interrupted();
  if (found.cut_short && !by_user) evaluator.tell("the time for choosing was up before all was tried");
  const double left = asked.max_time.value_or(1e300) - watch.seconds();
  found.keep_trial =
      fell_back || any_process(callbacks, by_user || left < chosen.members.front()->result->seconds);
  return found;
}

}  // namespace

double steps_share(const Settings& settings) {
  const bool needs_it = settings.method.given() && *settings.method == Method::kTrLs;
  return settings.search.early_stop.value_or(needs_it ? kHeldOutShare : 0.0);
}

Found choose_settings(const ObservedTensor& seen, const Settings& asked, const FitCallbacks& callbacks,
                      const Stopwatch& watch) {
  const bool choice = leaves_a_choice(asked);
  if (!choice && steps_share(asked) == 0.0) return {.settings = asked};
  if (!is_robust(asked))
    return choice ? search(seen, asked, callbacks, watch) : count_steps(seen, asked, callbacks, watch);
  const ObservedTensor inliers = can_hold(Method::kTrMm, seen, asked, serial_communicator())
                                     ? inlier_entries(seen, asked, callbacks)
                                     : seen;
  return choice ? search(inliers, asked, callbacks, watch) : count_steps(inliers, asked, callbacks, watch);
}

}  // namespace lacuna
