// SPDX-License-Identifier: MIT
// S = I + L, L a discrete Laplacian of a grid whose conductance is a symmetric d x d matrix in every corner, the point
// between 2^d neighbouring cells. With steps along mode s measured in lengths l_s, G v the gradient in a corner (the mean
// of the 2^(d-1) steps along each mode around it), and C = sum_i g_i e_i e_i' the conductance there, least value g_d,
//
//   <v, L v> = sum over steps g l_s^2 (v_(x+s) - v_x)^2 + sum over corners (G v)' (C - g_d I) (G v),
//
// g of a step being the mean of g_d in the corners around it: what is conducted in all directions alike is as in a plain
// Laplacian, which sees steps that cancel in a corner, and what more is conducted along an edge than across it is
// added there. Where all g are 1 it is the plain Laplacian.
//
// Conductances follow from the steps of a field: J, the products of its steps along two modes, summed over columns, in
// units of their mean squares along the modes, smoothed over kReach steps, has eigenvectors e_i (across the edge first)
// and eigenvalues m_i, and g_i = 1 / (1 + m_i / contrast), then brought to a mean of 1. With d = 1 nothing is smoothed.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

namespace lacuna {

class EdgeLaplacian {
 public:
  static constexpr double kReach = 4.0;  // steps: the deviation of the Gaussian that J is smoothed with

  static constexpr std::size_t kMostAxes = 8;

  struct Axis {
    Count size = 1;
    Count stride = 1;
    std::vector<double> length{};  // l over the length of each step; 0 behind the last cell
  };
  // Strides fall, and no axis has one cell alone; all conductances are 1.
  explicit EdgeLaplacian(std::vector<Axis> axes);

  [[nodiscard]] Count cells() const { return cells_; }

  // From fields that lie one after the other, column j of which counts `squares[j]` times.
  void find_edges(std::span<const double> fields, std::span<const double> squares, double contrast);

  void apply(const double* v, double* out) const;  // out = S v
  // The diagonal of S over that without edges, at each cell.
  [[nodiscard]] std::vector<double> local_share() const;

  // What a fit that goes on needs to know: the stencils.
  [[nodiscard]] std::vector<double> stencils() const;
  void set_stencils(std::span<const double> values);

 private:
  // What the cell before and the cell behind say to each other, of cells that are `offset` apart; 0 where there is no pair.
  struct Neighbour {
    Count offset = 0;
    std::vector<double> weight{};  // at the cell before
  };

  [[nodiscard]] bool is_corner(Count x) const;  // with it as the first cell
  [[nodiscard]] bool has_corner(Count x, std::size_t b) const;
  [[nodiscard]] std::size_t pairs() const { return axes_.size() * (axes_.size() + 1) / 2; }
  [[nodiscard]] std::vector<double> products_of_steps(std::span<const double> fields,
                                                      std::span<const double> squares) const;
  void smooth(std::span<double> values) const;
  [[nodiscard]] std::size_t direction(std::size_t from, std::size_t to) const;
  void assemble(std::span<const double> least, std::span<const double> more, double scale);
  void add_steps(std::size_t s, std::span<const double> least, double scale);
  void add_corners(std::span<const double> more, double scale);
  [[nodiscard]] double length(std::size_t s, Count x) const {
    return axes_[s].length[x / axes_[s].stride % axes_[s].size];
  }

  std::vector<Axis> axes_;
  Count cells_ = 1;
  std::vector<Count> corner_;  // of the 2^d cells around a corner, from its first; bit s: one further along s
  std::vector<double> diagonal_;
  std::vector<Neighbour> neighbours_;  // one for each direction that leads forward
};

}  // namespace lacuna
