// SPDX-License-Identifier: MIT
#include "method/field/edge_laplacian.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"

namespace lacuna {
namespace {

constexpr Count kCellsAtOnce = 2048;  // of a product: they stay close while neighbours are added up

constexpr std::size_t kMostAxes = EdgeLaplacian::kMostAxes;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostAxes, kMostAxes>;

// The place of (s, t), s <= t, among the pairs of d.
std::size_t pair_of(std::size_t s, std::size_t t, std::size_t d) { return s * d - s * (s + 1) / 2 + t; }

double sign_along(std::size_t s, std::size_t corner) { return (corner >> s & 1U) != 0 ? 1.0 : -1.0; }

// A Gaussian of this deviation, cut at three of them: the weights of distances 0, 1, 2, ...
std::vector<double> half_gaussian(double deviation) {
  std::vector<double> weights;
  for (double at = 0.0; at <= 3.0 * deviation; at += 1.0)
    weights.push_back(std::exp(-0.5 * at * at / (deviation * deviation)));
  return weights;
}

}  // namespace

EdgeLaplacian::EdgeLaplacian(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (const Axis& axis : axes_) cells_ *= axis.size;
  std::size_t directions = 1;
  for (std::size_t b = 0; b < std::size_t{1} << axes_.size(); ++b) {
    corner_.push_back(0);
    for (std::size_t s = 0; s < axes_.size(); ++s)
      if ((b >> s & 1U) != 0) corner_.back() += axes_[s].stride;
  }
  for (std::size_t s = 0; s < axes_.size(); ++s) directions *= 3;
  // The first half of all directions lead back.
  for (std::size_t code = directions / 2 + 1; code < directions; ++code) {
    Count offset = 0;
    std::size_t rest = code;
    for (std::size_t s = axes_.size(); s-- > 0; rest /= 3)
      offset += (static_cast<Count>(rest % 3) - 1) * axes_[s].stride;
    neighbours_.push_back({.offset = offset});
  }
  assemble(std::vector<double>(static_cast<std::size_t>(cells_), 1.0), {}, 1.0);
}

// Among the neighbours, the one that leads from cell `from` of a corner to cell `to`, which comes later.
std::size_t EdgeLaplacian::direction(std::size_t from, std::size_t to) const {
  std::size_t code = 0;
  std::size_t half = 0;
  for (std::size_t s = 0; s < axes_.size(); ++s) {
    code = 3 * code + 1 + (to >> s & 1U) - (from >> s & 1U);
    half = 3 * half + 1;
  }
  return code - half - 1;
}

bool EdgeLaplacian::is_corner(Count x) const {
  return std::all_of(axes_.begin(), axes_.end(),
                     [x](const Axis& axis) { return x / axis.stride % axis.size + 1 < axis.size; });
}

std::vector<double> EdgeLaplacian::products_of_steps(std::span<const double> fields,
                                                     std::span<const double> squares) const {
  const std::size_t d = axes_.size();
  const auto n = static_cast<std::size_t>(cells_);
  std::vector<double> products(pairs() * n, 0.0);
  parallel_blocks(cells_, [&](Count begin, Count end) {
    std::array<double, kMostAxes> step{};
    for (Count x = begin; x < end; ++x) {
      if (!is_corner(x)) continue;
      for (std::size_t j = 0; j < squares.size(); ++j) {
        step.fill(0.0);
        for (std::size_t b = 0; b < corner_.size(); ++b)
          for (std::size_t s = 0; s < d; ++s)
            step[s] += sign_along(s, b) * fields[j * n + static_cast<std::size_t>(x + corner_[b])];
        for (std::size_t s = 0; s < d; ++s)
          for (std::size_t t = s; t < d; ++t)
            products[pair_of(s, t, d) * n + static_cast<std::size_t>(x)] += squares[j] * step[s] * step[t];
      }
    }
  });
  return products;
}

// Along one axis after the other, over the corners; weights that would lie outside are left out.
void EdgeLaplacian::smooth(std::span<double> values) const {
  const std::vector<double> weights = half_gaussian(kReach);
  for (const Axis& axis : axes_) {
    const Count corners = axis.size - 1;
    const auto last = static_cast<Count>(weights.size()) - 1;
    parallel_blocks(
        cells_ / axis.size,
        [&](Count begin, Count end) {
          std::vector<double> line(static_cast<std::size_t>(corners));
          for (Count which = begin; which < end; ++which) {
            const Count from = which / axis.stride * axis.stride * axis.size + which % axis.stride;
            for (Count i = 0; i < corners; ++i) line[i] = values[from + i * axis.stride];
            for (Count i = 0; i < corners; ++i) {
              double sum = 0.0;
              double weight = 0.0;
              for (Count j = std::max<Count>(0, i - last); j <= std::min(corners - 1, i + last); ++j) {
                sum += weights[std::abs(i - j)] * line[j];
                weight += weights[std::abs(i - j)];
              }
              values[from + i * axis.stride] = sum / weight;
            }
          }
        },
        std::max<Count>(1, kBlock / axis.size));
  }
}

void EdgeLaplacian::find_edges(std::span<const double> fields, std::span<const double> squares,
                               double contrast) {
  if (axes_.empty()) return;
  const std::size_t d = axes_.size();
  const auto n = static_cast<std::size_t>(cells_);
  std::vector<double> products = products_of_steps(fields, squares);
  std::vector<double> unit(d);  // one over the root mean square of steps along each mode
  double corners = 1.0;
  for (const Axis& axis : axes_) corners *= static_cast<double>(axis.size - 1);
  for (std::size_t s = 0; s < d; ++s) {
    const double* values = products.data() + pair_of(s, s, d) * n;
    const double sum = parallel_sum(
        cells_, [&](Count begin, Count end) { return std::accumulate(values + begin, values + end, 0.0); });
    unit[s] = sum > 0.0 ? 1.0 / std::sqrt(sum / corners) : 0.0;
  }
  if (d > 1)
    for (std::size_t pair = 0; pair < pairs(); ++pair) smooth(std::span(products).subspan(pair * n, n));

  // Per corner: products become C - g_d I, and g_d is kept.
  std::vector<double> least(n, 0.0);
  const double mean =
      parallel_sum(cells_,
                   [&](Count begin, Count end) {
                     double sum = 0.0;
                     SmallMatrix j(d, d);
                     for (Count x = begin; x < end; ++x) {
                       if (!is_corner(x)) continue;
                       for (std::size_t s = 0; s < d; ++s)
                         for (std::size_t t = s; t < d; ++t)
                           j(t, s) = unit[s] * unit[t] * products[pair_of(s, t, d) * n + x];
                       const Eigen::SelfAdjointEigenSolver<SmallMatrix> eigen(j);
                       const Eigen::VectorXd g =
                           (1.0 + eigen.eigenvalues().array().max(0.0) / contrast).inverse().matrix();
                       sum += g.sum() / static_cast<double>(d);
                       least[x] = g.minCoeff();
                       const SmallMatrix more = eigen.eigenvectors() *
                                                (g.array() - least[x]).matrix().asDiagonal() *
                                                eigen.eigenvectors().transpose();
                       for (std::size_t s = 0; s < d; ++s)
                         for (std::size_t t = s; t < d; ++t) products[pair_of(s, t, d) * n + x] = more(s, t);
                     }
                     return sum;
                   }) /
      std::max(1.0, corners);
  assemble(least, products, mean > 0.0 ? 1.0 / mean : 1.0);
}

void EdgeLaplacian::assemble(std::span<const double> least, std::span<const double> more, double scale) {
  const auto n = static_cast<std::size_t>(cells_);
  diagonal_.assign(n, 1.0);
  for (Neighbour& neighbour : neighbours_) neighbour.weight.assign(n, 0.0);
  for (std::size_t s = 0; s < axes_.size(); ++s) add_steps(s, least, scale);
  if (axes_.size() > 1 && !more.empty()) add_corners(more, scale);
}

// Each step conducts as the corners around it do in the mean.
void EdgeLaplacian::add_steps(std::size_t s, std::span<const double> least, double scale) {
  std::vector<double>& weight = neighbours_[direction(0, std::size_t{1} << s)].weight;
  for (Count x = 0; x < cells_; ++x) {
    const double step = length(s, x);
    if (step == 0.0) continue;
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t b = 0; b < corner_.size(); ++b) {
      if ((b >> s & 1U) != 0 || !has_corner(x, b)) continue;
      sum += least[x - corner_[b]];
      count += 1.0;
    }
    const double conductance = (count > 0.0 ? scale * sum / count : 1.0) * step * step;
    weight[x] -= conductance;
    diagonal_[x] += conductance;
    diagonal_[x + axes_[s].stride] += conductance;
  }
}

// (G v)' M (G v) in every corner, M = C - g_d I, as products of the values in its 2^d cells.
void EdgeLaplacian::add_corners(std::span<const double> more, double scale) {
  const std::size_t d = axes_.size();
  const auto n = static_cast<std::size_t>(cells_);
  const double of_a_step = 2.0 / static_cast<double>(corner_.size());  // a gradient is a mean of so many
  std::array<double, kMostAxes> along{};
  for (Count x = 0; x < cells_; ++x) {
    if (!is_corner(x)) continue;
    for (std::size_t from = 0; from < corner_.size(); ++from) {
      for (std::size_t t = 0; t < d; ++t) {
        along[t] = 0.0;
        for (std::size_t s = 0; s < d; ++s)
          along[t] += sign_along(s, from) * length(s, x) *
                      more[pair_of(std::min(s, t), std::max(s, t), d) * n + static_cast<std::size_t>(x)];
        along[t] *= scale * of_a_step * of_a_step * length(t, x);
      }
      for (std::size_t to = 0; to < corner_.size(); ++to) {
        if (corner_[to] < corner_[from]) continue;  // its twin is counted
        double product = 0.0;
        for (std::size_t t = 0; t < d; ++t) product += sign_along(t, to) * along[t];
        if (to == from)
          diagonal_[x + corner_[from]] += product;
        else
          neighbours_[direction(from, to)].weight[x + corner_[from]] += product;
      }
    }
  }
}

// Whether the corner whose cell b is x is one.
bool EdgeLaplacian::has_corner(Count x, std::size_t b) const {
  for (std::size_t s = 0; s < axes_.size(); ++s) {
    const Count at = x / axes_[s].stride % axes_[s].size - static_cast<Count>(b >> s & 1U);
    if (at < 0 || at + 1 >= axes_[s].size) return false;
  }
  return true;
}

// Each cell gathers from its neighbours, so that blocks of cells do not collide.
void EdgeLaplacian::apply(const double* v, double* out) const {
  parallel_blocks(
      cells_,
      [&](Count begin, Count end) {
        for (Count x = begin; x < end; ++x) out[x] = diagonal_[x] * v[x];
        for (const Neighbour& neighbour : neighbours_) {
          const double* weight = neighbour.weight.data();
          const Count offset = neighbour.offset;
          for (Count x = begin; x < std::min(end, cells_ - offset); ++x) out[x] += weight[x] * v[x + offset];
          for (Count x = std::max(begin, offset); x < end; ++x) out[x] += weight[x - offset] * v[x - offset];
        }
      },
      kCellsAtOnce);
}

std::vector<double> EdgeLaplacian::local_share() const {
  std::vector<double> share(static_cast<std::size_t>(cells_));
  for (Count x = 0; x < cells_; ++x) {
    double plain = 1.0;
    for (std::size_t s = 0; s < axes_.size(); ++s) {
      plain += std::pow(length(s, x), 2);
      if (x / axes_[s].stride % axes_[s].size > 0) plain += std::pow(length(s, x - axes_[s].stride), 2);
    }
    share[x] = diagonal_[x] / plain;
  }
  return share;
}

std::vector<double> EdgeLaplacian::stencils() const {
  std::vector<double> values = diagonal_;
  for (const Neighbour& neighbour : neighbours_)
    values.insert(values.end(), neighbour.weight.begin(), neighbour.weight.end());
  return values;
}

void EdgeLaplacian::set_stencils(std::span<const double> values) {
  const auto take = [&](std::vector<double>& to) {
    std::copy_n(values.begin(), to.size(), to.begin());
    values = values.subspan(to.size());
  };
  take(diagonal_);
  for (Neighbour& neighbour : neighbours_) take(neighbour.weight);
}

}  // namespace lacuna
