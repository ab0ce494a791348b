// SPDX-License-Identifier: MIT
// ComplEx (Trouillon, Welbl, Riedel, Gaussier, Bouchard 2016): how likely a link from a head to a tail is, from
// vectors of complex numbers e_h, e_t for entities and w_r for relations, with a . b = sum_j a_j b_j:
//
//   f(h, r, t) = Re(e_h * w_r . conj e_t) + b_h + b_r + b_t       as it leads from the head to the tail
//   g(h, r, t) = Re(e_t * v_r . conj e_h) + b_h + b_r + b_t       and back, v_r a relation of its own
//   value      = 1 / (1 + exp(-(c_0 + c_f f + c_g g)))            a probability
//
// Whoever ranks tails goes by f, whoever ranks heads by g, and relations by c_f f + c_g g. With v_r = conj w_r both are
// the same. A position that the model never saw has zeros for its numbers.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

#include "linalg/matrix.hpp"

namespace lacuna {

// Which of three modes is which.
struct LinkRoles {
  int head = 0;
  int relation = 1;
  int tail = 2;
  bool one_set = false;  // heads and tails are the same entities

  bool operator==(const LinkRoles&) const = default;
};

// The roles that these modes have. Two that share their positions are head and tail (Mode::same_as; else labels
// that are the same; else the only two of the same size); where none do, the smallest mode is the relation. Throws
// std::invalid_argument unless there are three modes.
[[nodiscard]] LinkRoles link_roles(const std::vector<Mode>& modes);

struct ComplEx {
  LinkRoles roles{};
  int rank = 0;  // of complex numbers
  // A row holds real parts, imaginary parts, and the numbers below; its length is a multiple of kernels::kLinkStep,
  // padded with zeros. Entities: b_h, b_t; heads first, then tails unless they are the same.
  Matrix<float> entities{};
  // b_r; first all w_r, then all v_r.
  Matrix<float> relations{};
  double constant = 0.0;  // c_0
  double forward = 1.0;   // c_f
  double backward = 0.0;  // c_g

  [[nodiscard]] Index head_count() const { return tails_from > 0 ? tails_from : entity_count(); }
  [[nodiscard]] Index tail_count() const { return entity_count() - tails_from; }
  [[nodiscard]] Index entity_count() const { return static_cast<Index>(entities.rows()); }
  [[nodiscard]] Index relation_count() const { return static_cast<Index>(relations.rows() / 2); }
  [[nodiscard]] int head_bias() const { return 2 * rank; }
  [[nodiscard]] int tail_bias() const { return 2 * rank + 1; }
  [[nodiscard]] int relation_bias() const { return 2 * rank; }

  Index tails_from = 0;  // the row of the first tail
};

// The length of a row of rank complex numbers.
[[nodiscard]] int complex_width(int rank);

// query <- e * w, what all links from an entity by a relation share: the score of a candidate is its product with
// the candidate's row, where the other numbers of the query are 0.
void multiply(const float* entity, const float* relation, int rank, float* query);

// The two scores of cells.
struct LinkScore {
  double forward = 0.0;
  double backward = 0.0;
};
[[nodiscard]] LinkScore link_score(const ComplEx& x, Index head, Index relation, Index tail);
[[nodiscard]] double probability(const ComplEx& x, const LinkScore& score);

// out[i] += the probability of cell i.
void add_values(const ComplEx& x, const Cells& cells, std::span<double> out);

}  // namespace lacuna
