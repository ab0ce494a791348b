// SPDX-License-Identifier: MIT
#include "search/grow_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/decompose.hpp"
#include "model/body.hpp"
#include "problem/certificate.hpp"

namespace lacuna {
namespace {

constexpr double kCertified = 1e-3;   // a gap below which no larger rank is worth trying
constexpr double kPays = 0.1;         // of the largest part's share of the gap, for a part to grow
constexpr double kNewWeight = 0.1;    // of Theta, for the new directions together
constexpr double kNegligible = 1e-4;  // of the largest eigenvalue of Theta: a direction to drop
constexpr int kPatience = 2;          // stages without improvement
constexpr int kLargest = 50;          // rank
constexpr double kDirection = 1e-2;   // accuracy of the new directions

// U Q with the columns that matter, the largest first: Theta's eigenvectors times the roots of its
// eigenvalues.
Matrix<double> pruned(const Matrix<double>& u) {
  const SymmetricEigen eigen = symmetric_eigen(u.transpose() * u);
  const Eigen::VectorXd& weight = eigen.values;
  Eigen::Index kept = 0;
  for (const double value : weight) kept += value > kNegligible * weight.maxCoeff() ? 1 : 0;
  return u * eigen.vectors.rightCols(kept).rowwise().reverse();
}

// [cos(a) U, sin(a) V] with V the top singular vectors of the part's dual that U does not see yet.
Matrix<double> grown(const ProblemData<double>& data, std::size_t part, const Matrix<double>& u,
                     double inside, int most) {
  const TopSingular top = top_singular<double>(data, part, data.y(), most, kDirection);
  Eigen::Index fresh = 0;
  while (fresh < top.vectors.cols() && top.squared(fresh) > inside) ++fresh;
  if (fresh == 0) return u;
  Matrix<double> wider(u.rows(), u.cols() + fresh);
  wider.leftCols(u.cols()) = std::sqrt(1.0 - kNewWeight) * u;
  wider.rightCols(fresh) = std::sqrt(kNewWeight / static_cast<double>(fresh)) * top.vectors.leftCols(fresh);
  return wider / wider.norm();
}

// False when no part has anything to gain.
bool grow(Latent& model, const Certificate& certificate) {
  double largest = 0.0;
  for (std::size_t p = 0; p < model.parts.size(); ++p) largest = std::max(largest, certificate.share(p));
  std::vector<PartSpec> specs;
  for (const ModelPart& part : model.parts) specs.push_back(part.modes);
  const ProblemData<double> data(model.dual, specs, certificate.lambda);  // Z stands for Y
  bool any = false;
  for (std::size_t p = 0; p < model.parts.size(); ++p) {
    Matrix<double>& u = model.parts[p].factor;
    u = pruned(u);
    const auto limit = std::min<Eigen::Index>(kLargest, u.rows());
    if (certificate.share(p) < kPays * largest || u.cols() >= limit) continue;
    const Eigen::Index more = std::clamp<Eigen::Index>(u.cols() / 2, 1, limit - u.cols());
    const Eigen::Index before = u.cols();
    u = grown(data, p, u, certificate.parts[p].inside, static_cast<int>(more));
    any = any || u.cols() > before;
  }
  return any;
}

// The trials of growing ranks: the best of them, and how many have not improved on it.
class Stages {
 public:
  explicit Stages(Trials& trials) : trials_(&trials) {}

  [[nodiscard]] bool go_on() const { return since_ < kPatience && !trials_->stopped(); }
  void add(const FitResult& found, const std::string& more = "") {
    const double error = Trials::error(found);
    const bool better = error < Trials::kWorthwhile * best_.error;
    trials_->tell(fmt::format("{} {}  rank {}{}", better ? '+' : ' ', trials_->measure(error),
                              fmt::join(ranks(found.model), ","), more));
    since_ = better ? 0 : since_ + 1;
    if (!better) return;
    trials_->note_best(found);
    best_ = {.error = error, .model = found.model};
  }
  [[nodiscard]] Growth best() && { return std::move(best_); }

 private:
  Trials* trials_;
  Growth best_{.error = std::numeric_limits<double>::infinity(), .model = {}};
  int since_ = 0;
};

}  // namespace

Growth grow_ranks(Trials& trials, FitOptions settings) {
  settings.ranks = {1};
  settings.certify = Certify::kAtTheEnd;
  settings.tolerance = std::max(Trials::kRoughly, settings.tolerance);
  Stages stages(trials);
  Model start;
  while (stages.go_on()) {
    FitResult found = trials.run(settings);
    const double gap = found.certificate ? found.certificate->gap() : 1.0;
    stages.add(found, fmt::format(", gap {:.3g}", gap));
    start = std::move(found.model);
    if (!found.certificate || gap < kCertified || !grow(std::get<Latent>(*start.body), *found.certificate))
      break;
    settings.ranks = ranks(start);
    settings.warm_start = &start;
  }
  return std::move(stages).best();
}

Growth grow_tucker_ranks(Trials& trials, FitOptions settings) {
  Stages stages(trials);
  Model start;
  for (int rank = 1; rank <= kLargest && stages.go_on(); ++rank) {
    settings.ranks = {rank};
    FitResult found = trials.run(settings);
    if (rank > 1 && ranks(found.model) == ranks(start)) break;  // every mode is at its size
    stages.add(found);
    start = std::move(found.model);
    settings.warm_start = &start;
  }
  return std::move(stages).best();
}

}  // namespace lacuna
