// SPDX-License-Identifier: MIT
// Bayesian CP factorisation of the observed entries by mean-field variational inference (Zhao, Zhang,
// Cichocki 2015, "Bayesian CP Factorization of Incomplete Tensors with Automatic Rank Determination"):
//
//   Y_e ~ N(sum_r prod_k A_k(i_k, r), 1 / (w_e tau)),   rows of A_k ~ N(0, diag(gamma)^-1),
//   gamma_r ~ Gamma(c0, d0),   tau ~ Gamma(a0, b0)
//
//   q(row i of A_k) = N(m, V):   V = (E[tau] sum_{e in row} w_e E[g_e g_e'] + diag E[gamma])^-1
//                                m = E[tau] V sum_{e in row} w_e Y_e E[g_e]
//   q(gamma_r) = Gamma(c0 + sum_k n_k / 2, d0 + 1/2 sum_k E||A_k(:, r)||^2)
//   q(tau)     = Gamma(a0 + N / 2, b0 + 1/2 sum_e w_e E(Y_e - X_e)^2)
//
// with g_e the product of the other modes' rows, whose second moments are products of theirs, entry by entry
// of the matrix. gamma_r grows without limit for a component that the data do not need, which is then
// dropped.
//
// A sweep costs O(K N R^2 + sum_k n_k R^3); memory is O(K N + sum_k n_k R^2). Symmetric matrices are kept as
// their lower triangles. Weights count relative to their mean. Values are divided by a K-th of their
// deviation.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "base/archive.hpp"
#include "base/rng.hpp"
#include "model/bodies.hpp"

namespace lacuna {

class BayesCp {
 public:
  // The tensor must outlive this. Spectral: leading singular vectors of the unfoldings, what is missing at
  // the mean. Random: normal numbers.
  BayesCp(const ObservedTensor& tensor, int rank, Start start, Rng& rng);
  // Goes on from a model of the same modes that knows its covariances.
  BayesCp(const ObservedTensor& tensor, const Cp& from);

  // Updates the rows of every mode, then gamma and tau. False when it was interrupted on the way. Balanced:
  // columns are rescaled among the modes before gamma, for which the updates alone take hundreds of sweeps.
  [[nodiscard]] bool sweep(const Interrupted& interrupted, bool balanced);
  // Drops the components whose means are 0 to rounding; one always stays.
  void prune();

  [[nodiscard]] double lower_bound() const { return bound_; }  // of the last sweep, log p(Y) or less
  [[nodiscard]] int rank() const { return static_cast<int>(mode_[0].mean.cols()); }
  [[nodiscard]] double train_rmse() const;
  [[nodiscard]] Cp means() const;  // without covariances, in the units of the data
  [[nodiscard]] Cp model() const;

  // All that sweeps change, between two of them.
  void fields(Archive& archive);

 private:
  struct Moments {
    Matrix<double> mean;        // n_k x R
    Matrix<double> covariance;  // n_k x R (R + 1) / 2
    Matrix<double> second;  // mean mean' + covariance; at the start the covariance alone, as the authors do
    std::vector<double> log_determinant;  // of each row's covariance
    std::vector<int> others{};            // the other modes, the shortest first
    std::vector<Index> order{};           // the entries by row, then by the other modes
    std::vector<Count> begin{};           // where each row's begin in it
  };

  class RowSums;

  explicit BayesCp(const ObservedTensor& tensor);
  void resize(int rank);
  void start_spectral(Rng& rng);
  void update_mode(std::size_t k);
  void update_row(Moments& mode, Count row, const RowSums& sums);
  void balance();
  void scale_column(Moments& mode, Eigen::Index r, double factor);
  void update_gamma();
  void update_noise();
  void set_bound();

  const ObservedTensor* tensor_;
  double scale_ = 1.0;  // values are divided by it
  double mean_weight_ = 1.0;
  std::vector<Moments> mode_;
  Eigen::VectorXd gamma_;  // expected
  Eigen::VectorXd gamma_rate_;
  double noise_ = 1.0;  // expected precision
  double noise_rate_ = 1.0;
  double square_ = 0.0;             // sum_e w_e Y_e^2
  double misfit_ = 0.0;             // sum_e w_e E(Y_e - X_e)^2
  std::vector<double> row_misfit_;  // of the mode updated last, without the squares of Y
  double bound_ = 0.0;
};

}  // namespace lacuna
