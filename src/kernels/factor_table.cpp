// SPDX-License-Identifier: MIT
#include "kernels/factor_table.hpp"

#include <algorithm>
#include <new>

#include "base/parallel.hpp"
#include "kernels/fiber_kernels.hpp"

namespace lacuna {
namespace {
constexpr std::align_val_t kAlignment{64};
}

template <class Real>
void FactorTable<Real>::Free::operator()(Real* pointer) const {
  ::operator delete[](pointer, kAlignment);
}

template <class Real>
void FactorTable<Real>::resize_zero(Count rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  stride_ = kernels::padded<Real>(columns);
  if (size() > capacity_) {
    capacity_ = size();
    data_.reset(
        static_cast<Real*>(::operator new[](static_cast<std::size_t>(capacity_) * sizeof(Real), kAlignment)));
  }
  std::fill_n(data_.get(), size(), Real{0});
}

template <class Real>
void FactorTable<Real>::assign(const Matrix<Real>& factor, std::span<const double> row_scale) {
  resize_zero(factor.rows(), static_cast<int>(factor.cols()));
  for (Count i = 0; i < rows_; ++i) {
    Real* row = data_.get() + i * stride_;
    std::copy_n(factor.row(i).data(), columns_, row);
    if (row_scale.empty()) continue;
    for (int j = 0; j < columns_; ++j) row[j] *= static_cast<Real>(row_scale[i]);
  }
}

template <class Real>
void FactorTable<Real>::add_to(Matrix<Real>& matrix) const {
  parallel_blocks(rows_, [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i)
      for (int j = 0; j < columns_; ++j) matrix(i, j) += row(i)[j];
  });
}

template class FactorTable<double>;
template class FactorTable<float>;

}  // namespace lacuna
