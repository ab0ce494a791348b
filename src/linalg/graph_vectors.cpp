// SPDX-License-Identifier: MIT
#include "linalg/graph_vectors.hpp"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "linalg/decompose.hpp"

namespace lacuna {
namespace {

constexpr std::uint32_t kDense = 512;  // vertices up to which all eigenvectors are found
constexpr double kAccuracy = 1e-6;     // a kernel needs no more
constexpr int kRounds = 300;

using Sparse = Eigen::SparseMatrix<double>;

// D^-1/2 W D^-1/2
Sparse normalised(std::uint32_t vertices, const std::vector<WeightedPair>& pairs,
                  std::vector<bool>& connected) {
  double largest = 0.0;  // weights are taken in units of it: their sums must be finite
  for (const WeightedPair& pair : pairs) largest = std::max(largest, pair.weight);
  Eigen::VectorXd degree = Eigen::VectorXd::Zero(vertices);
  for (const WeightedPair& pair : pairs)
    if (pair.first != pair.second && pair.weight > 0.0) {
      degree(pair.first) += pair.weight / largest;
      degree(pair.second) += pair.weight / largest;
    }
  std::vector<Eigen::Triplet<double>> triplets;
  for (const WeightedPair& pair : pairs) {
    if (pair.first == pair.second || !(pair.weight / largest > 0.0)) continue;
    const double weight =
        pair.weight / largest / (std::sqrt(degree(pair.first)) * std::sqrt(degree(pair.second)));
    triplets.emplace_back(pair.first, pair.second, weight);
    triplets.emplace_back(pair.second, pair.first, weight);
  }
  connected.assign(vertices, false);
  for (std::uint32_t i = 0; i < vertices; ++i) connected[i] = degree(i) > 0.0;
  Sparse matrix(vertices, vertices);
  matrix.setFromTriplets(triplets.begin(), triplets.end());  // equal places add up
  return matrix;
}

}  // namespace

GraphVectors graph_vectors(std::uint32_t vertices, const std::vector<WeightedPair>& pairs, int count) {
  GraphVectors found;
  const Sparse adjacency = normalised(vertices, pairs, found.connected);
  const auto size = static_cast<Eigen::Index>(vertices);
  const Eigen::Index wanted = std::min<Eigen::Index>(count, size);
  if (vertices <= std::max<std::uint32_t>(kDense, 2 * static_cast<std::uint32_t>(count))) {
    const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(adjacency));  // ascending
    found.vectors = eigen.vectors.rightCols(wanted).rowwise().reverse();
    found.laplacian = 1.0 - eigen.values.tail(wanted).reverse().array();
    return found;
  }
  Spectra::SparseSymMatProd<double> product(adjacency);
  Spectra::SymEigsSolver<Spectra::SparseSymMatProd<double>> lanczos(
      product, wanted, std::min<Eigen::Index>(3 * wanted + 20, size));
  lanczos.init();
  const Eigen::Index converged = lanczos.compute(Spectra::SortRule::LargestAlge, kRounds, kAccuracy);
  found.vectors = lanczos.eigenvectors(converged);
  found.laplacian = 1.0 - lanczos.eigenvalues().array();
  return found;
}

}  // namespace lacuna
