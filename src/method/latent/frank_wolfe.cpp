// SPDX-License-Identifier: MIT
#include "method/latent/frank_wolfe.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"
#include "kernels/fiber_products.hpp"
#include "linalg/decompose.hpp"
#include "problem/certificate.hpp"

namespace lacuna {
namespace {

// Relative accuracy of squared singular values. The gap is too large by this share of <z, S>; a higher
// accuracy takes far longer.
constexpr double kVertexAccuracy = 1e-4;
// Of the bound, in norms of the leading component: makes the lambda that all methods begin with, 10, a bound
// of 2.5 of them.
constexpr double kUnit = 0.25;
constexpr double kReductionStep = 0.4;  // the authors' rho, in units of 1 / the Lipschitz constant
constexpr double kDependent = 1e-12;    // what is left of a unit vector of the span, by rounding

// The coordinates of a unit vector in orthonormal columns, which gain a column for what is outside their
// span.
Eigen::VectorXd take_up(Matrix<double>& columns, const Matrix<double>& vector) {
  const Eigen::Index count = columns.cols();
  Eigen::VectorXd rest = vector;
  Eigen::VectorXd coordinates = Eigen::VectorXd::Zero(count + 1);
  for (int twice = 0; twice < 2; ++twice) {  // once leaves rounding in the span
    const Eigen::VectorXd inside = columns.transpose() * rest;
    rest.noalias() -= columns * inside;
    coordinates.head(count) += inside;
  }
  const double length = rest.norm();
  if (count == columns.rows() || length < kDependent) return coordinates.head(count);
  columns.conservativeResize(Eigen::NoChange, count + 1);
  columns.col(count) = rest / length;
  coordinates(count) = length;
  return coordinates;
}

double trace_norm(const Eigen::MatrixXd& s) { return s.size() > 0 ? thin_svd(s).values.sum() : 0.0; }

// The projection of descending values >= 0 on {x >= 0, sum x <= this sum}, without its zeros.
Eigen::VectorXd within_sum(const Eigen::VectorXd& values, double sum) {
  double total = 0.0;
  double shift = 0.0;
  Eigen::Index kept = 0;
  for (Eigen::Index i = 0; i < values.size() && values(i) > 0.0; ++i) {
    const double next = (total + values(i) - sum) / static_cast<double>(i + 1);
    if (next >= values(i)) break;
    total += values(i);
    shift = std::max(0.0, next);
    kept = i + 1;
  }
  Eigen::VectorXd left = values.head(kept).array() - shift;
  return left;
}

}  // namespace

FrankWolfe::FrankWolfe(const ObservedTensor& tensor, double lambda)
    : tensor_(&tensor),
      data_(tensor, full_parts(tensor.order()), std::vector<double>(tensor.order(), 1.0)),
      basis_(static_cast<std::size_t>(tensor.order())),
      x_(static_cast<std::size_t>(tensor.size()), 0.0),
      z_(x_.size()) {
  if (!(lambda > 0.0) || !std::isfinite(lambda))
    throw std::invalid_argument("lambda must be a positive number, got " + std::to_string(lambda));
  for (std::size_t k = 0; k < basis_.size(); ++k) {
    basis_[k].u.resize(kernels()[k].rows(), 0);
    basis_[k].v.resize(kernels()[k].view().fibers(), 0);
  }
  if (const auto weights = tensor.weights(); !weights.empty())
    heaviest_ = *std::max_element(weights.begin(), weights.end());
  refresh_residual();
  if (data_.weighted_square() == 0.0) return;
  const Corner first = *best_corner({});
  std::vector<double> product(x_.size(), 0.0);
  add_products(kernels()[first.mode], first.u, first.v, product);
  double along = 0.0;
  double square = 0.0;
  for (Count e = 0; e < tensor.size(); ++e) {
    along += z_[e] * product[e];
    square += tensor.weight(e) * product[e] * product[e];
  }
  tau_ = lambda * kUnit * along / square / std::sqrt(static_cast<double>(kernels()[first.mode].rows()));
}

void FrankWolfe::refresh_residual() {
  parallel_blocks(tensor_->size(), [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e) z_[e] = tensor_->weight(e) * (tensor_->values()[e] - x_[e]);
  });
}

std::optional<FrankWolfe::Corner> FrankWolfe::best_corner(const Interrupted& interrupted) const {
  Corner best;
  for (std::size_t k = 0; k < basis_.size(); ++k) {
    if (interrupted && interrupted()) return std::nullopt;
    const TopSingular top = top_singular<double>(data_, k, z_, 1, kVertexAccuracy);
    const double value = std::sqrt(static_cast<double>(kernels()[k].rows()) * std::max(0.0, top.squared(0)));
    if (k > 0 && value <= best.value) continue;
    best = {.mode = k, .value = value, .u = top.vectors};
  }
  best.v = times_transposed(kernels()[best.mode], z_, best.u);
  if (const double length = best.v.norm(); length > 0.0) best.v /= length;
  return best;
}

void FrankWolfe::step(const Corner& to) {
  const double size = tau_ * std::sqrt(static_cast<double>(kernels()[to.mode].rows()));
  std::vector<double> direction(x_.size(), 0.0);  // S - X at the entries
  add_products(kernels()[to.mode], size * to.u, to.v, direction);
  double along = 0.0;
  double square = 0.0;
  for (Count e = 0; e < tensor_->size(); ++e) {
    direction[e] -= x_[e];
    along += z_[e] * direction[e];
    square += tensor_->weight(e) * direction[e] * direction[e];
  }
  if (!(along > 0.0)) return;
  const double length = std::min(1.0, along / square);
  for (std::size_t e = 0; e < x_.size(); ++e) x_[e] += length * direction[e];
  refresh_residual();

  for (Basis& basis : basis_) {
    basis.s *= 1.0 - length;
    if (length == 1.0) {
      basis.u.resize(Eigen::NoChange, 0);
      basis.v.resize(Eigen::NoChange, 0);
      basis.s.resize(0, 0);
    }
  }
  Basis& basis = basis_[to.mode];
  const Eigen::VectorXd left = take_up(basis.u, to.u);
  const Eigen::VectorXd right = take_up(basis.v, to.v);
  Eigen::MatrixXd s = length * size * left * right.transpose();
  s.topLeftCorner(basis.s.rows(), basis.s.cols()) += basis.s;
  basis.s = std::move(s);
}

void FrankWolfe::reduce() {
  for (std::size_t k = 0; k < basis_.size(); ++k)
    if (basis_[k].s.size() > 0) project(k);
}

// S <- the closest matrix to S - rho U' G V with the trace norm of S, where X_k = U S V' and G = -Z_k is the
// gradient. Does not raise f, whose gradient's Lipschitz constant is the largest weight.
void FrankWolfe::project(std::size_t k) {
  Basis& basis = basis_[k];
  const PartKernels& part = kernels()[k];
  const Eigen::MatrixXd gradient = times_transposed(part, z_, basis.u).transpose() * basis.v;  // -U' G V
  const ThinSvd moved = thin_svd(basis.s + kReductionStep / heaviest_ * gradient);
  const Eigen::VectorXd size = within_sum(moved.values, trace_norm(basis.s));
  const Eigen::Index kept = size.size();
  const auto left = moved.u.leftCols(kept);
  const auto right = moved.v.leftCols(kept);
  const Eigen::MatrixXd next = left * size.asDiagonal() * right.transpose();
  add_products(part, basis.u * (next - basis.s), basis.v, x_);
  refresh_residual();
  if (kept == basis.u.cols() && kept == basis.v.cols()) {
    basis.s = next;
    return;
  }
  basis.u = Matrix<double>(basis.u * left);
  basis.v = Matrix<double>(basis.v * right);
  basis.s = size.asDiagonal();
}

double FrankWolfe::objective() const {
  return 0.5 * parallel_sum(tensor_->size(), [&](Count begin, Count end) {
           double sum = 0.0;
           for (Count e = begin; e < end; ++e) sum += z_[e] * (tensor_->values()[e] - x_[e]);
           return sum;
         });
}

double FrankWolfe::gap(const Corner& best) const {
  return tau_ * best.value - parallel_sum(tensor_->size(), [&](Count begin, Count end) {
           double sum = 0.0;
           for (Count e = begin; e < end; ++e) sum += z_[e] * x_[e];
           return sum;
         });
}

double FrankWolfe::train_rmse() const { return std::sqrt(2.0 * objective() / data_.total_weight()); }

Count FrankWolfe::columns() const {
  Count total = 0;
  for (const Basis& basis : basis_) total += basis.v.cols();
  return total;
}

double FrankWolfe::norm() const {
  double sum = 0.0;
  for (std::size_t k = 0; k < basis_.size(); ++k)
    sum += trace_norm(basis_[k].s) / std::sqrt(static_cast<double>(kernels()[k].rows()));
  return sum;
}

void FrankWolfe::fields(Archive& archive) {
  archive("x", x_);
  archive("basis", basis_);
  if (!archive.loading()) return;
  for (std::size_t k = 0; k < basis_.size(); ++k) {
    const Basis& basis = basis_[k];
    if (basis.u.rows() != kernels()[k].rows() || basis.v.rows() != kernels()[k].view().fibers() ||
        basis.s.rows() != basis.u.cols() || basis.s.cols() != basis.v.cols())
      Archive::refuse("basis", "one of this data");
  }
  refresh_residual();
}

ModelPart FrankWolfe::part(std::size_t k) const {
  return {.modes = kernels()[k].part(),
          .lambda = 1.0,
          .factor = basis_[k].u,
          .right = Matrix<double>(basis_[k].v * basis_[k].s.transpose())};
}

}  // namespace lacuna
