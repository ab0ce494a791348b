// SPDX-License-Identifier: MIT
// Small observed tensors made of random numbers.
#pragma once

#include <cmath>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "linalg/matrix.hpp"

namespace lacuna::test {

inline std::vector<Mode> plain_modes(const std::vector<Index>& extents) {
  std::vector<Mode> modes;
  for (const Index extent : extents)
    modes.push_back({.name = "mode" + std::to_string(modes.size() + 1), .size = extent, .labels = {}});
  return modes;
}

// The cell with this number when cells are counted with the last mode fastest.
inline std::vector<Index> cell_of(std::uint64_t number, const std::vector<Index>& extents) {
  std::vector<Index> cell(extents.size());
  for (std::size_t k = extents.size(); k-- > 0; number /= extents[k])
    cell[k] = static_cast<Index>(number % extents[k]);
  return cell;
}

// `count` distinct cells in random order. A skew above 1 crowds them at small indices, so that one tensor has
// fibers of one entry and long ones. The product of the extents must fit 64 bits.
inline Cells random_cells(const std::vector<Index>& extents, Count count, Rng& rng, double skew = 1.0) {
  Cells index(static_cast<int>(extents.size()));
  std::unordered_set<std::uint64_t> seen;
  while (static_cast<Count>(seen.size()) < count) {
    std::vector<Index> cell;
    std::uint64_t number = 0;
    for (const Index extent : extents) {
      cell.push_back(static_cast<Index>(extent * std::pow(rng.uniform(), skew)));
      number = number * extent + cell.back();
    }
    if (!seen.insert(number).second) continue;
    index.add(cell);
  }
  return index;
}

// Standard normal values on random cells.
inline ObservedTensor random_tensor(const std::vector<Index>& extents, Count count, Rng& rng,
                                    double skew = 1.0) {
  Entries entries{.cells = random_cells(extents, count, rng, skew), .value = {}};
  for (Count e = 0; e < count; ++e) entries.value.push_back(rng.normal());
  return std::move(ObservedTensor::create(plain_modes(extents), std::move(entries)).value());
}

inline Entries entries_of(const ObservedTensor& tensor) {
  return {.cells = tensor.cells(),
          .value = {tensor.values().begin(), tensor.values().end()},
          .weight = {tensor.weights().begin(), tensor.weights().end()}};
}

// The same tensor with a weight between 1/4 and 3 on each entry.
inline ObservedTensor with_random_weights(const ObservedTensor& tensor, Rng& rng) {
  Entries entries = entries_of(tensor);
  entries.weight.clear();
  for (Count e = 0; e < tensor.size(); ++e) entries.weight.push_back(0.25 + 2.75 * rng.uniform());
  return std::move(ObservedTensor::create(tensor.modes(), std::move(entries)).value());
}

// The same tensor with all values multiplied by `factor`.
inline ObservedTensor scaled(const ObservedTensor& tensor, double factor) {
  ObservedTensor result = tensor;
  std::vector<double> values(tensor.values().begin(), tensor.values().end());
  for (double& value : values) value *= factor;
  result.replace_values(std::move(values));
  return result;
}

// sum_{j < rank} prod_k a_kj(i_k) + noise on random cells, or on every cell when count is their number.
inline ObservedTensor low_rank_tensor(const std::vector<Index>& extents, int rank, Count count, double noise,
                                      Rng& rng) {
  std::vector<Matrix<double>> factors;
  for (const Index extent : extents)
    factors.emplace_back(Matrix<double>::NullaryExpr(extent, rank, [&] { return rng.normal(); }));
  Entries entries{.cells = random_cells(extents, count, rng), .value = {}};
  for (Count e = 0; e < count; ++e) {
    Eigen::RowVectorXd product = Eigen::RowVectorXd::Ones(rank);
    for (std::size_t k = 0; k < extents.size(); ++k)
      product = product.cwiseProduct(factors[k].row(entries.cells[k][e]));
    entries.value.push_back(product.sum() + noise * rng.normal());
  }
  return std::move(ObservedTensor::create(plain_modes(extents), std::move(entries)).value());
}

// Side information of standard normal numbers, two of three of which are there.
inline std::shared_ptr<const SideInformation> random_side(Index positions, std::uint32_t columns, Rng& rng) {
  SideInformation side;
  for (std::uint32_t c = 0; c < columns; ++c) side.names.push_back("feature" + std::to_string(c + 1));
  for (Index i = 0; i < positions; ++i) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      if (rng.below(3) == 0) continue;
      side.column.push_back(c);
      side.value.push_back(rng.normal());
    }
    side.start.push_back(static_cast<std::int64_t>(side.value.size()));
  }
  return std::make_shared<const SideInformation>(std::move(side));
}

template <class Real>
[[nodiscard]] Matrix<Real> random_matrix(Eigen::Index rows, Eigen::Index columns, Rng& rng) {
  Matrix<Real> matrix(rows, columns);
  for (Real& value : flat(matrix)) value = static_cast<Real>(rng.normal());
  return matrix;
}

template <class Real>
[[nodiscard]] std::vector<Real> random_vector(Count size, Rng& rng) {
  std::vector<Real> vector(static_cast<std::size_t>(size));
  for (Real& value : vector) value = static_cast<Real>(rng.normal());
  return vector;
}

}  // namespace lacuna::test
