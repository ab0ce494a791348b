// SPDX-License-Identifier: MIT
// What the known rows of a factor say of one that is not known: their mean, and how far from it they lie.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>

#include "linalg/matrix.hpp"

namespace lacuna {

struct RowPrior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd precision;  // the inverse of the rows' covariance
};

// known[i]: whether row i counts; empty: all do.
[[nodiscard]] RowPrior row_prior(const Matrix<double>& rows, std::span<const char> known);

}  // namespace lacuna
