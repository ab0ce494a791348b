// SPDX-License-Identifier: MIT
#include "kernels/tucker_kernels.hpp"

#include <algorithm>
#include <lacuna/tensor/tensor.hpp>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "kernels/core_chain.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

bool inside(const Tucker& x, const Cells& index, Count i) {
  for (int k = 0; k < x.order(); ++k)
    if (index[k][i] >= x.factors[k].rows()) return false;
  return true;
}

// The tree of a list's cells (slices, their fibers, their cells), walked up as it is left:
//
//   up[k] = sum of e u_k x u_{k+1} x ... over the cells of the subtree, of r_k x ... x r_K
//
// When the subtree below position i of mode k is done, up[k] takes u_k(i) x up[k+1], and row i of factor k's
// gradient takes level[k] contracted with up[k+1].
class GradientWalk {
 public:
  GradientWalk(const Tucker& x, Tucker& gradient)
      : x_(&x), gradient_(&gradient), chain_(x), up_(static_cast<std::size_t>(x.order())) {
    for (int k = 0; k < x.order(); ++k) up_[k].setZero(chain_.level(k).size());
  }

  void visit(const Cells& index, Count begin, Count end, std::span<const double> e) {
    const int last = x_->order() - 1;
    for (Count i = begin; i < end; ++i) {
      const int changed = i == begin ? 0 : first_difference(index, i - 1, i);
      if (i > begin) leave(index, i - 1, changed);
      for (int k = changed; k < last; ++k) chain_.step(k, index[k][i]);
      take(index[last][i], e[i]);
    }
    if (end > begin) leave(index, end - 1, 0);
    gradient_->core += up_[0];
    up_[0].setZero();
  }

 private:
  // A cell, the end of a branch.
  void take(Index row, double e) {
    const int last = x_->order() - 1;
    const int rank = x_->rank(last);
    const double* u = x_->factors[last].data() + static_cast<std::ptrdiff_t>(row) * rank;
    double* g = gradient_->factors[last].data() + static_cast<std::ptrdiff_t>(row) * rank;
    const double* level = chain_.level(last).data();
    double* up = up_[last].data();
    for (int j = 0; j < rank; ++j) {
      up[j] += e * u[j];
      g[j] += e * level[j];
    }
  }

  // The subtrees of cell i from the deepest up to that of mode `mode`.
  void leave(const Cells& index, Count i, int mode) {
    for (int k = x_->order() - 2; k >= mode; --k) {
      const int rank = x_->rank(k);
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(index[k][i]) * rank;
      const double* u = x_->factors[k].data() + row;
      double* g = gradient_->factors[k].data() + row;
      const double* level = chain_.level(k).data();
      double* here = up_[k].data();
      for (double& below : up_[k + 1]) {
        for (int j = 0; j < rank; ++j) {
          here[j] += below * u[j];
          g[j] += below * level[j];
        }
        here += rank;
        level += rank;
        below = 0.0;
      }
    }
  }

  const Tucker* x_;
  Tucker* gradient_;
  CoreChain chain_;
  std::vector<Eigen::VectorXd> up_;
};

// Pieces that the list is cut into, each with a gradient of its own: a number that depends on the problem
// alone, and keeps the gradients below the list in size.
Count piece_count(const Tucker& x, Count cells) {
  constexpr Count kMostPieces = 32;
  Count numbers = x.core.size();
  for (const Matrix<double>& factor : x.factors) numbers += factor.size();
  return std::clamp<Count>(cells / std::max(kBlock, numbers / 2), 1, kMostPieces);
}

Tucker zeros_like(const Tucker& x) {
  Tucker zeros;
  zeros.core.setZero(x.core.size());
  for (const Matrix<double>& factor : x.factors)
    zeros.factors.emplace_back(Matrix<double>::Zero(factor.rows(), factor.cols()));
  return zeros;
}

}  // namespace

void add_values(const Tucker& x, const Cells& index, std::span<double> out) {
  parallel_blocks(static_cast<Count>(out.size()), [&](Count begin, Count end) {
    CoreChain chain(x);
    Count last = -1;  // the cell the chain is at
    for (Count i = begin; i < end; ++i) {
      if (!inside(x, index, i)) continue;
      for (int k = last < 0 ? 0 : first_difference(index, last, i); k < x.order(); ++k)
        chain.step(k, index[k][i]);
      last = i;
      out[i] += chain.value();
    }
  });
}

Count distinct_cells(const Cells& index, std::span<const int> modes) {
  const std::vector<Index> order = lexicographic_order(index, modes);
  Count count = order.empty() ? 0 : 1;
  for (std::size_t j = 1; j < order.size(); ++j)
    if (std::any_of(modes.begin(), modes.end(),
                    [&](int k) { return index[k][order[j]] != index[k][order[j - 1]]; }))
      ++count;
  return count;
}

std::vector<int> thin_order(const Cells& index) {
  return thin_order(index.order(),
                    [&](const std::vector<int>& modes) { return distinct_cells(index, modes); });
}

std::vector<int> thin_order(int order, const std::function<Count(const std::vector<int>&)>& distinct) {
  std::vector<int> modes(static_cast<std::size_t>(order));
  std::iota(modes.begin(), modes.end(), 0);
  for (std::size_t last = modes.size() - 1; last > 0; --last) {
    std::size_t best = last;
    Count fewest = std::numeric_limits<Count>::max();
    for (std::size_t k = last + 1; k-- > 0;) {  // of equals the later stays last
      std::vector<int> others(modes.begin(), modes.begin() + static_cast<std::ptrdiff_t>(last) + 1);
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      const Count fibers = distinct(others);
      if (fibers >= fewest) continue;
      fewest = fibers;
      best = k;
    }
    std::rotate(modes.begin() + static_cast<std::ptrdiff_t>(best),
                modes.begin() + static_cast<std::ptrdiff_t>(best) + 1,
                modes.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }
  return modes;
}

SortedCells::SortedCells(const Cells& list) : cells(list) {
  std::vector<int> modes(static_cast<std::size_t>(list.order()));
  std::iota(modes.begin(), modes.end(), 0);
  order = lexicographic_order(list, modes);
  for (int k = 0; k < list.order(); ++k)
    for (std::size_t j = 0; j < order.size(); ++j) cells.mode(k)[j] = list.mode(k)[order[j]];
}

void add_values(const Tucker& x, const SortedCells& cells, std::span<double> out) {
  std::vector<double> value(cells.order.size(), 0.0);
  add_values(x, cells.cells, value);
  for (std::size_t j = 0; j < value.size(); ++j) out[cells.order[j]] += value[j];
}

void add_derivatives(const Tucker& x, const Tucker& u, const Cells& index, std::span<double> out) {
  parallel_blocks(static_cast<Count>(out.size()), [&](Count begin, Count end) {
    CoreChain chain(x);
    CoreChain derivative(u);  // of the chain's levels, along u
    for (Count i = begin; i < end; ++i) {
      for (int k = i == begin ? 0 : first_difference(index, i - 1, i); k < x.order(); ++k) {
        derivative.step_derivative(k, index[k][i], chain);
        chain.step(k, index[k][i]);
      }
      out[i] += derivative.value();
    }
  });
}

void add_gradient(const Tucker& x, const Cells& index, std::span<const double> e, Tucker& gradient) {
  const auto cells = static_cast<Count>(e.size());
  const Count pieces = piece_count(x, cells);
  if (pieces == 1) {
    GradientWalk(x, gradient).visit(index, 0, cells, e);
    return;
  }
  std::vector<Tucker> partial(static_cast<std::size_t>(pieces));
  parallel_blocks(
      pieces,
      [&](Count piece, Count) {
        partial[piece] = zeros_like(x);
        GradientWalk(x, partial[piece]).visit(index, cells * piece / pieces, cells * (piece + 1) / pieces, e);
      },
      1);
  for (const Tucker& one : partial) {
    gradient.core += one.core;
    for (int k = 0; k < x.order(); ++k) gradient.factors[k] += one.factors[k];
  }
}

}  // namespace lacuna
