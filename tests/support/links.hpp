// SPDX-License-Identifier: MIT
// Links that follow rules, random models of links, and the losses of links written out in double.
#pragma once

#include <cmath>
#include <lacuna/tensor/tensor.hpp>

#include "method/links/link_data.hpp"
#include "support/random_tensor.hpp"

namespace lacuna::test {

// Entities in groups, and relations that lead from every entity of a group to all of one other group.
struct GroupGraph {
  std::vector<Mode> modes{};
  Cells train{Cells(3)};
  Cells test{Cells(3)};
};

inline GroupGraph group_graph(Index entities, Index groups, Index relations, double held_out, Rng& rng) {
  GroupGraph graph;
  graph.modes = plain_modes({entities, relations, entities});
  for (Index r = 0; r < relations; ++r)
    for (Index h = 0; h < entities; ++h)
      for (Index t = 0; t < entities; ++t)
        if (t % groups == (h % groups + r + 1) % groups)
          (rng.uniform() < held_out ? graph.test : graph.train).add({h, r, t});
  return graph;
}

inline ObservedTensor facts_tensor(const std::vector<Mode>& modes, const Cells& facts) {
  return *ObservedTensor::create(
      modes, {.cells = facts, .value = std::vector<double>(static_cast<std::size_t>(facts.size()), 1.0)});
}

// Of heads and tails that are one set, or not.
inline ComplEx random_complex(const std::vector<Index>& extents, const LinkRoles& roles, int rank, Rng& rng) {
  ComplEx x;
  x.roles = roles;
  x.rank = rank;
  x.tails_from = roles.one_set ? 0 : extents[roles.head];
  x.entities.setZero(x.tails_from + extents[roles.tail], complex_width(rank));
  x.relations.setZero(2 * static_cast<Eigen::Index>(extents[roles.relation]), complex_width(rank));
  for (Matrix<float>* table : {&x.entities, &x.relations})
    for (Eigen::Index i = 0; i < table->rows(); ++i)
      for (int j = 0; j < 2 * rank; ++j) (*table)(i, j) = static_cast<float>(rng.normal());
  for (Eigen::Index i = 0; i < x.entities.rows(); ++i) {
    x.entities(i, x.head_bias()) = static_cast<float>(rng.normal());
    x.entities(i, x.tail_bias()) = static_cast<float>(rng.normal());
  }
  for (Index r = 0; r < x.relation_count(); ++r)
    x.relations(r, x.relation_bias()) = static_cast<float>(rng.normal());
  x.constant = -0.3;
  x.forward = 0.6;
  x.backward = 0.4;
  return x;
}

// The numbers of a ComplEx in double, to be moved by little.
struct Tables {
  Eigen::MatrixXd entities;
  Eigen::MatrixXd relations;
  int rank = 0;

  explicit Tables(const ComplEx& x)
      : entities(x.entities.cast<double>()), relations(x.relations.cast<double>()), rank(x.rank) {}

  // Re(e_a * w . conj e_c)
  [[nodiscard]] double product(Eigen::Index a, Eigen::Index w, Eigen::Index c) const {
    double sum = 0.0;
    for (int j = 0; j < rank; ++j) {
      const double real = entities(a, j) * relations(w, j) - entities(a, rank + j) * relations(w, rank + j);
      const double other = entities(a, j) * relations(w, rank + j) + entities(a, rank + j) * relations(w, j);
      sum += real * entities(c, j) + other * entities(c, rank + j);
    }
    return sum;
  }
  [[nodiscard]] static double cubes(const Eigen::MatrixXd& table, Eigen::Index row, int rank) {
    double sum = 0.0;
    for (int j = 0; j < rank; ++j) sum += std::pow(std::hypot(table(row, j), table(row, rank + j)), 3.0);
    return sum;
  }
};

}  // namespace lacuna::test
