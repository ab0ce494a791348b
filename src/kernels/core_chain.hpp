// SPDX-License-Identifier: MIT
// The core of a Tucker tensor, contracted with the rows of one cell after another.
#pragma once

#include <Eigen/Core>
#include <lacuna/linalg/tucker.hpp>
#include <lacuna/tensor/entries.hpp>
#include <vector>

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
  void step(int mode, Index row) {
    const Eigen::VectorXd& from = levels_[mode];
    const int rank = x_->rank(mode);
    const Eigen::Map<const Eigen::MatrixXd> unfolded(from.data(), rank, from.size() / rank);
    levels_[mode + 1].noalias() = unfolded.transpose() * x_->factors[mode].row(row).transpose();
  }

  [[nodiscard]] const Eigen::VectorXd& level(int mode) const { return levels_[mode]; }
  [[nodiscard]] double value() const { return levels_.back()(0); }

 private:
  const Tucker* x_;
  std::vector<Eigen::VectorXd> levels_;
};

// The first mode in which two cells of a list differ; the order when they are the same.
[[nodiscard]] inline int first_difference(const std::vector<std::vector<Index>>& index, Count a, Count b) {
  int mode = 0;
  while (mode < static_cast<int>(index.size()) && index[mode][a] == index[mode][b]) ++mode;
  return mode;
}

}  // namespace lacuna
