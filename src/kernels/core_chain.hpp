// SPDX-License-Identifier: MIT
// The core of a Tucker tensor, contracted with the rows of one cell after another.
#pragma once

#include <Eigen/Core>
#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "linalg/tucker.hpp"

namespace lacuna {

// levels[k] = G x_1 u_1 ... x_k u_k, of r_{k+1} x ... x r_K, first index fastest; levels[K] is the value.
class CoreChain {
 public:
  explicit CoreChain(const Tucker& x) : x_(&x), levels_(static_cast<std::size_t>(x.order()) + 1) {
    levels_[0] = x.core;
    Eigen::Index size = x.core.size();
    for (int k = 0; k < x.order(); ++k) {
      size /= x.rank(k);
      levels_[k + 1].resize(size);
    }
  }

  // Contracts mode `mode` with row `row`; the modes before it must be up to date.
  void step(int mode, Index row) { contract<false>(levels_[mode], *x_, mode, row); }

  // Where the tensor of this chain, u, is a direction at the point of the chain `at`, and levels are to be
  // the derivatives of that chain's: levels[k+1] = levels[k] x at's row + at's levels[k] x u's row.
  void step_derivative(int mode, Index row, const CoreChain& at) {
    contract<false>(levels_[mode], *at.x_, mode, row);
    contract<true>(at.levels_[mode], *x_, mode, row);
  }

  [[nodiscard]] const Eigen::VectorXd& level(int mode) const { return levels_[mode]; }
  [[nodiscard]] double value() const { return levels_.back()(0); }

 private:
  // levels[mode+1] (+)= from x_mode the row of x. Plain loops: the matrices are too small for Eigen's
  // products.
  template <bool kAdd>
  void contract(const Eigen::VectorXd& from, const Tucker& x, int mode, Index row) {
    const int rank = x.rank(mode);
    const double* u = x.factors[mode].data() + static_cast<std::ptrdiff_t>(row) * rank;
    const double* block = from.data();
    for (double& out : levels_[mode + 1]) {
      double sum = 0.0;
      for (int j = 0; j < rank; ++j) sum += block[j] * u[j];
      out = kAdd ? out + sum : sum;
      block += rank;
    }
  }

  const Tucker* x_;
  std::vector<Eigen::VectorXd> levels_;
};

// The first mode in which two cells of a list differ; the order when they are the same.
[[nodiscard]] inline int first_difference(const Cells& cells, Count a, Count b) {
  int mode = 0;
  while (mode < cells.order() && cells[mode][a] == cells[mode][b]) ++mode;
  return mode;
}

}  // namespace lacuna
