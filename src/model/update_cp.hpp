// SPDX-License-Identifier: MIT
// A Bayesian CP tensor while a model is updated: rows of its factors of which some are solved for, each as the fit itself
// would with all else as it is (bayes_cp.hpp):
//
//   row ~ N(m, V):   V = (tau sum_{e in row} w_e E[g_e g_e'] + diag gamma)^-1,   m = tau V sum_{e in row} w_e y_e E[g_e]
//
// with g_e the product of the other modes' rows, y_e the value without the offsets, and gamma, tau and the mean weight, which
// weights are relative to, as the fit left them: gamma_r = sum_k n_k / sum_k E||A_k(:, r)||^2. A known row that moves is
// solved for with all its entries, those that the model was fitted on and the new ones.
#pragma once

#include <lacuna/model/update.hpp>
#include <vector>

#include "model/bodies.hpp"
#include "model/update_effects.hpp"
#include "model/update_entries.hpp"

namespace lacuna {

class CpUpdate {
 public:
  // The body of the model is a CP tensor with covariances, fitted on `old`; the joined entries have their values.
  CpUpdate(const Model& model, const ObservedTensor& old, JoinedEntries joined);

  [[nodiscard]] UpdateEntries& entries() { return entries_; }
  // gamma is all there is to choose.
  [[nodiscard]] bool has_priors() const { return true; }
  // The new entries that are held out, or those that are not, count from now on.
  void take(bool held);
  // From where the last one ended.
  void solve(double ridge);
  // Into a copy of the old model.
  void write(Model& model, UpdateResult& result);

 private:
  struct Row {
    Index row = 0;
    bool known = false;
    std::vector<Index> entries{};
  };
  struct Side {
    Matrix<double> mean;        // n x R
    Matrix<double> covariance;  // n x R R
    std::vector<Row> chosen{};
  };

  void grow(const Cp& cp);
  void choose(std::size_t mode);
  void solve_row(std::size_t mode, const Row& row);
  void find_values();     // of the entries on chosen rows, without the offsets
  void find_residuals();  // of the new entries
  [[nodiscard]] double offset(Index entry) const;
  [[nodiscard]] double product(Index entry) const;

  JoinedEntries joined_;
  UpdateEntries entries_;
  double mean_ = 0.0;
  double noise_precision_ = 1.0;
  double mean_weight_ = 1.0;
  Eigen::VectorXd gamma_;
  std::vector<Side> sides_;
  std::vector<UpdateEffect> effects_;
  std::vector<char> counts_;   // of each entry: whether it is taken up
  std::vector<Index> needed_;  // the entries on chosen rows
  std::vector<double> value_;  // of each entry that is needed, without the offsets
};

}  // namespace lacuna
