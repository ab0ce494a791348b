// SPDX-License-Identifier: MIT
// The dense decompositions the library uses, of small matrices or of tall ones with few columns. Compiled
// once, because Eigen's are the slowest thing here to compile.
#pragma once

#include <Eigen/Core>

namespace lacuna {

struct SymmetricEigen {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // in columns
};
// Reads the lower triangle only.
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

// columns = q r, where q has min(rows, columns) orthonormal columns and r is upper triangular.
struct ThinQr {
  Eigen::MatrixXd q;
  Eigen::MatrixXd r;
};
[[nodiscard]] ThinQr thin_qr(const Eigen::MatrixXd& columns);

// matrix = u diag(values) v', the values descending.
struct ThinSvd {
  Eigen::MatrixXd u;
  Eigen::VectorXd values;
  Eigen::MatrixXd v;
};
[[nodiscard]] ThinSvd thin_svd(const Eigen::MatrixXd& matrix);

}  // namespace lacuna
