// SPDX-License-Identifier: MIT
#include "search/rank.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linalg/decompose.hpp"
#include "method/rank_limits.hpp"
#include "model/body.hpp"
#include "problem/certificate.hpp"

namespace lacuna {
namespace {

constexpr double kNoMoreToGain = 1e-3;  // a gap below which no larger rank is worth trying
constexpr double kPays = 0.1;           // of the largest part's share of the gap, for a part to grow
constexpr double kNewWeight = 0.1;      // of Theta, for the new directions together
constexpr double kNegligible = 1e-4;    // of the largest eigenvalue of Theta: a direction to drop
constexpr int kPatience = 2;            // stages without improvement
constexpr double kDirection = 1e-2;     // accuracy of the new directions
constexpr double kStageTolerance = 1e-3;

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
    const auto limit = std::min<Eigen::Index>(kLargestGrownRank, u.rows());
    if (certificate.share(p) < kPays * largest || u.cols() >= limit) continue;
    const Eigen::Index more = std::clamp<Eigen::Index>(u.cols() / 2, 1, limit - u.cols());
    const Eigen::Index before = u.cols();
    u = grown(data, p, u, certificate.parts[p].inside, static_cast<int>(more));
    any = any || u.cols() > before;
  }
  return any;
}

bool has_full_rank(const Latent& model) {
  return std::all_of(model.parts.begin(), model.parts.end(),
                     [](const ModelPart& part) { return part.factor.cols() >= part.factor.rows(); });
}

std::string describe_ranks(const Model& model) {
  return fmt::format("rank {}", fmt::join(ranks(model), ","));
}

}  // namespace

void grow_latent_ranks(Contest& contest) {
  Settings settings = contest.settings();
  settings.latent.certify = Certify::kAtTheEnd;
  Evaluator& evaluator = contest.evaluator();
  Contest stages(evaluator);
  std::optional<Model> start;
  if (const Latent* factors = contest.best().result.model.latent()) {
    if (has_full_rank(*factors)) return;
    start = contest.best().result.model;
  }
  for (int since = 0; since < kPatience && evaluator.go_on();) {
    const Trial found = evaluator.judge(settings, fmt::format("rank {}", fmt::join(*settings.ranks, ",")),
                                        start ? &*start : nullptr);
    since = stages.offer(found) ? 0 : since + 1;
    const std::optional<Certificate>& certificate = found.result.certificate;
    if (!certificate || certificate->gap() < kNoMoreToGain || found.result.model.latent() == nullptr) break;
    Model next = found.result.model;
    if (!grow(std::get<Latent>(*next.body), *certificate)) break;
    settings.ranks = ranks(next);
    start = std::move(next);
  }
  if (stages.empty()) return;
  Trial best = stages.best();
  best.settings.latent.certify = contest.settings().latent.certify;
  contest.offer(std::move(best));
}

void grow_tucker_ranks(Contest& contest, Settings settings) {
  Evaluator& evaluator = contest.evaluator();
  std::optional<Model> start;
  int since = 0;
  const int most = largest_tucker_rank(evaluator.kept().order());
  for (int rank = 1; rank <= most && since < kPatience && evaluator.go_on(); ++rank) {
    settings.ranks = {rank};
    Trial found = evaluator.judge(settings, fmt::format("{} rank {}", name(*settings.method), rank),
                                  start ? &*start : nullptr);
    if (start && ranks(found.result.model) == ranks(*start)) break;  // every mode is at its size
    start = found.result.model;
    since = contest.offer(std::move(found)) ? 0 : since + 1;
  }
}

FitResult fit_certified(const ObservedTensor& tensor, Settings settings, const FitCallbacks& callbacks,
                        const Entries* test) {
  const double wanted = *settings.latent.certified_gap;
  const double tolerance = settings.tolerance.value_or(info(*settings.method).tolerance);
  settings.latent.certify = Certify::kAtTheEnd;
  settings.ranks.settle({1});
  std::optional<Model> start;
  for (;;) {
    settings.tolerance = std::max(kStageTolerance * std::min(1.0, 10.0 * wanted), tolerance);
    settings.warm_start = start ? &*start : nullptr;
    FitResult result = fit_once(tensor, settings, callbacks, test);
    const double gap = result.certificate ? result.certificate->gap() : 1.0;
    if (callbacks.notice)
      callbacks.notice(fmt::format("certified: {}, gap {:.3g}", describe_ranks(result.model), gap));
    if (gap <= wanted || !result.certificate || result.reason == StopReason::kStopped) return result;
    Model next = result.model;
    if (!grow(std::get<Latent>(*next.body), *result.certificate)) {
      if (callbacks.notice)
        callbacks.notice(
            fmt::format("certified: no rank up to {} closes the gap; it is {:.3g}", kLargestGrownRank, gap));
      return result;
    }
    settings.ranks = ranks(next);
    start = std::move(next);
  }
}

}  // namespace lacuna
