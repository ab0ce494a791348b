// SPDX-License-Identifier: MIT
#include "method/choose.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iomanip>
#include <lacuna/evaluate/metrics.hpp>
#include <limits>
#include <sstream>

#include "method/hold_out.hpp"

namespace lacuna {
namespace {

constexpr double kHeldOut = 0.1;
constexpr int kTrialSteps = 8;
constexpr double kTrialTolerance = 1e-3;
constexpr Count kTrialWork = 1500;      // operator applications after which a trial takes no further step
constexpr double kWorthwhile = 0.999;   // a choice that adds something must lower the error to below this
constexpr double kLeastShared = 0.05;   // of the entries, in fibers of two or more, for a part to be tried
constexpr double kWeightedPower = 0.5;  // of the counts, for rows and fibers, in a weighted norm
constexpr double kLeastMixture = 0.1;   // share of the prediction above which a part's own lambda is tuned

// To three digits, so that what is chosen reads well.
double rounded(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return std::round(value / unit) * unit;
}

struct Structure {
  std::vector<PartOptions> parts;
  OffsetSpec offsets;
};

class Chooser {
 public:
  Chooser(const ObservedTensor& tensor, const FitOptions& options, const FitCallbacks& callbacks)
      : tensor_(&tensor), options_(&options), callbacks_(&callbacks) {}

  FitOptions choose();

 private:
  [[nodiscard]] const std::vector<Mode>& modes() const { return tensor_->modes(); }
  [[nodiscard]] bool stopped() const { return callbacks_->interrupted && callbacks_->interrupted(); }

  // Error of a short fit on the held-out entries: RMSE, or 1 - AUC where all values are 0 or 1.
  double trial(const Structure& structure, std::vector<double>& mixture);
  // Takes the candidate, which differs from the best by `what`, if its error is below `factor` times the
  // best's.
  bool consider(Structure candidate, double factor, const std::string& what);

  [[nodiscard]] OffsetSpec best_offsets_alone() const;
  void choose_offsets();
  void choose_lambda(double step);
  void choose_parts();
  void choose_weighting();
  void tune_each_part();

  [[nodiscard]] std::string measure(double error) const;
  [[nodiscard]] std::vector<std::vector<PartOptions>> part_groups() const;
  [[nodiscard]] bool worth_trying(const PartSpec& part) const;
  void tell(const std::string& sentence) const {
    if (callbacks_->notice) callbacks_->notice(sentence);
  }

  const ObservedTensor* tensor_;
  const FitOptions* options_;
  const FitCallbacks* callbacks_;
  std::optional<HoldOut> split_;
  bool binary_ = false;
  Structure best_;
  double lowest_ = std::numeric_limits<double>::infinity();
  std::vector<double> mixture_;  // of the best
  int trials_ = 0;
};

double Chooser::trial(const Structure& structure, std::vector<double>& mixture) {
  ++trials_;
  FitOptions options = *options_;
  options.parts = structure.parts;
  options.offsets = structure.offsets;
  options.auto_parts = options.auto_offsets = false;
  options.method = Method::kTrMm;  // what suits D suits P: the model is the same
  options.early_stop = 0.0;
  options.path = 0;
  options.max_iterations = std::min(kTrialSteps, options_->max_iterations);
  options.tolerance = std::max(kTrialTolerance, options_->tolerance);
  options.warm_start = nullptr;
  FitCallbacks quiet;
  quiet.interrupted = callbacks_->interrupted;
  quiet.progress = [](const FitProgress& progress) {
    return progress.operator_applications < kTrialWork ? Flow::kContinue : Flow::kStop;
  };
  const FitResult result = fit(split_->kept, options, quiet, &split_->held);
  mixture = result.mixture;
  if (binary_) return 1.0 - result.last.test_auc.value_or(0.5);
  return result.last.test_rmse.value_or(std::numeric_limits<double>::infinity());
}

bool Chooser::consider(Structure candidate, double factor, const std::string& what) {
  if (stopped()) return false;
  std::vector<double> mixture;
  const double found = trial(candidate, mixture);
  const bool better = found < factor * lowest_;
  tell(std::string("auto: ") + (better ? "+ " : "  ") + measure(found) + "  " + what);
  if (better) {
    lowest_ = found;
    best_ = std::move(candidate);
    mixture_ = std::move(mixture);
  }
  return better;
}

std::string Chooser::measure(double error) const {
  std::ostringstream text;
  text << "held-out " << (binary_ ? "AUC " : "RMSE ") << std::setprecision(5)
       << (binary_ ? 1.0 - error : error);
  return text.str();
}

// Offsets alone need no fit: effects are added one by one while they lower the held-out error.
OffsetSpec Chooser::best_offsets_alone() const {
  const auto alone = [&](const OffsetSpec& spec) {
    return rmse(split_->held.value, fit_offsets(split_->kept, spec).at(split_->held.index));
  };
  OffsetSpec chosen{.mean = true, .effects = {}};
  double lowest = alone(chosen);
  std::vector<std::vector<int>> candidates;
  for (int k = 0; k < tensor_->order(); ++k) candidates.push_back({k});
  for (int k = 0; k < tensor_->order(); ++k)
    for (int other = k + 1; other < tensor_->order(); ++other) candidates.push_back({k, other});
  for (const std::vector<int>& effect : candidates) {
    if (effect.size() == 2 && tensor_->order() == 2) continue;  // it would be the data itself
    OffsetSpec more = chosen;
    more.effects.push_back(effect);
    const double with = alone(more);
    if (with >= kWorthwhile * lowest) continue;
    chosen = std::move(more);
    lowest = with;
  }
  return chosen;
}

// One trial with parts says whether to use offsets at all, since a part may say the same better.
void Chooser::choose_offsets() {
  const OffsetSpec chosen = best_offsets_alone();
  Structure with = best_;
  with.offsets = chosen;
  consider(std::move(with), 1.0, "offsets " + describe(chosen, modes()));
  if (best_.offsets.effects.empty() && !best_.offsets.mean) {
    with = best_;
    with.offsets.mean = true;
    consider(std::move(with), 1.0, "offsets mean");
  }
}

// Up or down in steps while it helps.
void Chooser::choose_lambda(double step) {
  for (const double factor : {1.0 / step, step}) {
    bool moved = false;
    for (;;) {
      Structure other = best_;
      for (PartOptions& part : other.parts) part.lambda = rounded(part.lambda * factor);
      if (!consider(std::move(other), 1.0, "every lambda times " + shortest(factor))) break;
      moved = true;
    }
    if (moved) return;
  }
}

bool Chooser::worth_trying(const PartSpec& part) const {
  const FiberView view(split_->kept, part);
  const double shared =
      1.0 - static_cast<double>(view.single_fibers()) / static_cast<double>(split_->kept.size());
  if (shared < kLeastShared) return false;
  if (static_cast<int>(part.agree.size()) == tensor_->order() - 1) return true;
  const FiberView full(split_->kept, full_parts(tensor_->order())[part.mode]);
  return full.fibers() != view.fibers();  // else the modes left out decide nothing
}

// What to add to the paper's parts: at three modes the two parts of each pair of modes; at more, where there
// are too many, all parts with equally many agreeing modes.
std::vector<std::vector<PartOptions>> Chooser::part_groups() const {
  const int order = tensor_->order();
  std::vector<std::vector<PartOptions>> groups;
  const auto add = [&](std::vector<PartOptions> group) {
    std::erase_if(group, [&](const PartOptions& part) { return !worth_trying(part.spec); });
    if (!group.empty()) groups.push_back(std::move(group));
  };
  if (order == 3) {
    for (int a = 0; a < order; ++a)
      for (int b = a + 1; b < order; ++b)
        add({{.spec = {.mode = a, .agree = {b}}}, {.spec = {.mode = b, .agree = {a}}}});
    return groups;
  }
  for (int agreeing = order - 2; agreeing >= 1; --agreeing) {
    std::vector<PartOptions> group;
    for (int mode = 0; mode < order; ++mode)
      for (unsigned set = 0; set < 1U << order; ++set) {
        if (std::popcount(set) != agreeing || (set >> mode & 1U) != 0) continue;
        PartSpec spec{.mode = mode, .agree = {}};
        for (int k = 0; k < order; ++k)
          if ((set >> k & 1U) != 0) spec.agree.push_back(k);
        group.push_back({.spec = std::move(spec)});
      }
    if (order <= 5) add(std::move(group));
  }
  return groups;
}

// First a group instead of the paper's parts, where their fibers are too short to say much; then the others
// in addition.
void Chooser::choose_parts() {
  const double lambda = best_.parts.front().lambda;
  std::vector<std::vector<PartOptions>> groups = part_groups();
  for (std::vector<PartOptions>& group : groups)
    for (PartOptions& part : group) part.lambda = lambda;
  std::size_t base = groups.size();  // which group stands instead of the paper's parts
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (consider({.parts = groups[g], .offsets = best_.offsets}, kWorthwhile,
                 "instead " + describe(groups[g], modes())))
      base = g;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (g == base) continue;
    Structure more = best_;
    more.parts.insert(more.parts.end(), groups[g].begin(), groups[g].end());
    consider(std::move(more), kWorthwhile, "also " + describe(groups[g], modes()));
  }
}

void Chooser::choose_weighting() {
  Structure weighted = best_;
  for (PartOptions& part : weighted.parts) part.spec.row_power = part.spec.fiber_power = kWeightedPower;
  consider(std::move(weighted), 1.0, "norms weighted by counts");
}

// A tenth of its lambda for each part that matters, in turn; one that does better so is then tried without.
void Chooser::tune_each_part() {
  for (std::size_t p = 0; p < best_.parts.size() && best_.parts.size() > 1;) {
    const std::string name = describe(PartOptions{.spec = best_.parts[p].spec}, modes());
    bool gone = false;
    if (mixture_[p] >= kLeastMixture) {
      Structure other = best_;
      other.parts[p].lambda = rounded(0.1 * other.parts[p].lambda);
      if (consider(std::move(other), 1.0, name + " with a tenth of its lambda")) {
        other = best_;
        other.parts.erase(other.parts.begin() + static_cast<std::ptrdiff_t>(p));
        gone = consider(std::move(other), 1.0, "without " + name);
      }
    }
    if (!gone) ++p;
  }
}

FitOptions Chooser::choose() {
  FitOptions chosen = *options_;
  chosen.auto_parts = chosen.auto_offsets = false;
  best_.parts =
      options_->parts.empty() || options_->auto_parts ? full_structure(tensor_->order()) : options_->parts;
  best_.offsets = options_->auto_offsets ? OffsetSpec{} : options_->offsets;
  split_ = hold_out(*tensor_, kHeldOut, options_->seed);
  if ((info(options_->method).settings & kTakesParts) == 0) {  // nothing but offsets to choose
    chosen.offsets = split_ ? best_offsets_alone() : OffsetSpec{.mean = true, .effects = {}};
    tell("auto: offsets " + describe(chosen.offsets, modes()));
    return chosen;
  }
  if (!split_) {
    tell("auto: too few entries to hold any out, so the parts are the paper's and the offset is the mean");
    chosen.parts = best_.parts;
    chosen.offsets = options_->auto_offsets ? OffsetSpec{.mean = true, .effects = {}} : options_->offsets;
    return chosen;
  }
  binary_ = is_binary(tensor_->values()) && is_binary(split_->held.value);
  if (options_->auto_parts)
    std::erase_if(best_.parts, [&](const PartOptions& part) { return !worth_trying(part.spec); });
  if (best_.parts.empty()) best_.parts = full_structure(tensor_->order());

  consider(best_, 1.0,
           "parts " + describe(best_.parts, modes()) + ", offsets " + describe(best_.offsets, modes()));
  if (options_->auto_offsets) choose_offsets();
  if (options_->auto_parts) {
    choose_lambda(10.0);
    choose_parts();
    choose_lambda(2.0);
    choose_weighting();
    tune_each_part();
    choose_lambda(2.0);
  }
  tell("auto: " + std::to_string(trials_) + " trials of at most " + std::to_string(kTrialSteps) + " steps; " +
       measure(lowest_) + " with --parts '" + describe(best_.parts, modes()) + "' --offsets '" +
       describe(best_.offsets, modes()) + "'");
  chosen.parts = best_.parts;
  chosen.offsets = best_.offsets;
  return chosen;
}

}  // namespace

FitOptions choose_structure(const ObservedTensor& tensor, const FitOptions& options,
                            const FitCallbacks& callbacks) {
  return Chooser(tensor, options, callbacks).choose();
}

}  // namespace lacuna
