// SPDX-License-Identifier: MIT
// The simple things a model may add to its offsets: every cell's value, or a sum of rank-one tensors. The
// others are Latent (latent.hpp) and Tucker (linalg/tucker.hpp).
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

#include "linalg/matrix.hpp"

namespace lacuna {

// Every cell, first index fastest.
struct Dense {
  std::vector<double> value;
  // Modes whose positions have values whether an entry was observed there or not.
  std::vector<int> spanned{};
};

// X(i_1..i_K) = sum_r A_1(i_1, r) ... A_K(i_K, r), weights absorbed.
struct Cp {
  std::vector<Matrix<double>> factors;  // n_k x R

  // What a Bayesian fit also knows; empty and 0 for a point estimate.
  std::vector<Matrix<double>> covariance{};  // row i: the posterior covariance of row i of factor k, R x R
  double noise_precision = 0.0;
};

// out[i] += X(cell i), index[k][i] its position along mode k. A cell with a position beyond a mode's size
// gets nothing.
void add_values(const Dense& x, const std::vector<Index>& sizes, const Cells& cells, std::span<double> out);
void add_values(const Cp& x, const Cells& cells, std::span<double> out);

// out[i] += the predictive variance at cell i to first order in the covariances, noise included (Zhao, Zhang,
// Cichocki 2015, in the limit of many entries):
//
//   1 / noise_precision + sum_k g_k' cov(row of factor k) g_k,   g_k = product of the other modes' rows
//
// Infinite for a cell with a position beyond a mode's size. O(K R^2) a cell. Needs the covariance.
void add_variances(const Cp& x, const Cells& cells, std::span<double> out);

}  // namespace lacuna
