// SPDX-License-Identifier: MIT
// Dense K-way arrays, first index fastest, and their unfoldings.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace lacuna {

using Shape = std::vector<Eigen::Index>;

[[nodiscard]] Eigen::Index cell_count(const Shape& shape);

// The array seen from one mode: element (l, i, r) lies at l + left * (i + size * r).
struct ModeView {
  Eigen::Index left = 1;   // product of the sizes before it
  Eigen::Index size = 1;   // its own
  Eigen::Index right = 1;  // product of the sizes after it
};
[[nodiscard]] ModeView mode_view(const Shape& shape, int mode);

// X_(k): a row for each index of mode k, a column l + left * r for each choice of the others.
[[nodiscard]] Eigen::MatrixXd unfold(std::span<const double> x, const Shape& shape, int mode);
void fold(const Eigen::MatrixXd& unfolding, const Shape& shape, int mode, std::span<double> x);

}  // namespace lacuna
