// SPDX-License-Identifier: MIT
// A small completion problem: data, parts, weights, ranks, and the manifold its factors live on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "manifold/product.hpp"
#include "problem/dual_problem.hpp"
#include "problem/problem_data.hpp"
#include "support/random_tensor.hpp"

namespace lacuna::test {

// Tolerances that make the inner solves of problem D exact for the purpose of a test.
inline constexpr DualOptions kExactSolves{.loosest = 1e-13,
                                          .tightest = 1e-13,
                                          .hessian_loosest = 1e-12,
                                          .hessian_tightest = 1e-12,
                                          .max_cg_iterations = 5000};

struct ProblemShape {
  const char* name = "";
  std::vector<Index> extents;
  Count entries = 0;
  std::vector<PartSpec> parts;
  std::vector<int> ranks;
  bool weighted = false;                         // entries have random weights
  bool whole_weights = false;                    // entries weigh 1 or 2
  std::vector<std::vector<double>> positions{};  // of the modes that have any
  std::vector<int> known{};                      // modes that have side information
};

// Every kind of part with near modes: chains and grids, of regular and irregular positions, at all
// smoothnesses, alone and next to others, with something learned or nothing.
inline std::vector<ProblemShape> near_shapes() {
  std::vector<PartSpec> next_to_others = full_parts(3);
  next_to_others.push_back({.mode = 0, .agree = {1}, .near = {{2, 1.5}}});
  next_to_others.push_back({.mode = 2, .agree = {}, .row_power = 0.5, .near = {{0, 2.0}, {1, 1.5}}});
  const std::vector<double> scattered{3.0, -1.5, 0.25, 7.0, 4.5, 0.0};
  return {
      {.name = "near matrix",
       .extents = {9, 8},
       .entries = 40,
       .parts = {{.mode = 0, .agree = {}, .near = {{1, 2.0}}},
                 {.mode = 1, .agree = {}, .near = {{0, 3.0}}, .smoothness = 2.0},
                 {.mode = PartSpec::kNothing, .agree = {}, .near = {{0, 2.0}, {1, 1.0}}}},
       .ranks = {2, 3, 1}},
      {.name = "near next to others",
       .extents = {6, 5, 4},
       .entries = 60,
       .parts = next_to_others,
       .ranks = {2, 1, 2, 3, 2}},
      {.name = "near smooth alone",
       .extents = {7, 6, 3},
       .entries = 50,
       .parts = {{.mode = 2, .agree = {}, .near = {{0, 4.0}, {1, 3.0}}, .smoothness = 1.5}},
       .ranks = {3}},
      {.name = "near nothing learned",
       .extents = {7, 6, 3},
       .entries = 50,
       .parts = {{.mode = PartSpec::kNothing, .agree = {2}, .near = {{0, 4.0}, {1, 3.0}}, .smoothness = 2.0},
                 {.mode = 2, .agree = {0, 1}}},
       .ranks = {1, 2}},
      {.name = "near scattered positions",
       .extents = {6, 5, 4},
       .entries = 60,
       .parts = {{.mode = 1, .agree = {2}, .near = {{0, 2.5}}},
                 {.mode = 2, .agree = {}, .near = {{0, 2.0}, {1, 0.7}}, .smoothness = 1.5},
                 {.mode = 1, .agree = {2}, .near = {{0, 3.0}}, .smoothness = 2.0}},
       .ranks = {2, 2, 3},
       .weighted = true,
       .positions = {scattered, {0.0, 0.5, 1.0, 1.5, 2.0}, {}}},
      {.name = "near four modes",
       .extents = {4, 3, 5, 3},
       .entries = 80,
       .parts = {{.mode = 0, .agree = {1}, .near = {{2, 2.0}, {3, 1.0}}, .smoothness = 1.5},
                 {.mode = 3, .agree = {}, .near = {{2, 1.3}}},
                 {.mode = PartSpec::kNothing, .agree = {0}}},
       .ranks = {2, 2, 1}},
      {.name = "near five modes",
       .extents = {3, 3, 2, 4, 3},
       .entries = 70,
       .parts = {{.mode = 0, .agree = {2}, .near = {{1, 1.0}, {3, 2.0}, {4, 1.5}}},
                 {.mode = 3, .agree = {0, 1}, .near = {{4, 2.0}}, .smoothness = 2.0},
                 {.mode = 4, .agree = {3}, .near = {{0, 0.8}}}},
       .ranks = {2, 3, 1}}};
}

// Parts with side information: of every share, at two to five modes, in weighted norms, next to near ones and near
// themselves.
inline std::vector<ProblemShape> side_shapes() {
  return {{.name = "side matrix",
           .extents = {9, 8},
           .entries = 40,
           .parts = {{.mode = 0, .agree = {1}, .side = 0.5}, {.mode = 1, .agree = {0}, .side = 0.1}},
           .ranks = {2, 3},
           .known = {0, 1}},
          {.name = "side three modes",
           .extents = {7, 5, 4},
           .entries = 60,
           .parts = {{.mode = 0, .agree = {1, 2}, .side = 1.0},
                     {.mode = 0, .agree = {1}, .row_power = 0.5, .fiber_power = 0.5, .side = 0.7},
                     {.mode = 1, .agree = {0, 2}}},
           .ranks = {2, 2, 1},
           .weighted = true,
           .known = {0}},
          {.name = "side four modes",
           .extents = {4, 6, 5, 3},
           .entries = 80,
           .parts = {{.mode = 1, .agree = {0, 2, 3}, .side = 0.3},
                     {.mode = 2, .agree = {1}, .side = 0.5},
                     {.mode = 3, .agree = {0, 1, 2}}},
           .ranks = {2, 3, 1},
           .known = {1, 2}},
          {.name = "side five modes",
           .extents = {3, 4, 2, 3, 3},
           .entries = 70,
           .parts = {{.mode = 1, .agree = {0, 2, 3, 4}, .side = 0.4},
                     {.mode = 0, .agree = {3}, .near = {{4, 1.5}}, .side = 0.7},
                     {.mode = 4, .agree = {1, 2}, .row_power = 0.5, .side = 1.0}},
           .ranks = {2, 2, 1},
           .known = {0, 1, 4}},
          {.name = "side next to near",
           .extents = {6, 5, 4},
           .entries = 60,
           .parts = {{.mode = 0, .agree = {1}, .near = {{2, 1.5}}, .side = 0.5},
                     {.mode = 1, .agree = {}, .near = {{0, 2.0}, {2, 1.5}}, .smoothness = 1.5, .side = 0.4},
                     {.mode = 1, .agree = {0, 2}, .side = 0.6}},
           .ranks = {2, 2, 2},
           .known = {0, 1}}};
}

inline std::vector<ProblemShape> problem_shapes() {
  std::vector<PartSpec> with_one_marginal = full_parts(3);
  with_one_marginal.push_back({.mode = 0, .agree = {1}});
  std::vector<PartSpec> with_all_kinds = full_parts(3);
  with_all_kinds.push_back({.mode = 0, .agree = {1}});
  with_all_kinds.push_back({.mode = 2, .agree = {0}});
  with_all_kinds.push_back({.mode = 1, .agree = {}});
  std::vector<PartSpec> in_weighted_norms = with_all_kinds;
  for (std::size_t p = 0; p < in_weighted_norms.size(); ++p) {
    in_weighted_norms[p].row_power = 0.5 * static_cast<double>(p % 3);
    in_weighted_norms[p].fiber_power = 0.7 - 0.4 * static_cast<double>(p % 4);
  }
  std::vector<ProblemShape> shapes{
      {.name = "matrix", .extents = {9, 8}, .entries = 40, .parts = full_parts(2), .ranks = {2, 3}},
      {.name = "three modes",
       .extents = {6, 5, 4},
       .entries = 70,
       .parts = full_parts(3),
       .ranks = {3, 2, 1}},
      {.name = "four modes",
       .extents = {4, 3, 5, 3},
       .entries = 90,
       .parts = full_parts(4),
       .ranks = {2, 1, 3, 2}},
      {.name = "one marginal part",
       .extents = {6, 5, 4},
       .entries = 70,
       .parts = with_one_marginal,
       .ranks = {3, 2, 1, 2}},
      {.name = "all kinds of parts",
       .extents = {6, 5, 4},
       .entries = 60,
       .parts = with_all_kinds,
       .ranks = {2, 2, 1, 2, 3, 2}},
      {.name = "weighted entries",
       .extents = {6, 5, 4},
       .entries = 70,
       .parts = with_one_marginal,
       .ranks = {3, 2, 1, 2},
       .weighted = true},
      {.name = "weighted norms",
       .extents = {6, 5, 4},
       .entries = 60,
       .parts = in_weighted_norms,
       .ranks = {2, 2, 1, 2, 3, 2}},
      {.name = "weighted norms of weighted entries",
       .extents = {6, 5, 4},
       .entries = 60,
       .parts = in_weighted_norms,
       .ranks = {2, 2, 1, 2, 3, 2},
       .weighted = true}};
  for (ProblemShape& shape : near_shapes()) shapes.push_back(std::move(shape));
  for (ProblemShape& shape : side_shapes()) shapes.push_back(std::move(shape));
  return shapes;
}

// The name of a parametrised test.
inline std::string shape_name(const testing::TestParamInfo<ProblemShape>& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// Neither copied nor moved: the data looks into the tensor.
template <class Real>
class ProblemCase {
 public:
  ProblemCase(const ProblemShape& shape, std::uint64_t seed, double value_scale = 1.0)
      : ranks(shape.ranks),
        tensor(make_tensor(shape, seed, value_scale)),
        data(tensor, shape.parts, lambdas(shape.parts.size())) {
    for (const PartKernels& part : data.parts()) rows_.push_back(part.factor_rows());
  }
  ProblemCase(const ProblemCase&) = delete;
  ProblemCase& operator=(const ProblemCase&) = delete;

  // The factors' manifold; with_z adds the space of Z, for problem P.
  [[nodiscard]] ProductManifold<Real> manifold(bool with_z = false) const {
    std::vector<typename ProductManifold<Real>::Factor> factors;
    for (std::size_t p = 0; p < ranks.size(); ++p) factors.push_back(Spectrahedron<Real>(rows_[p], ranks[p]));
    if (with_z) factors.push_back(Euclidean<Real>(tensor.size()));
    return ProductManifold<Real>(std::move(factors));
  }
  [[nodiscard]] std::vector<Matrix<Real>> random_point(Rng& rng, bool with_z = false) const {
    std::vector<Matrix<Real>> point;
    manifold(with_z).random_point(rng, point);
    return point;
  }

  std::vector<int> ranks;
  ObservedTensor tensor;
  ProblemData<Real> data;

 private:
  static ObservedTensor make_tensor(const ProblemShape& shape, std::uint64_t seed, double value_scale) {
    Rng rng(seed);
    const ObservedTensor plain = random_tensor(shape.extents, shape.entries, rng);
    std::vector<Mode> modes = plain.modes();
    for (std::size_t k = 0; k < shape.positions.size(); ++k) modes[k].positions = shape.positions[k];
    for (const int k : shape.known) modes[k].side = random_side(shape.extents[k], 3, rng);
    const ObservedTensor tensor = *ObservedTensor::create(std::move(modes), entries_of(plain));
    if (shape.weighted) return scaled(with_random_weights(tensor, rng), value_scale);
    if (!shape.whole_weights) return scaled(tensor, value_scale);
    Entries entries = entries_of(tensor);
    for (Count e = 0; e < tensor.size(); ++e)
      entries.weight.push_back(1.0 + static_cast<double>(rng.below(2)));
    return scaled(*ObservedTensor::create(tensor.modes(), std::move(entries)), value_scale);
  }
  // Different ones, so that none can stand for another.
  static std::vector<double> lambdas(std::size_t parts) {
    std::vector<double> lambda;
    for (std::size_t p = 0; p < parts; ++p) lambda.push_back(0.8 + 0.9 * static_cast<double>(p));
    return lambda;
  }

  std::vector<Eigen::Index> rows_;
};

}  // namespace lacuna::test
