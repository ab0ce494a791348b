// SPDX-License-Identifier: MIT
// The smoothest vectors of a graph: the eigenvectors of the smallest eigenvalues of its normalised Laplacian
// L = 1 - D^-1/2 W D^-1/2, W the weights and D their sums at each vertex. By one dense decomposition for
// small graphs, by Lanczos on the sparse matrix for others: O(edges) a step, some hundred steps.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace lacuna {

struct WeightedPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  double weight = 1.0;  // >= 0
};

struct GraphVectors {
  Eigen::MatrixXd vectors;      // in columns, orthonormal
  Eigen::VectorXd laplacian;    // their eigenvalues, ascending, 0..2
  std::vector<bool> connected;  // whether a vertex has an edge
};

// At most `count` of them, fewer where Lanczos does not find all. Pairs have no direction, those listed twice
// add up, and pairs of one vertex do not count.
[[nodiscard]] GraphVectors graph_vectors(std::uint32_t vertices, const std::vector<WeightedPair>& pairs,
                                         int count);

}  // namespace lacuna
