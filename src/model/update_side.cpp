// SPDX-License-Identifier: MIT
#include "model/update_side.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/parallel.hpp"
#include "model/row_prior.hpp"

namespace lacuna {

UpdateSide::UpdateSide(Matrix<double> rows, std::vector<char> known, std::vector<Index> row_of)
    : rows_(std::move(rows)), known_(std::move(known)), row_of_(std::move(row_of)) {
  RowPrior prior = row_prior(rows_, known_);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i)
    if (known_[i] == 0) rows_.row(i) = prior.mean.transpose();
  precision_ = std::move(prior.precision);
}

void UpdateSide::choose(const UpdateEntries& entries) {
  std::vector<Count> old(static_cast<std::size_t>(rows_.rows()), 0);
  for (std::size_t e = 0; e < row_of_.size(); ++e) old[row_of_[e]] += entries.is_fresh[e] == 0 ? 1 : 0;
  std::vector<std::vector<Index>> fresh(old.size());
  for (std::size_t i = 0; i < entries.fresh.size(); ++i)
    fresh[row_of_[entries.fresh[i]]].push_back(static_cast<Index>(i));
  chosen_.clear();
  for (std::size_t row = 0; row < fresh.size(); ++row) {
    if (fresh[row].empty()) continue;
    const auto many = static_cast<double>(fresh[row].size());
    if (known_[row] != 0 && many < kNewShare * static_cast<double>(old[row])) continue;
    chosen_.push_back({.row = static_cast<Index>(row),
                       .fresh = std::move(fresh[row]),
                       .at = rows_.row(static_cast<Eigen::Index>(row)).transpose()});
  }
}

void UpdateSide::anchor(const UpdateEntries& entries, const UpdateSide& other, double noise) {
  precision_ *= noise;
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
    const Eigen::VectorXd t = other.rows_.row(other.row_of_[e]).transpose();
    chosen_[c].hold.selfadjointView<Eigen::Lower>().rankUpdate(t, entries.weight[e]);
  }
  for (Chosen& chosen : chosen_)
    if (chosen.hold.size() > 0) chosen.hold.triangularView<Eigen::StrictlyUpper>() = chosen.hold.transpose();
}

void UpdateSide::reset() {
  for (const Chosen& chosen : chosen_) rows_.row(chosen.row) = chosen.at.transpose();
}

double UpdateSide::solve_one(const Chosen& chosen, const UpdateSide& other, double ridge,
                             UpdateEntries& entries) {
  Eigen::MatrixXd system = ridge * precision_;
  if (chosen.hold.size() > 0) system += chosen.hold;
  auto row = rows_.row(chosen.row);
  Eigen::VectorXd right = system * (chosen.at - row.transpose());
  for (const Index i : chosen.fresh) {
    if (entries.held[i] != 0) continue;
    const Index e = entries.fresh[i];
    const Eigen::VectorXd t = other.rows_.row(other.row_of_[e]).transpose();
    system.selfadjointView<Eigen::Lower>().rankUpdate(t, entries.weight[e]);
    right += entries.weight[e] * entries.residual[i] * t;
  }
  const Eigen::VectorXd change = system.selfadjointView<Eigen::Lower>().llt().solve(right);
  row += change.transpose();
  double squares = 0.0;
  for (const Index i : chosen.fresh) {
    const double by = other.rows_.row(other.row_of_[entries.fresh[i]]).dot(change);
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
