// SPDX-License-Identifier: MIT
// Whole Tucker tensors, small enough to be listed, and splits of one into seen and unseen cells.
#pragma once

#include <Eigen/Core>

#include "kernels/tucker_kernels.hpp"
#include "support/latent_tensor.hpp"
#include "support/random_bodies.hpp"

namespace lacuna::test {

inline Cells every_cell(const std::vector<Index>& extents) {
  std::uint64_t cells = 1;
  for (const Index extent : extents) cells *= extent;
  Cells index(static_cast<int>(extents.size()));
  for (std::uint64_t c = 0; c < cells; ++c) {
    const std::vector<Index> cell = cell_of(c, extents);
    index.add(cell);
  }
  return index;
}

inline std::vector<Index> extents_of(const Tucker& x) {
  std::vector<Index> extents;
  for (const Matrix<double>& factor : x.factors) extents.push_back(static_cast<Index>(factor.rows()));
  return extents;
}

// Every cell of the tensor, and of its derivative along u.
inline Eigen::VectorXd whole(const Tucker& x) {
  const Cells cells = every_cell(extents_of(x));
  Eigen::VectorXd values = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(cells[0].size()));
  add_values(x, cells, {values.data(), cells[0].size()});
  return values;
}
inline Eigen::VectorXd whole_derivative(const Tucker& x, const Tucker& u) {
  const Cells cells = every_cell(extents_of(x));
  Eigen::VectorXd values = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(cells[0].size()));
  add_derivatives(x, u, cells, {values.data(), cells[0].size()});
  return values;
}

// A tensor of low multilinear rank, a share of its cells seen.
inline LatentSplit tucker_tensor(const std::vector<Index>& extents, const std::vector<int>& ranks,
                                 double observed, std::uint64_t seed, double scale = 1.0) {
  Rng rng(seed);
  const Tucker x = random_tucker(extents, ranks, rng);
  const Cells cells = every_cell(extents);
  const Eigen::VectorXd values = scale * whole(x);
  Entries train{.cells = Cells(static_cast<int>(extents.size())), .value = {}};
  LatentSplit split{.train = {}, .test = train};
  for (std::size_t c = 0; c < cells[0].size(); ++c) {
    Entries& list = rng.uniform() < observed ? train : split.test;
    list.cells.add(cells, c);
    list.value.push_back(values(static_cast<Eigen::Index>(c)));
  }
  for (const double v : split.test.value) split.test_norm += v * v;
  split.test_norm = std::sqrt(split.test_norm);
  split.train = std::move(ObservedTensor::create(plain_modes(extents), std::move(train)).value());
  return split;
}

}  // namespace lacuna::test
