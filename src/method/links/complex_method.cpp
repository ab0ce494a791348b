// SPDX-License-Identifier: MIT
// Method complex: passes over the data until the loss falls no more, or as many as were asked for. A few entries are
// reserved for the calibration of probabilities; when that is done they join the others for the last quarter of the
// passes.
#include <algorithm>
#include <array>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <stdexcept>

#include "evaluate/held_facts.hpp"
#include "method/costs.hpp"
#include "method/links/complex_trainer.hpp"
#include "method/links/penalty.hpp"
#include "method/links/readout.hpp"
#include "method/ranks.hpp"
#include "method/solve.hpp"

namespace lacuna {
namespace {

constexpr double kReservedShare = 0.02;
constexpr Count kMostReserved = 2000;
constexpr Count kLeastReserved = 20;  // below it the entries that are learned from have to do
constexpr Count kLeastDrawn = 1024;
// Streams of random numbers apart from the trainer's.
constexpr std::uint64_t kReserving = 0x7265736572766564U;
constexpr std::uint64_t kDrawing = 0x647261776e000000U;
constexpr std::uint64_t kCorrupting = 0x636f727275707400U;

bool has_negatives(const LinkEntries& entries) {
  return std::any_of(entries.label.begin(), entries.label.end(), [](float label) { return label == 0.0F; });
}

bool uses_softmax(const Settings& options, bool negatives) {
  if (options.loss.open()) return !negatives;
  if (*options.loss == Loss::kLogistic && !negatives && options.links.negatives.value_or(1) == 0)
    throw std::invalid_argument(
        "the logistic loss learns from cells that are no facts, too: give some of value 0, or let "
        "negatives be drawn");
  return *options.loss == Loss::kSoftmax;
}

ComplEx empty_model(const std::vector<Mode>& modes, int rank) {
  ComplEx x;
  x.roles = link_roles(modes);
  x.rank = rank;
  x.tails_from = first_tail(modes, x.roles);
  x.entities.setZero(entity_rows(modes, x.roles), complex_width(rank));
  x.relations.setZero(2 * static_cast<Eigen::Index>(modes[x.roles.relation].size), complex_width(rank));
  return x;
}

// How many candidates a batch draws; 0: all.
Count drawn_candidates(const LinkEntries& entries, const ComplEx& x) {
  double queries = 0.0;
  for (const bool backward : {false, true})
    queries += static_cast<double>(link_questions(entries, backward, x.relation_count()).queries.size());
  const double all = std::max(x.head_count(), x.tail_count());
  if (queries * all <= kMostLinkScores) return 0;
  return std::max(kLeastDrawn, static_cast<Count>(kMostLinkScores / queries));
}

// Facts among the test entries, to be ranked after each pass, where there is nothing but facts.
class TestRanking {
 public:
  TestRanking(const ObservedTensor& tensor, const std::vector<Mode>& modes, const Entries* test) {
    if (test == nullptr ||
        std::any_of(test->value.begin(), test->value.end(), [](double v) { return v == 0.0; }))
      return;
    model_.modes = modes;
    for (Mode& mode : model_.modes) mode.labels.clear();
    facts_.emplace(modes, test->cells, tensor.cells());
  }

  std::optional<double> mrr(const ComplEx& x) {
    if (!facts_ || facts_->empty()) return std::nullopt;
    *model_.body = x;
    return facts_->mrr(Predictor(model_));
  }

 private:
  Model model_;
  std::optional<HeldFacts> facts_;
};

class ComplExFit {
 public:
  ComplExFit(const ObservedTensor& tensor, const Settings& options, FitRun& run)
      : tensor_(&tensor), options_(&options), run_(&run), ranking_(tensor, run.modes(), run.test()) {
    one_ = run.unit().scaled(1.0);
    ComplEx x = empty_model(run.modes(), one_rank(options));
    entries_ = link_entries(tensor, x.roles, one_);
    const bool softmax = uses_softmax(options, has_negatives(entries_));
    settings_ = {.softmax = softmax,
                 .penalty = static_cast<float>(options.links.penalty.value_or(default_penalty(softmax))),
                 .sampled = softmax ? drawn_candidates(entries_, x) : 0,
                 .seed = options.seed};
    x.forward = softmax ? 0.5 : 1.0;
    x.backward = softmax ? 0.5 : 0.0;
    if (!softmax && !has_negatives(entries_))
      drawn_ = options.links.negatives.value_or(usual_negatives(tensor.size()));
    trainer_.emplace(std::move(x), settings_);
  }

  Solved solve();

 private:
  // Passes over the entries until the loss falls no more, `last` at most in all. False when the fit has to end.
  bool learn(const LinkEntries& entries, int last);
  Flow report();
  void calibrate_on(const LinkEntries& entries);
  void keep_record();
  void fields(Archive& archive);

  const ObservedTensor* tensor_;
  const Settings* options_;
  FitRun* run_;
  double one_ = 1.0;
  LinkEntries entries_;
  int drawn_ = 0;  // for each fact, anew in each pass, where the logistic loss is given nothing but facts
  ComplExOptions settings_;
  std::optional<ComplExTrainer> trainer_;
  TestRanking ranking_;
  Summary summary_{.reason = StopReason::kMaxIterations};
  std::optional<ComplEx> best_;
  std::array<double, 3> reported_{};  // the calibration that was measured last
  bool joined_ = false;               // the reserved entries are learned from, too
  bool enough_ = false;               // the loss fell no more before that
  int before_ = 0;                    // passes until then
};

void ComplExFit::fields(Archive& archive) {
  archive("trainer", *trainer_);
  archive("summary", summary_);
  bool kept = best_.has_value();
  archive("kept", kept);
  if (archive.loading() && kept) best_ = trainer_->model();  // of the right sizes
  if (kept) archive("best", *best_);
  archive("reported0", reported_[0]);
  archive("reported1", reported_[1]);
  archive("reported2", reported_[2]);
  archive("joined", joined_);
  archive("enough", enough_);
  archive("before", before_);
}

void ComplExFit::calibrate_on(const LinkEntries& entries) {
  Rng rng(options_->seed ^ kDrawing);
  calibrate(score_links(trainer_->model(), entries, entries_, rng), settings_.softmax, trainer_->model());
}

Flow ComplExFit::report() {
  const ComplEx& x = trainer_->model();
  reported_ = {x.constant, x.forward, x.backward};
  const IterationRecord record{.iteration = summary_.iterations,
                               .objective = summary_.objective,
                               .gradient_norm = summary_.gradient_norm,
                               .relative_gradient = summary_.relative_gradient};
  Measured measured;
  run_->untimed([&] {
    std::vector<double> predicted(static_cast<std::size_t>(tensor_->size()), 0.0);
    add_values(x, tensor_->cells(), predicted);
    for (double& value : predicted) value *= one_;
    measured.train_rmse = rmse(tensor_->values(), predicted);
    measured.test_mrr = ranking_.mrr(x);
  });
  return run_->report(record, measured, [&](std::span<double> out) {
    std::vector<double> value(out.size(), 0.0);
    add_values(x, run_->test()->cells, value);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += one_ * value[i];
  });
}

bool ComplExFit::learn(const LinkEntries& entries, int last) {
  const LinkQuestions known =
      drawn_ > 0 ? link_questions(entries_, false, trainer_->model().relation_count()) : LinkQuestions{};
  if (drawn_ == 0) trainer_->take(entries);
  while (summary_.iterations < last) {
    if (drawn_ > 0) {
      Rng rng(options_->seed ^ (kCorrupting + static_cast<std::uint64_t>(summary_.iterations)));
      trainer_->take(with_corrupted(entries, known, trainer_->model(), drawn_, rng));
    }
    const double before = trainer_->mean_loss();
    const bool whole = trainer_->epoch(run_->poll_unless_kept());
    if (!whole && trainer_->mean_loss() == 0.0) return false;
    ++summary_.iterations;
    summary_.objective = trainer_->mean_loss();
    const bool first = summary_.iterations == 1;
    summary_.gradient_norm = first ? summary_.objective : std::abs(before - summary_.objective);
    summary_.relative_gradient = relative_gradient_norm(summary_.gradient_norm, summary_.objective);
    const Flow flow = report();
    if (options_->search.keep_best && run_->at_the_best()) best_ = trainer_->model();
    const bool done = !first && summary_.relative_gradient < *options_->tolerance;
    if (!done && run_->keep_wanted()) run_->keep([this](Archive& archive) { fields(archive); });
    if (flow == Flow::kStop || !whole) return false;
    if (done) {
      summary_.reason = StopReason::kSmallChange;
      return true;
    }
  }
  return true;
}

void ComplExFit::keep_record() {
  const ComplEx& x = trainer_->model();
  run_->record().set("loss", std::string(name(settings_.softmax ? Loss::kSoftmax : Loss::kLogistic)));
  run_->record().set("penalty", static_cast<double>(settings_.penalty));
  if (drawn_ > 0) run_->record().set("negatives", static_cast<double>(drawn_));
  if (settings_.sampled > 0) run_->record().set("candidates_drawn", static_cast<double>(settings_.sampled));
  const auto& modes = run_->modes();
  run_->record().set("relation", modes[x.roles.relation].name);
  run_->record().set("entities",
                     modes[x.roles.head].name + (x.roles.one_set ? " = " : ", ") + modes[x.roles.tail].name);
}

Solved ComplExFit::solve() {
  Rng rng(options_->seed ^ kReserving);
  LinkSplit split = reserve(entries_, kReservedShare, kMostReserved, rng);
  const bool reserved = split.reserved.size() >= kLeastReserved;
  const int most = *options_->max_iterations;
  run_->go_on_from([this](Archive& archive) { fields(archive); });
  bool go_on = true;
  if (!joined_) {
    go_on = reserved ? learn(split.kept, most - most / 4) : learn(entries_, most);
    calibrate_on(reserved ? split.reserved : entries_);
    before_ = summary_.iterations;
    enough_ = summary_.reason == StopReason::kSmallChange;
    joined_ = true;
  }
  if (go_on && reserved) {
    (void)learn(entries_, enough_ ? std::min(most, before_ + std::max(1, before_ / 3)) : most);
    if (enough_ && !run_->stopped()) summary_.reason = StopReason::kSmallChange;
  }
  if (best_) {  // what was calibrated last holds for it, too
    best_->constant = trainer_->model().constant;
    best_->forward = trainer_->model().forward;
    best_->backward = trainer_->model().backward;
    trainer_->model() = std::move(*best_);
  }
  if (run_->stopped()) summary_.reason = StopReason::kStopped;
  const ComplEx& x = trainer_->model();
  if (summary_.iterations > 0 && reported_ != std::array{x.constant, x.forward, x.backward})
    (void)report();  // calibrated since, and so measured anew
  keep_record();
  return {.body = trainer_->model(), .summary = summary_};
}

}  // namespace

Solved solve_complex(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  if (options.offsets->mean || !options.offsets->effects.empty())
    throw std::invalid_argument("method complex predicts probabilities and takes no offsets");
  return ComplExFit(tensor, options, run).solve();
}

}  // namespace lacuna
