// SPDX-License-Identifier: MIT
// One of the two factors of a part while a model is updated: its rows of which some are solved for.
//
//   row = argmin  sum_{new e} w_e (y_e - row . other_e)^2 + (row - anchor)' P (row - anchor)
//
// Where the fit left no prior, a row that is new has the mean of the known rows for its anchor, and P the inverse of their
// covariance, times the variance of the noise and `ridge`. One that is known has where it was, and
// P + sum_{old e} w_e other_e other_e'. With a prior the anchor of a new row is what that expects, P is diagonal, and the
// uncertainty of what the row meets counts, as in the fit (als_part.hpp): other_e other_e' + diag(var other_e), the
// variances by the number of entries.
#pragma once

#include <Eigen/Cholesky>
#include <optional>
#include <span>
#include <vector>

#include "linalg/matrix.hpp"
#include "model/latent.hpp"
#include "model/update_entries.hpp"
#include "tensor/fiber_view.hpp"

namespace lacuna {

class UpdateSide {
 public:
  UpdateSide() = default;
  // row_of: of each entry. `prior`: what the other factor shares has the rows that it has now.
  UpdateSide(Matrix<double> rows, std::vector<char> known, std::vector<Index> row_of,
             std::optional<SidePrior> prior = {});

  // Which rows are to be solved for.
  void choose(const UpdateEntries& entries);
  // How sure the rows are, by their entries and the other factor as it is now. Only with a prior.
  void find_variances(const UpdateEntries& entries, const UpdateSide& other, double noise);
  // What holds known ones, from the other factor as it is now.
  void anchor(const UpdateEntries& entries, const UpdateSide& other, double noise);
  // Takes up the new entries that are held out, or those that are not, for the systems to come. Those that meet rows of
  // the other factor that stay are summed here, once.
  void take(const UpdateEntries& entries, const UpdateSide& other, bool held);
  // Solves for the chosen rows from where they are; the residuals follow. Returns the sum of the squared changes of the new entries' values.
  double solve(const UpdateSide& other, double ridge, UpdateEntries& entries);

  [[nodiscard]] double product(const UpdateSide& other, Index entry) const {
    return rows_.row(row_of_[entry]).dot(other.rows_.row(other.row_of_[entry]));
  }
  [[nodiscard]] const Matrix<double>& rows() const { return rows_; }
  // Whether the row of this entry is one that is solved for.
  [[nodiscard]] bool moves(Index entry) const {
    return !is_chosen_.empty() && is_chosen_[row_of_[entry]] != 0;
  }
  [[nodiscard]] Count solved() const { return static_cast<Count>(chosen_.size()); }
  [[nodiscard]] Count moved() const;
  [[nodiscard]] const std::optional<SidePrior>& prior() const { return prior_; }
  // body(entry, effect) for each new row, with one of its entries and what the prior expects of its effect.
  template <class Body>
  void for_expected_effects(const UpdateEntries& entries, Body&& body) const {
    for (const Chosen& chosen : chosen_)
      if (known_[chosen.row] == 0) body(entries.fresh[chosen.fresh.front()], chosen.effect);
  }

 private:
  struct Chosen {
    Index row = 0;
    std::vector<Index> fresh{};  // places in UpdateEntries::fresh
    std::vector<Index>
        moving{};          // those of them that meet rows that are solved for, too; all where nothing is kept
    Eigen::VectorXd at{};  // anchor
    Eigen::MatrixXd hold{};  // sum_{old e} w_e other_e other_e'; empty: none
    // With a prior: the sums over the new entries that were taken up of w, w shared_e and w var other_e.
    double weight = 0.0;
    Eigen::VectorXd shared{};
    Eigen::VectorXd spread{};
    double effect = 0.0;  // that is expected
    // Kept from sweep to sweep where there is room: the sum over the other new entries, and where there are no moving
    // ones the decomposition of the whole system at the ridge it was last asked for.
    Eigen::MatrixXd gram{};
    Eigen::LLT<Eigen::MatrixXd> system{};
    double ridge = 0.0;  // 0: it has to be made
  };
  double solve_one(Chosen& chosen, const UpdateSide& other, double ridge, UpdateEntries& entries);
  void take_prior(Chosen& chosen, const UpdateSide& other, const UpdateEntries& entries, bool held) const;
  void fix_columns(Eigen::MatrixXd& system) const;
  [[nodiscard]] const double* row_at(Index entry) const { return rows_.row(row_of_[entry]).data(); }

  Matrix<double> rows_;
  std::vector<char> known_;
  std::vector<Index> row_of_;
  std::vector<Chosen> chosen_;
  std::vector<char> is_chosen_;
  bool keeps_ = false;
  Eigen::MatrixXd precision_;  // noise times the inverse covariance of the known rows, or the prior's ridges
  std::optional<SidePrior> prior_;
  Matrix<double> variance_;  // of each row's numbers; only with a prior
};

}  // namespace lacuna
