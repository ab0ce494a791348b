// SPDX-License-Identifier: MIT
#include "kernels/row_basis.hpp"

#include <cmath>

#include "base/parallel.hpp"

namespace lacuna {
namespace {

constexpr Count kRowsAtOnce = 256;  // some thousand multiplications
constexpr Count kColumnsAtOnce = 1;

}  // namespace

RowBasis::RowBasis(std::shared_ptr<const SideInformation> side, double share, std::vector<double> own)
    : side_(std::move(side)), root_share_(std::sqrt(share)) {
  const Count positions = side_->positions();
  if (share < 1.0) {
    own_rows_ = positions;
    own_ = std::move(own);
    own_.resize(static_cast<std::size_t>(positions), 1.0);
    for (double& scale : own_) scale *= std::sqrt(1.0 - share);
  }
  start_.assign(static_cast<std::size_t>(side_->columns()) + 1, 0);
  for (const Index column : side_->column) ++start_[column + 1];
  for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
  position_.resize(side_->value.size());
  value_.resize(side_->value.size());
  std::vector<Count> next = start_;
  for (Count i = 0; i < positions; ++i)
    for (Count j = side_->start[i]; j < side_->start[i + 1]; ++j) {
      const Count to = next[side_->column[j]]++;
      position_[to] = static_cast<Index>(i);
      value_[to] = side_->value[j];
    }
}

template <class Real>
void RowBasis::expand(const Matrix<Real>& u, FactorTable<Real>& table) const {
  const auto columns = static_cast<int>(u.cols());
  table.resize_zero(side_->positions(), columns);
  parallel_blocks(
      table.rows(),
      [&](Count begin, Count end) {
        for (Count i = begin; i < end; ++i) {
          Real* row = table.data() + i * table.stride();
          const auto add = [&](double weight, Count from) {
            for (int c = 0; c < columns; ++c) row[c] += static_cast<Real>(weight) * u(from, c);
          };
          if (own_rows_ > 0) add(own_[i], i);
          for (Count j = side_->start[i]; j < side_->start[i + 1]; ++j)
            add(root_share_ * side_->value[j], own_rows_ + side_->column[j]);
        }
      },
      kRowsAtOnce);
}

template <class Real>
void RowBasis::add_transposed(const Matrix<Real>& rows, Matrix<Real>& out) const {
  const auto columns = static_cast<int>(rows.cols());
  for (Count i = 0; i < own_rows_; ++i)
    for (int c = 0; c < columns; ++c) out(i, c) += static_cast<Real>(own_[i]) * rows(i, c);
  parallel_blocks(
      side_->columns(),
      [&](Count begin, Count end) {
        std::vector<double> sum(static_cast<std::size_t>(columns));
        for (Count f = begin; f < end; ++f) {
          std::fill(sum.begin(), sum.end(), 0.0);
          for (Count j = start_[f]; j < start_[f + 1]; ++j)
            for (int c = 0; c < columns; ++c)
              sum[c] += value_[j] * static_cast<double>(rows(position_[j], c));
          for (int c = 0; c < columns; ++c) out(own_rows_ + f, c) += static_cast<Real>(root_share_ * sum[c]);
        }
      },
      kColumnsAtOnce);
}

template void RowBasis::expand(const Matrix<double>&, FactorTable<double>&) const;
template void RowBasis::expand(const Matrix<float>&, FactorTable<float>&) const;
template void RowBasis::add_transposed(const Matrix<double>&, Matrix<double>&) const;
template void RowBasis::add_transposed(const Matrix<float>&, Matrix<float>&) const;

}  // namespace lacuna
