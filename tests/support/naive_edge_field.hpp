// SPDX-License-Identifier: MIT
// The naive twin of EdgeField: dense matrices, cell by cell.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <lacuna/tensor/tensor.hpp>
#include <numeric>
#include <vector>

#include "kernels/cosine_transform.hpp"
#include "method/field/edge_laplacian.hpp"

namespace lacuna::test {

// The matrix of the second system of edge_field.hpp, cell by cell.
class NaiveField {
 public:
  NaiveField(const ObservedTensor& tensor, const PartSpec& part, const Matrix<double>& u)
      : tensor_(&tensor), part_(&part), u_(&u) {
    for (const NearMode& near : part.near)
      size_.push_back(CosineTransform<double>::next_length(tensor.extent(near.mode)));
    cells_ = std::accumulate(size_.begin(), size_.end(), std::ptrdiff_t{1}, std::multiplies<>());
    for (std::ptrdiff_t x = 0; x < cells_; ++x)
      conductance_.emplace_back(Eigen::MatrixXd::Identity(modes(), modes()));
  }

  [[nodiscard]] Eigen::Index modes() const { return static_cast<Eigen::Index>(size_.size()); }
  [[nodiscard]] std::ptrdiff_t cells() const { return cells_; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t axis) const {
    return std::accumulate(size_.begin() + static_cast<std::ptrdiff_t>(axis) + 1, size_.end(),
                           std::ptrdiff_t{1}, std::multiplies<>());
  }
  [[nodiscard]] bool ends(std::size_t axis, std::ptrdiff_t x) const {
    return x / stride(axis) % size_[axis] == size_[axis] - 1;
  }

  [[nodiscard]] bool is_corner(std::ptrdiff_t x) const {
    for (std::size_t s = 0; s < size_.size(); ++s)
      if (ends(s, x)) return false;
    return true;
  }
  [[nodiscard]] std::ptrdiff_t at(std::size_t axis, std::ptrdiff_t x) const {
    return x / stride(axis) % size_[axis];
  }

  // G of a corner, a row for each mode: the mean of the steps around it.
  [[nodiscard]] Eigen::MatrixXd gradient(std::ptrdiff_t x) const {
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(modes(), cells_);
    for (std::size_t s = 0; s < size_.size(); ++s)
      for (std::size_t b = 0; b < std::size_t{1} << size_.size(); ++b) {
        std::ptrdiff_t cell = x;
        for (std::size_t t = 0; t < size_.size(); ++t)
          if ((b >> t & 1U) != 0) cell += stride(t);
        g(static_cast<Eigen::Index>(s), cell) +=
            ((b >> s & 1U) != 0 ? 1.0 : -1.0) / std::pow(2.0, static_cast<double>(size_.size()) - 1.0);
      }
    return g;
  }

  void find_edges(const std::vector<double>& v, double contrast) {
    const Eigen::Map<const Eigen::MatrixXd> columns(v.data(), cells_, u_->cols());
    const Eigen::MatrixXd field = columns * u_->transpose();
    std::vector<std::ptrdiff_t> corners;
    std::vector<Eigen::MatrixXd> products;
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(modes());
    for (std::ptrdiff_t x = 0; x < cells_; ++x) {
      if (!is_corner(x)) continue;
      const Eigen::MatrixXd steps = gradient(x) * field;
      corners.push_back(x);
      products.emplace_back(steps * steps.transpose());
      squares += products.back().diagonal();
    }
    const Eigen::VectorXd unit = (squares / static_cast<double>(corners.size())).cwiseSqrt().cwiseInverse();
    double mean = 0.0;
    for (const std::ptrdiff_t x : corners) {
      Eigen::MatrixXd around = Eigen::MatrixXd::Zero(modes(), modes());
      double weights = 0.0;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const double weight = modes() == 1 ? (corners[i] == x ? 1.0 : 0.0) : gaussian(x, corners[i]);
        around += weight * products[i];
        weights += weight;
      }
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(unit.asDiagonal() * around / weights *
                                                                 unit.asDiagonal());
      const Eigen::VectorXd g = (1.0 + eigen.eigenvalues().array() / contrast).inverse();
      conductance_[x] = eigen.eigenvectors() * g.asDiagonal() * eigen.eigenvectors().transpose();
      mean += g.mean() / static_cast<double>(corners.size());
    }
    for (const std::ptrdiff_t x : corners) conductance_[x] /= mean;
  }

  [[nodiscard]] Eigen::MatrixXd smoothing() const {  // S
    Eigen::MatrixXd sum = Eigen::MatrixXd::Identity(cells_, cells_);
    Eigen::MatrixXd lengths = Eigen::MatrixXd::Zero(modes(), modes());
    for (Eigen::Index s = 0; s < modes(); ++s) lengths(s, s) = part_->near[s].length;
    std::vector<double> least;
    for (const Eigen::MatrixXd& c : conductance_)
      least.push_back(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(c).eigenvalues()[0]);
    for (std::ptrdiff_t x = 0; x < cells_; ++x) {
      if (modes() > 1 && is_corner(x)) {
        const Eigen::MatrixXd g = lengths * gradient(x);
        sum += g.transpose() * (conductance_[x] - least[x] * Eigen::MatrixXd::Identity(modes(), modes())) * g;
      }
      for (std::size_t a = 0; a < size_.size(); ++a) {
        if (ends(a, x)) continue;
        double mean = 0.0;
        double count = 0.0;
        for (std::ptrdiff_t corner = 0; corner < cells_; ++corner) {
          if (!is_corner(corner) || at(a, corner) != at(a, x)) continue;
          bool beside = true;
          for (std::size_t t = 0; t < size_.size(); ++t)
            beside = beside && (t == a || at(t, corner) == at(t, x) || at(t, corner) + 1 == at(t, x));
          mean += beside ? least[corner] : 0.0;
          count += beside ? 1.0 : 0.0;
        }
        const double weight = std::pow(part_->near[a].length, 2) * mean / count;
        const std::ptrdiff_t y = x + stride(a);
        sum(x, x) += weight;
        sum(y, y) += weight;
        sum(x, y) -= weight;
        sum(y, x) -= weight;
      }
    }
    return sum;
  }

  // V that minimises, as EdgeField lays it out. c: the mean of the diagonal of the plain S^-p is 1 / c.
  [[nodiscard]] std::vector<double> solve(double lambda) const {
    NaiveField plain(*tensor_, *part_, *u_);
    Eigen::MatrixXd power = smoothing();
    Eigen::MatrixXd plain_power = plain.smoothing();
    if (part_->smoothness == 2.0) {
      power = (power * power).eval();
      plain_power = (plain_power * plain_power).eval();
    }
    const Eigen::VectorXd diagonal = plain_power.inverse().diagonal();
    double unit = 0.0;  // 1 / c: its mean where there are positions
    double count = 0.0;
    for (std::ptrdiff_t x = 0; x < cells_; ++x) {
      bool padding = false;
      for (std::size_t s = 0; s < size_.size(); ++s)
        padding = padding || x / stride(s) % size_[s] >= tensor_->extent(part_->near[s].mode);
      unit += padding ? 0.0 : diagonal[x];
      count += padding ? 0.0 : 1.0;
    }
    unit /= count;
    const Eigen::Index r = u_->cols();
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(r * cells_, r * cells_);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(r * cells_);
    for (Eigen::Index j = 0; j < r; ++j)
      a.block(j * cells_, j * cells_, cells_, cells_) = 0.5 / lambda * unit * power;
    for (Count e = 0; e < tensor_->size(); ++e) {
      std::ptrdiff_t x = 0;
      for (std::size_t s = 0; s < size_.size(); ++s) x += stride(s) * tensor_->index(part_->near[s].mode)[e];
      const Index row = tensor_->index(part_->mode)[e];
      for (Eigen::Index i = 0; i < r; ++i) {
        b[i * cells_ + x] += tensor_->values()[e] * (*u_)(row, i);
        for (Eigen::Index j = 0; j < r; ++j)
          a(i * cells_ + x, j * cells_ + x) += (*u_)(row, i) * (*u_)(row, j);
      }
    }
    const Eigen::VectorXd v = a.ldlt().solve(b);
    return {v.begin(), v.end()};
  }

 private:
  // The product over modes: 0 beyond three deviations.
  [[nodiscard]] double gaussian(std::ptrdiff_t x, std::ptrdiff_t y) const {
    double weight = 1.0;
    for (std::size_t s = 0; s < size_.size(); ++s) {
      const auto away = static_cast<double>(std::abs(at(s, x) - at(s, y))) / EdgeLaplacian::kReach;
      weight *= away <= 3.0 ? std::exp(-0.5 * away * away) : 0.0;
    }
    return weight;
  }

  const ObservedTensor* tensor_;
  const PartSpec* part_;
  const Matrix<double>* u_;
  std::vector<std::ptrdiff_t> size_;
  std::ptrdiff_t cells_ = 1;
  std::vector<Eigen::MatrixXd> conductance_;  // of each corner
};

}  // namespace lacuna::test
