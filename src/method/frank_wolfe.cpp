// SPDX-License-Identifier: MIT
#include "method/frank_wolfe.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/base/parallel.hpp>
#include <lacuna/kernels/fiber_products.hpp>
#include <lacuna/linalg/decompose.hpp>
#include <lacuna/problem/certificate.hpp>
#include <stdexcept>

namespace lacuna {
namespace {

// Of squared singular values. The gap is that much of <z, S> too large; more precise ones take far longer.
constexpr double kVertexAccuracy = 1e-4;
// Of the bound, in norms of the leading component: makes the lambda that all methods begin with, 10, a bound
// of 2.5 of them.
constexpr double kUnit = 0.25;
constexpr double kReductionStep = 0.4;  // the authors' rho, in units of 1 / the Lipschitz constant

std::span<double> view(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

// The projection of descending values >= 0 on those of this sum, if theirs is larger; what is positive of it.
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
  Eigen::VectorXd product = Eigen::VectorXd::Zero(tensor.size());
  add_products(kernels()[first.mode], first.u, first.v, view(product));
  double along = 0.0;
  double square = 0.0;
  for (Count e = 0; e < tensor.size(); ++e) {
    along += z_[e] * product(e);
    square += tensor.weight(e) * product(e) * product(e);
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
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(tensor_->size());  // S - X at the entries
  add_products(kernels()[to.mode], Eigen::MatrixXd(size * to.u), to.v, view(direction));
  direction -= Eigen::Map<const Eigen::VectorXd>(x_.data(), tensor_->size());
  double along = 0.0;
  double square = 0.0;
  for (Count e = 0; e < tensor_->size(); ++e) {
    along += z_[e] * direction(e);
    square += tensor_->weight(e) * direction(e) * direction(e);
  }
  if (!(along > 0.0)) return;
  const double length = std::min(1.0, along / square);
  Eigen::Map<Eigen::VectorXd>(x_.data(), tensor_->size()) += length * direction;
  refresh_residual();

  for (std::size_t k = 0; k < basis_.size(); ++k) {
    Basis& basis = basis_[k];
    if (length == 1.0) {
      basis.u.resize(Eigen::NoChange, 0);
      basis.v.resize(Eigen::NoChange, 0);
      basis.size.resize(0);
    }
    basis.size *= 1.0 - length;
    if (k != to.mode) continue;
    const Eigen::Index columns = basis.size.size();
    basis.u.conservativeResize(Eigen::NoChange, columns + 1);
    basis.v.conservativeResize(Eigen::NoChange, columns + 1);
    basis.size.conservativeResize(columns + 1);
    basis.u.col(columns) = to.u;
    basis.v.col(columns) = to.v;
    basis.size(columns) = length * size;
  }
}

void FrankWolfe::reduce() {
  for (std::size_t k = 0; k < basis_.size(); ++k)
    if (basis_[k].size.size() > 0) project(k);
}

// S <- the closest matrix to S - rho U' G V with the trace norm of S, where X_k = U S V' with orthonormal U
// and V and G = -Z_k is the gradient. Does not raise f, whose gradient's Lipschitz constant is the largest
// weight.
void FrankWolfe::project(std::size_t k) {
  Basis& basis = basis_[k];
  const PartKernels& part = kernels()[k];
  Eigen::VectorXd before = Eigen::VectorXd::Zero(tensor_->size());
  add_products(part, Eigen::MatrixXd(basis.u * basis.size.asDiagonal()), basis.v, view(before));

  const ThinQr left = thin_qr(basis.u);
  const ThinQr right = thin_qr(basis.v);
  const Eigen::MatrixXd inner = left.r * basis.size.asDiagonal() * right.r.transpose();
  const double norm = thin_svd(inner).values.sum();
  const Eigen::MatrixXd gradient = times_transposed(part, z_, left.q).transpose() * right.q;  // -U' G V
  const ThinSvd moved = thin_svd(inner + kReductionStep / heaviest_ * gradient);
  basis.size = within_sum(moved.values, norm);
  const Eigen::Index kept = basis.size.size();
  basis.u = left.q * moved.u.leftCols(kept);
  basis.v = right.q * moved.v.leftCols(kept);

  Eigen::VectorXd after = Eigen::VectorXd::Zero(tensor_->size());
  add_products(part, Eigen::MatrixXd(basis.u * basis.size.asDiagonal()), basis.v, view(after));
  Eigen::Map<Eigen::VectorXd>(x_.data(), tensor_->size()) += after - before;
  refresh_residual();
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
  for (const Basis& basis : basis_) total += basis.size.size();
  return total;
}

double FrankWolfe::norm() const {
  double sum = 0.0;
  for (std::size_t k = 0; k < basis_.size(); ++k)
    sum += basis_[k].size.sum() / std::sqrt(static_cast<double>(kernels()[k].rows()));
  return sum;
}

ModelPart FrankWolfe::part(std::size_t k) const {
  return {.modes = kernels()[k].part(),
          .lambda = 1.0,
          .factor = basis_[k].u,
          .right = Matrix<double>(basis_[k].v * basis_[k].size.asDiagonal())};
}

}  // namespace lacuna
