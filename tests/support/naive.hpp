// SPDX-License-Identifier: MIT
// Naive twins of the fiber kernels: plain loops over all pairs of entries that share a fiber, in double.
//
// All take and return double; for single-precision kernels the inputs are converted, so the twin is exact by
// comparison. Called with absolute values of all inputs a twin gives the sum of the absolute values of all
// terms, which is what rounding errors are measured against.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <lacuna/linalg/matrix.hpp>
#include <lacuna/tensor/fiber_view.hpp>
#include <map>
#include <vector>

namespace lacuna::test {

class NaivePart {
 public:
  NaivePart(const ObservedTensor& tensor, const PartSpec& part) : rows_(tensor.extent(part.mode)) {
    std::map<std::vector<Index>, std::vector<Count>> groups;
    for (Count e = 0; e < tensor.size(); ++e) {
      std::vector<Index> key;
      for (const int mode : part.agree) key.push_back(tensor.index(mode)[e]);
      groups[key].push_back(e);
      row_.push_back(tensor.index(part.mode)[e]);
    }
    for (auto& group : groups) fibers_.push_back(std::move(group.second));
  }

  // Entries of each fiber, ascending; fibers in the order of their agreeing indices.
  [[nodiscard]] const std::vector<std::vector<Count>>& fibers() const { return fibers_; }
  [[nodiscard]] Index row(Count entry) const { return row_[entry]; }
  [[nodiscard]] Count longest() const {
    std::size_t longest = 0;
    for (const auto& fiber : fibers_) longest = std::max(longest, fiber.size());
    return static_cast<Count>(longest);
  }

  // body(a, b) for all ordered pairs of entries of one fiber, a == b included.
  template <class Body>
  void each_pair(Body&& body) const {
    for (const auto& fiber : fibers_)
      for (const Count a : fiber)
        for (const Count b : fiber) body(a, b);
  }

  // y += scale (Z x_k U U')_Omega
  void add_product(const Matrix<double>& u, double scale, const Eigen::VectorXd& z,
                   Eigen::VectorXd& y) const {
    const double* in = z.data();
    double* out = y.data();
    each_pair([&](Count a, Count b) { out[a] += scale * row_product(u, a, u, b) * in[b]; });
  }

  // y += scale (Z x_k (U V' + V U'))_Omega
  void add_directional(const Matrix<double>& u, const Matrix<double>& v, double scale,
                       const Eigen::VectorXd& z, Eigen::VectorXd& y) const {
    const double* in = z.data();
    double* out = y.data();
    each_pair([&](Count a, Count b) {
      out[a] += scale * (row_product(u, a, v, b) + row_product(v, a, u, b)) * in[b];
    });
  }

  // G += scale Z_k Z_k' U
  void add_gram(const Matrix<double>& u, double scale, const Eigen::VectorXd& z, Matrix<double>& g) const {
    const double* in = z.data();
    each_pair([&](Count a, Count b) { add_row(scale * in[a] * in[b], u, b, g, a); });
  }

  // G += scale (X_k W_k' + W_k X_k') U
  void add_cross(const Matrix<double>& u, double scale, const Eigen::VectorXd& x, const Eigen::VectorXd& w,
                 Matrix<double>& g) const {
    const double* first = x.data();
    const double* second = w.data();
    each_pair([&](Count a, Count b) {
      add_row(scale * (first[a] * second[b] + second[a] * first[b]), u, b, g, a);
    });
  }

  // matrix += scale (the matrix of z -> (Z x_k U V')_Omega)
  void add_dense(const Matrix<double>& u, const Matrix<double>& v, double scale,
                 Eigen::MatrixXd& matrix) const {
    each_pair([&](Count a, Count b) { matrix(a, b) += scale * row_product(u, a, v, b); });
  }

  // The unfolding Z_k with one column per fiber.
  [[nodiscard]] Eigen::MatrixXd unfolding(const Eigen::VectorXd& z) const {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows_, static_cast<Eigen::Index>(fibers_.size()));
    for (std::size_t c = 0; c < fibers_.size(); ++c)
      for (const Count e : fibers_[c]) matrix(row_[e], static_cast<Eigen::Index>(c)) += z(e);
    return matrix;
  }

 private:
  // Plain loops over the row of u that entry a selects: quick to compile, and quick without an optimiser.
  [[nodiscard]] const double* row_of(const Matrix<double>& u, Count a) const {
    return u.data() + static_cast<Eigen::Index>(row_[a]) * u.cols();
  }
  [[nodiscard]] double row_product(const Matrix<double>& u, Count a, const Matrix<double>& v, Count b) const {
    const double* left = row_of(u, a);
    const double* right = row_of(v, b);
    double sum = 0.0;
    for (Eigen::Index j = 0; j < u.cols(); ++j) sum += left[j] * right[j];
    return sum;
  }
  // (row of g that a selects) += weight (row of u that b selects)
  void add_row(double weight, const Matrix<double>& u, Count b, Matrix<double>& g, Count a) const {
    const double* from = row_of(u, b);
    double* to = g.data() + static_cast<Eigen::Index>(row_[a]) * g.cols();
    for (Eigen::Index j = 0; j < u.cols(); ++j) to[j] += weight * from[j];
  }

  Eigen::Index rows_;
  std::vector<Index> row_;
  std::vector<std::vector<Count>> fibers_;
};

}  // namespace lacuna::test
