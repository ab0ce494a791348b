// SPDX-License-Identifier: MIT
// The latent trace norm with exact fit (Tomioka, Hayashi, Kashima 2010),
//
//   min sum_k ||W_k(k)||_*   subject to   sum_k (W_k)_e = Y_e on the observed entries,
//
// by ADMM on its dual, max <A, Y> subject to ||A_(k)|| <= 1 in the spectral norm, A = 0 where nothing is
// observed. With copies V_k = A, for which the W_k are the multipliers, and eta = step * data_norm():
//
//   A    = (sum_k V_k + (Y - sum_k W_k) / eta) / K   on the observed entries
//   W_k  = prox of eta ||.||_* at W_k + eta A        in unfolding k
//   V_k  = (W_k before + eta A - W_k) / eta
//
// Only eta A and the sum of the eta V_k are kept. The objective is sum_k ||W_k(k)||_*; it stops when the sum
// of the W_k changed and misses Y by less than the tolerance, relative to that sum.

#include "base/parallel.hpp"
#include "method/dense/dense.hpp"

namespace lacuna {
namespace {

constexpr double kStep = 0.3;  // a guess

// Of the sum of the parts' norms, as for the other latent methods.
std::vector<double> mixture(const std::vector<Eigen::ArrayXd>& parts) {
  std::vector<double> share;
  double total = 0.0;
  for (const Eigen::ArrayXd& part : parts) total += share.emplace_back(part.matrix().norm());
  if (total > 0.0)
    for (double& one : share) one /= total;
  return share;
}

// All that steps change.
struct DualState {
  Dense answer{};                      // sum_k W_k
  std::vector<Eigen::ArrayXd> part{};  // W_k
  Eigen::ArrayXd dual{};               // eta A
  Eigen::ArrayXd copies{};             // eta sum_k V_k
  int step = 0;                        // whole ones
  Summary summary{.reason = StopReason::kMaxIterations};
  BestStep best;

  template <class A>
  void fields(A& archive) {
    archive("sum", answer.value);
    archive("part", part);
    archive("dual", dual);
    archive("copies", copies);
    archive("step", step);
    archive("summary", summary);
    archive("best", best);
    if (!best.fits(answer.value.size())) A::refuse("best", "as many cells as there are");
  }
};

// The square of what the sum misses of the entries.
double missed_square(const ObservedTensor& tensor, const std::vector<std::size_t>& observed,
                     const Eigen::ArrayXd& sum) {
  double missed = 0.0;
  for (std::size_t e = 0; e < observed.size(); ++e) {
    const double error = sum(static_cast<Eigen::Index>(observed[e])) - tensor.values()[e];
    missed += error * error;
  }
  return missed;
}

}  // namespace

Solved solve_latent_admm(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  const Shape shape = shape_of(tensor);
  const int order = tensor.order();
  const auto cells = cell_count(shape);
  const std::vector<Index> sizes = extents(tensor.modes());
  const std::vector<std::size_t> observed = observed_cells(tensor);
  const double eta = kStep * data_norm(tensor);

  std::vector<Prox> prox;
  for (int k = 0; k < order; ++k) prox.push_back(trace_norm_of_unfolding(shape, k, 1.0));
  DualState state{.answer = {std::vector<double>(static_cast<std::size_t>(cells), 0.0)},
                  .part = std::vector<Eigen::ArrayXd>(prox.size(), Eigen::ArrayXd::Zero(cells)),
                  .dual = Eigen::ArrayXd::Zero(cells),
                  .copies = Eigen::ArrayXd::Zero(cells),
                  .best = BestStep(options, run)};
  Dense& answer = state.answer;
  std::vector<Eigen::ArrayXd>& part = state.part;
  Eigen::ArrayXd& dual = state.dual;
  Eigen::ArrayXd& copies = state.copies;
  Summary& summary = state.summary;
  Eigen::Map<Eigen::ArrayXd> sum(answer.value.data(), cells);
  Eigen::ArrayXd next(cells);
  std::vector<double> norm(prox.size());
  run.guess_unseen();
  const auto add_test = [&](std::span<double> out) { add_values(answer, sizes, run.test()->cells, out); };
  const auto fields = [&](Archive& archive) { archive("admm", state); };
  if (run.go_on_from(fields) && state.step > *options.max_iterations) Archive::refuse("step", "this fit's");
  for (int step = ++state.step; step <= *options.max_iterations && !run.stop_before_step();
       step = ++state.step) {
    for (std::size_t e = 0; e < observed.size(); ++e) {
      const auto c = static_cast<Eigen::Index>(observed[e]);
      dual(c) = (copies(c) + tensor.values()[e] - sum(c)) / order;
    }
    parallel_tasks(order, [&](int k) {
      part[k] += dual;
      norm[k] = prox[k]({part[k].data(), answer.value.size()}, eta);
    });
    copies = sum + order * dual;
    next = part[0];
    for (int k = 1; k < order; ++k) next += part[k];
    copies -= next;

    const double missed = missed_square(tensor, observed, next);
    summary.objective = 0.0;
    for (const double one : norm) summary.objective += one;
    summary.iterations = step;
    const double moved = std::sqrt(std::max(missed, (next - sum).matrix().squaredNorm()));
    sum = next;
    const double rmse = std::sqrt(missed / static_cast<double>(tensor.size()));
    const bool again =
        end_step(moved, sum.matrix().norm(), {.train_rmse = rmse}, options, run, add_test, summary);
    state.best.note(answer.value);
    if (summary.reason != StopReason::kSmallChange && run.keep_wanted()) run.keep(fields);
    if (!again) break;
  }
  state.best.put_back(answer.value);
  if (run.stopped()) summary.reason = StopReason::kStopped;
  return {.body = std::move(answer), .summary = summary, .mixture = mixture(part)};
}

}  // namespace lacuna
