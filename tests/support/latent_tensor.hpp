// SPDX-License-Identifier: MIT
// A tensor that the model can represent exactly: a sum of K parts, part k of low rank in its mode-k
// unfolding.
#pragma once

#include <lacuna/tensor/tensor.hpp>

#include "base/rng.hpp"
#include "linalg/matrix.hpp"
#include "support/random_tensor.hpp"

namespace lacuna::test {

struct LatentSplit {
  ObservedTensor train;
  Entries test;  // all the other cells
  double test_norm = 0.0;
};

inline LatentSplit latent_tensor(const std::vector<Index>& extents, int rank, double observed,
                                 std::uint64_t seed) {
  Rng rng(seed);
  std::uint64_t cells = 1;
  for (const Index extent : extents) cells *= extent;
  std::vector<double> value(cells, 0.0);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const auto left = random_matrix<double>(extents[k], rank, rng);
    const auto right = random_matrix<double>(rank, static_cast<Eigen::Index>(cells / extents[k]), rng);
    std::uint64_t inner = 1;  // cells between neighbours along mode k
    for (std::size_t later = k + 1; later < extents.size(); ++later) inner *= extents[later];
    for (std::uint64_t c = 0; c < cells; ++c) {
      const std::uint64_t row = c / inner % extents[k];
      const std::uint64_t fiber = c / (inner * extents[k]) * inner + c % inner;
      value[c] += left.row(static_cast<Eigen::Index>(row)).dot(right.col(static_cast<Eigen::Index>(fiber)));
    }
  }
  LatentSplit split;
  Entries train{.cells = Cells(static_cast<int>(extents.size())), .value = {}};
  split.test = train;
  for (std::uint64_t c = 0; c < cells; ++c) {
    Entries& list = rng.uniform() < observed ? train : split.test;
    const std::vector<Index> cell = cell_of(c, extents);
    list.cells.add(cell);
    list.value.push_back(value[c]);
  }
  for (const double v : split.test.value) split.test_norm += v * v;
  split.test_norm = std::sqrt(split.test_norm);
  split.train = std::move(ObservedTensor::create(plain_modes(extents), std::move(train)).value());
  return split;
}

}  // namespace lacuna::test
