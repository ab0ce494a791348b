// SPDX-License-Identifier: MIT
// Bodies of models made of random numbers.
#pragma once

#include <lacuna/model/model.hpp>
#include <vector>

#include "model/body.hpp"
#include "support/random_tensor.hpp"

namespace lacuna::test {

inline Tucker random_tucker(const std::vector<Index>& extents, const std::vector<int>& ranks, Rng& rng) {
  Tucker tucker;
  Eigen::Index size = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    tucker.factors.push_back(random_matrix<double>(extents[k], ranks[k], rng));
    size *= ranks[k];
  }
  tucker.core.resize(size);
  for (double& value : tucker.core) value = rng.normal();
  return tucker;
}

// sum over the core of G(j) prod_k U_k(i_k, j_k)
inline double naive_value(const Tucker& x, const std::vector<Index>& cell) {
  double sum = 0.0;
  for (Eigen::Index number = 0; number < x.core.size(); ++number) {
    double product = x.core(number);
    Eigen::Index rest = number;
    for (int k = 0; k < x.order(); ++k) {
      product *= x.factors[k](cell[k], rest % x.rank(k));
      rest /= x.rank(k);
    }
    sum += product;
  }
  return sum;
}

inline Cp random_cp(const std::vector<Index>& extents, int rank, Rng& rng) {
  Cp cp;
  for (const Index extent : extents) {
    cp.factors.push_back(random_matrix<double>(extent, rank, rng));
    cp.covariance.push_back(random_matrix<double>(extent, rank * rank, rng));
  }
  cp.noise_precision = 0.1 + 0.2;
  return cp;
}

inline Dense random_dense(const std::vector<Index>& extents, Rng& rng) {
  Count cells = 1;
  for (const Index extent : extents) cells *= extent;
  return {random_vector<double>(cells, rng)};
}

// One of each kind but the latent parts, of any order.
inline std::vector<ModelBody> random_bodies(const std::vector<Index>& extents, Rng& rng) {
  std::vector<int> ranks;
  for (std::size_t k = 0; k < extents.size(); ++k) ranks.push_back(2 + static_cast<int>(k % 2));
  return {std::monostate{}, random_tucker(extents, ranks, rng), random_cp(extents, 2, rng),
          random_dense(extents, rng)};
}

}  // namespace lacuna::test
