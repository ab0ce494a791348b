// SPDX-License-Identifier: MIT
#include "kernels/near_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <type_traits>

#include "base/parallel.hpp"
#include "linalg/decompose.hpp"

namespace lacuna {
namespace {

// The eigenpairs of M^(-1/2) L M^(-1/2) for the path through the positions, and E = V' M^(-1/2).
struct PathBasis {
  Eigen::VectorXd eigenvalue;
  Eigen::MatrixXd basis;
};

PathBasis path_basis(const std::vector<double>& position) {
  const auto size = static_cast<Eigen::Index>(position.size());
  Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(size);
  for (Eigen::Index i = 0; i + 1 < size; ++i) {
    const double gap = position[i + 1] - position[i];
    laplacian(i, i) += 1 / gap;
    laplacian(i + 1, i + 1) += 1 / gap;
    laplacian(i, i + 1) = laplacian(i + 1, i) = -1 / gap;
    mass(i) += gap / 2;
    mass(i + 1) += gap / 2;
  }
  mass(0) *= 2;  // at the ends the cell is as wide on the far side as on the near one
  mass(size - 1) *= 2;
  const Eigen::VectorXd root = mass.cwiseSqrt().cwiseInverse();
  const SymmetricEigen eigen = symmetric_eigen(root.asDiagonal() * laplacian * root.asDiagonal());
  return {.eigenvalue = eigen.values.cwiseMax(0.0), .basis = eigen.vectors.transpose() * root.asDiagonal()};
}

}  // namespace

NearGrid::NearGrid(std::vector<NearAxis> axes, double smoothness) : axes_(std::move(axes)) {
  double cells = 1.0;
  for (const NearAxis& axis : axes_) {
    if (axis.spacing == 0.0 && axis.position.size() > kMostIrregular)
      throw std::invalid_argument("a near mode of " + std::to_string(axis.position.size()) +
                                  " irregular positions, at most " + std::to_string(kMostIrregular) +
                                  " are possible in a part with several near modes or smooth > 1");
    cells *= static_cast<double>(axis.position.size());
  }
  if (cells > static_cast<double>(kMostCells))
    throw std::invalid_argument("the grid of the near modes has more than " + std::to_string(kMostCells) +
                                " cells; ask fewer modes to be near");
  for (const NearAxis& axis : axes_) add_axis(axis);
  stride_.assign(size_.size(), 1);
  for (std::size_t s = size_.size(); s-- > 0;) {
    stride_[s] = cells_;
    cells_ *= size_[s];
  }
  set_spectrum(smoothness);
  set_diagonal();
}

void NearGrid::add_axis(const NearAxis& axis) {
  Transform made;
  made.regular = axis.spacing > 0.0;
  if (made.regular) {
    const auto size = CosineTransform<double>::next_length(static_cast<Count>(axis.position.size()));
    made.wide = CosineTransform<double>(size);
    made.narrow = CosineTransform<float>(size);
    const double length = axis.length / axis.spacing;
    for (Count k = 0; k < size; ++k) {
      const double half =
          std::sin(std::numbers::pi * static_cast<double>(k) / (2.0 * static_cast<double>(size)));
      made.eigenvalue.push_back(4 * length * length * half * half);
    }
    size_.push_back(size);
  } else {
    const PathBasis path = path_basis(axis.position);
    made.wide_basis = path.basis;
    made.narrow_basis = path.basis.cast<float>();
    for (const double value : path.eigenvalue) made.eigenvalue.push_back(axis.length * axis.length * value);
    size_.push_back(static_cast<Count>(axis.position.size()));
  }
  transforms_.push_back(std::move(made));
}

void NearGrid::set_spectrum(double smoothness) {
  spectrum_.resize(static_cast<std::size_t>(cells_));
  parallel_blocks(cells_, [&](Count begin, Count end) {
    for (Count cell = begin; cell < end; ++cell) {
      double sum = 1.0;
      for (std::size_t s = 0; s < size_.size(); ++s)
        sum += transforms_[s].eigenvalue[cell / stride_[s] % size_[s]];
      spectrum_[cell] = std::pow(sum, -smoothness);
    }
  });
}

// diag(kappa)(x) = sum_k f_k prod_s E_s(k_s, x_s)^2, axis by axis; then the scale c.
void NearGrid::set_diagonal() {
  diagonal_ = spectrum_;
  for (std::size_t s = 0; s < size_.size(); ++s) spread_squares(s, diagonal_);
  const double sum = parallel_sum(cells_, [&](Count begin, Count end) {
    double partial = 0.0;
    for (Count cell = begin; cell < end; ++cell) {
      bool real = true;  // not beyond the mode's own positions
      for (std::size_t s = 0; s < size_.size(); ++s)
        real = real && cell / stride_[s] % size_[s] < static_cast<Count>(axes_[s].position.size());
      if (real) partial += diagonal_[cell];
    }
    return partial;
  });
  double positions = 1.0;
  for (const NearAxis& axis : axes_) positions *= static_cast<double>(axis.position.size());
  const double scale = positions / sum;
  for (double& value : spectrum_) value *= scale;
  for (double& value : diagonal_) value *= scale;
}

// values <- sum_k E(k, x)^2 values_k along one axis. For cosines E(k, x)^2 = (1 + [k > 0] cos(2 pi k (x +
// 1/2) / m)) / m, and frequencies 2k above m come back from 2m with the opposite sign.
void NearGrid::spread_squares(std::size_t axis, std::vector<double>& values) const {
  const Count size = size_[axis];
  const Count inner = stride_[axis];
  const Transform& by = transforms_[axis];
  const Eigen::MatrixXd squares =
      by.regular ? Eigen::MatrixXd() : Eigen::MatrixXd(by.wide_basis.cwiseAbs2().transpose());
  const auto length = static_cast<double>(size);
  parallel_blocks(
      cells_ / size,
      [&](Count begin, Count end) {
        std::vector<double> scratch(by.regular ? by.wide.scratch() : 0);
        Eigen::VectorXd line(size);
        Eigen::VectorXd folded(size);
        for (Count i = begin; i < end; ++i) {
          double* base = values.data() + i / inner * size * inner + i % inner;
          for (Count k = 0; k < size; ++k) line(k) = base[k * inner];
          if (by.regular) {
            folded.setZero();
            folded(0) = line.sum() / std::sqrt(length);
            for (Count k = 1; k < size; ++k)
              if (2 * k < size)
                folded(2 * k) += line(k) / std::sqrt(2 * length);
              else if (2 * k > size)
                folded(2 * size - 2 * k) -= line(k) / std::sqrt(2 * length);
            by.wide.inverse(folded.data(), {.along = 1, .across = size, .count = 1}, scratch.data());
          } else {
            folded.noalias() = squares * line;
          }
          for (Count x = 0; x < size; ++x) base[x * inner] = folded(x);
        }
      },
      64);
}

std::vector<double> NearGrid::basis_squares() const {
  std::vector<double> squares(static_cast<std::size_t>(cells_), 1.0);
  for (std::size_t s = 0; s < size_.size(); ++s) {
    if (transforms_[s].regular) continue;
    const Eigen::VectorXd norms = transforms_[s].wide_basis.rowwise().squaredNorm();
    for (Count cell = 0; cell < cells_; ++cell) squares[cell] *= norms(cell / stride_[s] % size_[s]);
  }
  return squares;
}

// The fields are outer x size x inner numbers. Lines that lie side by side are transformed together: the
// inner ones, or, along the last axis, those of consecutive outer ones.
template <class Real>
void NearGrid::transform(std::size_t axis, Real* fields, Count grids, bool forward,
                         GridWorkspace<Real>& work) const {
  const Transform& by = transforms_[axis];
  const Count size = size_[axis];
  const Count inner = stride_[axis];
  const Count outer = grids * cells_ / (size * inner);
  constexpr Count kAtOnce = CosineTransform<Real>::kLinesAtOnce;
  const Count lines = inner == 1 ? outer : inner;        // side by side
  const Count chunks = (lines + kAtOnce - 1) / kAtOnce;  // of them
  const Count tasks = inner == 1 ? chunks : outer * chunks;
  const Count along = inner;
  const Count across = inner == 1 ? size : 1;
  work.make_room(thread_count());
  parallel_blocks(
      tasks,
      [&](Count begin, Count end) {
        std::vector<Real>& scratch = work.lines[omp_get_thread_num()];
        if (by.regular) scratch.resize(by.wide.scratch());
        Matrix<Real>& block = work.products[omp_get_thread_num()];
        for (Count task = begin; task < end; ++task) {
          const Count first = task % chunks * kAtOnce;
          const Count count = std::min(kAtOnce, lines - first);
          Real* base = fields + task / chunks * size * inner + first * across;
          if (by.regular) {
            const Lines where{.along = along, .across = across, .count = count};
            const auto& cosine = [&]() -> const CosineTransform<Real>& {
              if constexpr (std::is_same_v<Real, double>)
                return by.wide;
              else
                return by.narrow;
            }();
            if (forward)
              cosine.forward(base, where, scratch.data());
            else
              cosine.inverse(base, where, scratch.data());
            continue;
          }
          const auto& basis = [&]() -> const Matrix<Real>& {
            if constexpr (std::is_same_v<Real, double>)
              return by.wide_basis;
            else
              return by.narrow_basis;
          }();
          Eigen::Map<Matrix<Real>, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> part(
              base, size, count, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(along, across));
          if (forward)
            block.noalias() = basis * part;
          else
            block.noalias() = basis.transpose() * part;
          part = block;
        }
      },
      4);
}

template <class Real>
void NearGrid::to_spectrum(Real* fields, Count grids, GridWorkspace<Real>& work) const {
  for (std::size_t s = 0; s < size_.size(); ++s) transform(s, fields, grids, true, work);
}

template <class Real>
void NearGrid::from_spectrum(Real* fields, Count grids, GridWorkspace<Real>& work) const {
  for (std::size_t s = 0; s < size_.size(); ++s) transform(s, fields, grids, false, work);
}

template <class Real>
void NearGrid::smooth(Real* fields, Count grids, GridWorkspace<Real>& work) const {
  to_spectrum(fields, grids, work);
  parallel_blocks(grids * cells_, [&](Count begin, Count end) {
    Count cell = begin % cells_;
    for (Count i = begin; i < end; ++i) {
      fields[i] *= static_cast<Real>(spectrum_[cell]);
      if (++cell == cells_) cell = 0;
    }
  });
  from_spectrum(fields, grids, work);
}

template void NearGrid::to_spectrum(double*, Count, GridWorkspace<double>&) const;
template void NearGrid::to_spectrum(float*, Count, GridWorkspace<float>&) const;
template void NearGrid::from_spectrum(double*, Count, GridWorkspace<double>&) const;
template void NearGrid::from_spectrum(float*, Count, GridWorkspace<float>&) const;
template void NearGrid::smooth(double*, Count, GridWorkspace<double>&) const;
template void NearGrid::smooth(float*, Count, GridWorkspace<float>&) const;

}  // namespace lacuna
