// SPDX-License-Identifier: MIT
// Naive twins of the fiber kernels: plain loops over all pairs of entries that share a fiber, in double.
//
// A pair a, b of fiber c counts B_c D_a D_b: with counts that are sums of entry weights, over rows and fibers
// that hold any entry,
//   D_i = (count_i / mean count)^(-row_power / 2),   B_c = (count_c / mean count)^(-fiber_power)
// B is rounded to float, as the kernels store it. Of a part with near modes, pairs of near fibers count too,
// each kappa of the two (support/naive_near.hpp).
//
// Of a part with side information B = [sqrt(1 - s) D, sqrt(s) Phi], or Phi where s = 1, stands for D: factors have a
// row for each of its columns.
//
// All take and return double; for single-precision kernels the inputs are converted, so the twin is exact by
// comparison. Called with absolute values of all inputs a twin gives the sum of the absolute values of all
// terms, which is what rounding errors are measured against.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "linalg/matrix.hpp"
#include "support/naive_near.hpp"
#include "tensor/fiber_view.hpp"

namespace lacuna::test {

class NaivePart {
 public:
  NaivePart(const ObservedTensor& tensor, const PartSpec& part)
      : NaivePart(rows_of(tensor, part), tensor.cells(), weights_of(tensor), part, tensor.modes()) {}

  // Of any list of entries with one weight each; unlike a tensor's, the list may repeat a cell.
  NaivePart(Index rows, const Cells& index, const std::vector<double>& weight, const PartSpec& part,
            const std::vector<Mode>& modes)
      : rows_(rows), row_(static_cast<std::size_t>(index.size()), 0), row_scale_(rows, 1.0) {
    if (part.learns()) row_.assign(index.mode(part.mode).begin(), index.mode(part.mode).end());
    std::map<std::vector<Index>, std::vector<Count>> groups;
    for (Count e = 0; e < static_cast<Count>(row_.size()); ++e) {
      std::vector<Index> key;
      for (const int mode : part.fiber_modes()) key.push_back(index[mode][e]);
      groups[key].push_back(e);
    }
    for (auto& group : groups) fibers_.push_back(std::move(group.second));
    relate(index, part, modes);
    weigh_rows(weight, part.row_power);
    weigh_fibers(weight, part.fiber_power);
    if (part.side > 0.0) take_side(*modes[part.mode].side, part.side);
  }

  // Entries of each fiber, ascending; fibers in the order of their agreeing indices.
  [[nodiscard]] const std::vector<std::vector<Count>>& fibers() const { return fibers_; }
  [[nodiscard]] Index row(Count entry) const { return row_[entry]; }
  [[nodiscard]] Count longest() const {
    std::size_t longest = 0;
    for (const auto& fiber : fibers_) longest = std::max(longest, fiber.size());
    return static_cast<Count>(longest);
  }

  [[nodiscard]] static Index rows_of(const ObservedTensor& tensor, const PartSpec& part) {
    return part.learns() ? tensor.extent(part.mode) : 1;
  }

  // body(a, b, B_c D_a D_b) for all ordered pairs of entries of one fiber, a == b included; where modes are
  // near, kappa in place of B for all pairs of one group.
  template <class Body>
  void each_pair(Body&& body) const {
    for (std::size_t c = 0; c < fibers_.size(); ++c)
      for (std::size_t d = 0; d < fibers_.size(); ++d) {
        if (kappa(c, d) == 0.0) continue;
        for (const Count a : fibers_[c])
          for (const Count b : fibers_[d])
            body(a, b, fiber_scale_[c] * kappa(c, d) * row_scale_[row_[a]] * row_scale_[row_[b]]);
      }
  }

  // The rows of B u, of u itself without side information.
  [[nodiscard]] Matrix<double> rows_of(const Matrix<double>& u) const {
    return basis_.size() == 0 ? u : Matrix<double>(basis_ * u);
  }

  // D_i of a row, B_c of a fiber.
  [[nodiscard]] double row_scale(Index row) const { return row_scale_[row]; }
  [[nodiscard]] double fiber_scale(std::size_t fiber) const { return fiber_scale_[fiber]; }

  // y += scale (Z x_k U U')_Omega
  void add_product(const Matrix<double>& u, double scale, const Eigen::VectorXd& z,
                   Eigen::VectorXd& y) const {
    const double* in = z.data();
    double* out = y.data();
    const Matrix<double> f = rows_of(u);
    each_pair(
        [&](Count a, Count b, double pair) { out[a] += scale * pair * row_product(f, a, f, b) * in[b]; });
  }

  // y += scale (Z x_k (U V' + V U'))_Omega
  void add_directional(const Matrix<double>& u, const Matrix<double>& v, double scale,
                       const Eigen::VectorXd& z, Eigen::VectorXd& y) const {
    const double* in = z.data();
    double* out = y.data();
    const Matrix<double> f = rows_of(u);
    const Matrix<double> g = rows_of(v);
    each_pair([&](Count a, Count b, double pair) {
      out[a] += scale * pair * (row_product(f, a, g, b) + row_product(g, a, f, b)) * in[b];
    });
  }

  // G += scale Z_k Z_k' U
  void add_gram(const Matrix<double>& u, double scale, const Eigen::VectorXd& z, Matrix<double>& g) const {
    const double* in = z.data();
    const Matrix<double> f = rows_of(u);
    through_basis(g, [&](Matrix<double>& to) {
      each_pair([&](Count a, Count b, double pair) { add_row(scale * pair * in[a] * in[b], f, b, to, a); });
    });
  }

  // G += scale (X_k W_k' + W_k X_k') U
  void add_cross(const Matrix<double>& u, double scale, const Eigen::VectorXd& x, const Eigen::VectorXd& w,
                 Matrix<double>& g) const {
    const double* first = x.data();
    const double* second = w.data();
    const Matrix<double> f = rows_of(u);
    through_basis(g, [&](Matrix<double>& to) {
      each_pair([&](Count a, Count b, double pair) {
        add_row(scale * pair * (first[a] * second[b] + second[a] * first[b]), f, b, to, a);
      });
    });
  }

  // matrix += scale (the matrix of z -> (Z x_k U V')_Omega)
  void add_dense(const Matrix<double>& u, const Matrix<double>& v, double scale,
                 Eigen::MatrixXd& matrix) const {
    const Matrix<double> f = rows_of(u);
    const Matrix<double> g = rows_of(v);
    each_pair([&](Count a, Count b, double pair) { matrix(a, b) += scale * pair * row_product(f, a, g, b); });
  }

  // diagonal += scale (the diagonal of the matrix of z -> (Z x_k U U')_Omega)
  void add_diagonal(const Matrix<double>& factor, double scale, Eigen::VectorXd& diagonal) const {
    const Matrix<double> u = rows_of(factor);
    for (std::size_t c = 0; c < fibers_.size(); ++c)
      for (const Count e : fibers_[c])
        diagonal(e) += scale * fiber_scale_[c] * kappa(c, c) * row_scale_[row_[e]] * row_scale_[row_[e]] *
                       row_product(u, e, u, e);
  }

  // D Z_k B^1/2, or D Z_k kappa^1/2, with Z_k the unfolding of one column per fiber; B' for D where there is side
  // information.
  [[nodiscard]] Eigen::MatrixXd unfolding(const Eigen::VectorXd& z) const {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows_, static_cast<Eigen::Index>(fibers_.size()));
    for (std::size_t c = 0; c < fibers_.size(); ++c)
      for (const Count e : fibers_[c])
        matrix(row_[e], static_cast<Eigen::Index>(c)) +=
            std::sqrt(fiber_scale_[c]) * row_scale_[row_[e]] * z(e);
    if (basis_.size() > 0) matrix = (basis_.transpose() * matrix).eval();
    if (kappa_.size() == 0) return matrix;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(kappa_);
    return matrix * eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  }

  // Of two fibers: 1 for the same, 0 for others, where no mode is near.
  [[nodiscard]] double kappa(std::size_t c, std::size_t d) const {
    if (kappa_.size() == 0) return c == d ? 1.0 : 0.0;
    return kappa_(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(d));
  }

 private:
  void take_side(const SideInformation& side, double share) {
    const Eigen::Index own = share < 1.0 ? rows_ : 0;
    basis_ = Eigen::MatrixXd::Zero(rows_, own + side.columns());
    for (Eigen::Index i = 0; i < rows_; ++i) {
      if (own > 0) basis_(i, i) = std::sqrt(1.0 - share) * row_scale_[i];
      for (std::int64_t j = side.start[i]; j < side.start[i + 1]; ++j)
        basis_(i, own + side.column[j]) = std::sqrt(share) * side.value[j];
    }
    std::fill(row_scale_.begin(), row_scale_.end(), 1.0);  // it is in the basis
  }
  // g += B' of what add() adds to zeros, or what it adds to g.
  template <class Add>
  void through_basis(Matrix<double>& g, Add&& add) const {
    if (basis_.size() == 0) return add(g);
    Matrix<double> rows = Matrix<double>::Zero(rows_, g.cols());
    add(rows);
    g += basis_.transpose() * rows;
  }

  void relate(const Cells& index, const PartSpec& part, const std::vector<Mode>& modes) {
    if (part.near.empty()) return;
    const NaiveNear near(modes, part);
    const auto place = [&](std::size_t c) {
      std::vector<double> x;
      for (std::size_t s = 0; s < part.near.size(); ++s)
        x.push_back(near.coordinate(s, index[part.near[s].mode][fibers_[c][0]]));
      return x;
    };
    const auto size = static_cast<Eigen::Index>(fibers_.size());
    kappa_ = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t c = 0; c < fibers_.size(); ++c)
      for (std::size_t d = 0; d < fibers_.size(); ++d) {
        const bool same = std::all_of(part.agree.begin(), part.agree.end(), [&](int mode) {
          return index[mode][fibers_[c][0]] == index[mode][fibers_[d][0]];
        });
        if (same)
          kappa_(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(d)) = near(place(c), place(d));
      }
  }

  static std::vector<double> weights_of(const ObservedTensor& tensor) {
    std::vector<double> weight;
    for (Count e = 0; e < tensor.size(); ++e) weight.push_back(tensor.weight(e));
    return weight;
  }
  void weigh_rows(const std::vector<double>& weight, double power) {
    std::map<Index, double> count;
    double total = 0.0;
    for (std::size_t e = 0; e < weight.size(); ++e) {
      count[row_[e]] += weight[e];
      total += weight[e];
    }
    for (const auto& [row, sum] : count)
      row_scale_[row] = std::pow(sum / (total / static_cast<double>(count.size())), -power / 2);
  }
  void weigh_fibers(const std::vector<double>& weight, double power) {
    double total = 0.0;
    for (const double w : weight) total += w;
    for (const auto& fiber : fibers_) {
      double count = 0.0;
      for (const Count e : fiber) count += weight[e];
      const double scale = std::pow(count / (total / static_cast<double>(fibers_.size())), -power);
      fiber_scale_.push_back(static_cast<double>(static_cast<float>(scale)));
    }
  }

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
  Eigen::MatrixXd kappa_;  // empty without near modes
  Eigen::MatrixXd basis_;  // B; empty without side information
  std::vector<double> row_scale_;
  std::vector<double> fiber_scale_;
};

}  // namespace lacuna::test
