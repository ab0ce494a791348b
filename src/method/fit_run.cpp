// SPDX-License-Identifier: MIT
#include "method/fit_run.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <limits>
#include <stdexcept>
#include <utility>

#include "method/together.hpp"
#include "model/cold_guess.hpp"
#include "tensor/checksum.hpp"
#include "tensor/hold_out.hpp"

namespace lacuna {
namespace {
constexpr int kPollsTogether = 8;
}  // namespace

double FitProgress::test_error() const {
  if (test_mrr) return 1.0 - *test_mrr;
  if (test_auc) return 1.0 - *test_auc;
  return test_rmse.value_or(std::numeric_limits<double>::infinity());
}

FitRun::FitRun(const Settings& options, const FitCallbacks& callbacks, const Entries* test,
               const Model& model, UnitScale unit, const Communicator& everyone)
    : options_(&options),
      callbacks_(&callbacks),
      everyone_(&everyone),
      stops_(lacuna::everyone(callbacks)),
      test_(test != nullptr && test->size() > 0 ? test : nullptr),
      model_(&model),
      clip_(model.clip),
      unit_(unit),
      powers_(unit_powers(*options.method)) {
  if (clip_) clip_ = Range{.low = unit_.scaled(clip_->low), .high = unit_.scaled(clip_->high)};
  if (test_ != nullptr)
    untimed([&] {
      test_offset_ = model.offsets.at(test_->cells);
      for (const double value : test_->value) test_value_.push_back(unit_.scaled(value));
    });
  if (callbacks.checkpoint != nullptr) untimed([&] { go_on(); });
}

void FitRun::fields(Archive& archive) {
  archive("progress", progress_);
  archive("best", best_);
  archive("lowest", lowest_);
  archive("first_iteration", first_iteration_);
  archive("history", history_);
}

void FitRun::go_on() {
  journal_ = &callbacks_->checkpoint->journal();
  task_ = journal_->next("solve");
  about_ = checksum_text(std::to_string(model_->entries), *options_, model_->modes);
  if (options_->warm_start != nullptr) about_ += " from " + factors_text(*options_->warm_start);
  state_ = journal_->take_state(task_, about_);
  if (!state_) return;
  Archive archive(std::as_const(*state_));
  archive.within("run", [&] { fields(archive); });
  watch_.advance(progress_.seconds);
  if (callbacks_->progress)
    for (const FitProgress& step : history_) (void)callbacks_->progress(step);
}

void FitRun::load(const Fields& fields) const {
  Archive archive(*state_);
  fields(archive);
}

bool FitRun::go_on_from(const Fields& fields) {
  if (!state_) return false;
  load(fields);
  state_.reset();
  return true;
}

namespace {

// Calls the function with the array of that name, of whatever numbers it is.
template <class S, class Function>
void with_array(S& saved, const std::string& name, Function&& function) {
  if (const auto found = saved.doubles.find(name); found != saved.doubles.end()) function(found->second);
  if (const auto found = saved.floats.find(name); found != saved.floats.end()) function(found->second);
}

// A matrix says how many rows it has.
void set_rows(Saved& saved, const std::string& name, Count rows) {
  if (const auto found = saved.numbers.find(name + "/rows"); found != saved.numbers.end())
    found->second = static_cast<double>(rows);
}

}  // namespace

void FitRun::share_state(const ObservedTensor& mine, std::vector<std::string> names) {
  if (journal_ == nullptr || everyone_->alone()) return;
  shared_ = std::move(names);
  untimed([&] { order_.emplace(mine, *everyone_); });
  if (!state_) return;
  for (const std::string& name : shared_)
    with_array(*state_, name, [&](auto& values) {
      if (values.empty()) return;
      if (static_cast<Count>(values.size()) != order_->entries())
        Archive::refuse(name, "a number for each of " + std::to_string(order_->entries()) + " entries");
      values = order_->own(values);
      set_rows(*state_, name, mine.size());
    });
}

void FitRun::gather_state(Saved& saved) const {
  for (const std::string& name : shared_)
    with_array(saved, name, [&](auto& values) {
      values = order_->gathered(values);
      set_rows(saved, name, order_->entries());
    });
}

bool FitRun::keep_wanted() const {
  if (journal_ == nullptr) return false;
  if (stop_ == Stop::kTime) journal_->close();  // with more time it could go on
  close_together(*callbacks_);
  return stops_.any(journal_->wanted());
}

void FitRun::keep(const Fields& fields) {
  untimed([&] {
    Saved saved = saved_by([&](Archive& archive) {
      archive.within("run", [&] { this->fields(archive); });
      fields(archive);
    });
    gather_state(saved);
    journal_->keep(task_, about_, std::move(saved));
  });
}

StepKeeper FitRun::keeper(Fields fields, std::function<void()> gone_on) {
  StepKeeper keeper;
  if (journal_ == nullptr) return keeper;
  keeper.wanted = [this] { return keep_wanted(); };
  keeper.keep = [this, fields = std::move(fields)](const Fields& solver) {
    keep([&](Archive& archive) {
      fields(archive);
      archive.within("solver", [&] { solver(archive); });
    });
  };
  if (!state_) return keeper;
  keeper.go_on = [this](const Fields& solver) {
    load([&](Archive& archive) { archive.within("solver", [&] { solver(archive); }); });
  };
  keeper.gone_on = [this, gone_on = std::move(gone_on)] {
    if (gone_on) gone_on();
    state_.reset();
  };
  return keeper;
}

void FitRun::guess_silent(const std::vector<bool>& silent) {
  if (test_ == nullptr) return;
  const ColdGuess guess(*model_);
  guessed_cells_.clear();
  for (Count i = 0; i < test_->size(); ++i)
    if (guess.replaces(test_->cells, i, silent[i])) guessed_cells_.push_back(i);
  guess_ = guess.at(test_->cells, guessed_cells_);
}

void FitRun::guess_unseen(std::span<const int> spanned) {
  if (test_ == nullptr) return;
  const ColdGuess guess(*model_);
  std::vector<bool> silent;
  for (Count i = 0; i < test_->size(); ++i)
    silent.push_back(guess.unseen_mode(test_->cells, i, spanned) >= 0);
  guess_silent(silent);
}

bool FitRun::stop_now() {
  // Processes ask each other at every eighth poll: it costs as much as a sum, which a step of the solver has two of.
  if (!stops_.alone() && ++polls_ % kPollsTogether != 0) return stopped();
  Stop wanted = stop_;
  if (callbacks_->interrupted && callbacks_->interrupted()) wanted = Stop::kUser;
  if (options_->max_time && watch_.seconds() >= *options_->max_time) wanted = Stop::kTime;
  // Clocks differ and signals come when they come: all processes stop when one does.
  stop_ = static_cast<Stop>(stops_.max(static_cast<double>(wanted)));
  if (stopped()) close_together(*callbacks_);
  return stopped();
}

// What is decided by these numbers is decided alike only where they are the same.
void FitRun::check_alike() const {
  if (stops_.alone()) return;
  Checksum sum;
  for (const double number : {progress_.objective, progress_.gradient_norm, progress_.train_rmse,
                              progress_.test_rmse.value_or(0.0), progress_.test_auc.value_or(0.0)})
    sum.add(std::isnan(number) ? 0.0 : number);
  const std::uint64_t mine = sum.value();
  const std::vector<std::uint64_t> all = stops_.gather(std::span<const std::uint64_t>(&mine, 1));
  const auto other = std::find_if(all.begin(), all.end(), [&](auto one) { return one != all.front(); });
  if (other == all.end()) return;
  throw std::runtime_error(
      "step " + std::to_string(progress_.iteration) + " of method " + model_->method +
      ": found other numbers on process " + std::to_string(other - all.begin()) +
      " than on the first, expected the same bits: their processors or libraries for linear algebra differ");
}

Flow FitRun::report(const IterationRecord& record, const Measured& measured, const AddTest& add_test) {
  watch_.pause();
  progress_.iteration = first_iteration_ + record.iteration;
  progress_.seconds = watch_.seconds();
  progress_.objective = unit_.restored(record.objective, powers_.objective);
  progress_.gradient_norm = unit_.restored(record.gradient_norm, powers_.gradient);
  progress_.relative_gradient = record.relative_gradient;
  progress_.train_rmse = unit_.restored(measured.train_rmse);
  progress_.radius = record.radius;
  progress_.ratio = record.ratio;
  progress_.inner_iterations = record.inner_iterations;
  progress_.accepted = record.accepted;
  progress_.operator_applications = measured.operator_applications;
  progress_.gap = measured.gap;
  if (test_ != nullptr && (record.accepted || !progress_.test_rmse)) {
    std::vector<double> predicted = test_offset_;
    add_test(predicted);
    for (std::size_t j = 0; j < guessed_cells_.size(); ++j) predicted[guessed_cells_[j]] = guess_[j];
    if (clip_)
      for (double& value : predicted) value = std::clamp(value, clip_->low, clip_->high);
    progress_.test_rmse = unit_.restored(rmse(test_value_, predicted));
    progress_.test_auc = auc(test_->value, predicted);
    progress_.test_mrr = measured.test_mrr;
    lowest_ = std::min(lowest_, progress_.test_error());
    if (progress_.test_error() <= as_good_as(lowest_, test_->size())) best_ = progress_;
  }
  check_alike();
  if (journal_ != nullptr) history_.push_back(progress_);
  const Flow flow = callbacks_->progress ? callbacks_->progress(progress_) : Flow::kContinue;
  if (flow == Flow::kStop && stop_ == Stop::kNone) stop_ = Stop::kUser;
  watch_.resume();
  return stop_now() ? Flow::kStop : flow;
}

void FitRun::finish(const Summary& summary, FitResult& result) const {
  result.last = progress_;
  if (options_->search.keep_best && best_) {
    result.last = *best_;
    result.last.operator_applications = progress_.operator_applications;
  }
  result.reason = summary.reason;
  result.converged = converged(summary.reason);
  result.stop_reason = stop_ == Stop::kTime   ? "time limit reached"
                       : stop_ == Stop::kUser ? "interrupted"
                                              : std::string(describe(summary.reason));
  result.seconds = watch_.seconds();
}

}  // namespace lacuna
