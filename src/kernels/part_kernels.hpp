// SPDX-License-Identifier: MIT
// The sparse tensor products of one part (k, S), over its fibers and in parallel.
//
// A part may be weighted for uneven sampling: row i of U counts (count_i / mean)^(-row_power/2) and fiber c
// (count_c / mean)^(-fiber_power), so that often observed rows and fibers are held back and rare ones let go.
// With D and B these two diagonal matrices the part's kernel is D U U' D on fibers times B; the factor the
// solver sees stays U. A part with side information has another matrix in place of D, with more columns or
// fewer than rows (row_basis.hpp).
//
// With Z_k the unfolding whose columns are the part's fibers, U and V of n_k rows, and D = B = 1:
//   add_directional   y += scale (Z x_k (U V' + V U'))_Omega
//   add_gram          G += scale Z_k Z_k' U
//   add_cross         G += scale (X_k W_k' + W_k X_k') U
// Each costs O(N r) and touches every entry a constant number of times. The product (Z x_k U U')_Omega,
// applied far more often than these, is DataOperator's. The result of every call is the same bits at any
// thread count.
//
// A part with near modes has no pieces: all its products are those of a NearKernel, in which Z_k kappa^(1/2)
// stands for Z_k.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dist/communicator.hpp"
#include "kernels/factor_table.hpp"
#include "kernels/part_workspace.hpp"
#include "kernels/row_basis.hpp"
#include "tensor/fiber_view.hpp"

namespace lacuna {

namespace kernels {
struct FiberRange;
}
class NearKernel;

// A part's fibers cut into pieces of about equal work.
class PartKernels {
 public:
  // Counts of a weighted norm are those of all processes; each has whole fibers.
  PartKernels(const ObservedTensor& tensor, PartSpec part,
              const Communicator& everyone = serial_communicator());
  PartKernels(PartKernels&&) noexcept;
  PartKernels& operator=(PartKernels&&) noexcept;
  ~PartKernels();

  [[nodiscard]] const FiberView& view() const { return view_; }
  [[nodiscard]] const PartSpec& part() const { return view_.part(); }
  [[nodiscard]] Count rows() const { return view_.rows(); }  // that entries select
  [[nodiscard]] Count factor_rows() const { return basis_ ? basis_->factor_rows() : rows(); }  // of U
  [[nodiscard]] const NearKernel* near() const { return near_.get(); }  // null without near modes

  // D U, laid out for the kernels; what the products below take.
  template <class Real>
  void expand(const Matrix<Real>& u, FactorTable<Real>& table) const {
    basis_ ? basis_->expand(u, table) : table.assign(u, row_scale_);
  }
  template <class Real>
  [[nodiscard]] FactorTable<Real> table(const Matrix<Real>& u) const {
    FactorTable<Real> made;
    expand(u, made);
    return made;
  }
  template <class Real>
  void add_directional(const FactorTable<Real>& u, const FactorTable<Real>& v, double scale,
                       std::span<const Real> z, std::span<Real> y, PartWorkspace<Real>& work) const;
  template <class Real>
  void add_gram(const FactorTable<Real>& u, double scale, std::span<const Real> z, Matrix<Real>& g,
                PartWorkspace<Real>& work) const;
  template <class Real>
  void add_cross(const FactorTable<Real>& u, double scale, std::span<const Real> x, std::span<const Real> w,
                 Matrix<Real>& g, PartWorkspace<Real>& work) const;
  // The same for callers with few products to make.
  template <class Real>
  void add_directional(const FactorTable<Real>& u, const FactorTable<Real>& v, double scale,
                       std::span<const Real> z, std::span<Real> y) const {
    PartWorkspace<Real> work;
    add_directional(u, v, scale, z, y, work);
  }
  template <class Real>
  void add_gram(const FactorTable<Real>& u, double scale, std::span<const Real> z, Matrix<Real>& g) const {
    PartWorkspace<Real> work;
    add_gram(u, scale, z, g, work);
  }
  template <class Real>
  void add_cross(const FactorTable<Real>& u, double scale, std::span<const Real> x, std::span<const Real> w,
                 Matrix<Real>& g) const {
    PartWorkspace<Real> work;
    add_cross(u, scale, x, w, g, work);
  }

  // The pieces: short fibers first (by length), then long ones.
  [[nodiscard]] const std::vector<kernels::FiberRange>& pieces() const { return pieces_; }
  // B of a fiber with two entries or more, and of an entry alone in its fiber.
  [[nodiscard]] float fiber_scale(Count listed) const {
    return fiber_scale_.empty() ? 1.0F : fiber_scale_[listed];
  }
  [[nodiscard]] float single_scale(Count entry) const;
  // Index along mode k of every entry of the tensor.
  [[nodiscard]] std::span<const Index> row_of_entry() const { return row_of_entry_; }

 private:
  // out[row of e] += D B x_e w_e over the entries that are alone in their fiber. `sums` is workspace, and
  // holds the result in its first list.
  template <class Real>
  const std::vector<double>& single_row_sums(std::span<const Real> x, std::span<const Real> w,
                                             std::vector<std::vector<double>>& sums) const;
  [[nodiscard]] Count groups_for(Count entries, Count most) const;
  template <class Real, class Body>
  void scatter_rows(int columns, Matrix<Real>& g, std::vector<FactorTable<Real>>& buffers, Body&& body) const;

  template <class Real>
  void add_gram_of_rows(const FactorTable<Real>& u, double scale, std::span<const Real> z, Matrix<Real>& g,
                        PartWorkspace<Real>& work) const;
  template <class Real>
  void add_cross_of_rows(const FactorTable<Real>& u, double scale, std::span<const Real> x,
                         std::span<const Real> w, Matrix<Real>& g, PartWorkspace<Real>& work) const;
  // g += B' of what add(rows) adds to zeros, or what it adds to g where there is no side information.
  template <class Real, class Add>
  void through_basis(int columns, Matrix<Real>& g, PartWorkspace<Real>& work, Add&& add) const;

  void weigh(const Communicator& everyone);
  void take_side(const Mode& mode);

  FiberView view_;
  std::vector<Index> same_row_;           // where nothing is learned: 0 for every entry
  std::span<const Index> row_of_entry_;   // else the tensor's, which must outlive this
  std::span<const double> entry_weight_;  // likewise; empty: all 1
  std::vector<double> row_scale_;         // D; empty: all 1, or part of the basis
  std::optional<RowBasis> basis_;         // of a part with side information
  std::vector<float> fiber_scale_;
  double single_scale_ = 1.0;  // of a fiber with one entry of weight 1
  std::vector<kernels::FiberRange> pieces_;
  std::unique_ptr<const NearKernel> near_;
};

}  // namespace lacuna
