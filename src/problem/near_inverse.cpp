// SPDX-License-Identifier: MIT
#include "problem/near_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "dist/communicator.hpp"
#include "linalg/decompose.hpp"

namespace lacuna {

namespace {
// Of the mean of B' R^-1 B in the preconditioner, the share of cells that are observed, and no less than
// this: with less, fields between the entries converge sooner. On peppers-pixels (a tenth observed) 0.05
// takes a quarter fewer steps than 1 at every smoothness, on msi-lines (97 %) 1 takes half of those of 0.05.
constexpr double kLeastMeanShare = 0.05;
constexpr double kResolved = 3.0;  // roundings of the first residual
constexpr double kTamest = 1e5;    // growth of errors in long waves that single precision can bear
}  // namespace

bool has_grids(const PartSet& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const PartKernels& part) {
    return part.near() != nullptr && part.near()->grid() != nullptr;
  });
}

bool grids_are_tame(const PartSet& parts, std::span<const double> lambda) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const NearKernel* near = parts[p].near();
    if (near == nullptr || near->grid() == nullptr) continue;
    // lambda f times the mean of B' R^-1 B, for R = 1/2 and ||U|| = 1
    const double density =
        2.0 * static_cast<double>(parts.layouts().all_entries()) /
        (static_cast<double>(parts.everyone().sum(near->slots())) * static_cast<double>(parts[p].rows()));
    if (lambda[p] * near->grid()->spectrum()[0] * density > kTamest) return false;
  }
  return true;
}

template <class Field>
NearInverse<Field>::NearInverse(const PartSet& parts)
    : parts_(&parts), values_(static_cast<std::size_t>(parts.entries())), there_(parts) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const NearKernel* near = parts[p].near();
    if (near == nullptr || near->grid() == nullptr) continue;
    Block block;
    block.part = p;
    block.near = near;
    for (const double square : near->grid()->basis_squares())
      block.observed.push_back(static_cast<Field>(square));
    block.precision.resize(block.observed.size());
    block.slots = static_cast<double>(parts.everyone().sum(near->slots()));
    const double cells = block.slots * static_cast<double>(parts[p].rows());
    const auto entries = static_cast<double>(parts.layouts().all_entries());
    block.share = std::max(kLeastMeanShare, std::min(1.0, entries / cells));
    blocks_.push_back(std::move(block));
  }
}

// The columns of D U, the rows that entries select, turned by the eigenvectors of the mean of B' R^-1 B.
template <class Field>
void NearInverse<Field>::turn(Block& block, const Matrix<Field>& u) {
  const PartKernels& part = (*parts_)[block.part];
  std::vector<double> weight(static_cast<std::size_t>(part.rows()), 0.0);
  for (std::size_t e = 0; e < inverse_ridge_.size(); ++e)
    weight[parts_->home_row(block.part, static_cast<Count>(e))] += static_cast<double>(inverse_ridge_[e]);
  parts_->everyone().sum(weight);
  Matrix<Field> rows = Matrix<Field>::Zero(part.rows(), u.cols());
  part.table(u).add_to(rows);
  const Eigen::MatrixXd scaled = rows.template cast<double>();
  const Eigen::Map<const Eigen::VectorXd> weights(weight.data(), part.rows());
  const SymmetricEigen eigen = symmetric_eigen(scaled.transpose() * weights.asDiagonal() * scaled);
  block.factor.assign((scaled * eigen.vectors).template cast<Field>());
  block.mean.clear();
  for (const double value : eigen.values) block.mean.push_back(std::max(value, 0.0) / block.slots);
}

template <class Field>
void NearInverse<Field>::move_to(const std::vector<Matrix<Field>>& u, std::span<const double> lambda,
                                 std::span<const float> inverse_diagonal) {
  // R is what is left of the diagonal of A when the grid parts' share is taken off, and no less than the
  // ridge.
  std::vector<double> rest(inverse_diagonal.size());
  for (std::size_t e = 0; e < rest.size(); ++e) rest[e] = 1.0 / static_cast<double>(inverse_diagonal[e]);
  PartVector<double> less(*parts_);
  less.start(rest);
  for (const Block& block : blocks_) {
    const PartKernels& part = (*parts_)[block.part];
    const FactorTable<Field> factor = part.table(u[block.part]);
    const std::span<double> from = less.to(block.part);
    block.near->for_each_diagonal([&](Index e, double self) {
      const Index row = part.row_of_entry()[e];
      from[e] -= lambda[block.part] * self * static_cast<double>(row_product(factor, factor, row));
    });
  }
  less.bring_back();
  for (std::size_t e = 0; e < rest.size(); ++e) {
    const auto ridge = static_cast<double>(inverse_ridge_[e]);
    inverse_ridge_[e] = static_cast<Field>(1.0 / (exact() ? ridge : std::max(rest[e], ridge)));
  }
  for (Block& block : blocks_) {
    turn(block, u[block.part]);
    const std::span<const double> spectrum = block.near->grid()->spectrum();
    for (std::size_t k = 0; k < spectrum.size(); ++k)
      block.precision[k] = static_cast<Field>(1.0 / (lambda[block.part] * spectrum[k]));
    const auto size = static_cast<std::size_t>(block.near->slots() * block.factor.columns());
    for (std::vector<Field>* field : {&block.c, &block.r, &block.p, &block.q}) field->resize(size);
  }
}

namespace {

// body(begin, end, first cell, column) for stretches of a field that lie in one grid and one block.
template <class Body>
double sum_over_field(const NearKernel& near, int columns, Body&& body) {
  const Count cells = near.grid()->cells();
  return parallel_sum(near.slots() * columns, [&](Count begin, Count end) {
    double sum = 0.0;
    while (begin < end) {
      const Count stop = std::min(end, (begin / cells + 1) * cells);
      sum += body(begin, stop, begin % cells, begin / near.slots());
      begin = stop;
    }
    return sum;
  });
}

}  // namespace

template <class Field>
double NearInverse<Field>::scaled_square() const {
  double total = 0.0;
  for (const Block& block : blocks_)
    total += sum_over_field(
        *block.near, block.factor.columns(), [&](Count begin, Count end, Count cell, Count column) {
          const auto mean = static_cast<Field>(block.share * block.mean[column]);
          double sum = 0.0;
          for (Count i = begin; i < end; ++i, ++cell) {
            const Field r = block.r[i];
            sum += static_cast<double>(r * r / (block.precision[cell] + mean * block.observed[cell]));
          }
          return sum;
        });
  return parts_->everyone().sum(total);
}

// p <- M^-1 r + beta p
template <class Field>
void NearInverse<Field>::next_direction(double beta) {
  for (Block& block : blocks_)
    (void)sum_over_field(
        *block.near, block.factor.columns(), [&](Count begin, Count end, Count cell, Count column) {
          const auto mean = static_cast<Field>(block.share * block.mean[column]);
          const auto keep = static_cast<Field>(beta);
          for (Count i = begin; i < end; ++i, ++cell)
            block.p[i] =
                block.r[i] / (block.precision[cell] + mean * block.observed[cell]) + keep * block.p[i];
          return 0.0;
        });
}

template <class Field>
double NearInverse<Field>::multiply() {
  ++applications_;
  std::fill(values_.begin(), values_.end(), Field{0});
  there_.start(values_);
  for (Block& block : blocks_) {
    block.q = block.p;
    block.near->grid()->from_spectrum(block.q.data(), block.near->groups() * block.factor.columns(), work_);
    block.near->add_values(block.factor, block.q, 1.0, there_.to(block.part));
  }
  there_.bring_back();
  for (std::size_t e = 0; e < values_.size(); ++e) values_[e] *= inverse_ridge_[e];
  there_.send(values_);
  double product = 0.0;
  for (Block& block : blocks_) {
    block.near->collect(block.factor, there_[block.part], block.q);
    block.near->grid()->to_spectrum(block.q.data(), block.near->groups() * block.factor.columns(), work_);
    product +=
        sum_over_field(*block.near, block.factor.columns(), [&](Count begin, Count end, Count cell, Count) {
          double sum = 0.0;
          for (Count i = begin; i < end; ++i, ++cell) {
            block.q[i] += block.precision[cell] * block.p[i];
            sum += static_cast<double>(block.q[i] * block.p[i]);
          }
          return sum;
        });
  }
  return parts_->everyone().sum(product);
}

// What the residual rho of the second system is to the first: -sum_p lambda_p B_p kappa_p rho_p, whose
// squared length is about this, with the mean over the cells in place of B_p' B_p. Long waves count most.
template <class Field>
double NearInverse<Field>::outer_square() const {
  double ridge = 0.0;
  for (const Field inverse : inverse_ridge_) ridge += 1.0 / static_cast<double>(inverse);
  ridge = parts_->everyone().sum(ridge) / static_cast<double>(parts_->layouts().all_entries());
  double total = 0.0;
  for (const Block& block : blocks_)
    total += sum_over_field(*block.near, block.factor.columns(),
                            [&](Count begin, Count end, Count cell, Count column) {
                              double sum = 0.0;
                              for (Count i = begin; i < end; ++i, ++cell) {
                                const Field r = block.r[i] / block.precision[cell];
                                sum += static_cast<double>(r * r * block.observed[cell]);
                              }
                              return ridge * block.mean[column] * sum;
                            });
  return parts_->everyone().sum(total);
}

template <class Field>
template <class Real>
int NearInverse<Field>::apply(std::span<const Real> b, double goal, int most, const Interrupted& interrupted,
                              std::span<Real> x) {
  // Brought to a length of about 1: the squares of what single precision holds need not be in its range.
  const double norm = std::sqrt(dot<Real>(parts_->everyone(), b, b));
  const double unit = std::isnormal(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0;
  for (std::size_t e = 0; e < values_.size(); ++e)
    values_[e] = inverse_ridge_[e] * static_cast<Field>(unit * static_cast<double>(b[e]));
  there_.send(values_);
  for (Block& block : blocks_) {
    block.near->collect(block.factor, there_[block.part], block.r);
    block.near->grid()->to_spectrum(block.r.data(), block.near->groups() * block.factor.columns(), work_);
    std::fill(block.c.begin(), block.c.end(), Field{0});
    std::fill(block.p.begin(), block.p.end(), Field{0});
  }
  int steps = 0;
  double square = scaled_square();
  const double resolved = kResolved * std::numeric_limits<Field>::epsilon();
  const double enough = std::max(unit * goal * unit * goal, resolved * resolved * outer_square());
  double beta = 0.0;
  while (outer_square() > enough && steps < most && !(interrupted && interrupted())) {
    next_direction(beta);
    const double curvature = multiply();
    ++steps;
    if (!(curvature > 0.0)) break;
    const auto alpha = static_cast<Field>(square / curvature);
    for (Block& block : blocks_)
      parallel_blocks(static_cast<Count>(block.c.size()), [&](Count begin, Count end) {
        for (Count i = begin; i < end; ++i) {
          block.c[i] += alpha * block.p[i];
          block.r[i] -= alpha * block.q[i];
        }
      });
    const double next = scaled_square();
    beta = next / square;
    square = next;
  }
  std::fill(values_.begin(), values_.end(), Field{0});
  there_.start(values_);
  for (Block& block : blocks_) {
    block.near->grid()->from_spectrum(block.c.data(), block.near->groups() * block.factor.columns(), work_);
    block.near->add_values(block.factor, block.c, 1.0, there_.to(block.part));
  }
  there_.bring_back();
  for (std::size_t e = 0; e < values_.size(); ++e)
    x[e] = static_cast<Real>(static_cast<double>(inverse_ridge_[e]) *
                             (static_cast<double>(b[e]) - static_cast<double>(values_[e]) / unit));
  return steps;
}

template class NearInverse<double>;
template class NearInverse<float>;
template int NearInverse<double>::apply(std::span<const double>, double, int, const Interrupted&,
                                        std::span<double>);
template int NearInverse<double>::apply(std::span<const float>, double, int, const Interrupted&,
                                        std::span<float>);
template int NearInverse<float>::apply(std::span<const double>, double, int, const Interrupted&,
                                       std::span<double>);
template int NearInverse<float>::apply(std::span<const float>, double, int, const Interrupted&,
                                       std::span<float>);

}  // namespace lacuna
