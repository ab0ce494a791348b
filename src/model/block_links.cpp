// SPDX-License-Identifier: MIT
// ComplEx as a term of block scores. The score is c_f f + c_g g (complex.hpp), which orders cells as their probabilities do,
// or f or g alone where links are ranked by direction, and is linear in the numbers of whichever position is open:
//
//   open tail        c_f (e_h * w_r) + c_g (e_h * conj v_r)
//   open head        c_f (e_t * conj w_r) + c_g (e_t * v_r)
//   open relation    c_f (conj e_h * e_t) for w_r, c_g (conj e_t * e_h) for v_r
//
// as pairs of real and imaginary parts; biases and what all columns share follow behind.
#include "model/block_scorer.hpp"
#include "model/complex.hpp"

namespace lacuna {
namespace {

// `count` complex numbers: real parts, then imaginary parts.
struct Numbers {
  const float* data = nullptr;  // null: all 0
  int count = 0;

  [[nodiscard]] bool empty() const { return data == nullptr; }
  [[nodiscard]] double real(int j) const { return static_cast<double>(data[j]); }
  [[nodiscard]] double imaginary(int j) const { return static_cast<double>(data[count + j]); }
  [[nodiscard]] double bias(int column) const {
    return data != nullptr ? static_cast<double>(data[column]) : 0.0;
  }
};

// out += scale * a * b, or with the conjugate of b.
void add_product(double scale, const Numbers& a, const Numbers& b, bool conjugate, double* out) {
  if (a.empty() || b.empty()) return;
  const double sign = conjugate ? -1.0 : 1.0;
  for (int j = 0; j < a.count; ++j) {
    out[j] += scale * (a.real(j) * b.real(j) - sign * a.imaginary(j) * b.imaginary(j));
    out[a.count + j] += scale * (sign * a.real(j) * b.imaginary(j) + a.imaginary(j) * b.real(j));
  }
}

// How many real numbers a row's complex ones are.
Count numbers(const ComplEx& x) { return 2 * Count{x.rank}; }

class Links {
 public:
  explicit Links(const ComplEx& x) : x_(&x) {}

  [[nodiscard]] Numbers head(Index i) const {
    return {i < x_->head_count() ? row(x_->entities, i) : nullptr, x_->rank};
  }
  [[nodiscard]] Numbers tail(Index i) const {
    return {i < x_->tail_count() ? row(x_->entities, x_->tails_from + Count{i}) : nullptr, x_->rank};
  }
  [[nodiscard]] Numbers forth(Index r) const {
    return {r < x_->relation_count() ? row(x_->relations, r) : nullptr, x_->rank};
  }
  [[nodiscard]] Numbers back(Index r) const {
    return {r < x_->relation_count() ? row(x_->relations, x_->relation_count() + Count{r}) : nullptr,
            x_->rank};
  }

 private:
  static const float* row(const Matrix<float>& table, Count i) { return table.row(i).data(); }
  const ComplEx* x_;
};

void copy_numbers(const Numbers& from, Matrix<double>& table, Eigen::Index row, Eigen::Index column) {
  if (from.empty()) return;
  for (int j = 0; j < 2 * from.count; ++j) table(row, column + j) = static_cast<double>(from.data[j]);
}

// Numbers of an entity, its bias, 1.
ScoreTerm entity_term(const ComplEx& x, const OpenMode& open, const LinkScore& weight) {
  const bool tails = open.mode == x.roles.tail;
  const Links links(x);
  const int bias = tails ? x.tail_bias() : x.head_bias();
  const int other_bias = tails ? x.head_bias() : x.tail_bias();
  Matrix<double> table =
      Matrix<double>::Zero(static_cast<Eigen::Index>(open.positions.size()), numbers(x) + 2);
  for (Eigen::Index j = 0; j < table.rows(); ++j) {
    const Numbers known = tails ? links.tail(open.positions[j]) : links.head(open.positions[j]);
    copy_numbers(known, table, j, 0);
    table(j, numbers(x)) = known.bias(bias);
    table(j, numbers(x) + 1) = 1.0;
  }
  return {.table = std::move(table),
          .vector = [&x, links, tails, other_bias, weight](const Cells& queries, Count q, double* vector) {
            const Numbers known =
                tails ? links.head(queries[x.roles.head][q]) : links.tail(queries[x.roles.tail][q]);
            const Index relation = queries[x.roles.relation][q];
            std::fill_n(vector, numbers(x), 0.0);
            add_product(weight.forward, known, links.forth(relation), !tails, vector);
            add_product(weight.backward, known, links.back(relation), tails, vector);
            vector[numbers(x)] = weight.forward + weight.backward;
            vector[numbers(x) + 1] = (weight.forward + weight.backward) *
                                     (known.bias(other_bias) + links.forth(relation).bias(x.relation_bias()));
          }};
}

// Numbers of a relation forth and back, its bias, 1.
ScoreTerm relation_term(const ComplEx& x, const OpenMode& open, const LinkScore& weight) {
  const Links links(x);
  Matrix<double> table =
      Matrix<double>::Zero(static_cast<Eigen::Index>(open.positions.size()), 2 * numbers(x) + 2);
  for (Eigen::Index j = 0; j < table.rows(); ++j) {
    copy_numbers(links.forth(open.positions[j]), table, j, 0);
    copy_numbers(links.back(open.positions[j]), table, j, numbers(x));
    table(j, 2 * numbers(x)) = links.forth(open.positions[j]).bias(x.relation_bias());
    table(j, 2 * numbers(x) + 1) = 1.0;
  }
  return {.table = std::move(table),
          .vector = [&x, links, weight](const Cells& queries, Count q, double* vector) {
            const Numbers head = links.head(queries[x.roles.head][q]);
            const Numbers tail = links.tail(queries[x.roles.tail][q]);
            std::fill_n(vector, 2 * numbers(x), 0.0);
            add_product(weight.forward, tail, head, true, vector);
            add_product(weight.backward, head, tail, true, vector + numbers(x));
            vector[2 * numbers(x)] = weight.forward + weight.backward;
            vector[2 * numbers(x) + 1] =
                (weight.forward + weight.backward) * (head.bias(x.head_bias()) + tail.bias(x.tail_bias()));
          }};
}

}  // namespace

ScoreTerm link_term(const ComplEx& x, const OpenMode& open, LinksBy by) {
  LinkScore weight{.forward = x.forward, .backward = x.backward};
  if (open.mode == x.roles.relation) return relation_term(x, open, weight);
  if (by == LinksBy::kDirection)
    weight = open.mode == x.roles.tail ? LinkScore{.forward = 1.0, .backward = 0.0}
                                       : LinkScore{.forward = 0.0, .backward = 1.0};
  return entity_term(x, open, weight);
}

}  // namespace lacuna
