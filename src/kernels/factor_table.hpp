// SPDX-License-Identifier: MIT
// A factor laid out for the fiber kernels: rows padded with zeros to whole vectors and aligned to them.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <span>
#include <vector>

#include "linalg/matrix.hpp"

namespace lacuna {

template <class Real>
class FactorTable {
 public:
  FactorTable() = default;
  explicit FactorTable(const Matrix<Real>& factor, std::span<const double> row_scale = {}) {
    assign(factor, row_scale);
  }

  void assign(const Matrix<Real>& factor,
              std::span<const double> row_scale = {});  // of diag(row_scale) factor
  void resize_zero(Count rows, int columns);            // all zeros

  [[nodiscard]] const Real* data() const { return data_.get(); }
  [[nodiscard]] Real* data() { return data_.get(); }
  [[nodiscard]] Count rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] Count stride() const { return stride_; }
  [[nodiscard]] Count size() const { return rows_ * stride_; }
  [[nodiscard]] const Real* row(Count i) const { return data_.get() + i * stride_; }

  // matrix += the unpadded content
  void add_to(Matrix<Real>& matrix) const;

 private:
  struct Free {
    void operator()(Real* pointer) const;
  };
  Count rows_ = 0;
  int columns_ = 0;
  Count stride_ = 0;
  Count capacity_ = 0;
  std::unique_ptr<Real[], Free> data_;
};

// sum_j a_j b_j over one row of two tables of the same width.
template <class Real>
[[nodiscard]] inline Real row_product(const FactorTable<Real>& a, const FactorTable<Real>& b, Count i) {
  Real sum = 0;
  for (int j = 0; j < a.columns(); ++j) sum += a.row(i)[j] * b.row(i)[j];
  return sum;
}

}  // namespace lacuna
