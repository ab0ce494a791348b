// SPDX-License-Identifier: MIT
#include "model/update_side.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "model/row_prior.hpp"

namespace lacuna {
namespace {

constexpr double kMostKept = 256.0 * (1 << 20);  // bytes of systems that are kept from sweep to sweep

using Row = Eigen::Map<const Eigen::VectorXd>;

// The lower half of w t t'. Ranks are small: a call of a library for each entry costs more than the sums.
void add_square(const double* t, double w, Eigen::MatrixXd& sum) {
  const Eigen::Index rank = sum.rows();
  for (Eigen::Index j = 0; j < rank; ++j) {
    const double wt = w * t[j];
    double* column = sum.data() + j * rank;
    for (Eigen::Index i = j; i < rank; ++i) column[i] += wt * t[i];
  }
}

}  // namespace

UpdateSide::UpdateSide(Matrix<double> rows, std::vector<char> known, std::vector<Index> row_of,
                       std::optional<SidePrior> prior)
    : rows_(std::move(rows)), known_(std::move(known)), row_of_(std::move(row_of)), prior_(std::move(prior)) {
  // They begin at the mean in any case: from 0 a row and a fiber that are both new would never get away.
  RowPrior of_known = row_prior(rows_, known_);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i)
    if (known_[i] == 0) rows_.row(i) = of_known.mean.transpose();
  precision_ = std::move(of_known.precision);
  if (prior_) precision_ = Eigen::Map<const Eigen::VectorXd>(prior_->ridge.data(), rows_.cols()).asDiagonal();
}

void UpdateSide::choose(const UpdateEntries& entries) {
  std::vector<Count> old(static_cast<std::size_t>(rows_.rows()), 0);
  for (std::size_t e = 0; e < row_of_.size(); ++e) old[row_of_[e]] += entries.is_fresh[e] == 0 ? 1 : 0;
  std::vector<std::vector<Index>> fresh(old.size());
  for (std::size_t i = 0; i < entries.fresh.size(); ++i)
    fresh[row_of_[entries.fresh[i]]].push_back(static_cast<Index>(i));
  chosen_.clear();
  is_chosen_.assign(old.size(), 0);
  for (std::size_t row = 0; row < fresh.size(); ++row) {
    if (fresh[row].empty()) continue;
    const auto many = static_cast<double>(fresh[row].size());
    if (known_[row] != 0 && many < kNewShare * static_cast<double>(old[row])) continue;
    is_chosen_[row] = 1;
    Chosen& chosen = chosen_.emplace_back();
    chosen.row = static_cast<Index>(row);
    chosen.fresh = std::move(fresh[row]);
    chosen.at = rows_.row(static_cast<Eigen::Index>(row)).transpose();
  }
  const auto rank = static_cast<double>(rows_.cols());
  keeps_ = 2.0 * sizeof(double) * rank * rank * static_cast<double>(chosen_.size()) <= kMostKept;
}

// As a fit that begins at known factors has them (als_start.cpp): var = noise / (sum_e w_e t^2 + ridge), with the squares
// of t as they are in the mean over all entries.
void UpdateSide::find_variances(const UpdateEntries& entries, const UpdateSide& other, double noise) {
  if (!prior_) return;
  Eigen::VectorXd square = Eigen::VectorXd::Zero(rows_.cols());
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(rows_.rows());
  Eigen::VectorXd of_other = Eigen::VectorXd::Zero(other.rows_.rows());
  for (std::size_t e = 0; e < row_of_.size(); ++e) {
    weight[row_of_[e]] += entries.weight[e];
    of_other[other.row_of_[e]] += entries.weight[e];
  }
  for (Eigen::Index c = 0; c < of_other.size(); ++c)
    square += of_other[c] * other.rows_.row(c).transpose().cwiseAbs2();
  square /= of_other.sum();
  variance_ = Matrix<double>::Zero(rows_.rows(), rows_.cols());
  for (Eigen::Index i = 0; i < rows_.rows(); ++i)
    for (Eigen::Index k = 0; k < rows_.cols(); ++k)
      if (prior_->ridge[k] > 0.0) variance_(i, k) = noise / (weight[i] * square[k] + prior_->ridge[k]);
}

void UpdateSide::anchor(const UpdateEntries& entries, const UpdateSide& other, double noise) {
  if (!prior_) precision_ *= noise;
  constexpr Index kNot = 0xffffffffU;
  std::vector<Index> place(static_cast<std::size_t>(rows_.rows()), kNot);
  for (std::size_t c = 0; c < chosen_.size(); ++c) {
    if (known_[chosen_[c].row] == 0) continue;
    place[chosen_[c].row] = static_cast<Index>(c);
    chosen_[c].hold = Eigen::MatrixXd::Zero(rows_.cols(), rows_.cols());
  }
  for (std::size_t e = 0; e < row_of_.size(); ++e) {
    const Index c = place[row_of_[e]];
    if (c == kNot || entries.is_fresh[e] != 0) continue;
    add_square(other.row_at(static_cast<Index>(e)), entries.weight[e], chosen_[c].hold);
    if (other.variance_.size() > 0)
      chosen_[c].hold.diagonal() += entries.weight[e] * other.variance_.row(other.row_of_[e]).transpose();
  }
  for (Chosen& chosen : chosen_)
    if (chosen.hold.size() > 0) chosen.hold.triangularView<Eigen::StrictlyUpper>() = chosen.hold.transpose();
}

// What the prior says of a row changes with every entry that is taken up.
void UpdateSide::take_prior(Chosen& chosen, const UpdateSide& other, const UpdateEntries& entries,
                            bool held) const {
  const auto rank = rows_.cols();
  if (chosen.shared.size() == 0) {
    chosen.shared = Eigen::VectorXd::Zero(rank + 1);
    chosen.spread = Eigen::VectorXd::Zero(rank);
  }
  for (const Index i : chosen.fresh) {
    if ((entries.held[i] != 0) != held) continue;
    const Index e = entries.fresh[i];
    const Index at = other.row_of_[e];
    chosen.weight += entries.weight[e];
    if (prior_->shared.size() > 0)
      chosen.shared += entries.weight[e] * prior_->shared.row(at).transpose().cast<double>();
    if (other.variance_.size() > 0) chosen.spread += entries.weight[e] * other.variance_.row(at).transpose();
  }
  if (known_[chosen.row] != 0 || !(chosen.weight > 0.0)) return;
  const Eigen::VectorXd expected = chosen.shared / std::sqrt(chosen.weight);
  for (Eigen::Index k = 0; k < rank; ++k)
    if (prior_->ridge[k] > 0.0) chosen.at[k] = expected[k];  // else what all rows have
  chosen.effect = expected[rank];
}

void UpdateSide::take(const UpdateEntries& entries, const UpdateSide& other, bool held) {
  parallel_blocks(
      static_cast<Count>(chosen_.size()),
      [&](Count begin, Count end) {
        for (Count c = begin; c < end; ++c) {
          Chosen& chosen = chosen_[c];
          chosen.ridge = 0.0;
          if (prior_) take_prior(chosen, other, entries, held);
          if (keeps_ && chosen.gram.size() == 0)
            chosen.gram = Eigen::MatrixXd::Zero(rows_.cols(), rows_.cols());
          for (const Index i : chosen.fresh) {
            if ((entries.held[i] != 0) != held) continue;
            const Index e = entries.fresh[i];
            if (keeps_ && !other.moves(e))
              add_square(other.row_at(e), entries.weight[e], chosen.gram);
            else
              chosen.moving.push_back(i);
          }
        }
      },
      16);
}

// Those that are not solved for.
void UpdateSide::fix_columns(Eigen::MatrixXd& system) const {
  for (Eigen::Index k = 0; k < rows_.cols(); ++k)
    if (prior_->ridge[k] == 0.0) {
      system.row(k).setZero();
      system.col(k).setZero();
      system(k, k) = 1.0;
    }
}

double UpdateSide::solve_one(Chosen& chosen, const UpdateSide& other, double ridge, UpdateEntries& entries) {
  const auto rank = rows_.cols();
  auto row = rows_.row(chosen.row);
  const Eigen::VectorXd away = chosen.at - row.transpose();
  Eigen::VectorXd right = ridge * (precision_ * away);
  if (chosen.hold.size() > 0) right += chosen.hold * away;
  if (prior_) right -= chosen.spread.cwiseProduct(row.transpose());
  for (const Index i : chosen.fresh)
    if (entries.held[i] == 0) {
      const Index e = entries.fresh[i];
      right += entries.weight[e] * entries.residual[i] * Row(other.row_at(e), rank);
    }
  Eigen::LLT<Eigen::MatrixXd> passing;
  Eigen::LLT<Eigen::MatrixXd>& decomposed = keeps_ ? chosen.system : passing;
  if (!keeps_ || !chosen.moving.empty() || chosen.ridge != ridge) {
    Eigen::MatrixXd system = ridge * precision_;
    if (chosen.hold.size() > 0) system += chosen.hold;
    if (chosen.gram.size() > 0) system.triangularView<Eigen::Lower>() += chosen.gram;
    for (const Index i : chosen.moving) {
      const Index e = entries.fresh[i];
      add_square(other.row_at(e), entries.weight[e], system);
    }
    if (prior_) {
      system.diagonal() += chosen.spread;
      fix_columns(system);
    }
    decomposed.compute(system);
    chosen.ridge = ridge;
  }
  for (Eigen::Index k = 0; prior_ && k < rank; ++k)
    if (prior_->ridge[k] == 0.0) right[k] = 0.0;
  decomposed.solveInPlace(right);  // now the change
  row += right.transpose();
  double squares = 0.0;
  for (const Index i : chosen.fresh) {
    const double by = Row(other.row_at(entries.fresh[i]), rank).dot(right);
    entries.residual[i] -= by;
    squares += by * by;
  }
  return squares;
}

double UpdateSide::solve(const UpdateSide& other, double ridge, UpdateEntries& entries) {
  std::vector<double> squares(chosen_.size(), 0.0);
  // An entry is on one row of the side, so no two rows change the same residual.
  parallel_blocks(
      static_cast<Count>(chosen_.size()),
      [&](Count begin, Count end) {
        for (Count c = begin; c < end; ++c) squares[c] = solve_one(chosen_[c], other, ridge, entries);
      },
      16);
  double sum = 0.0;
  for (const double one : squares) sum += one;
  return sum;
}

Count UpdateSide::moved() const {
  return std::count_if(chosen_.begin(), chosen_.end(),
                       [&](const Chosen& one) { return known_[one.row] != 0; });
}

}  // namespace lacuna
