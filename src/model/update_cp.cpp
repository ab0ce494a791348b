// SPDX-License-Identifier: MIT
#include "model/update_cp.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/parallel.hpp"
#include "model/body.hpp"

namespace lacuna {
namespace {

using Square = Eigen::Map<const Eigen::MatrixXd>;

// The precision of the columns' prior, given all rows there are.
Eigen::VectorXd column_precision(const Cp& cp) {
  const Eigen::Index rank = cp.factors[0].cols();
  Eigen::VectorXd square = Eigen::VectorXd::Zero(rank);
  double rows = 0.0;
  for (std::size_t k = 0; k < cp.factors.size(); ++k) {
    rows += static_cast<double>(cp.factors[k].rows());
    square += cp.factors[k].colwise().squaredNorm().transpose();
    for (Eigen::Index r = 0; r < rank; ++r) square[r] += cp.covariance[k].col(r * (rank + 1)).sum();
  }
  return rows * square.cwiseInverse();
}

}  // namespace

CpUpdate::CpUpdate(const Model& model, const ObservedTensor& old, JoinedEntries joined)
    : joined_(std::move(joined)), entries_(joined_), mean_(model.offsets.mean) {
  const auto& cp = std::get<Cp>(*model.body);
  noise_precision_ = cp.noise_precision;
  mean_weight_ = old.total_weight() / static_cast<double>(old.size());
  gamma_ = column_precision(cp);
  grow(cp);
  for (std::size_t k = 0; k < sides_.size(); ++k) choose(k);
  for (const Effect& effect : model.offsets.effects)
    effects_.emplace_back(effect, joined_.tensor, entries_, 1.0 / noise_precision_);
  counts_.assign(entries_.is_fresh.size(), 1);
  value_.assign(counts_.size(), 0.0);
  for (const Side& side : sides_)
    for (const Row& row : side.chosen) needed_.insert(needed_.end(), row.entries.begin(), row.entries.end());
  std::sort(needed_.begin(), needed_.end());
  needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
  entries_.residual.assign(entries_.fresh.size(), 0.0);
  find_residuals();
}

// New rows begin at the mean of those that have entries: from 0 several that meet in one entry would never get away.
void CpUpdate::grow(const Cp& cp) {
  const ObservedTensor& tensor = joined_.tensor;
  const Eigen::Index rank = gamma_.size();
  const Eigen::MatrixXd prior = gamma_.cwiseInverse().asDiagonal();
  for (int k = 0; k < tensor.order(); ++k) {
    const auto rows = static_cast<Eigen::Index>(tensor.extent(k));
    std::vector<char> known(static_cast<std::size_t>(rows), 0);
    for (Count e = 0; e < tensor.size(); ++e)
      if (joined_.old_of[e] != kUnseen) known[tensor.index(k)[e]] = 1;
    const Matrix<double>& before = cp.factors[k];
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(rank);
    for (Eigen::Index i = 0; i < before.rows(); ++i)
      if (known[i] != 0) mean += before.row(i);
    mean /= static_cast<double>(std::max<std::ptrdiff_t>(1, std::count(known.begin(), known.end(), 1)));
    Side& side = sides_.emplace_back();
    side.mean.resize(rows, rank);
    side.covariance.resize(rows, rank * rank);
    for (Eigen::Index i = 0; i < rows; ++i) {
      if (i < before.rows()) {
        side.mean.row(i) = before.row(i);
        side.covariance.row(i) = cp.covariance[k].row(i);
      } else {
        side.mean.row(i) = mean;
        side.covariance.row(i) = Eigen::Map<const Eigen::RowVectorXd>(prior.data(), rank * rank);
      }
    }
  }
}

void CpUpdate::choose(std::size_t mode) {
  const std::span<const Index> row_of = joined_.tensor.index(static_cast<int>(mode));
  std::vector<Count> old(static_cast<std::size_t>(sides_[mode].mean.rows()), 0);
  std::vector<Count> fresh(old.size(), 0);
  for (std::size_t e = 0; e < row_of.size(); ++e) ++(entries_.is_fresh[e] != 0 ? fresh : old)[row_of[e]];
  constexpr Index kNot = 0xffffffffU;
  std::vector<Index> place(old.size(), kNot);
  std::vector<Row>& chosen = sides_[mode].chosen;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (fresh[i] == 0 || static_cast<double>(fresh[i]) < kNewShare * static_cast<double>(old[i])) continue;
    place[i] = static_cast<Index>(chosen.size());
    chosen.push_back({.row = static_cast<Index>(i), .known = old[i] > 0});
  }
  for (std::size_t e = 0; e < row_of.size(); ++e)
    if (place[row_of[e]] != kNot) chosen[place[row_of[e]]].entries.push_back(static_cast<Index>(e));
}

void CpUpdate::take(bool held) {
  for (std::size_t i = 0; i < entries_.fresh.size(); ++i)
    counts_[entries_.fresh[i]] = held || entries_.held[i] == 0 ? 1 : 0;
  if (held) std::fill(entries_.held.begin(), entries_.held.end(), 0);
}

double CpUpdate::offset(Index entry) const {
  double sum = mean_;
  for (const UpdateEffect& effect : effects_)
    sum += effect.effect().at(effect.effect().key_of(joined_.tensor.cells(), entry));
  return sum;
}

double CpUpdate::product(Index entry) const {
  double sum = 0.0;
  for (Eigen::Index r = 0; r < gamma_.size(); ++r) {
    double term = 1.0;
    for (std::size_t k = 0; k < sides_.size(); ++k)
      term *= sides_[k].mean(joined_.tensor.index(static_cast<int>(k))[entry], r);
    sum += term;
  }
  return sum;
}

void CpUpdate::find_values() {
  parallel_blocks(static_cast<Count>(needed_.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i)
      value_[needed_[i]] = joined_.tensor.values()[needed_[i]] - offset(needed_[i]);
  });
}

void CpUpdate::find_residuals() {
  parallel_blocks(static_cast<Count>(entries_.fresh.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i) {
      const Index e = entries_.fresh[i];
      entries_.residual[i] = joined_.tensor.values()[e] - offset(e) - product(e);
    }
  });
}

void CpUpdate::solve_row(std::size_t mode, const Row& row) {
  const Eigen::Index rank = gamma_.size();
  Eigen::MatrixXd precision = gamma_.asDiagonal();
  Eigen::VectorXd right = Eigen::VectorXd::Zero(rank);
  Eigen::MatrixXd second(rank, rank);
  Eigen::VectorXd first(rank);
  for (const Index e : row.entries) {
    if (counts_[e] == 0) continue;
    first.setOnes();
    second.setOnes();
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      if (k == mode) continue;
      const Index at = joined_.tensor.index(static_cast<int>(k))[e];
      const Eigen::VectorXd mean = sides_[k].mean.row(at).transpose();
      first = first.cwiseProduct(mean);
      second.array() *=
          (mean * mean.transpose() + Square(sides_[k].covariance.row(at).data(), rank, rank)).array();
    }
    const double weight = noise_precision_ * entries_.weight[e] / mean_weight_;
    precision += weight * second;
    right += weight * value_[e] * first;
  }
  const Eigen::LLT<Eigen::MatrixXd> cholesky(precision);
  const Eigen::MatrixXd covariance = cholesky.solve(Eigen::MatrixXd::Identity(rank, rank));
  sides_[mode].mean.row(row.row) = cholesky.solve(right).transpose();
  sides_[mode].covariance.row(row.row) = Eigen::Map<const Eigen::RowVectorXd>(covariance.data(), rank * rank);
}

void CpUpdate::solve(double /*ridge*/) {
  for (int sweep = 0; sweep < kUpdateSweeps; ++sweep) {
    const std::vector<double> before = entries_.residual;
    for (UpdateEffect& effect : effects_) effect.solve(entries_);
    find_values();
    for (std::size_t k = 0; k < sides_.size(); ++k)
      parallel_blocks(
          static_cast<Count>(sides_[k].chosen.size()),
          [&](Count begin, Count end) {
            for (Count i = begin; i < end; ++i) solve_row(k, sides_[k].chosen[i]);
          },
          16);
    find_residuals();
    double changed = 0.0;
    double left = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double by = entries_.residual[i] - before[i];
      changed += by * by;
      left += entries_.residual[i] * entries_.residual[i];
    }
    if (changed <= kEnoughOfUpdate * kEnoughOfUpdate * left) break;
  }
}

void CpUpdate::write(Model& model, UpdateResult& result) {
  const std::vector<double> values(joined_.tensor.values().begin(), joined_.tensor.values().end());
  model.fallback = updated_offsets(model.fallback, joined_.tensor, values, entries_, 1.0 / noise_precision_);
  model.offsets.effects.clear();
  for (const UpdateEffect& effect : effects_) {
    model.offsets.effects.push_back(effect.effect());
    result.solved += effect.solved();
    result.moved += effect.moved();
  }
  Cp cp;
  cp.noise_precision = noise_precision_;
  for (Side& side : sides_) {
    result.solved += static_cast<Count>(side.chosen.size());
    result.moved +=
        std::count_if(side.chosen.begin(), side.chosen.end(), [](const Row& row) { return row.known; });
    cp.factors.push_back(std::move(side.mean));
    cp.covariance.push_back(std::move(side.covariance));
  }
  model.body = ModelBody(std::move(cp));
  model.modes = joined_.tensor.take_labels();
  model.entries = joined_.tensor.size();
  model.kept = std::make_shared<const ObservedTensor>(std::move(joined_.tensor));
}

}  // namespace lacuna
