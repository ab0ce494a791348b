// SPDX-License-Identifier: MIT
#include "method/latent/als_known.hpp"

#include <cmath>

namespace lacuna {
namespace {

constexpr double kFirstPrecision = 20.0;  // of C, in units of the data's deviation
constexpr double kLargestPrecision = 1e12;
constexpr int kTurns = 3;  // of the variances of the second regression, in a sweep

std::vector<Index> rows_with_entries(const AlsSide& side) {
  std::vector<Index> rows;
  for (Count i = 0; i < side.lists.rows(); ++i)
    if (side.lists.start[i] < side.lists.start[i + 1]) rows.push_back(static_cast<Index>(i));
  return rows;
}

std::vector<Index> at(const std::vector<Index>& position, const std::vector<Index>& rows) {
  std::vector<Index> list;
  for (const Index i : rows) list.push_back(position[i]);
  return list;
}

float& number(FactorTable<float>& table, Count i, int k) { return table.data()[i * table.columns() + k]; }

}  // namespace

AlsKnown::AlsKnown(std::shared_ptr<const SideInformation> known, const AlsSide& side,
                   std::vector<Index> position)
    : position_(std::move(position)),
      row_(rows_with_entries(side)),
      regression_(std::move(known), at(position_, row_)),
      columns_(static_cast<std::size_t>(side.width())) {
  for (Column& column : columns_) {
    column.line = regression_.flat();
    column.whole = regression_.flat();
    column.precision = kFirstPrecision;
  }
}

void AlsKnown::move_prior(AlsSide& side, int k) {
  Column& column = columns_[k];
  const SideRegression::Line before = column.line;
  const auto value = [&](FactorTable<float>& table, Index i) {
    return static_cast<double>(number(table, i, k));
  };
  const double ridge = column.precision / side.precision[k];
  column.line = regression_.fit(
      [&](std::size_t which) {
        const Index i = row_[which];
        return value(side.mean, i) - (value(side.prior, i) - regression_.at(position_[i], before));
      },
      ridge);
  // The covariance is that of ridge over lambda.
  const auto size = static_cast<double>(regression_.columns());
  column.square = column.line.slope.squaredNorm() + regression_.inverse_trace(ridge) / side.precision[k];
  column.log_variance = -regression_.log_determinant(ridge) - size * std::log(side.precision[k]);
  column.precision = std::min(kLargestPrecision, size / std::max(column.square, 1e-300));
  double deviation = 0.0;
  for (const Index i : row_) {
    const double moved = regression_.at(position_[i], column.line) - regression_.at(position_[i], before);
    number(side.prior, i, k) += static_cast<float>(moved);
    const double away = value(side.mean, i) - value(side.prior, i);
    deviation += away * away;
  }
  side.deviation[k] = deviation;
  side.spread[k] += regression_.shrunk_trace(ridge) / side.precision[k];
}

// Rows without entries: b_i = a + c . phi_i + e_i with both variances by expectation-maximisation.
void AlsKnown::fill_rows(AlsSide& side, int k) {
  Column& column = columns_[k];
  const auto value = [&](std::size_t which) {
    return static_cast<double>(number(side.mean, row_[which], k));
  };
  const auto count = static_cast<double>(row_.size());
  for (int turn = 0; turn < kTurns; ++turn) {
    const bool first = column.left == 0.0;
    const double ridge = first ? 1.0 : column.left / column.explained;
    column.whole = regression_.fit(value, ridge);
    double left = 0.0;
    for (std::size_t which = 0; which < row_.size(); ++which) {
      const double away = value(which) - regression_.at(position_[row_[which]], column.whole);
      left += away * away;
    }
    if (first) column.left = std::max(left / count, 1e-30);
    column.left = std::max((left + column.left * regression_.shrunk_trace(ridge)) / count, 1e-30);
    column.explained =
        std::max((column.whole.slope.squaredNorm() + column.left * regression_.inverse_trace(ridge)) /
                     static_cast<double>(regression_.columns()),
                 1e-9 * column.left);
  }
  std::size_t next = 0;
  for (Count i = 0; i < side.lists.rows(); ++i) {
    if (next < row_.size() && row_[next] == i) {
      ++next;
      continue;
    }
    number(side.mean, i, k) = static_cast<float>(regression_.at(position_[i], column.whole));
  }
}

void AlsKnown::improve(AlsSide& side) {
  const bool cold = row_.size() < static_cast<std::size_t>(side.lists.rows());
  parallel_tasks(side.width(), [&](int k) {
    if (!side.is_free(k)) return;
    move_prior(side, k);
    if (cold) fill_rows(side, k);
  });
}

double AlsKnown::divergence(const AlsSide& side) const {
  double sum = 0.0;
  for (int k = 0; k < side.width(); ++k) {
    if (!side.is_free(k)) continue;
    const Column& column = columns_[k];
    sum +=
        0.5 * (column.precision * column.square -
               static_cast<double>(regression_.columns()) * std::log(column.precision) - column.log_variance);
  }
  return sum;
}

}  // namespace lacuna
