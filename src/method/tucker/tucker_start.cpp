// SPDX-License-Identifier: MIT
#include "method/tucker/tucker_start.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/part_set.hpp"
#include "kernels/tucker_kernels.hpp"
#include "linalg/decompose.hpp"
#include "method/ranks.hpp"
#include "problem/initial_point.hpp"
#include "problem/tucker_problem.hpp"

namespace lacuna {
namespace {

// Leading left singular vectors of the unfolding in mode k of the observed entries with these values.
Matrix<double> leading(const ObservedTensor& tensor, int mode, std::span<const double> values, int count,
                       const Communicator& everyone, Rng& rng) {
  const PartSet part(tensor, {full_parts(tensor.order())[mode]}, everyone);
  return leading_vectors<double>(part, 0, values, count, rng).left;
}

// Rows of positions without an entry are 0: the data do not determine them and the gradient is 0 there.
void clear_unobserved(const ObservedTensor& tensor, int mode, const Communicator& everyone,
                      Matrix<double>& factor) {
  std::vector<bool> seen(tensor.extent(mode), false);
  for (const Index i : tensor.index(mode)) seen[i] = true;
  everyone.any(seen);
  for (Index i = 0; i < tensor.extent(mode); ++i)
    if (!seen[i]) factor.row(i).setZero();
}

// G = Y x_k U_k', times the number that brings it nearest to Y on the observed entries.
void fit_core(const ObservedTensor& tensor, const Communicator& everyone, Tucker& x) {
  const TuckerProblem problem(tensor, everyone);
  Tucker seen = x;
  x.core.setZero(core_size(x.ranks()));
  seen.core = x.core;
  add_gradient(x, tensor.cells(), tensor.values(), seen);
  everyone.sum(std::span<double>(seen.core.data(), static_cast<std::size_t>(seen.core.size())));
  seen.factors = x.factors;
  TuckerProblem::State state;
  problem.evaluate(x, nullptr, state);
  Tucker along = seen;  // from 0 in the direction of the core
  for (Matrix<double>& factor : along.factors) factor.setZero();
  const double best = problem.step_length(x, state, along);
  x.core = (std::isfinite(best) ? best : 0.0) * seen.core;
}

}  // namespace

std::vector<int> tucker_ranks(const ObservedTensor& tensor, const Settings& options, bool full,
                              const FitRun& run) {
  const auto order = static_cast<std::size_t>(tensor.order());
  const std::vector<int> wanted = ranks_for(options, order, "modes; give one, or one for each mode");
  std::vector<int> ranks = wanted;
  for (std::size_t k = 0; k < order; ++k)
    ranks[k] = static_cast<int>(std::min<std::int64_t>(ranks[k], tensor.extent(static_cast<int>(k))));
  for (bool changed = full; changed;) {
    changed = false;
    for (std::size_t k = 0; k < order; ++k) {
      double others = 1.0;
      for (std::size_t l = 0; l < order; ++l) others *= l == k ? 1.0 : ranks[l];
      if (ranks[k] <= others) continue;
      ranks[k] = static_cast<int>(others);
      changed = true;
    }
  }
  for (std::size_t k = 0; k < order && options.ranks.given(); ++k)
    if (ranks[k] != wanted[k])
      run.notice("rank " + std::to_string(wanted[k]) + " of mode " + std::to_string(k + 1) +
                 " is capped at " + std::to_string(ranks[k]) +
                 ", the size of the mode or the product of the other ranks");
  return ranks;
}

Tucker random_tucker_start(const ObservedTensor& tensor, const std::vector<int>& ranks,
                           const Communicator& everyone, Rng& rng) {
  Tucker x;
  for (int k = 0; k < tensor.order(); ++k) {
    Matrix<double> factor(tensor.extent(k), ranks[k]);
    for (double& value : flat(factor)) value = rng.normal();
    clear_unobserved(tensor, k, everyone, factor);
    x.factors.emplace_back(thin_qr(factor).q);
  }
  fit_core(tensor, everyone, x);
  return x;
}

Tucker spectral_tucker_start(const ObservedTensor& tensor, const std::vector<int>& ranks,
                             const Communicator& everyone, Rng& rng) {
  Tucker x;
  for (int k = 0; k < tensor.order(); ++k) {
    x.factors.push_back(leading(tensor, k, tensor.values(), ranks[k], everyone, rng));
    clear_unobserved(tensor, k, everyone, x.factors[k]);
  }
  fit_core(tensor, everyone, x);
  return orthonormalized(x);
}

Tucker grown(const Tucker& x, const ObservedTensor& tensor, const std::vector<double>& residual,
             const std::vector<int>& ranks, const Communicator& everyone, Rng& rng) {
  Tucker larger = x;
  for (int k = 0; k < x.order(); ++k) {
    const int more = ranks[k] - x.rank(k);
    if (more == 0) continue;
    Matrix<double> columns(x.factors[k].rows(), ranks[k]);
    columns << x.factors[k], leading(tensor, k, residual, more, everyone, rng);
    clear_unobserved(tensor, k, everyone, columns);
    const std::vector<int> before = larger.ranks();
    const ThinQr basis = thin_qr(columns);  // the first columns are kept up to signs
    larger.factors[k] = basis.q;
    larger.core = mode_product(larger.core, before, k, basis.r.leftCols(x.rank(k)));
  }
  return larger;
}

}  // namespace lacuna
