// SPDX-License-Identifier: MIT
// The sparse tensor products of a part with near modes. Its kernel over two entries is
//
//   Theta(i_k, j_k) prod_{s agree} [i_s = j_s] kappa(i_near, j_near)
//
// with kappa over the positions of the near modes: exp(-|x - y| / l) for one near mode at smoothness 1
// (NearChain), else (1 + sum_s l_s^2 Delta_s)^(-p) on their grid, of mean diagonal 1 (NearGrid). So all that
// holds for a part holds with Z_p replaced by Z_p kappa^(1/2): with t = Z'U over the fibers (those of equal
// indices in the agreeing and the near modes) and s = kappa t,
//
//   add_product       y += scale (Z kappa x_k U U')_Omega              y_e += scale u_e . s_c(e)
//   add_directional   y += scale (Z kappa x_k (U V' + V U'))_Omega
//   add_gram          G += scale Z kappa Z' U                          G_i += scale sum_e z_e s_c(e)
//   add_cross         G += scale (X kappa W' + W kappa X') U
//
// A field holds `columns` numbers for each slot, which is a fiber of the chain or a cell of a grid; every
// group of equal agreeing indices has a grid of its own. O((N + slots) r) a product, times the logarithm of
// the grid's sides. The result of every call is the same bits at any thread count.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <span>
#include <vector>

#include "kernels/factor_table.hpp"
#include "kernels/near_cells.hpp"
#include "kernels/near_chain.hpp"
#include "kernels/near_grid.hpp"

namespace lacuna {

class NearKernel {
 public:
  // row_of_entry: which row of U an entry selects. Throws std::invalid_argument where positions or the size
  // of the grid do not allow it. row_scale below is D of part_kernels.hpp.
  NearKernel(const ObservedTensor& tensor, const PartSpec& part, std::span<const Index> row_of_entry);

  [[nodiscard]] Count slots() const { return slots_; }
  [[nodiscard]] Count fibers() const { return static_cast<Count>(start_.size()) - 1; }
  [[nodiscard]] const NearGrid* grid() const { return grid_ ? &*grid_ : nullptr; }  // null: a chain
  [[nodiscard]] Count groups() const { return groups_; }

  // field <- Z'U;  y_e += scale u_e . field at e's slot
  template <class Real>
  void collect(const FactorTable<Real>& u, std::span<const Real> z, std::vector<Real>& field) const;
  template <class Real>
  void add_values(const FactorTable<Real>& u, const std::vector<Real>& field, double scale,
                  std::span<Real> y) const;
  // field <- kappa field
  template <class Real>
  void smooth(std::vector<Real>& field, int columns, GridWorkspace<Real>& work) const;

  template <class Real>
  void add_product(const FactorTable<Real>& u, double scale, std::span<const Real> z, std::span<Real> y,
                   PartWorkspace<Real>& work) const;
  template <class Real>
  void add_directional(const FactorTable<Real>& u, const FactorTable<Real>& v, double scale,
                       std::span<const Real> z, std::span<Real> y, PartWorkspace<Real>& work) const;
  template <class Real>
  void add_gram(const FactorTable<Real>& u, double scale, std::span<const Real> z,
                std::span<const double> row_scale, Matrix<Real>& g, PartWorkspace<Real>& work) const;
  template <class Real>
  void add_cross(const FactorTable<Real>& u, double scale, std::span<const Real> x, std::span<const Real> w,
                 std::span<const double> row_scale, Matrix<Real>& g, PartWorkspace<Real>& work) const;

  // sum_c s_c s_c' over all positions c of the near modes, seen or not, in every group.
  [[nodiscard]] Eigen::MatrixXd fiber_gram(const FactorTable<double>& u, std::span<const double> z) const;

  // body(entry, kappa_cc) for every entry.
  template <class Body>
  void for_each_diagonal(Body&& body) const {
    for (Count f = 0; f < fibers(); ++f) {
      const double self = grid_ ? grid_->diagonal(slot_[f] % grid_->cells()) : 1.0;
      for (Count j = start_[f]; j < start_[f + 1]; ++j) body(entry_[j], self);
    }
  }

  // Where cells lie among the slots. index[k][i]: position of cell i along mode k, or kUnseen;
  // coordinates[k][i], where there are any for a near mode, its place along it in units of the mode's
  // positions, which may lie between them. On a grid what lies between is interpolated linearly, and what
  // lies beyond is as at the end.
  [[nodiscard]] NearCells find_cells(const Cells& cells,
                                     const std::vector<std::vector<double>>& coordinates) const;
  // out[cell] += scale u_cell . (kappa Z'U at the cell)
  template <class Real>
  void add_cells(const NearCells& cells, const FactorTable<Real>& u, double scale, std::span<const Real> z,
                 std::span<double> out) const;
  // What cells are read from, made once to be read often: kappa Z'U. out[0 .. columns) += it at the i-th of
  // the cells found.
  [[nodiscard]] std::vector<double> cell_field(const FactorTable<double>& u, std::span<const double> z) const;
  void read_cell(const NearCells& cells, std::size_t i, const std::vector<double>& field, int columns,
                 double* out) const;
  // The kernel between the i-th of the cells found and each slot; what is beyond its group has 0.
  [[nodiscard]] std::vector<double> cell_kernel(const NearCells& cells, std::size_t i) const;
  // body(entry, slot) for every entry.
  template <class Body>
  void for_each_entry(Body&& body) const {
    for (Count f = 0; f < fibers(); ++f)
      for (Count j = start_[f]; j < start_[f + 1]; ++j) body(entry_[j], slot_[f]);
  }
  // out[cell] += the observed entries of its group, each counted as its kernel with the cell's fiber.
  void add_support(const NearCells& cells, std::span<double> out) const;

 private:
  void sort_entries(const ObservedTensor& tensor, const std::vector<NearAxis>& axes);
  void check_grids() const;
  [[nodiscard]] Count find_group(const Cells& cells, Count cell) const;
  [[nodiscard]] bool find_readings(const Cells& cells, const std::vector<std::vector<double>>& coordinates,
                                   Count cell, NearCells& found) const;
  void read_chain(Count group, double x, NearCells& found) const;
  void read_grid(Count group, std::span<const NearAxis::Between> at, NearCells& found) const;
  // The field that cells are read from: kappa t, or the two sweeps of a chain one after the other.
  template <class Real>
  void prepare(std::vector<Real>& field, int columns) const;

  [[nodiscard]] Count slot_stride(int columns) const { return grid_ ? 1 : columns; }
  [[nodiscard]] Count column_stride() const { return grid_ ? slots_ : 1; }

  template <class Real>
  void add_rows(int columns, double scale, std::span<const Real> z, std::span<const double> row_scale,
                Matrix<Real>& g, PartWorkspace<Real>& work) const;

  PartSpec part_;
  Count rows_ = 1;
  Count groups_ = 0;
  Count slots_ = 0;
  std::optional<NearGrid> grid_;
  NearChain chain_;
  std::vector<NearAxis> axes_;
  std::vector<Index> group_key_;  // the agreeing indices of each group, ascending
  // Fibers in the order of their slots: entries start_[f] .. start_[f + 1] and their rows.
  std::vector<Count> start_;
  std::vector<Count> slot_;
  std::vector<Index> entry_;
  std::vector<Index> row_;
};

}  // namespace lacuna
