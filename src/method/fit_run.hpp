// SPDX-License-Identifier: MIT
// What all methods share in one fit: the clock, the test cells, the callbacks.
#pragma once

#include <lacuna/method/fit_once.hpp>
#include <limits>

#include "base/stopwatch.hpp"
#include "dist/communicator.hpp"
#include "kernels/whole_order.hpp"
#include "method/saved_fit.hpp"
#include "method/unit_scale.hpp"
#include "solver/solver.hpp"

namespace lacuna {

// What a method measures itself at a step.
struct Measured {
  double train_rmse = 0.0;
  Count operator_applications = 0;
  std::optional<double> gap{};
  std::optional<double> test_mrr{};
};

class FitRun {
 public:
  // The model has all but its body.
  FitRun(const Settings& options, const FitCallbacks& callbacks, const Entries* test, const Model& model,
         UnitScale unit, const Communicator& everyone = serial_communicator());

  // What the method sees is in this unit, what the user is told in his own.
  [[nodiscard]] const UnitScale& unit() const { return unit_; }
  // The modes of the data with their labels, which the tensor has handed over.
  [[nodiscard]] const std::vector<Mode>& modes() const { return model_->modes; }
  // The processes that share the entries.
  [[nodiscard]] const Communicator& everyone() const { return *everyone_; }
  // Entries to measure the error on, or null.
  [[nodiscard]] const Entries* test() const { return test_; }

  // Which test cells the body will be silent about, or that it is silent about all of unseen positions: they are
  // judged by the guess that the model will make there.
  void guess_silent(const std::vector<bool>& silent);
  void guess_unseen(std::span<const int> spanned = {});  // but for positions along these modes

  // Runs what is no part of fitting, with the clock stopped.
  template <class Body>
  void untimed(Body&& body) {
    watch_.pause();
    body();
    watch_.resume();
  }

  // True when the user or the clock says stop, on any process; polled inside steps, by all of them.
  [[nodiscard]] bool stop_now();
  [[nodiscard]] Interrupted poll() {
    return [this] { return stop_now(); };
  }

  // Measures the test error and tells the callback. add_test(out) adds to out[i] what the model says of test
  // cell i beyond its offset.
  using AddTest = std::function<void(std::span<double>)>;
  Flow report(const IterationRecord& record, const Measured& measured, const AddTest& add_test);
  void detail(const std::string& sentence) const {
    if (callbacks_->detail) callbacks_->detail(sentence);
  }
  void notice(const std::string& sentence) const {
    if (callbacks_->notice) callbacks_->notice(sentence);
  }

  // Later records count their iterations on from the last one.
  void start_stage(double path_factor = 1.0) {
    progress_.lambda = path_factor;
    first_iteration_ = progress_.iteration;
    best_.reset();
    lowest_ = std::numeric_limits<double>::infinity();
  }
  // Whether the step reported last has the lowest test error of its stage, or one as good as that.
  [[nodiscard]] bool at_the_best() const { return best_ && best_->iteration == progress_.iteration; }
  void finish(const Summary& summary, FitResult& result) const;
  // What the model will say of its fit.
  [[nodiscard]] FitRecord& record() { return record_; }
  // The user wants the result now, on any process.
  [[nodiscard]] bool interrupted() const {
    return stops_.any(callbacks_->interrupted && callbacks_->interrupted());
  }
  [[nodiscard]] bool stopped() const { return stop_ != Stop::kNone; }
  [[nodiscard]] double seconds() const { return watch_.seconds(); }

  // The same for a step that must be whole when the state behind it is to be kept: nothing stops it then.
  [[nodiscard]] Interrupted poll_unless_kept() { return journal_ == nullptr ? poll() : Interrupted{}; }
  [[nodiscard]] bool may_be_kept() const { return journal_ != nullptr; }
  // Likewise between two steps: what stops the fit is then seen when the step is reported, and its state kept.
  [[nodiscard]] bool stop_before_step() { return journal_ == nullptr && stop_now(); }

  // Checkpoints. A method that can go on behind its last step gives its members by name: `fields` takes them there
  // and back. One that does not begins its solve anew, which comes to the same.
  using Fields = StepKeeper::Fields;
  // Where processes share the entries, these arrays of the state have a number for each entry of `mine`: they are kept
  // in the order of all entries, and dealt out again. Called before anything is loaded or kept.
  void share_state(const ObservedTensor& mine, std::vector<std::string> names);
  // Whether there is a state to go on from: load() gives the members back.
  [[nodiscard]] bool going_on() const { return state_.has_value(); }
  void load(const Fields& fields) const;
  // The same for a method that needs it once: the state is used up. False when there is none.
  bool go_on_from(const Fields& fields);
  // Whether a state should be left now: asked after every report, and before a method that was stopped ends, by all
  // processes.
  [[nodiscard]] bool keep_wanted() const;
  void keep(const Fields& fields);
  // The same for a solver: its members beside those of the method. gone_on: as there; the state is used once.
  [[nodiscard]] StepKeeper keeper(Fields fields, std::function<void()> gone_on = {});
  [[nodiscard]] const FitProgress& progress() const { return progress_; }

 private:
  enum class Stop { kNone, kUser, kTime };

  void fields(Archive& archive);
  void check_alike() const;
  void go_on();
  void gather_state(Saved& saved) const;

  const Settings* options_;
  const FitCallbacks* callbacks_;
  const Communicator* everyone_;  // share the entries
  const Communicator& stops_;     // stop together
  const Entries* test_;
  std::vector<double> test_offset_;
  std::vector<double> test_value_;    // as the method sees them
  std::vector<Count> guessed_cells_;  // of the test cells
  std::vector<double> guess_;         // at them
  const Model* model_;
  std::optional<Range> clip_;
  UnitScale unit_;
  UnitPowers powers_;
  Stopwatch watch_;
  FitRecord record_;
  FitProgress progress_;
  std::optional<FitProgress> best_;                          // step of this stage
  double lowest_ = std::numeric_limits<double>::infinity();  // test error of this stage
  int first_iteration_ = 0;
  Stop stop_ = Stop::kNone;
  int polls_ = 0;

  Journal* journal_ = nullptr;        // null: nothing is kept
  std::string task_;                  // its key there
  std::string about_;                 // and what it is about
  std::optional<Saved> state_;        // to go on from
  std::optional<WholeOrder> order_;   // of the entries, where they are shared
  std::vector<std::string> shared_;   // arrays in that order
  std::vector<FitProgress> history_;  // all that was reported, where it is kept
};

}  // namespace lacuna
