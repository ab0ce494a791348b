// SPDX-License-Identifier: MIT
// Singular value thresholding, the proximal operator of the nuclear norm:
//
//   argmin_Z  tau ||Z||_* + 1/2 ||Z - X||^2  =  U (S - tau)_+ V'   where X = U S V'.
//
// From the eigendecomposition of the smaller Gram matrix, so with m <= n the sides of X in O(m^2 n) time and
// with nothing of size n x n. Singular values below 1e-8 of the largest are lost to rounding in the Gram
// matrix; they survive no threshold that matters.
//
// With r values unshrunk, those of the r largest that are above tau stay as they are (Chen, Yang, Sun 2020):
// the large ones carry what is sought, and shrinking them is a bias. The r largest then cost tau / 2 each and
// the others their size, so this is the proximal operator of
//
//   sum_{i <= r} tau/2 [sigma_i > 0] + sum_{i > r} sigma_i.
#pragma once

#include "linalg/unfold.hpp"

namespace lacuna {

// Thresholds x in place, real or complex; returns the nuclear norm of what is left, that of the
// unshrunk values not counted.
double threshold_singular_values(Eigen::MatrixXd& x, double tau, Eigen::Index unshrunk = 0);
double threshold_singular_values(Eigen::MatrixXcd& x, double tau, Eigen::Index unshrunk = 0);

// The same of an unfolding of x, which is not written down where that can be helped.
double threshold_unfolding(std::span<double> x, const Shape& shape, int mode, double tau,
                           Eigen::Index unshrunk = 0);

}  // namespace lacuna
