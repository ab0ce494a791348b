// SPDX-License-Identifier: MIT
// The sparse tensor products of one part (k, S), over its fibers and in parallel.
//
// With Z_k the unfolding whose columns are the part's fibers, U and V of n_k rows:
//   add_directional   y += scale (Z x_k (U V' + V U'))_Omega
//   add_gram          G += scale Z_k Z_k' U
//   add_cross         G += scale (X_k W_k' + W_k X_k') U
// Each costs O(N r) and touches every entry a constant number of times. The product (Z x_k U U')_Omega,
// applied far more often than these, is DataOperator's. The result of every call is the same bits at any
// thread count.
#pragma once

#include <lacuna/kernels/factor_table.hpp>
#include <lacuna/tensor/fiber_view.hpp>
#include <span>
#include <vector>

namespace lacuna {

namespace kernels {
struct FiberRange;
}

// A part's fibers cut into pieces of about equal work.
class PartKernels {
 public:
  PartKernels(const ObservedTensor& tensor, PartModes part);
  PartKernels(PartKernels&&) noexcept;
  PartKernels& operator=(PartKernels&&) noexcept;
  ~PartKernels();

  [[nodiscard]] const FiberView& view() const { return view_; }
  [[nodiscard]] const PartModes& part() const { return view_.part(); }
  [[nodiscard]] Count rows() const { return view_.rows(); }

  template <class Real>
  void add_directional(const FactorTable<Real>& u, const FactorTable<Real>& v, double scale,
                       std::span<const Real> z, std::span<Real> y) const;
  template <class Real>
  void add_gram(const FactorTable<Real>& u, double scale, std::span<const Real> z, Matrix<Real>& g) const;
  template <class Real>
  void add_cross(const FactorTable<Real>& u, double scale, std::span<const Real> x, std::span<const Real> w,
                 Matrix<Real>& g) const;

  // The pieces: short fibers first (by length), then long ones.
  [[nodiscard]] const std::vector<kernels::FiberRange>& pieces() const { return pieces_; }
  // Index along mode k of every entry of the tensor.
  [[nodiscard]] std::span<const Index> row_of_entry() const { return row_of_entry_; }

 private:
  // out[row of e] += x_e w_e over the entries that are alone in their fiber.
  template <class Real>
  [[nodiscard]] std::vector<double> single_row_sums(std::span<const Real> x, std::span<const Real> w) const;
  template <class Real, class Body>
  void scatter_rows(int columns, Matrix<Real>& g, Body&& body) const;

  FiberView view_;
  std::span<const Index> row_of_entry_;  // the tensor's, which must outlive this
  std::vector<kernels::FiberRange> pieces_;
};

}  // namespace lacuna
