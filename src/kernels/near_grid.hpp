// SPDX-License-Identifier: MIT
// The kernel of several near modes, or of one that is smoother than an exponential, on the grid of their
// positions:
//
//   kappa = c E' f(mu) E,   f = (1 + sum_s l_s^2 mu_s)^(-p),   c such that the mean of diag(kappa) is 1
//
// where mu_s and the rows of E_s (E is the product of all E_s) belong to the Laplacian of the path through
// mode s's positions. With regular positions E_s is the orthonormal cosine transform and mu = (2 - 2 cos(pi k
// / m)) / spacing^2; the path goes on, without data, to the next length m that the transform is quick at.
// With irregular ones mu and the columns of V are the eigenpairs of M^(-1/2) L M^(-1/2), L having the weight
// 1/(x_(i+1) - x_i) between neighbours and the diagonal M half the way to both of them (to the one, twice, at
// the ends), and E = V' M^(-1/2): finite volumes, so that the two agree where positions are regular.
//
// A transform costs O(log m) a cell for each regular mode, O(m) for each irregular one.
#pragma once

#include <span>
#include <vector>

#include "kernels/cosine_transform.hpp"
#include "kernels/near_axis.hpp"
#include "kernels/part_workspace.hpp"
#include "linalg/matrix.hpp"

namespace lacuna {

class NearGrid {
 public:
  static constexpr Count kMostCells = Count{1} << 26;  // of all grids of a part: 512 MB for each column
  static constexpr Index kMostIrregular = 4096;        // positions: their eigenvectors are a dense matrix

  // Throws std::invalid_argument where the grid, or a mode with irregular positions, is beyond these bounds.
  NearGrid(std::vector<NearAxis> axes, double smoothness);

  [[nodiscard]] const std::vector<NearAxis>& axes() const { return axes_; }
  [[nodiscard]] Count cells() const { return cells_; }
  [[nodiscard]] Count stride(std::size_t axis) const { return stride_[axis]; }

  // Of `grids` fields that lie one after the other, in place: c = E t;  t = E' c;  s = kappa t.
  template <class Real>
  void to_spectrum(Real* fields, Count grids, GridWorkspace<Real>& work) const;
  template <class Real>
  void from_spectrum(Real* fields, Count grids, GridWorkspace<Real>& work) const;
  template <class Real>
  void smooth(Real* fields, Count grids, GridWorkspace<Real>& work) const;

  [[nodiscard]] std::span<const double> spectrum() const { return spectrum_; }  // c f
  [[nodiscard]] double diagonal(Count cell) const { return diagonal_[cell]; }   // of kappa
  // The squared length of each row of E: 1 where positions are regular.
  [[nodiscard]] std::vector<double> basis_squares() const;

 private:
  // E_s: a cosine transform or a matrix.
  struct Transform {
    bool regular = true;
    CosineTransform<double> wide;
    CosineTransform<float> narrow;
    Matrix<double> wide_basis;
    Matrix<float> narrow_basis;
    std::vector<double> eigenvalue;  // l_s^2 mu_s
  };
  void add_axis(const NearAxis& axis);
  void set_spectrum(double smoothness);
  void set_diagonal();
  void spread_squares(std::size_t axis, std::vector<double>& values) const;
  template <class Real>
  void transform(std::size_t axis, Real* fields, Count grids, bool forward, GridWorkspace<Real>& work) const;

  std::vector<NearAxis> axes_;
  std::vector<Transform> transforms_;
  std::vector<Count> size_;  // of the axes, padding included
  std::vector<Count> stride_;
  Count cells_ = 1;
  std::vector<double> spectrum_;
  std::vector<double> diagonal_;
};

}  // namespace lacuna
