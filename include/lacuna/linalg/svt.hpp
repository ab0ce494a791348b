// SPDX-License-Identifier: MIT
// Singular value thresholding, the proximal operator of the nuclear norm:
//
//   argmin_Z  tau ||Z||_* + 1/2 ||Z - X||^2  =  U (S - tau)_+ V'   where X = U S V'.
//
// From the eigendecomposition of the smaller Gram matrix, so with m <= n the sides of X in O(m^2 n) time and
// with nothing of size n x n. Singular values below 1e-8 of the largest are lost to rounding in the Gram
// matrix; they survive no threshold that matters.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace lacuna {

// Thresholds x in place, real or complex; returns the nuclear norm of what is left.
template <class MatrixType>
double threshold_singular_values(MatrixType& x, double tau) {
  const bool wide = x.rows() <= x.cols();
  MatrixType gram = MatrixType::Zero(std::min(x.rows(), x.cols()), std::min(x.rows(), x.cols()));
  if (wide)
    gram.template selfadjointView<Eigen::Lower>().rankUpdate(x);
  else
    gram.template selfadjointView<Eigen::Lower>().rankUpdate(x.adjoint());
  const Eigen::SelfAdjointEigenSolver<MatrixType> eigen(gram);  // values ascend

  double norm = 0.0;
  Eigen::Index kept = 0;
  Eigen::VectorXd shrink(gram.rows());  // from the end: 1 - tau / sigma
  for (Eigen::Index i = gram.rows() - 1; i >= 0; --i, ++kept) {
    const double sigma = std::sqrt(std::max(0.0, eigen.eigenvalues()(i)));
    if (!(sigma > tau)) break;
    shrink(i) = 1.0 - tau / sigma;
    norm += sigma - tau;
  }
  const MatrixType vectors = eigen.eigenvectors().rightCols(kept);
  const MatrixType shrunk = vectors * shrink.tail(kept).asDiagonal();
  if (wide) {
    const MatrixType inner = vectors.adjoint() * x;
    x.noalias() = shrunk * inner;
  } else {
    const MatrixType inner = x * vectors;
    x.noalias() = inner * shrunk.adjoint();
  }
  return norm;
}

}  // namespace lacuna
