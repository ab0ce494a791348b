// SPDX-License-Identifier: MIT
#include "search/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/model/update.hpp>

#include "method/costs.hpp"
#include "method/ranks.hpp"
#include "method/saved_fit.hpp"
#include "method/together.hpp"
#include "model/body.hpp"
#include "search/holes.hpp"
#include "search/remembered.hpp"

namespace lacuna {
namespace {

// The constants of the search. bench/results has the runs on the common splits that they were set by.
constexpr int kMostSteps = 60;      // of a trial
constexpr double kTimesBest = 3.0;  // work of a trial, in units of the best's
constexpr double kLeastWork = 4e9;  // that every trial may take: about two seconds
// What one of facts alone may take, if that is more: 8 passes at the size of FB15k-237 and rank 50.
constexpr double kLeastOfFacts = 4e11;
// Likewise of als without a lower error than after its first sweep: it begins next to nothing, and the more parts it has the
// longer it stays there.
constexpr int kSweepsToBegin = 12;
// Sweeps that als may always take: on ten million ratings its error falls for about so many, and a sweep is quick.
constexpr double kLeastSweeps = 20.0;
constexpr int kMostBlended[] = {1, 3, 5};  // fits whose weighted mean may be the answer, by effort
constexpr Count kMostToBlend =
    3'000'000;  // entries, from which on a model takes more memory than a blend is worth
constexpr Count kLeastHeldToBlend = 200;  // held-out entries, for weights to be found by them
// By effort low, medium, high: work in units of the final fit, what that counts as at the least (one second, or five), and
// how much of it all may be used up before another contest begins.
constexpr double kTimesFinal[] = {1.0, 4.0, 20.0};
constexpr double kLeastFinal[] = {2.4e9, 1.2e10, 1.2e10};
constexpr double kMostTimesBudget[] = {1.0, 2.0, 2.0};

constexpr double kFewHeld = 20.0;  // held-out entries below which an error is little more than chance
// Share that is held out to choose by where holes are clusters. Of a photograph with 14 blocks lost a tenth is 6 blocks.
constexpr double kShareInClusters = 0.25;
constexpr double kMostOfFew = 0.3;  // share of few entries that is held out so that there are so many

// The share to hold out: more of few entries.
double enough_of(double entries, double share) {
  return std::max(share, std::min(kMostOfFew, kFewHeld / entries));
}

bool has_full_rank(const Latent& model) {
  return std::all_of(model.parts.begin(), model.parts.end(),
                     [](const ModelPart& part) { return part.factor.cols() >= part.factor.rows(); });
}

FitResult without_model(const FitResult& result) {
  return {.model = {},
          .last = result.last,
          .reason = result.reason,
          .stop_reason = result.stop_reason,
          .converged = result.converged,
          .mixture = result.mixture,
          .certificate = result.certificate,
          .seconds = result.seconds};
}

std::shared_ptr<const Model> model_of(const Trial& trial) { return {trial.result, &trial.result->model}; }

void archive_trial(Archive& archive, Trial& trial, FitResult& result) {
  archive("error", trial.error);
  archive("steps", trial.steps);
  archive("falling", trial.falling);
  archive("work", trial.work);
  archive("latent", trial.latent);
  archive("full_rank", trial.full_rank);
  archive("ranks", trial.ranks);
  archive("result", result);
}

}  // namespace

bool counts_by_its_end(Method method) {
  return (info(method).scale == Scale::kDense && method != Method::kEdges) || info(method).model == "tucker";
}

std::uint64_t stream_seed(std::uint64_t seed, Role role) {
  return seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(role);
}

Evaluator::Evaluator(const ObservedTensor& tensor, const Settings& asked, const FitCallbacks& callbacks,
                     const Stopwatch& watch, double share, Role role)
    : asked_(&asked), callbacks_(&callbacks), sharers_(&lacuna::sharers(callbacks)), watch_(&watch) {
  if (are_facts(tensor, asked)) {
    facts_ = split_facts(tensor, asked, share, stream_seed(asked.seed, role));
    binary_ = true;
    if (facts_) entries_ = kept().size();
    return;
  }
  if (role == Role::kChoosing) share = enough_of(static_cast<double>(sharers_->sum(tensor.size())), share);
  split_ = hold_out_like_holes(tensor, share, stream_seed(asked.seed, role), *sharers_,
                               role == Role::kChoosing ? kShareInClusters : 0.0);
  if (!split_) return;
  entries_ = sharers_->sum(kept().size());
  binary_ = are_binary(tensor.values(), *sharers_) && lacuna::is_binary(split_->held.value);
  // A blend predicts with all of each model, which no process has where entries are shared. Of many entries several
  // models at once would be most of the memory.
  if (asked.method.open() && sharers_->alone() && !binary_ && split_->held.size() >= kLeastHeldToBlend &&
      entries_ <= kMostToBlend)
    most_blended_ = asked.search.blend.value_or(kMostBlended[static_cast<int>(asked.search.effort)]);
}

double Evaluator::choosing_seconds() const {
  return asked_->max_time ? kShareOfTime * *asked_->max_time : std::numeric_limits<double>::infinity();
}

bool Evaluator::interrupted_here() const {
  return (callbacks_->interrupted && callbacks_->interrupted()) || watch_->seconds() > choosing_seconds();
}

bool Evaluator::interrupted() const {
  const bool stop = any_process(*callbacks_, interrupted_here());
  if (stop) close_together(*callbacks_);
  return stop;
}

double Evaluator::budget() const {
  const int effort = static_cast<int>(asked_->search.effort);
  return kTimesFinal[effort] * std::max(work_of_best_, kLeastFinal[effort]);
}

bool Evaluator::go_on() const { return !interrupted() && spent_ < budget(); }

bool Evaluator::may_begin() const {
  const double most = kMostTimesBudget[static_cast<int>(asked_->search.effort)];
  return !interrupted() && (spent_ < most * budget() || !std::isfinite(best_.error));
}

bool Evaluator::can_hold(const Settings& settings) const {
  const Count mine = entries_ / sharers_->size();
  return memory_holds(*settings.method, mine, kept().modes(), settings);
}

double Evaluator::work_limit() const { return std::max(kLeastWork, kTimesBest * best_.work); }

double Evaluator::work_limit_of(Method method, double unit) const {
  if (facts_ && learns_from_facts(method)) return std::max(kLeastOfFacts, work_limit());
  return method == Method::kAls ? std::max(kLeastSweeps * unit, work_limit()) : work_limit();
}

const ObservedTensor& Evaluator::learned(Method method) const {
  return facts_ && learns_from_facts(method) ? facts_->facts : kept();
}

const Entries& Evaluator::watched(Method method) const {
  return facts_ && learns_from_facts(method) ? facts_->held : held();
}

Settings Evaluator::trial_settings(const Settings& settings, const Model* start, Depth depth) const {
  Settings trial = settled(settings, kept().order());
  if (trial.loss.given() && *trial.loss == Loss::kHuber) trial.loss = Loss::kSquared;
  trial.latent.certify = settings.latent.certify == Certify::kAtTheEnd ? Certify::kAtTheEnd : Certify::kNever;
  trial.search.calibrate = 0.0;
  trial.search.keep_best = !counts_by_its_end(*trial.method);
  trial.max_time.reset();
  if (trial.max_iterations.given() && info(*trial.method).scale == Scale::kSparse)
    trial.max_iterations = std::min(kMostSteps, *trial.max_iterations);
  if (info(*trial.method).model == "latent" || info(*trial.method).model == "tucker")
    trial.tolerance = std::max(kRoughly, *trial.tolerance);
  if (depth == Depth::kLook) trial.max_iterations = 0;
  trial.warm_start = start;
  return trial;
}

Trial Evaluator::run(const Settings& settings, const Model* start, Depth depth) {
  const Settings trial = trial_settings(settings, start, depth);
  const ObservedTensor& from = learned(*trial.method);
  const bool of_facts = facts_ && learns_from_facts(*trial.method);
  const double unit = info(*trial.method).work(of_facts ? from.size() : entries_, from.modes(), trial);
  const double limit = work_limit_of(*trial.method, unit);
  const auto work = [&](const FitProgress& progress) {
    const auto count = static_cast<double>(progress.operator_applications > 0 ? progress.operator_applications
                                                                              : progress.iteration + 1);
    return unit * count;
  };
  Trial found{.settings = settings, .from_factors = start != nullptr};
  const bool only_the_end = counts_by_its_end(*trial.method);
  bool cut = false;
  double lowest = std::numeric_limits<double>::infinity();
  double first = lowest;
  int since = 0;
  FitCallbacks watching;
  watching.interrupted = [this] { return interrupted_here(); };
  watching.everyone = callbacks_->everyone;
  watching.shared = callbacks_->shared;
  watching.checkpoint = callbacks_->checkpoint;
  watching.progress = [&](const FitProgress& progress) {
    cut = work(progress) > limit;
    if (cut) return Flow::kStop;
    if (!progress.accepted || progress.lambda < 1.0) return Flow::kContinue;
    since = progress.test_error() < lowest ? 0 : since + 1;
    lowest = std::min(lowest, progress.test_error());
    first = std::isfinite(first) ? first : lowest;
    const bool slow = *trial.method == Method::kAls && !better(lowest, first);
    return since >= (slow ? kSweepsToBegin : kStepsWithoutGain) && !only_the_end ? Flow::kStop
                                                                                 : Flow::kContinue;
  };
  FitResult result = fit_once(from, trial, watching, &watched(*trial.method));
  if (facts_ && !of_facts && !facts_->ranking.empty())
    result.last.test_mrr = facts_->ranking.mrr(Predictor(result.model));
  found.work = work(result.last);
  // A path that was cut short before its own lambda says nothing.
  if (result.last.lambda >= 1.0 && !(cut && only_the_end)) found.error = result.last.test_error();
  if (!std::isfinite(found.error)) found.error = std::numeric_limits<double>::infinity();
  found.steps = result.last.iteration;
  found.falling = (since == 0 && depth == Depth::kFit) || only_the_end;
  found.ranks = ranks(result.model);
  if (const Latent* latent = result.model.latent()) {
    found.latent = true;
    found.full_rank = has_full_rank(*latent);
  }
  found.result = std::make_shared<const FitResult>(std::move(result));
  return found;
}

Trial Evaluator::run_once(const Settings& settings, const std::string& what, const Model* start,
                          Depth depth) {
  Journal* const journal = this->journal();
  if (journal == nullptr) return run(settings, start, depth);
  const std::string key = journal->next("trial");
  const std::string about = checksum_text(what, settings, kept().modes());
  if (const Saved* known = journal->finished(key, about); known != nullptr) {
    Trial found{.settings = settings, .from_factors = start != nullptr};
    FitResult result;
    Archive archive(*known);
    archive_trial(archive, found, result);
    if (const auto model = journal->take_model(key)) result.model = *model;
    check_remembered(result);
    found.result = std::make_shared<const FitResult>(std::move(result));
    journal->lend_model(key, model_of(found));
    return found;
  }
  const Journal::Within within(journal, key);
  Trial found = run(settings, start, depth);
  FitResult figures = without_model(*found.result);
  journal->finish(key, about, saved_by([&](Archive& archive) { archive_trial(archive, found, figures); }),
                  model_of(found));
  return found;
}

Trial Evaluator::judge(const Settings& settings, const std::string& what, const Model* start, Depth depth) {
  std::string key;
  for (const SettingField& field : setting_fields())
    key += std::string(field.name) + "=" + field.write(settings, kept().modes()) + "\n";
  // What began with the factors of another is never the same twice.
  if (const auto known = known_.find(key); start == nullptr && known != known_.end()) return known->second;

  ++trials_;
  Trial found = run_once(settings, what, start, depth);
  spent_ += found.work;
  applications_ += found.result->last.operator_applications;
  // The best of all is the lowest, by however little: both trials are done. better() asks whether to go another way.
  const bool best = found.error < best_.error;
  constexpr double kWorthSaying = 0.1;  // seconds
  const double seconds = found.result->seconds;
  if (trials_ == 1) tell("settings are tried on held-out entries; + marks the best so far");
  tell(fmt::format("{} {}  {}{}", best ? '+' : ' ', measure(found.error), what,
                   seconds >= kWorthSaying ? fmt::format(" ({:.2g} s)", seconds) : ""));
  if (best) best_ = found;
  work_of_best_ = std::max(work_of_best_, best_.work);
  if (most_blended_ > 1) rivals_.consider(found, held());
  if (start == nullptr) {
    Trial remembered = found;
    remembered.result = std::make_shared<const FitResult>(without_model(*found.result));
    remembered.latent = remembered.full_rank = false;
    remembered.ranks.clear();
    known_.emplace(std::move(key), std::move(remembered));
  }
  return found;
}

// A latent model that can be updated stays one: a blend only can be where all its members can.
BlendChoice Evaluator::find_blend() const {
  const bool updated = best_.model().latent() != nullptr && why_not_updated(best_.model()).empty();
  const bool alone = most_blended_ == 1 || interrupted() || updated;
  return alone ? BlendChoice{.members = {&best_}, .weights = {1.0}, .error = best_.error}
               : rivals_.best_blend(best_, held(), most_blended_);
}

namespace {

// A choice in words that outlive the trials.
struct SavedChoice {
  std::vector<std::uint64_t> places{};  // of the members among the rivals, from 1; 0: the best trial
  std::vector<double> weights{};
  double error = 0.0;

  template <class A>
  void fields(A& archive) {
    archive("places", places);
    archive("weights", weights);
    archive("error", error);
  }
};

}  // namespace

// The rivals' models are gone as soon as the choice is made, so it is remembered. With more time there may be more trials
// to choose from.
BlendChoice Evaluator::best_blend() const {
  const std::string among = std::to_string(trials_) + " trials";
  const auto choose = [&] {
    const BlendChoice found = find_blend();
    SavedChoice words{.weights = found.weights, .error = found.error};
    for (const Trial* member : found.members) {
      std::uint64_t place = 0;
      for (std::size_t r = 0; r < rivals_.size(); ++r)
        if (member == &rivals_[r]) place = r + 1;
      words.places.push_back(place);
    }
    return words;
  };
  const auto saved = remembered<SavedChoice>(journal(), "blend", choose, among);
  BlendChoice chosen{.weights = saved.weights, .error = saved.error};
  if (saved.places.empty() || saved.places.size() != saved.weights.size())
    Archive::refuse("blend", "a weight for each member");
  for (const std::uint64_t place : saved.places) {
    if (place > rivals_.size()) Archive::refuse("blend", "trials of this search");
    chosen.members.push_back(place == 0 ? &best_ : &rivals_[place - 1]);
  }
  return chosen;
}

std::string Evaluator::measure(double error) const {
  if (!std::isfinite(error)) return "too much work to see";
  if (facts_) return fmt::format("held-out MRR {:.5g}", 1.0 - error);
  return binary_ ? fmt::format("held-out AUC {:.5g}", 1.0 - error)
                 : fmt::format("held-out RMSE {:.5g}", error);
}

bool Contest::consider(const Settings& settings, const std::string& what, const Model* start) {
  // What comes first is tried unless far more than the budget is gone; the rest while it may go on.
  if (!(empty() ? evaluator_->may_begin() : evaluator_->go_on())) return false;
  if (!takes_so_many_ranks(settings, evaluator_->kept().order())) return false;
  if (settings.method.given() && !evaluator_->can_hold(settings)) {
    evaluator_->tell("memory cannot hold " + what);
    return false;
  }
  if (depth_ == Depth::kLook && !empty()) {
    const std::shared_ptr<const FitResult> factors = best_.result;
    return offer(evaluator_->judge(settings, what, &factors->model, Depth::kLook));
  }
  return offer(evaluator_->judge(settings, what, start));
}

void Contest::walk(std::initializer_list<double> factors, const Step& step) {
  for (const double factor : factors) {
    bool moved = false;
    for (auto next = step(factor); next && consider(next->settings, next->what); next = step(factor))
      moved = true;
    if (moved) return;
  }
}

bool Contest::offer(Trial found) {
  if (!std::isfinite(found.error) || !(empty() || Evaluator::better(found.error, best_.error))) return false;
  best_ = std::move(found);
  return true;
}

}  // namespace lacuna
