// SPDX-License-Identifier: MIT
// A smooth field over the grid of a part's near modes that may break at edges. With u_e the row of U that entry e
// selects, x_e its cell, and S = I + a Laplacian that conducts less across edges than along them (edge_laplacian.hpp),
//
//   K = S^p / c,   p = 1 or 2,
//
//   V = argmin  sum_e w_e (y_e - u_e . V(x_e))^2 + 1/(2 lambda) <V, K V>,   w_e the weight of an entry
//
// Without edges this is a near part (near_grid.hpp, whose c it takes) for a given U, in its precision form. V has a
// column for each of U; its columns lie one after the other.
//
// (B'B + K / (2 lambda)) V = B'y is solved by conjugate gradients, preconditioned by the cosine transform without edges
// and the mean over all cells in place of B'B, both in units of what a cell conducts. A step costs O((cells log + entries) r).
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <span>
#include <vector>

#include "kernels/near_grid.hpp"
#include "method/field/edge_laplacian.hpp"

namespace lacuna {

class EdgeField {
 public:
  // The part must be near along all modes but the one it learns. Throws std::invalid_argument where it is not, or
  // where positions or the size of the grid do not allow it.
  EdgeField(const ObservedTensor& tensor, const PartSpec& part);

  [[nodiscard]] Count cells() const { return grid_->cells(); }  // what a quick transform adds included
  [[nodiscard]] Count rows() const { return rows_; }            // of U
  // The cell of these indices of all modes, and the row of U.
  [[nodiscard]] Count cell_of(std::span<const Index> index) const;
  [[nodiscard]] Count row_of(std::span<const Index> index) const;

  // The covariance of the rows, as pairs of entries of one cell show it; 0 where there are none.
  [[nodiscard]] Eigen::MatrixXd row_covariance(std::span<const double> y) const;

  // U, whose columns are orthogonal, and lambda from now on.
  void set_factor(const Matrix<double>& u, double lambda);
  // From the steps of this field.
  void find_edges(std::span<const double> v, double contrast);

  // What a fit that goes on needs to know of the edges.
  [[nodiscard]] std::vector<double> edges() const { return laplacian_->stencils(); }
  void set_edges(std::span<const double> values);

  // V from where it is, until the objective falls by no more than goal of itself in so many steps that what is left to
  // gain is less. Residuals deceive: in large holes they are small long before the longest waves have come in. How many
  // steps that took.
  int solve(std::span<const double> y, double goal, int most, const Interrupted& interrupted,
            std::vector<double>& v);

  [[nodiscard]] double value(std::span<const double> v, Count cell, Count row) const;
  [[nodiscard]] Eigen::MatrixXd precision_gram(std::span<const double> v);  // V'KV

 private:
  void sort_entries(const ObservedTensor& tensor);
  void add_precision(std::span<const double> v, double scale, std::span<double> out);  // out += scale K v
  void multiply(std::span<const double> v, std::span<double> out);  // out = (B'B + K / (2 lambda)) v
  void take_shares();
  void precondition(std::span<const double> r, std::span<double> out);
  [[nodiscard]] std::size_t columns() const { return static_cast<std::size_t>(u_.cols()); }

  PartSpec part_;
  std::vector<NearAxis> places_;
  std::optional<NearGrid> grid_;
  std::optional<EdgeLaplacian> laplacian_;
  Count rows_ = 1;
  int power_ = 2;
  double unit_ = 1.0;  // 1 / c
  // Entries by their cells: start_[i] .. start_[i + 1] of entry_ and row_ lie in cell_[i].
  std::vector<Count> start_;
  std::vector<Count> cell_;
  std::vector<Index> entry_;
  std::vector<Index> row_;
  std::vector<double> weight_;
  Matrix<double> u_;
  double lambda_ = 1.0;
  std::vector<double> mean_;   // of B'B, for each column
  std::vector<double> share_;  // one over the root of the local share, for the preconditioner
  std::vector<double> once_;   // S v, of one column
  std::vector<double> twice_;
  GridWorkspace<double> work_;
};

}  // namespace lacuna
