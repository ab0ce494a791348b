// SPDX-License-Identifier: MIT
#include "method/dense/dense.hpp"

#include <numeric>

#include "base/parallel.hpp"
#include "linalg/svt.hpp"

namespace lacuna {

Shape shape_of(const ObservedTensor& tensor) {
  Shape shape;
  for (int k = 0; k < tensor.order(); ++k) shape.push_back(tensor.extent(k));
  return shape;
}

std::vector<std::size_t> observed_cells(const ObservedTensor& tensor) {
  std::vector<std::size_t> cells(static_cast<std::size_t>(tensor.size()), 0);
  for (int k = tensor.order() - 1; k >= 0; --k)
    for (std::size_t e = 0; e < cells.size(); ++e)
      cells[e] = cells[e] * tensor.extent(k) + tensor.index(k)[e];
  return cells;
}

double data_norm(const ObservedTensor& tensor) {
  const auto values = tensor.values();
  const double norm = Eigen::Map<const Eigen::VectorXd>(values.data(), tensor.size()).norm();
  return norm > 0.0 ? norm : 1.0;
}

bool end_step(double moved, double size, const Measured& measured, const Settings& options, FitRun& run,
              const FitRun::AddTest& add_test, Summary& summary) {
  summary.gradient_norm = moved;
  summary.relative_gradient = relative_gradient_norm(moved, size);
  const IterationRecord record{.iteration = summary.iterations,
                               .objective = summary.objective,
                               .gradient_norm = summary.gradient_norm,
                               .relative_gradient = summary.relative_gradient};
  if (run.report(record, measured, add_test) == Flow::kStop) return false;
  if (summary.relative_gradient > *options.tolerance) return true;
  summary.reason = StopReason::kSmallChange;
  return false;
}

Prox trace_norm_of_unfolding(const Shape& shape, int mode, double weight, Eigen::Index unshrunk) {
  return [=](std::span<double> x, double tau) {
    return weight * threshold_unfolding(x, shape, mode, weight * tau, unshrunk);
  };
}

namespace {

template <class Cells>
void put(std::span<const double> values, const std::vector<std::size_t>& observed, Cells& at) {
  for (std::size_t e = 0; e < observed.size(); ++e) at(static_cast<Eigen::Index>(observed[e])) = values[e];
}

// All that steps change.
struct AdmmState {
  Dense answer{};                       // X
  std::vector<Eigen::ArrayXd> copy{};   // M_k
  std::vector<Eigen::ArrayXd> shift{};  // U_k
  double tau = 1.0;                     // 1 / rho
  double kept = 1.0;                    // of U = T / rho, now that rho has grown
  int step = 0;                         // whole ones
  Summary summary{.reason = StopReason::kMaxIterations};
  BestStep best;

  template <class A>
  void fields(A& archive) {
    archive("x", answer.value);
    archive("copy", copy);
    archive("shift", shift);
    archive("tau", tau);
    archive("kept", kept);
    archive("step", step);
    archive("summary", summary);
    archive("best", best);
    if (!best.fits(answer.value.size())) A::refuse("best", "as many cells as there are");
  }
};

}  // namespace

Solved complete_exactly(const ObservedTensor& tensor, const Settings& options, FitRun& run,
                        const ExactAdmm& admm) {
  const std::vector<Index> sizes = extents(tensor.modes());
  const std::vector<std::size_t> observed = observed_cells(tensor);
  const auto terms = static_cast<int>(admm.terms.size());
  const auto cells = cell_count(shape_of(tensor));

  AdmmState state{.answer = {std::vector<double>(static_cast<std::size_t>(cells))},
                  .tau = admm.step * data_norm(tensor),
                  .best = BestStep(options, run)};
  Dense& answer = state.answer;
  std::vector<Eigen::ArrayXd>& copy = state.copy;
  std::vector<Eigen::ArrayXd>& shift = state.shift;
  Summary& summary = state.summary;
  Eigen::Map<Eigen::ArrayXd> x(answer.value.data(), cells);
  const auto set_observed = [&](auto& at) { put(tensor.values(), observed, at); };
  set_observed(x);
  copy.assign(admm.terms.size(), x);
  shift.assign(admm.terms.size(), Eigen::ArrayXd::Zero(cells));
  std::vector<double> norm(admm.terms.size());
  std::vector<double> gap(admm.terms.size());  // ||M_k - X||^2

  const auto add_test = [&](std::span<double> out) { add_values(answer, sizes, run.test()->cells, out); };
  run.guess_unseen();
  Eigen::ArrayXd next(cells);
  const auto fields = [&](Archive& archive) { archive("admm", state); };
  if (run.go_on_from(fields) && state.step > *options.max_iterations) Archive::refuse("step", "this fit's");
  for (int step = ++state.step; step <= *options.max_iterations && !run.stop_before_step();
       step = ++state.step) {
    parallel_tasks(terms, [&](int k) {
      shift[k] = state.kept * (shift[k] + x - copy[k]);
      copy[k] = x + shift[k];
      norm[k] = admm.terms[k]({copy[k].data(), answer.value.size()}, state.tau);
      gap[k] = (copy[k] - x).matrix().squaredNorm();
    });
    next = copy[0] - shift[0];
    for (int k = 1; k < terms; ++k) next += copy[k] - shift[k];
    next /= terms;
    set_observed(next);

    summary.objective = std::accumulate(norm.begin(), norm.end(), 0.0);
    const double apart = std::accumulate(gap.begin(), gap.end(), 0.0) / terms;
    summary.iterations = step;
    const double moved = std::sqrt(std::max(apart, (next - x).matrix().squaredNorm()));
    x = next;
    const bool again = end_step(moved, x.matrix().norm(), {}, options, run, add_test, summary);
    state.best.note(answer.value);
    state.tau /= admm.growth;
    state.kept = 1.0 / admm.growth;
    if (summary.reason != StopReason::kSmallChange && run.keep_wanted()) run.keep(fields);
    if (!again) break;
  }
  state.best.put_back(answer.value);
  if (run.stopped()) summary.reason = StopReason::kStopped;
  return {.body = std::move(answer), .summary = summary};
}

}  // namespace lacuna
