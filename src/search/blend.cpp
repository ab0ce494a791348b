// SPDX-License-Identifier: MIT
#include "search/blend.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "linalg/matrix.hpp"

namespace lacuna {
namespace {

constexpr std::size_t kMostOfAKind = 2;
constexpr std::size_t kMostRivals = 8;   // 2^8 sets are looked at
constexpr double kWorthKeeping = 1.5;    // times the lowest error
constexpr double kWorthAMember = 0.995;  // times the error without it
constexpr double kRidge = 1e-9;          // of G's diagonal: trials may predict the same

// The method, what its parts relate, and how smoothly.
std::string kind_of(const Settings& settings) {
  std::string kind(name(*settings.method));
  if (!settings.latent.parts.given()) return kind;
  for (const PartOptions& part : *settings.latent.parts) {
    kind += ";" + std::to_string(part.spec.mode) + "|";
    for (const int k : part.spec.agree) kind += std::to_string(k) + ",";
    for (const NearMode& near : part.spec.near) kind += "~" + std::to_string(near.mode);
    if (!part.spec.near.empty()) kind += " smooth " + std::to_string(part.spec.smoothness);
  }
  return kind;
}

// The weights of the trials in the set, or none where some would not be positive.
Eigen::VectorXd weights_of(const Eigen::MatrixXd& gram, const std::vector<Eigen::Index>& set) {
  Eigen::MatrixXd part = gram(set, set);
  part.diagonal() *= 1.0 + kRidge;
  Eigen::VectorXd weights = part.ldlt().solve(Eigen::VectorXd::Ones(part.rows()));
  if (!weights.allFinite() || !(weights.array() > 0.0).all()) return {};
  return weights / weights.sum();
}

// Products of the errors of trials with each other, fold by fold. A fold is a stretch of the held-out entries in their
// order, so that holes that are whole blocks lie in few of them: weights that suit some holes must suit others.
class FoldedErrors {
 public:
  template <class ErrorAt>
  FoldedErrors(std::size_t trials, Count entries, ErrorAt&& error_at) {
    const auto size = static_cast<Eigen::Index>(trials);
    all_ = Eigen::MatrixXd::Zero(size, size);
    for (Count fold = 0; fold < kFolds; ++fold) {
      const Count begin = entries * fold / kFolds;
      const Count end = entries * (fold + 1) / kFolds;
      Eigen::MatrixXd errors(end - begin, size);
      for (Eigen::Index m = 0; m < size; ++m)
        for (Count e = begin; e < end; ++e) errors(e - begin, m) = error_at(static_cast<std::size_t>(m), e);
      folds_.emplace_back(errors.transpose() * errors / static_cast<double>(entries));
      all_ += folds_.back();
    }
  }

  [[nodiscard]] const Eigen::MatrixXd& all() const { return all_; }

  // Root mean square of a blend whose weights in each fold are those of the others; infinite where there are none, or
  // where the first trial alone is better in some fold.
  [[nodiscard]] double of_blend(const std::vector<Eigen::Index>& set) const {
    double sum = 0.0;
    for (const Eigen::MatrixXd& fold : folds_) {
      const Eigen::VectorXd weights = weights_of(all_ - fold, set);
      const double here = weights.size() == 0 ? kNever : weights.dot(fold(set, set) * weights);
      if (!(here < fold(0, 0))) return kNever;
      sum += here;
    }
    return std::sqrt(sum);
  }

 private:
  static constexpr Count kFolds = 4;
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd all_;
  std::vector<Eigen::MatrixXd> folds_;
};

}  // namespace

void Rivals::consider(const Trial& trial, const Entries& held) {
  if (!std::isfinite(trial.error)) return;
  if (!rivals_.empty() && trial.error > kWorthKeeping * rivals_.front().trial.error) return;
  const std::string kind = kind_of(trial.settings);
  const auto same = [&](const Rival& rival) { return rival.kind == kind; };
  const auto place =
      std::upper_bound(rivals_.begin(), rivals_.end(), trial.error,
                       [](double error, const Rival& rival) { return error < rival.trial.error; });
  if (std::count_if(rivals_.begin(), place, same) >= static_cast<std::ptrdiff_t>(kMostOfAKind)) return;
  // A model that is gone gave way to others before it was asked for anything, and will again.
  std::vector<double> predicted;
  if (!is_gone(trial.model()))
    predicted = Predictor(trial.model()).predict_as_told(held.cells, held.coordinates).value;
  rivals_.insert(place, {.kind = kind, .trial = trial, .predicted = std::move(predicted)});
  if (std::count_if(rivals_.begin(), rivals_.end(), same) > static_cast<std::ptrdiff_t>(kMostOfAKind))
    rivals_.erase(std::find_if(rivals_.rbegin(), rivals_.rend(), same).base() - 1);
  if (rivals_.size() > kMostRivals) rivals_.pop_back();
  std::erase_if(rivals_, [&](const Rival& rival) {
    return rival.trial.error > kWorthKeeping * rivals_.front().trial.error;
  });
}

BlendChoice Rivals::best_blend(const Trial& best, const Entries& held, int most) const {
  BlendChoice chosen{.members = {&best}, .weights = {1.0}, .error = best.error};
  const auto count = static_cast<Eigen::Index>(rivals_.size());
  if (std::any_of(rivals_.begin(), rivals_.end(), [](const Rival& rival) { return rival.predicted.empty(); }))
    return chosen;  // a checkpoint of another path
  const FoldedErrors errors(rivals_.size(), held.size(),
                            [&](std::size_t m, Count e) { return rivals_[m].predicted[e] - held.value[e]; });
  for (int size = 2; size <= most; ++size) {
    const double enough = kWorthAMember * chosen.error;
    BlendChoice larger{.error = enough};
    for (unsigned bits = 1; bits < 1U << count; ++bits) {
      if (std::popcount(bits) != size) continue;
      std::vector<Eigen::Index> set;
      for (Eigen::Index m = 0; m < count; ++m)
        if ((bits >> m & 1U) != 0) set.push_back(m);
      const Eigen::VectorXd weights = weights_of(errors.all(), set);
      if (weights.size() == 0) continue;
      const double error = errors.of_blend(set);
      if (error >= larger.error) continue;
      larger = {.weights = {weights.begin(), weights.end()}, .error = error};
      for (const Eigen::Index m : set) larger.members.push_back(&rivals_[m].trial);
    }
    if (larger.members.empty()) break;
    chosen = std::move(larger);
  }
  return chosen;
}

}  // namespace lacuna
