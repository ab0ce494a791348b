// SPDX-License-Identifier: MIT
#include "model/complex.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "kernels/link_kernels.hpp"

namespace lacuna {
namespace {

LinkRoles with_entities(int head, int tail, bool one_set) {
  return {.head = head, .relation = 3 - head - tail, .tail = tail, .one_set = one_set};
}

// The only pair of modes for which `alike` holds.
template <class Alike>
bool only_pair(Alike&& alike, LinkRoles& roles) {
  constexpr int kPairs[][2] = {{0, 1}, {0, 2}, {1, 2}};
  int found = 0;
  for (const auto& [a, b] : kPairs)
    if (alike(a, b)) {
      ++found;
      roles = with_entities(a, b, true);
    }
  return found == 1;
}

const float* row_or_null(const Matrix<float>& table, Count row, Count begin, Count end) {
  return row < end - begin ? table.row(begin + row).data() : nullptr;
}

float bias(const float* row, int column) { return row != nullptr ? row[column] : 0.0F; }

// sum over the complex numbers of Re(a * w . conj c)
double triple_product(const float* a, const float* w, const float* c, int rank) {
  double sum = 0.0;
  for (int j = 0; j < rank; ++j) {
    const float real = a[j] * w[j] - a[rank + j] * w[rank + j];
    const float imaginary = a[j] * w[rank + j] + a[rank + j] * w[j];
    sum += static_cast<double>(real * c[j] + imaginary * c[rank + j]);
  }
  return sum;
}

}  // namespace

LinkRoles link_roles(const std::vector<Mode>& modes) {
  if (modes.size() != 3)
    throw std::invalid_argument("links have three modes, head, relation and tail; the data have " +
                                std::to_string(modes.size()));
  LinkRoles roles;
  if (only_pair([&](int a, int b) { return modes[b].same_as == a; }, roles)) return roles;
  if (only_pair([&](int a, int b) { return !modes[a].labels.empty() && modes[a].labels == modes[b].labels; },
                roles))
    return roles;
  if (only_pair(
          [&](int a, int b) {
            return modes[a].size == modes[b].size && modes[a].labels.empty() && modes[b].labels.empty();
          },
          roles))
    return roles;
  int smallest = 2;
  for (int k = 1; k >= 0; --k)
    if (modes[k].size < modes[smallest].size) smallest = k;
  return with_entities(smallest == 0 ? 1 : 0, smallest == 2 ? 1 : 2, false);
}

int complex_width(int rank) { return static_cast<int>(kernels::padded(2 * Count{rank} + 2)); }

void multiply(const float* entity, const float* relation, int rank, float* query) {
  for (int j = 0; j < rank; ++j) {
    query[j] = entity[j] * relation[j] - entity[rank + j] * relation[rank + j];
    query[rank + j] = entity[j] * relation[rank + j] + entity[rank + j] * relation[j];
  }
}

LinkScore link_score(const ComplEx& x, Index head, Index relation, Index tail) {
  const float* const h = row_or_null(x.entities, head, 0, x.head_count());
  const float* const t = row_or_null(x.entities, tail, x.tails_from, x.entity_count());
  const bool seen = relation < x.relation_count();
  const double biases = static_cast<double>(bias(h, x.head_bias())) +
                        static_cast<double>(bias(t, x.tail_bias())) +
                        (seen ? static_cast<double>(x.relations(relation, x.relation_bias())) : 0.0);
  LinkScore score{.forward = biases, .backward = biases};
  if (h == nullptr || t == nullptr || !seen) return score;
  score.forward += triple_product(h, x.relations.row(relation).data(), t, x.rank);
  if (x.backward != 0.0)
    score.backward += triple_product(t, x.relations.row(x.relation_count() + relation).data(), h, x.rank);
  return score;
}

double probability(const ComplEx& x, const LinkScore& score) {
  return 1.0 / (1.0 + std::exp(-(x.constant + x.forward * score.forward + x.backward * score.backward)));
}

void add_values(const ComplEx& x, const Cells& cells, std::span<double> out) {
  parallel_blocks(
      cells.size(),
      [&](Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
          out[i] += probability(
              x, link_score(x, cells[x.roles.head][i], cells[x.roles.relation][i], cells[x.roles.tail][i]));
      },
      512);
}

}  // namespace lacuna
