// SPDX-License-Identifier: MIT
#include "model/update_side.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/parallel.hpp"
#include "model/row_prior.hpp"

namespace lacuna {
namespace {

constexpr double kMostKept = 256.0 * (1 << 20);  // bytes of systems that are kept from sweep to sweep

using Row = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

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
    const Row t(other.row_at(static_cast<Index>(e)), rows_.cols());
    chosen_[c].hold.selfadjointView<Eigen::Lower>().rankUpdate(t, entries.weight[e]);
  }
  for (Chosen& chosen : chosen_)
    if (chosen.hold.size() > 0) chosen.hold.triangularView<Eigen::StrictlyUpper>() = chosen.hold.transpose();
}

void UpdateSide::take(const UpdateEntries& entries, const UpdateSide& other, bool held) {
  parallel_blocks(
      static_cast<Count>(chosen_.size()),
      [&](Count begin, Count end) {
        for (Count c = begin; c < end; ++c) {
          Chosen& chosen = chosen_[c];
          chosen.ridge = 0.0;
          if (keeps_ && chosen.gram.size() == 0)
            chosen.gram = Eigen::MatrixXd::Zero(rows_.cols(), rows_.cols());
          for (const Index i : chosen.fresh) {
            if ((entries.held[i] != 0) != held) continue;
            const Index e = entries.fresh[i];
            if (keeps_ && !other.moves(e))
              chosen.gram.selfadjointView<Eigen::Lower>().rankUpdate(Row(other.row_at(e), rows_.cols()),
                                                                     entries.weight[e]);
            else
              chosen.moving.push_back(i);
          }
        }
      },
      16);
}

double UpdateSide::solve_one(Chosen& chosen, const UpdateSide& other, double ridge, UpdateEntries& entries) {
  const auto rank = rows_.cols();
  auto row = rows_.row(chosen.row);
  const Eigen::VectorXd away = chosen.at - row.transpose();
  Eigen::VectorXd right = ridge * (precision_ * away);
  if (chosen.hold.size() > 0) right += chosen.hold * away;
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
      system.selfadjointView<Eigen::Lower>().rankUpdate(Row(other.row_at(e), rank), entries.weight[e]);
    }
    decomposed.compute(system);
    chosen.ridge = ridge;
  }
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
