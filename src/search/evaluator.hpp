// SPDX-License-Identifier: MIT
// The one judge of every automatic choice: owns the split into kept and held-out entries, the budget, the
// patience, the rule of what is better, the memory of what was tried, and the log.
#pragma once

#include <functional>
#include <initializer_list>
#include <lacuna/search/fit.hpp>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/stopwatch.hpp"
#include "dist/communicator.hpp"
#include "model/journal.hpp"
#include "search/blend.hpp"
#include "search/facts.hpp"
#include "search/trial.hpp"

namespace lacuna {

// The relative gradient at which a trial is solved well enough to be judged.
inline constexpr double kRoughly = 1e-3;
// Patience: accepted steps of a trial without a lower error, and stages of growing ranks without a better one.
inline constexpr int kStepsWithoutGain = 4;
inline constexpr int kStagesWithoutGain = 2;
// Of max-time, what may go into choosing.
inline constexpr double kShareOfTime = 0.6;

// What a random split is for. Each has a stream of random numbers of its own.
enum class Role : std::uint64_t { kChoosing = 1, kCalibrating = 2, kFolds = 3, kSteps = 4 };
[[nodiscard]] std::uint64_t stream_seed(std::uint64_t seed, Role role);

// What lies on the way of a splitting method is no model (method edges is none), and a Tucker method's error rises whenever its rank
// has grown: only their end counts.
[[nodiscard]] bool counts_by_its_end(Method method);

// How far a trial goes: a fit, or a look at what the factors it starts from predict.
enum class Depth { kFit, kLook };

class Evaluator {
 public:
  // All must outlive this. The watch began when the user did. `share` of the entries are held out. Called by all
  // processes that share the entries.
  Evaluator(const ObservedTensor& tensor, const Settings& asked, const FitCallbacks& callbacks,
            const Stopwatch& watch, double share = kHeldOutShare, Role role = Role::kChoosing);

  // Where processes share the entries, what is kept is this process's, and what is held out is on all of them.
  [[nodiscard]] bool can_hold_out() const { return split_.has_value() || facts_.has_value(); }
  // Where there are nothing but facts, both have negatives drawn beside them.
  [[nodiscard]] const ObservedTensor& kept() const { return facts_ ? facts_->cells.kept : split_->kept; }
  [[nodiscard]] const Entries& held() const { return facts_ ? facts_->cells.held : split_->held; }
  [[nodiscard]] const Communicator& sharers() const { return *sharers_; }
  [[nodiscard]] Count entries() const { return entries_; }  // that are kept, on all processes
  [[nodiscard]] bool has_facts_alone() const { return facts_.has_value(); }
  [[nodiscard]] bool is_binary() const { return binary_; }  // all values are 0 or 1
  [[nodiscard]] const Settings& asked() const { return *asked_; }

  // Fits with these settings, from `start` if there is one, and tells the user. No setting is fitted twice.
  [[nodiscard]] Trial judge(const Settings& settings, const std::string& what, const Model* start = nullptr,
                            Depth depth = Depth::kFit);
  // The one rule: an error is better when it is lower by a tenth of a per cent.
  [[nodiscard]] static bool better(double error, double than) { return error < 0.999 * than; }
  // The best trial of all.
  [[nodiscard]] const Trial& best() const { return best_; }

  // Trials that predict the held-out entries better together than the best alone; one of them where none do.
  [[nodiscard]] BlendChoice best_blend() const;

  // Neither the user nor the clock nor the budget says stop.
  [[nodiscard]] bool go_on() const;
  // On any process.
  [[nodiscard]] bool interrupted() const;
  // The same for the first candidate of a contest, which may take as much again as the budget holds.
  [[nodiscard]] bool may_begin() const;
  // Whether the machine's memory holds a fit with these settings.
  [[nodiscard]] bool can_hold(const Settings& settings) const;
  // What the next trial may take, in multiply-adds.
  [[nodiscard]] double work_limit() const;
  // At most so many seconds may be used for choosing; unlimited without a max_time.
  [[nodiscard]] double choosing_seconds() const;

  void tell(const std::string& sentence) const {
    if (callbacks_->notice) callbacks_->notice("auto: " + sentence);
  }
  [[nodiscard]] std::string measure(double error) const;  // for the reader: "held-out RMSE 0.12"
  [[nodiscard]] Journal* journal() const { return journal_of(callbacks_->checkpoint); }
  [[nodiscard]] int trials() const { return trials_; }
  [[nodiscard]] Count applications() const { return applications_; }  // of operators, by all trials

 private:
  [[nodiscard]] BlendChoice find_blend() const;
  [[nodiscard]] Settings trial_settings(const Settings& settings, const Model* start, Depth depth) const;
  [[nodiscard]] Trial run(const Settings& settings, const Model* start, Depth depth);
  // The same, or what it came to in the run that this one goes on with.
  [[nodiscard]] Trial run_once(const Settings& settings, const std::string& what, const Model* start,
                               Depth depth);
  // What the method learns from, and what it stops by.
  [[nodiscard]] const ObservedTensor& learned(Method method) const;
  [[nodiscard]] const Entries& watched(Method method) const;

  [[nodiscard]] bool interrupted_here() const;
  [[nodiscard]] double budget() const;  // of all trials, in multiply-adds
  // Of a trial one of whose steps takes `unit`.
  [[nodiscard]] double work_limit_of(Method method, double unit) const;

  const Settings* asked_;
  const FitCallbacks* callbacks_;
  const Communicator* sharers_;
  const Stopwatch* watch_;
  Count entries_ = 0;
  std::optional<HoldOut> split_;
  std::optional<FactSplit> facts_;  // instead of split_, where there is nothing else
  bool binary_ = false;
  std::map<std::string, Trial> known_;
  Trial best_;
  Rivals rivals_;  // for a blend
  int most_blended_ = 1;
  double spent_ = 0.0;  // multiply-adds of all trials
  // The most that a best trial took: a cheaper and better one leaves the rest its time.
  double work_of_best_ = 0.0;
  int trials_ = 0;
  Count applications_ = 0;
};

// What is to be tried, and how it is called.
struct Candidate {
  Settings settings;
  std::string what;
};

// A line of candidates for one choice: the best of them so far stays.
class Contest {
 public:
  // A candidate made of the best by a factor; none where that goes too far.
  using Step = std::function<std::optional<Candidate>(double factor)>;

  explicit Contest(Evaluator& evaluator) : evaluator_(&evaluator) {}

  // From now on candidates start from the factors of the best, and a look at them decides: where factors
  // hardly depend on what is varied that is as good as a fit, at a fraction of its work.
  void only_look() { depth_ = Depth::kLook; }
  void fit_again() { depth_ = Depth::kFit; }

  // True when it becomes the best. Does nothing when it is time to stop.
  bool consider(const Settings& settings, const std::string& what, const Model* start = nullptr);
  // By the first factor for as long as that helps; where it does not at all, by the next.
  void walk(std::initializer_list<double> factors, const Step& step);
  // Takes a trial that was judged elsewhere if it is better.
  bool offer(Trial found);
  [[nodiscard]] const Trial& best() const { return best_; }
  [[nodiscard]] const Settings& settings() const { return best_.settings; }
  [[nodiscard]] bool empty() const { return !std::isfinite(best_.error); }
  // So far behind the best of all that finer choices will not make up for it.
  [[nodiscard]] bool far_behind() const { return best_.error > 1.03 * evaluator_->best().error; }
  // So far behind that no other parts will make up for it either. AUC may still turn.
  [[nodiscard]] bool hopeless() const {
    return !evaluator_->is_binary() && best_.error > 1.4 * evaluator_->best().error;
  }
  [[nodiscard]] Evaluator& evaluator() const { return *evaluator_; }

 private:
  Evaluator* evaluator_;
  Depth depth_ = Depth::kFit;
  Trial best_;
};

}  // namespace lacuna
