// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "base/number_text.hpp"
#include "base/stopwatch.hpp"
#include "method/saved_fit.hpp"
#include "method/together.hpp"
#include "model/body.hpp"
#include "model/shared_values.hpp"
#include "search/choose.hpp"
#include "search/evaluator.hpp"
#include "search/holes.hpp"
#include "search/remembered.hpp"

namespace lacuna {
namespace {

// Where the method is open the fit finds its lambda, unless some are listed.
bool takes_lambda(const TuneCandidate& candidate) {
  const Choice<Method>& method = candidate.options.method;
  return method.given() ? takes(*method, kTakesLambda) : !candidate.lambdas.empty();
}

// The callbacks of a fit that the same processes do together.
FitCallbacks together(const TuneCallbacks& callbacks) {
  FitCallbacks fitting;
  fitting.interrupted = callbacks.interrupted;
  fitting.everyone = callbacks.everyone;
  fitting.shared = callbacks.shared;
  return fitting;
}

// The time that all runs of this tuning have taken together.
Stopwatch clock_of(const TuneCallbacks& callbacks) {
  Journal* const journal = journal_of(callbacks.checkpoint);
  return journal == nullptr ? Stopwatch() : Stopwatch([journal] { return journal->seconds(); });
}

void check(const ObservedTensor& tensor, const TuneOptions& options, const Communicator& sharers) {
  const Count entries = sharers.sum(tensor.size());
  if (options.candidates.empty()) throw std::invalid_argument("there is no setting to try");
  if (options.folds < 2 || options.folds > entries)
    throw std::invalid_argument("the number of folds must be between 2 and the number of entries, " +
                                std::to_string(entries) + "; got " + std::to_string(options.folds));
  for (const double lambda : options.lambdas)
    if (!(lambda > 0.0) || !std::isfinite(lambda))
      throw std::invalid_argument("every lambda must be a positive number, got " + std::to_string(lambda));
  for (const TuneCandidate& candidate : options.candidates) check_values(candidate.options, tensor.order());
  for (const TuneCandidate& candidate : options.candidates)
    if (takes_lambda(candidate) && options.lambdas.empty() && candidate.lambdas.empty())
      throw std::invalid_argument("there is no lambda to try");
  if (options.max_time && !(*options.max_time > 0.0))
    throw std::invalid_argument("max_time must be a number > 0, got " + std::to_string(*options.max_time));
  if (options.metric == Metric::kAuc && !are_binary(tensor.values(), sharers))
    throw std::invalid_argument("AUC needs values that are 0 or 1, both present");
}

class Tuner {
 public:
  Tuner(const ObservedTensor& tensor, const TuneOptions& options, const TuneCallbacks& callbacks)
      : tensor_(&tensor),
        options_(&options),
        callbacks_(&callbacks),
        watch_(clock_of(callbacks)),
        fitting_(together(callbacks)),
        sharers_(&sharers(fitting_)),
        fold_of_entry_(
            fold_of_entries(tensor, options.folds, stream_seed(options.seed, Role::kFolds), *sharers_)) {
    fitting_.interrupted = [this] { return asked_to_stop() || time_is_up(); };
  }
  Tuner(const Tuner&) = delete;  // its fits ask it when to stop
  Tuner& operator=(const Tuner&) = delete;

  TuneResult run();

 private:
  // The rows of one candidate on one fold, by ascending lambda: what has to be done one after the other.
  struct Chain {
    int fold;
    std::vector<std::size_t> rows;
  };

  [[nodiscard]] bool asked_to_stop() const { return callbacks_->interrupted && callbacks_->interrupted(); }
  [[nodiscard]] bool time_is_up() const {
    if (!options_->max_time) return false;
    const std::lock_guard<std::mutex> alone(lock_);  // a journal's clock starts when something is asked of it
    return watch_.seconds() > kShareOfTime * *options_->max_time;
  }
  // On any process.
  [[nodiscard]] bool stopped() const { return any_process(fitting_, asked_to_stop() || time_is_up()); }
  [[nodiscard]] std::optional<double> known(const TuneRow& row, int fold) const;
  std::size_t add_row(std::size_t candidate, std::optional<double> lambda);
  void run_folds(const std::vector<std::size_t>& rows);
  void run_chains(const std::vector<std::size_t>& rows, int first_fold, int last_fold);
  void run_chain(const Chain& chain);
  // What the journal knows of a row on a fold: its error, and its model where a fit may begin with it.
  using Start = std::shared_ptr<const Model>;
  bool answer(TuneRow& row, int fold, Start& last);
  void take_down(const TuneRow& row, int fold, const Start& last);
  [[nodiscard]] std::string key(const TuneRow& row, int fold) const;
  [[nodiscard]] double error(const FitResult& result, const Entries& held) const;
  [[nodiscard]] double mean_absolute_error(const Model& model, const Entries& held) const;
  [[nodiscard]] std::size_t lowest() const;
  [[nodiscard]] std::size_t lowest_so_far() const;
  [[nodiscard]] std::vector<std::size_t> still_running() const;
  std::vector<std::size_t> between_neighbours();

  const ObservedTensor* tensor_;
  const TuneOptions* options_;
  const TuneCallbacks* callbacks_;
  Stopwatch watch_;
  FitCallbacks fitting_;
  const Communicator* sharers_;
  std::vector<int> fold_of_entry_;
  std::vector<TuneRow> rows_;
  std::vector<Start> unfinished_;  // of chains that were stopped: what is left of them to begin with
  mutable std::mutex lock_;
};

std::size_t Tuner::add_row(std::size_t candidate, std::optional<double> lambda) {
  rows_.push_back({.candidate = candidate,
                   .lambda = lambda,
                   .errors = std::vector<std::optional<double>>(static_cast<std::size_t>(options_->folds))});
  return rows_.size() - 1;
}

// By the first process, which gets all of a model that is shared.
double Tuner::mean_absolute_error(const Model& model, const Entries& held) const {
  if (sharers_->alone()) return mae(held.value, Predictor(model).predict_as_told(held.cells).value);
  Model whole = model;
  gather_dual(*sharers_, whole, GatherTo::kFirst);
  std::vector<double> found;
  if (sharers_->first()) found.push_back(mae(held.value, Predictor(whole).predict_as_told(held.cells).value));
  return sharers_->gather(std::span<const double>(found)).front();
}

// What the first process knows.
std::optional<double> Tuner::known(const TuneRow& row, int fold) const {
  std::vector<double> error;
  if (callbacks_->known && everyone(fitting_).first())
    if (const auto found = callbacks_->known(options_->candidates[row.candidate], row.lambda, fold))
      error.push_back(*found);
  error = everyone(fitting_).gather(std::span<const double>(error));
  return error.empty() ? std::nullopt : std::optional(error.front());
}

double Tuner::error(const FitResult& result, const Entries& held) const {
  if (options_->metric == Metric::kMae) return mean_absolute_error(result.model, held);
  const std::optional<double> found =
      options_->metric == Metric::kAuc ? result.last.test_auc : result.last.test_rmse;
  if (!found)
    throw std::invalid_argument(
        "a fold holds out values of one kind only, so its AUC is not defined; use fewer folds");
  return options_->metric == Metric::kAuc ? 1.0 - *found : *found;
}

std::string Tuner::key(const TuneRow& row, int fold) const {
  return fmt::format("row {} {} {}", row.candidate, row.lambda ? shortest(*row.lambda) : "-", fold);
}

bool Tuner::answer(TuneRow& row, int fold, Start& last) {
  Journal* const journal = journal_of(callbacks_->checkpoint);
  const Saved* const known = journal == nullptr ? nullptr : journal->finished(key(row, fold), "");
  if (known == nullptr) return false;
  double error = 0.0;
  Archive archive(*known);
  archive("error", error);
  row.errors[fold] = error;
  last = journal->take_model(key(row, fold));
  if (!last) last = std::make_shared<const Model>();
  return true;
}

void Tuner::take_down(const TuneRow& row, int fold, const Start& last) {
  Journal* const journal = journal_of(callbacks_->checkpoint);
  if (journal == nullptr) return;
  double error = *row.errors[fold];
  journal->finish(key(row, fold), "", saved_by([&](Archive& archive) { archive("error", error); }),
                  last->modes.empty() ? nullptr : last);
}

void Tuner::run_chain(const Chain& chain) {
  const HoldOut split = hold_out_fold(*tensor_, fold_of_entry_, chain.fold, *sharers_);
  // Where the next fit starts, if it was reached: one cut short would lend its steps to the next.
  Start last = std::make_shared<const Model>();
  for (const std::size_t r : chain.rows) {
    TuneRow& row = rows_[r];
    const TuneCandidate& candidate = options_->candidates[row.candidate];
    {
      const std::lock_guard<std::mutex> alone(lock_);
      if (!row.errors[chain.fold] && answer(row, chain.fold, last)) continue;
      if (!row.errors[chain.fold]) row.errors[chain.fold] = known(row, chain.fold);
    }
    if (row.errors[chain.fold]) continue;
    Settings settings = settings_of(*options_, row);
    settings.latent.certify = Certify::kNever;
    settings.search.calibrate = 0.0;
    // Where the number of steps is what holds a fit back, none may begin with the steps of another.
    if (last->latent() != nullptr && !last->latent()->factored() && !leaves_a_choice(settings) &&
        *settings.method != Method::kTrLs && settings.search.early_stop.value_or(0.0) == 0.0)
      settings.warm_start = last.get();
    FitResult result = fit(split.kept, settings, fitting_, &split.held);
    if (stopped()) {
      const std::lock_guard<std::mutex> alone(lock_);
      unfinished_.push_back(std::move(last));
      return;
    }
    row.errors[chain.fold] = error(result, split.held);
    last = std::make_shared<const Model>(result.converged ? std::move(result.model) : Model{});
    const std::lock_guard<std::mutex> alone(lock_);
    take_down(row, chain.fold, last);
    if (callbacks_->found) callbacks_->found(candidate, row.lambda, chain.fold, *row.errors[chain.fold]);
  }
}

// The first fold of the rows, then the others of all rows that are not too far behind on it.
void Tuner::run_folds(const std::vector<std::size_t>& rows) {
  run_chains(rows, 0, 1);
  run_chains(still_running(), 1, options_->folds);
}

// The rows, grouped by candidate, on each of the folds. What is known is not done again.
void Tuner::run_chains(const std::vector<std::size_t>& rows, int first_fold, int last_fold) {
  std::vector<Chain> chains;
  for (std::size_t c = 0; c < options_->candidates.size(); ++c) {
    std::vector<std::size_t> mine;
    for (const std::size_t r : rows)
      if (rows_[r].candidate == c) mine.push_back(r);
    std::sort(mine.begin(), mine.end(), [&](auto a, auto b) { return rows_[a].lambda < rows_[b].lambda; });
    for (int fold = first_fold; fold < last_fold && !mine.empty(); ++fold)
      chains.push_back({.fold = fold, .rows = mine});
  }
  std::exception_ptr problem;
  const auto count = static_cast<Count>(chains.size());
  // A fit inside a parallel region has that one thread to itself; its bits are the same. Processes tell each other
  // things in one order: they do one fit at a time.
  const int side_by_side = everyone(fitting_).alone() ? std::max(1, options_->side_by_side) : 1;
#pragma omp parallel for num_threads(side_by_side) schedule(dynamic)
  for (Count i = 0; i < count; ++i) {
    try {
      if (!stopped()) run_chain(chains[i]);
    } catch (...) {
      const std::lock_guard<std::mutex> alone(lock_);
      if (!problem) problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
}

std::size_t Tuner::lowest() const {
  std::size_t best = rows_.size();
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (rows_[r].complete() && (best == rows_.size() || rows_[r].mean() < rows_[best].mean())) best = r;
  return best;
}

// Of the rows on the most folds; the first row where there has been time for none.
std::size_t Tuner::lowest_so_far() const {
  const auto folds = [](const TuneRow& row) {
    return std::count_if(row.errors.begin(), row.errors.end(),
                         [](const auto& error) { return error.has_value(); });
  };
  const auto best = std::min_element(rows_.begin(), rows_.end(), [&](const TuneRow& a, const TuneRow& b) {
    return folds(a) != folds(b) ? folds(a) > folds(b) : a.mean() < b.mean();
  });
  return static_cast<std::size_t>(best - rows_.begin());
}

std::vector<std::size_t> Tuner::still_running() const {
  double first = std::numeric_limits<double>::infinity();
  for (const TuneRow& row : rows_)
    if (row.errors[0]) first = std::min(first, *row.errors[0]);
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (rows_[r].errors[0] && *rows_[r].errors[0] <= options_->abandon * first) rows.push_back(r);
  return rows;
}

// Rows at the geometric means of the best lambda and its neighbours on either side.
std::vector<std::size_t> Tuner::between_neighbours() {
  const TuneRow best = rows_[lowest()];
  std::optional<double> below;
  std::optional<double> above;
  for (const TuneRow& row : rows_) {
    if (row.candidate != best.candidate) continue;
    if (row.lambda < best.lambda && (!below || row.lambda > below)) below = row.lambda;
    if (row.lambda > best.lambda && (!above || row.lambda < above)) above = row.lambda;
  }
  std::vector<std::size_t> added;
  for (const std::optional<double>& neighbour : {below, above})
    if (neighbour) added.push_back(add_row(best.candidate, std::sqrt(*neighbour * *best.lambda)));
  return added;
}

TuneResult Tuner::run() {
  std::vector<std::size_t> all;
  for (std::size_t c = 0; c < options_->candidates.size(); ++c) {
    const TuneCandidate& candidate = options_->candidates[c];
    const std::vector<double>& lambdas = candidate.lambdas.empty() ? options_->lambdas : candidate.lambdas;
    if (!takes_lambda(candidate)) {
      all.push_back(add_row(c, std::nullopt));
      continue;
    }
    for (const double lambda : lambdas) all.push_back(add_row(c, lambda));
  }
  run_folds(all);
  for (int round = 0; round < options_->refinements && !stopped() && lowest() < rows_.size(); ++round) {
    const std::vector<std::size_t> added = between_neighbours();
    if (added.empty()) break;
    run_folds(added);
  }
  const bool interrupted = any_process(fitting_, asked_to_stop());
  const bool out_of_time = any_process(fitting_, time_is_up());
  if (lowest() == rows_.size() && !interrupted && !out_of_time)
    throw std::invalid_argument("no setting gave an error to compare by");
  std::stable_sort(rows_.begin(), rows_.end(), [](const TuneRow& a, const TuneRow& b) {
    return a.candidate != b.candidate ? a.candidate < b.candidate : a.lambda < b.lambda;
  });
  const std::size_t best = lowest() < rows_.size() ? lowest() : lowest_so_far();
  return {.rows = std::move(rows_),
          .best = best,
          .interrupted = interrupted,
          .out_of_time = out_of_time,
          .seconds = watch_.seconds()};
}

// What a checkpoint of tuning is about: the data, how it is cut, every candidate, and what the last fit is measured on.
Journal::About about(const ObservedTensor& tensor, const TuneOptions& options, const Entries* test,
                     const Communicator& sharers) {
  Journal::About about{{"version", version()},
                       {"task", "tune"},
                       {"data", checksum_text(tensor, sharers)},
                       {"folds", std::to_string(options.folds)},
                       {"seed", std::to_string(options.seed)},
                       {"metric", std::string(name(options.metric))},
                       {"refine", std::to_string(options.refinements)},
                       {"abandon", shortest(options.abandon)}};
  if (test != nullptr) about.emplace_back("test", checksum_text(*test));
  const auto list = [](const std::vector<double>& lambdas) {
    std::string text;
    for (const double lambda : lambdas) text += (text.empty() ? "" : ",") + shortest(lambda);
    return text;
  };
  about.emplace_back("lambda-grid", list(options.lambdas));
  for (const TuneCandidate& candidate : options.candidates) {
    const std::string what = candidate.name + "\n" + list(candidate.lambdas);
    about.emplace_back(candidate.name, checksum_text(what, candidate.options, tensor.modes()));
  }
  return about;
}

}  // namespace

TuneResult tune(const ObservedTensor& tensor, const TuneOptions& options, const TuneCallbacks& callbacks) {
  const Communicator& sharing = sharers(together(callbacks));
  check(tensor, options, sharing);
  Journal* const journal = journal_of(callbacks.checkpoint);
  if (journal == nullptr) return Tuner(tensor, options, callbacks).run();
  journal->share(sharing);
  journal->bind(about(tensor, options, callbacks.test, sharing));
  check_remembered(*journal, tensor.modes());
  try {
    Tuner tuner(tensor, options, callbacks);
    TuneResult result = tuner.run();
    if (result.interrupted) journal->save();
    return result;
  } catch (const SavedError& problem) {
    throw journal->refusal(std::string("the checkpoint is damaged: ") + problem.what());
  }
}

}  // namespace lacuna
