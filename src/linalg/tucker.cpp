// SPDX-License-Identifier: MIT
#include "linalg/tucker.hpp"

#include <algorithm>

#include "linalg/decompose.hpp"

namespace lacuna {
namespace {

// Seen from mode k a core is `right` blocks, one after the other, each a matrix of `left` x r_k.
struct Blocks {
  Eigen::Index left = 1;
  Eigen::Index right = 1;

  Blocks(const std::vector<int>& ranks, int mode) {
    for (int k = 0; k < static_cast<int>(ranks.size()); ++k) {
      if (k < mode) left *= ranks[k];
      if (k > mode) right *= ranks[k];
    }
  }
};

}  // namespace

std::vector<int> Tucker::ranks() const {
  std::vector<int> list;
  for (int k = 0; k < order(); ++k) list.push_back(rank(k));
  return list;
}

Eigen::Index core_size(const std::vector<int>& ranks) {
  Eigen::Index size = 1;
  for (const int rank : ranks) size *= rank;
  return size;
}

Eigen::VectorXd mode_product(const Eigen::VectorXd& core, const std::vector<int>& ranks, int mode,
                             const Eigen::MatrixXd& by) {
  const Blocks blocks(ranks, mode);
  const Eigen::Index from = blocks.left * ranks[mode];
  const Eigen::Index to = blocks.left * by.rows();
  Eigen::VectorXd out(to * blocks.right);
  for (Eigen::Index b = 0; b < blocks.right; ++b) {
    const Eigen::Map<const Eigen::MatrixXd> in(core.data() + b * from, blocks.left, ranks[mode]);
    Eigen::Map<Eigen::MatrixXd>(out.data() + b * to, blocks.left, by.rows()).noalias() = in * by.transpose();
  }
  return out;
}

Tucker reordered(const Tucker& x, std::span<const int> modes) {
  std::vector<Eigen::Index> stride(modes.size(), 1);  // in x.core, of its modes
  for (std::size_t k = 1; k < stride.size(); ++k) stride[k] = stride[k - 1] * x.rank(static_cast<int>(k) - 1);
  Tucker y{.core = Eigen::VectorXd(x.core.size()), .factors = {}};
  for (const int k : modes) y.factors.push_back(x.factors[k]);
  std::vector<int> at(modes.size(), 0);  // in y.core, first index fastest
  Eigen::Index from = 0;
  for (double& value : y.core) {
    value = x.core(from);
    for (std::size_t k = 0; k < at.size(); ++k) {
      from += stride[modes[k]];
      if (++at[k] < y.rank(static_cast<int>(k))) break;
      from -= at[k] * stride[modes[k]];
      at[k] = 0;
    }
  }
  return y;
}

Eigen::MatrixXd unfolding_product(const Eigen::VectorXd& a, const std::vector<int>& a_ranks,
                                  const Eigen::VectorXd& b, const std::vector<int>& b_ranks, int mode) {
  const Blocks blocks(a_ranks, mode);
  const int rows = a_ranks[mode];
  const int columns = b_ranks[mode];
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(rows, columns);
  for (Eigen::Index i = 0; i < blocks.right; ++i) {
    const Eigen::Map<const Eigen::MatrixXd> of_a(a.data() + i * blocks.left * rows, blocks.left, rows);
    const Eigen::Map<const Eigen::MatrixXd> of_b(b.data() + i * blocks.left * columns, blocks.left, columns);
    product.noalias() += of_a.transpose() * of_b;
  }
  return product;
}

Tucker orthonormalized(const Tucker& x) {
  Tucker out = x;
  for (int k = 0; k < x.order(); ++k) {
    const std::vector<int> ranks = out.ranks();
    const ThinQr basis = thin_qr(x.factors[k]);
    out.factors[k] = basis.q;
    out.core = mode_product(out.core, ranks, k, basis.r);
  }
  return out;
}

Tucker truncated_hosvd(const Tucker& x, const std::vector<int>& ranks) {
  Tucker out = orthonormalized(x);
  const std::vector<int> full = out.ranks();
  std::vector<Eigen::MatrixXd> leading;
  for (int k = 0; k < x.order(); ++k) {
    const Eigen::MatrixXd gram = unfolding_product(out.core, full, out.core, full, k);
    leading.emplace_back(symmetric_eigen(gram).vectors.rightCols(ranks[k]).rowwise().reverse());
  }
  for (int k = 0; k < x.order(); ++k) {
    out.core = mode_product(out.core, out.ranks(), k, leading[k].transpose());
    out.factors[k] = out.factors[k] * leading[k];
  }
  return out;
}

}  // namespace lacuna
