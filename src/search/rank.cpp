// SPDX-License-Identifier: MIT
#include "search/rank.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linalg/decompose.hpp"
#include "method/rank_limits.hpp"
#include "method/together.hpp"
#include "model/body.hpp"
#include "problem/certificate.hpp"
#include "search/remembered.hpp"

namespace lacuna {
namespace {

constexpr double kNoMoreToGain = 1e-3;  // a gap below which no larger rank is worth trying
constexpr double kPays = 0.1;           // of the largest part's share of the gap, for a part to grow
constexpr double kNewWeight = 0.1;      // of Theta, for the new directions together
constexpr double kNegligible = 1e-4;    // of the largest eigenvalue of Theta: a direction to drop
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

// The first process's: which columns matter is decided by it.
Matrix<double> agreed(Matrix<double> u, const Communicator& sharers) {
  u.conservativeResize(Eigen::NoChange, sharers.as_first(u.cols()));
  sharers.as_first(flat(u));
  return u;
}

// False when no part has anything to gain. The sharers have some of the dual's entries each.
bool grow(Latent& model, const Certificate& certificate, const Communicator& sharers) {
  double largest = 0.0;
  for (std::size_t p = 0; p < model.parts.size(); ++p) largest = std::max(largest, certificate.share(p));
  std::vector<PartSpec> specs;
  for (const ModelPart& part : model.parts) specs.push_back(part.modes);
  const ProblemData<double> data(model.dual, specs, certificate.lambda, sharers);  // Z stands for Y
  bool any = false;
  for (std::size_t p = 0; p < model.parts.size(); ++p) {
    Matrix<double>& u = model.parts[p].factor;
    u = agreed(pruned(u), sharers);
    const auto limit = std::min<Eigen::Index>(kLargestGrownRank, u.rows());
    if (certificate.share(p) < kPays * largest || u.cols() >= limit) continue;
    const Eigen::Index more = std::clamp<Eigen::Index>(u.cols() / 2, 1, limit - u.cols());
    const Eigen::Index before = u.cols();
    u = grown(data, p, u, certificate.parts[p].inside, static_cast<int>(more));
    any = any || u.cols() > before;
  }
  return any;
}

// The model grown by what its certificate says it lacks; its ranks are none when it has nothing to gain. A model that
// is gone was grown before, and what came of that is remembered: then all that is known of the grown one is its ranks.
struct Grown {
  Model model{};
  std::vector<int> ranks{};
};
Grown grown(const Model& model, const Certificate& certificate, Journal* journal,
            const Communicator& sharers) {
  Grown next;
  const auto grow_now = [&] {
    if (is_gone(model)) return std::vector<int>();
    next.model = model;
    return grow(std::get<Latent>(*next.model.body), certificate, sharers) ? ranks(next.model)
                                                                          : std::vector<int>();
  };
  next.ranks = remembered<std::vector<int>>(journal, "growth", grow_now);
  if (is_gone(next.model) && !is_gone(model)) (void)grow_now();
  return next;
}

// Why the gap is not as small as was wanted, where no part can or need grow. The model may be gone: its ranks are not.
std::string why_not_certified(const FitResult& result, std::span<const int> ranks, const Settings& settings,
                              const ObservedTensor& tensor) {
  const Certificate& certificate = *result.certificate;
  const double wanted = *settings.latent.certified_gap;
  const std::string gap =
      fmt::format("certified: the gap is {:.3g}, not {:.3g}: ", certificate.gap(), wanted);
  if (result.reason == StopReason::kMaxIterations)
    return gap + fmt::format("the fit of rank {} was not solved in {} steps, which max-iterations limits",
                             fmt::join(ranks, ","), result.last.iteration);
  const std::vector<PartSpec> parts = parts_of(settings, tensor.order());
  double largest = 0.0;
  for (std::size_t p = 0; p < ranks.size(); ++p) largest = std::max(largest, certificate.share(p));
  for (std::size_t p = 0; p < ranks.size(); ++p)
    if (ranks[p] >= kLargestGrownRank && parts[p].learns() &&
        static_cast<Index>(ranks[p]) < tensor.extent(parts[p].mode) &&
        certificate.share(p) >= kPays * largest)
      return gap +
             fmt::format("it asks for a rank above {}, which is as far as ranks grow", kLargestGrownRank);
  return gap +
         fmt::format(
             "no larger rank would close it, but a fit that is solved more closely than the tolerance {:.3g}",
             *settings.tolerance);
}

}  // namespace

void grow_latent_ranks(Contest& contest) {
  if (!contest.best().latent || contest.best().full_rank) return;
  Settings settings = contest.settings();
  settings.latent.certify = Certify::kAtTheEnd;
  Evaluator& evaluator = contest.evaluator();
  Contest stages(evaluator);
  Model start = contest.best().model();  // a few steps on from there, for the certificate that it has not got
  Trial found;  // what `start` was grown from, as long as the next trial has not ended
  for (int since = 0; since < kStagesWithoutGain && evaluator.go_on();) {
    found = evaluator.judge(settings, fmt::format("rank {}", fmt::join(*settings.ranks, ",")), &start);
    since = stages.offer(found) ? 0 : since + 1;
    const std::optional<Certificate>& certificate = found.result->certificate;
    if (!certificate || certificate->gap() < kNoMoreToGain || !found.latent) break;
    Grown next = grown(found.model(), *certificate, evaluator.journal(), evaluator.sharers());
    if (next.ranks.empty()) break;
    settings.ranks = next.ranks;
    start = std::move(next.model);
  }
  if (stages.empty()) return;
  Trial best = stages.best();
  best.settings.latent.certify = contest.settings().latent.certify;
  contest.offer(std::move(best));
}

void grow_tucker_ranks(Contest& contest, Settings settings) {
  Evaluator& evaluator = contest.evaluator();
  std::optional<Trial> start;
  int since = 0;
  const int most = largest_tucker_rank(evaluator.kept().order());
  for (int rank = 1; rank <= most && since < kStagesWithoutGain && evaluator.go_on(); ++rank) {
    settings.ranks = {rank};
    Trial found = evaluator.judge(settings, fmt::format("{} rank {}", name(*settings.method), rank),
                                  start ? &start->model() : nullptr);
    if (start && found.ranks == start->ranks) break;  // every mode is at its size
    start = found;
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
  Journal* const journal = journal_of(callbacks.checkpoint);
  for (;;) {
    settings.tolerance = std::max(kStageTolerance * std::min(1.0, 10.0 * wanted), tolerance);
    settings.warm_start = start ? &*start : nullptr;
    FitResult result = fit_remembered(tensor, settings, callbacks, test);
    const auto fitted = remembered<std::vector<int>>(journal, "ranks", [&] { return ranks(result.model); });
    const double gap = result.certificate ? result.certificate->gap() : 1.0;
    if (callbacks.notice)
      callbacks.notice(fmt::format("certified: rank {}, gap {:.3g}", fmt::join(fitted, ","), gap));
    if (!result.certificate || result.reason == StopReason::kStopped) return result;
    if (gap <= wanted) {
      result.stop_reason = fmt::format("the gap is below {:.3g}", wanted);
      result.converged = true;
      return result;
    }
    Grown next = grown(result.model, *result.certificate, journal, sharers(callbacks));
    if (next.ranks.empty()) {
      if (callbacks.notice) callbacks.notice(why_not_certified(result, fitted, settings, tensor));
      return result;
    }
    settings.ranks = next.ranks;
    start = std::move(next.model);
  }
}

}  // namespace lacuna
