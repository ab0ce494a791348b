// SPDX-License-Identifier: MIT
#include "method/field/edge_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "tensor/positions.hpp"

namespace lacuna {
namespace {

// Of the mean of B'B in the preconditioner, the share of cells that are observed, and no less than this, as in
// problem/near_inverse.cpp.
constexpr double kLeastMeanShare = 0.05;
constexpr double kShrunkPairs = 10.0;  // so many pairs of entries halve a covariance
constexpr Count kCellsAtOnce = 1024;
constexpr int kStepsBehind = 8;  // steps whose gains tell how far the objective is from its least value

double product(std::span<const double> a, std::span<const double> b) {
  return parallel_sum(static_cast<Count>(a.size()), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count i = begin; i < end; ++i) sum += a[i] * b[i];
    return sum;
  });
}

void check(const PartSpec& part, int order) {
  const auto learned = part.learns() ? 1 : 0;
  if (part.near.empty() || static_cast<int>(part.near.size()) + learned != order)
    throw std::invalid_argument(
        "method edges takes one part that is near along all modes but the one it learns, such as "
        "channel|row~8,column~8");
  if (part.near.size() > EdgeLaplacian::kMostAxes)
    throw std::invalid_argument("method edges takes at most " + std::to_string(EdgeLaplacian::kMostAxes) +
                                " near modes, " + std::to_string(part.near.size()) + " are given");
  if (part.smoothness != 1.0 && part.smoothness != 2.0)
    throw std::invalid_argument("method edges takes a smoothness of 1 or 2");
}

}  // namespace

EdgeField::EdgeField(const ObservedTensor& tensor, const PartSpec& part)
    : part_(part),
      rows_(part.learns() ? tensor.extent(part.mode) : 1),
      power_(static_cast<int>(part.smoothness)) {
  check(part, tensor.order());
  std::vector<NearAxis> regular;
  for (const NearMode& near : part.near) {
    const Mode& mode = tensor.modes()[near.mode];
    NearAxis axis = make_axis(mode, near);
    places_.push_back(axis);
    axis.length /= typical_spacing(mode);
    std::iota(axis.position.begin(), axis.position.end(), 0.0);
    axis.spacing = 1.0;
    regular.push_back(std::move(axis));
  }
  grid_.emplace(regular, part.smoothness);
  unit_ = 1.0 / grid_->spectrum()[0];  // at mu = 0, where f = 1
  std::vector<EdgeLaplacian::Axis> axes;
  Count after = grid_->cells();
  for (std::size_t s = 0; s < regular.size(); ++s) {
    EdgeLaplacian::Axis axis{.size = after / grid_->stride(s), .stride = grid_->stride(s)};
    after = axis.stride;
    if (axis.size == 1) continue;  // no steps to weigh
    const std::vector<double>& at = places_[s].position;
    const double typical = typical_spacing(tensor.modes()[part.near[s].mode]);
    for (Count i = 0; i + 1 < axis.size; ++i) {
      const double gap = i + 1 < static_cast<Count>(at.size()) ? (at[i + 1] - at[i]) / typical : 1.0;
      axis.length.push_back(regular[s].length / gap);
    }
    axis.length.push_back(0.0);
    axes.push_back(std::move(axis));
  }
  laplacian_.emplace(std::move(axes));
  share_.assign(static_cast<std::size_t>(cells()), 1.0);
  once_.resize(static_cast<std::size_t>(cells()));
  twice_.resize(power_ == 2 ? once_.size() : 0);
  sort_entries(tensor);
}

Count EdgeField::cell_of(std::span<const Index> index) const {
  Count cell = 0;
  for (std::size_t s = 0; s < places_.size(); ++s)
    cell += grid_->stride(s) * places_[s].place[index[part_.near[s].mode]];
  return cell;
}

Count EdgeField::row_of(std::span<const Index> index) const { return part_.learns() ? index[part_.mode] : 0; }

void EdgeField::sort_entries(const ObservedTensor& tensor) {
  std::vector<Count> cell(static_cast<std::size_t>(tensor.size()));
  std::vector<Index> row(cell.size());
  std::vector<Index> index(static_cast<std::size_t>(tensor.order()));
  for (Count e = 0; e < tensor.size(); ++e) {
    for (int k = 0; k < tensor.order(); ++k) index[k] = tensor.index(k)[e];
    cell[e] = cell_of(index);
    row[e] = static_cast<Index>(row_of(index));
  }
  entry_.resize(cell.size());
  std::iota(entry_.begin(), entry_.end(), Index{0});
  std::stable_sort(entry_.begin(), entry_.end(), [&](Index a, Index b) { return cell[a] < cell[b]; });
  for (std::size_t j = 0; j < entry_.size(); ++j) {
    row_.push_back(row[entry_[j]]);
    weight_.push_back(tensor.weight(entry_[j]));
    if (j > 0 && cell[entry_[j]] == cell_.back()) continue;
    start_.push_back(static_cast<Count>(j));
    cell_.push_back(cell[entry_[j]]);
  }
  start_.push_back(static_cast<Count>(entry_.size()));
}

Eigen::MatrixXd EdgeField::row_covariance(std::span<const double> y) const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows_, rows_);
  Eigen::MatrixXd pairs = sum;
  for (std::size_t i = 0; i < cell_.size(); ++i)
    for (Count a = start_[i]; a < start_[i + 1]; ++a)
      for (Count b = start_[i]; b <= a; ++b) {
        const double weight = std::sqrt(weight_[a] * weight_[b]);
        const double term = weight * y[entry_[a]] * y[entry_[b]];
        const auto [low, high] = std::minmax(row_[a], row_[b]);
        sum(high, low) += term;
        pairs(high, low) += weight;
      }
  for (Count a = 0; a < rows_; ++a)
    for (Count b = 0; b <= a; ++b)
      sum(a, b) = sum(b, a) = sum(a, b) / (pairs(a, b) + (a == b ? 1.0 : kShrunkPairs));
  return sum;
}

void EdgeField::set_factor(const Matrix<double>& u, double lambda) {
  u_ = u;
  lambda_ = lambda;
  mean_.assign(columns(), 0.0);
  for (std::size_t i = 0; i < row_.size(); ++i)
    for (std::size_t j = 0; j < columns(); ++j)
      mean_[j] += weight_[i] * std::pow(u_(row_[i], static_cast<Eigen::Index>(j)), 2);
  for (double& mean : mean_) mean /= static_cast<double>(cells());
}

void EdgeField::find_edges(std::span<const double> v, double contrast) {
  const Eigen::VectorXd squares = u_.colwise().squaredNorm();
  laplacian_->find_edges(v, {squares.data(), columns()}, contrast);
  take_shares();
}

void EdgeField::set_edges(std::span<const double> values) {
  laplacian_->set_stencils(values);
  take_shares();
}

void EdgeField::take_shares() {
  share_ = laplacian_->local_share();
  for (double& share : share_) share = 1.0 / std::sqrt(share);
}

void EdgeField::add_precision(std::span<const double> v, double scale, std::span<double> out) {
  const std::size_t n = static_cast<std::size_t>(cells());
  for (std::size_t j = 0; j < columns(); ++j) {
    laplacian_->apply(v.data() + j * n, once_.data());
    if (power_ == 2) laplacian_->apply(once_.data(), twice_.data());
    const double* from = power_ == 2 ? twice_.data() : once_.data();
    double* to = out.data() + j * n;
    parallel_blocks(cells(), [&](Count begin, Count end) {
      for (Count x = begin; x < end; ++x) to[x] += scale * unit_ * from[x];
    });
  }
}

void EdgeField::multiply(std::span<const double> v, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  add_precision(v, 0.5 / lambda_, out);
  const std::size_t n = static_cast<std::size_t>(cells());
  parallel_blocks(
      static_cast<Count>(cell_.size()),
      [&](Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
          for (Count j = start_[i]; j < start_[i + 1]; ++j) {
            const double read = weight_[j] * value(v, cell_[i], row_[j]);
            for (std::size_t c = 0; c < columns(); ++c)
              out[c * n + cell_[i]] += read * u_(row_[j], static_cast<Eigen::Index>(c));
          }
      },
      kCellsAtOnce);
}

void EdgeField::precondition(std::span<const double> r, std::span<double> out) {
  const auto fields = static_cast<Count>(columns());
  const auto n = static_cast<std::size_t>(cells());
  for (std::size_t j = 0; j < columns(); ++j)
    parallel_blocks(cells(), [&](Count begin, Count end) {
      for (Count x = begin; x < end; ++x) out[j * n + x] = share_[x] * r[j * n + x];
    });
  grid_->to_spectrum(out.data(), fields, work_);
  const std::span<const double> spectrum = grid_->spectrum();
  const double observed = static_cast<double>(entry_.size()) / static_cast<double>(cells() * rows_);
  const double share = std::max(kLeastMeanShare, std::min(1.0, observed));
  for (std::size_t j = 0; j < columns(); ++j) {
    double* field = out.data() + j * n;
    parallel_blocks(cells(), [&](Count begin, Count end) {
      for (Count x = begin; x < end; ++x) field[x] /= 0.5 / (lambda_ * spectrum[x]) + share * mean_[j];
    });
  }
  grid_->from_spectrum(out.data(), fields, work_);
  for (std::size_t j = 0; j < columns(); ++j)
    parallel_blocks(cells(), [&](Count begin, Count end) {
      for (Count x = begin; x < end; ++x) out[j * n + x] *= share_[x];
    });
}

int EdgeField::solve(std::span<const double> y, double goal, int most, const Interrupted& interrupted,
                     std::vector<double>& v) {
  const std::size_t n = static_cast<std::size_t>(cells());
  v.resize(columns() * n, 0.0);
  std::vector<double> r(v.size(), 0.0);
  std::vector<double> z(v.size());
  std::vector<double> q(v.size());
  double objective = 0.0;  // sum_e w_e (y_e - u_e . V(x_e))^2 + 1/(2 lambda) <V, K V>
  for (std::size_t i = 0; i < cell_.size(); ++i)
    for (Count j = start_[i]; j < start_[i + 1]; ++j) {
      const double weighted = weight_[j] * y[entry_[j]];
      objective += weighted * y[entry_[j]];
      for (std::size_t c = 0; c < columns(); ++c)
        r[c * n + cell_[i]] += weighted * u_(row_[j], static_cast<Eigen::Index>(c));  // B'y
    }
  objective -= product(r, v);
  multiply(v, q);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= q[i];
  objective -= product(r, v);
  precondition(r, z);
  std::vector<double> p = z;
  double square = product(r, z);
  std::array<double, kStepsBehind> gain{};  // of the last steps, what each took off the objective
  int steps = 0;
  const auto enough = [&] {
    return steps >= kStepsBehind && std::accumulate(gain.begin(), gain.end(), 0.0) <= goal * objective;
  };
  while (square > 0.0 && !enough() && steps < most && !(interrupted && interrupted())) {
    multiply(p, q);
    const double curvature = product(p, q);
    if (!(curvature > 0.0)) break;
    const double alpha = square / curvature;
    gain[static_cast<std::size_t>(steps++) % gain.size()] = alpha * square;
    objective -= alpha * square;
    parallel_blocks(static_cast<Count>(v.size()), [&](Count begin, Count end) {
      for (Count i = begin; i < end; ++i) {
        v[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
    });
    precondition(r, z);
    const double next = product(r, z);
    const double beta = next / square;
    square = next;
    parallel_blocks(static_cast<Count>(v.size()), [&](Count begin, Count end) {
      for (Count i = begin; i < end; ++i) p[i] = z[i] + beta * p[i];
    });
  }
  return steps;
}

double EdgeField::value(std::span<const double> v, Count cell, Count row) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < columns(); ++j)
    sum += u_(row, static_cast<Eigen::Index>(j)) * v[j * static_cast<std::size_t>(cells()) + cell];
  return sum;
}

Eigen::MatrixXd EdgeField::precision_gram(std::span<const double> v) {
  std::vector<double> smoothed(v.size(), 0.0);
  add_precision(v, 1.0, smoothed);
  const std::size_t n = static_cast<std::size_t>(cells());
  const auto r = static_cast<Eigen::Index>(columns());
  Eigen::MatrixXd gram(r, r);
  for (Eigen::Index a = 0; a < r; ++a)
    for (Eigen::Index b = 0; b <= a; ++b)
      gram(a, b) = gram(b, a) = product(v.subspan(static_cast<std::size_t>(a) * n, n),
                                        std::span(smoothed).subspan(static_cast<std::size_t>(b) * n, n));
  return gram;
}

}  // namespace lacuna
