// SPDX-License-Identifier: MIT
#include "model/bodies.hpp"

#include <limits>

#include "base/parallel.hpp"

namespace lacuna {

void add_values(const Dense& x, const std::vector<Index>& sizes, const Cells& cells, std::span<double> out) {
  parallel_blocks(static_cast<Count>(out.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i) {
      bool inside = true;
      std::size_t cell = 0;
      for (std::size_t k = sizes.size(); k-- > 0;) {
        inside = inside && cells[k][i] < sizes[k];
        cell = cell * sizes[k] + cells[k][i];
      }
      if (inside) out[i] += x.value[cell];
    }
  });
}

void add_values(const Cp& x, const Cells& cells, std::span<double> out) {
  parallel_blocks(static_cast<Count>(out.size()), [&](Count begin, Count end) {
    Eigen::RowVectorXd product(x.factors[0].cols());
    for (Count i = begin; i < end; ++i) {
      bool inside = true;
      product.setOnes();
      for (std::size_t k = 0; k < x.factors.size() && inside; ++k) {
        inside = cells[k][i] < x.factors[k].rows();
        if (inside) product.array() *= x.factors[k].row(cells[k][i]).array();
      }
      if (inside) out[i] += product.sum();
    }
  });
}

void add_variances(const Cp& x, const Cells& cells, std::span<double> out) {
  const Eigen::Index rank = x.factors[0].cols();
  const std::size_t order = x.factors.size();
  parallel_blocks(static_cast<Count>(out.size()), [&](Count begin, Count end) {
    Eigen::VectorXd others(rank);
    for (Count i = begin; i < end; ++i) {
      bool inside = true;
      for (std::size_t k = 0; k < order; ++k) inside = inside && cells[k][i] < x.factors[k].rows();
      if (!inside) {
        out[i] = std::numeric_limits<double>::infinity();
        continue;
      }
      out[i] += 1.0 / x.noise_precision;
      for (std::size_t k = 0; k < order; ++k) {
        others.setOnes();
        for (std::size_t other = 0; other < order; ++other)
          if (other != k) others.array() *= x.factors[other].row(cells[other][i]).transpose().array();
        const Eigen::Map<const Eigen::MatrixXd> covariance(x.covariance[k].row(cells[k][i]).data(), rank,
                                                           rank);
        out[i] += others.dot(covariance * others);
      }
    }
  });
}

}  // namespace lacuna
