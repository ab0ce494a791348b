// SPDX-License-Identifier: MIT
// The kernel over the near modes of a part as one dense matrix: the Laplacians of the modes' paths added up
// on the whole grid, and a power of that matrix by its eigenvectors. One near mode at smoothness 1 is the
// exponential itself.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna::test {

class NaiveNear {
 public:
  NaiveNear(const std::vector<Mode>& modes, const PartSpec& part) {
    for (const NearMode& near : part.near) {
      const Mode& mode = modes[near.mode];
      std::vector<double> position;
      for (Index i = 0; i < mode.size; ++i)
        position.push_back(mode.positions.empty() ? i : mode.positions[i]);
      at_index_.push_back(position);
      std::sort(position.begin(), position.end());
      position_.push_back(std::move(position));
      length_.push_back(near.length);
    }
    if (length_.size() > 1 || part.smoothness != 1.0) fill(part.smoothness);
  }

  [[nodiscard]] double coordinate(std::size_t near, Index index) const { return at_index_[near][index]; }

  // kappa between a place x and a place y that is one of the modes' own; linear in x between those on a grid.
  [[nodiscard]] double operator()(const std::vector<double>& x, const std::vector<double>& y) const {
    if (kernel_.size() == 0) return std::exp(-std::abs(x[0] - y[0]) / length_[0]);
    Eigen::Index to = 0;
    for (std::size_t s = 0; s < y.size(); ++s)
      to = to * size_[s] +
           (std::lower_bound(position_[s].begin(), position_[s].end(), y[s]) - position_[s].begin());
    return interpolate(x, 0, 0, to);
  }

 private:
  [[nodiscard]] double interpolate(const std::vector<double>& x, std::size_t s, Eigen::Index from,
                                   Eigen::Index to) const {
    if (s == x.size()) return kernel_(from, to);
    const std::vector<double>& position = position_[s];
    const double at = std::clamp(x[s], position.front(), position.back());
    std::size_t left = 0;
    while (left + 1 < position.size() && position[left + 1] <= at) ++left;
    const auto place = static_cast<Eigen::Index>(left);
    const double here = interpolate(x, s + 1, from * size_[s] + place, to);
    if (at == position[left]) return here;
    const double share = (at - position[left]) / (position[left + 1] - position[left]);
    return (1 - share) * here + share * interpolate(x, s + 1, from * size_[s] + place + 1, to);
  }

  static bool is_regular(const std::vector<double>& position) {
    for (std::size_t i = 2; i < position.size(); ++i)
      if (std::abs(position[i] - 2 * position[i - 1] + position[i - 2]) > 1e-9) return false;
    return true;
  }

  // A path of regular positions goes on to the next size with no prime factor above 5.
  static std::size_t padded(std::size_t size) {
    for (;; ++size) {
      std::size_t left = size;
      for (const std::size_t factor : {2U, 3U, 5U})
        while (left % factor == 0) left /= factor;
      if (left == 1) return size;
    }
  }

  void fill(double smoothness) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Identity(1, 1);
    Eigen::VectorXd root_mass = Eigen::VectorXd::Ones(1);
    std::vector<bool> real{true};
    for (std::size_t s = 0; s < position_.size(); ++s) {
      std::vector<double> path = position_[s];
      const double spacing = path.size() > 1 ? path[1] - path[0] : 1.0;
      if (is_regular(path))
        while (path.size() < padded(position_[s].size())) path.push_back(path.back() + spacing);
      const auto size = static_cast<Eigen::Index>(path.size());
      Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(size, size);
      Eigen::VectorXd mass = Eigen::VectorXd::Constant(size, spacing);
      for (Eigen::Index i = 0; i + 1 < size; ++i) {
        const double weight = 1 / (path[i + 1] - path[i]);
        laplacian(i, i) += weight;
        laplacian(i + 1, i + 1) += weight;
        laplacian(i, i + 1) -= weight;
        laplacian(i + 1, i) -= weight;
        if (i > 0) mass(i) = (path[i + 1] - path[i - 1]) / 2;
      }
      if (size > 1) mass(size - 1) = path[size - 1] - path[size - 2];
      const Eigen::VectorXd root = mass.cwiseSqrt().cwiseInverse();
      laplacian = length_[s] * length_[s] * root.asDiagonal() * laplacian * root.asDiagonal();
      sum = kronecker(sum, Eigen::MatrixXd::Identity(size, size)) +
            kronecker(Eigen::MatrixXd::Identity(sum.rows(), sum.rows()), laplacian);
      root_mass = kronecker(root_mass, root);
      std::vector<bool> wider;
      for (const bool before : real)
        for (Eigen::Index i = 0; i < size; ++i)
          wider.push_back(before && i < static_cast<Eigen::Index>(position_[s].size()));
      real = wider;
      size_.push_back(size);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(sum);
    const Eigen::MatrixXd scaled = root_mass.asDiagonal() * eigen.eigenvectors();
    kernel_ =
        scaled * eigen.eigenvalues().array().pow(-smoothness).matrix().asDiagonal() * scaled.transpose();
    double trace = 0.0;
    for (std::size_t i = 0; i < real.size(); ++i)
      if (real[i]) trace += kernel_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
    kernel_ *= static_cast<double>(std::count(real.begin(), real.end(), true)) / trace;
  }

  static Eigen::MatrixXd kronecker(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    Eigen::MatrixXd product(a.rows() * b.rows(), a.cols() * b.cols());
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      for (Eigen::Index j = 0; j < a.cols(); ++j)
        product.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
    return product;
  }

  std::vector<std::vector<double>> at_index_;
  std::vector<std::vector<double>> position_;  // ascending
  std::vector<double> length_;
  std::vector<Eigen::Index> size_;  // padding included
  Eigen::MatrixXd kernel_;
};

}  // namespace lacuna::test
