// SPDX-License-Identifier: MIT
// Singular value thresholding, the proximal operator of the nuclear norm:
//
//   argmin_Z  tau ||Z||_* + 1/2 ||Z - X||^2  =  U (S - tau)_+ V'   where X = U S V'.
//
// From the eigendecomposition of the smaller Gram matrix, so with m <= n the sides of X in O(m^2 n) time and
// with nothing of size n x n. Singular values below 1e-8 of the largest are lost to rounding in the Gram
// matrix; a useful threshold sets them to 0 anyway.
#pragma once

#include "linalg/unfold.hpp"

namespace lacuna {

// Thresholds x in place, real or complex; returns the nuclear norm of what is left.
double threshold_singular_values(Eigen::MatrixXd& x, double tau);
double threshold_singular_values(Eigen::MatrixXcd& x, double tau);

// The same for an unfolding of x, without copying it where its layout allows.
double threshold_unfolding(std::span<double> x, const Shape& shape, int mode, double tau);

}  // namespace lacuna
