// SPDX-License-Identifier: MIT
// Two entries lie on one fiber of mode k when they agree in the modes before k and in those behind it. With
//
//   P_k(e)  a number for the positions of entry e in the modes 0 .. k-1,
//   S_k(e)  a number for its positions in the modes k+1 .. K-1,
//
// the fibers of mode k are the different pairs (P_k, S_k). Entries are sorted, so P_k counts how often one of
// the first k modes has changed so far; S_k numbers the different pairs (i_{k+1}, S_{k+1}).
#include "tensor/fiber_counts.hpp"

#include <algorithm>

#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

// Entry e differs from the one before in this mode and in none before it.
std::vector<Index> first_differences(const ObservedTensor& tensor) {
  std::vector<Index> first(static_cast<std::size_t>(tensor.size()), 0);
  for (Count e = 1; e < tensor.size(); ++e) {
    int mode = 0;
    while (mode + 1 < tensor.order() && tensor.index(mode)[e] == tensor.index(mode)[e - 1]) ++mode;
    first[e] = static_cast<Index>(mode);
  }
  return first;
}

void number_prefixes(const std::vector<Index>& first_difference, Index modes, std::span<Index> prefix) {
  Index changes = 0;
  for (std::size_t e = 1; e < prefix.size(); ++e) {
    if (first_difference[e] < modes) ++changes;
    prefix[e] = changes;
  }
}

bool same_pair(const Cells& pair, Index a, Index b) {
  return pair[0][a] == pair[0][b] && pair[1][a] == pair[1][b];
}

constexpr int kBoth[] = {0, 1};

FiberCount count_pairs(const Cells& pair) {
  const std::vector<Index> order = lexicographic_order(pair, kBoth);
  FiberCount count;
  Count begin = 0;
  for (Count j = 1; j <= pair.size(); ++j) {
    if (j < pair.size() && same_pair(pair, order[j - 1], order[j])) continue;
    ++count.fibers;
    if (j - begin == 1) ++count.singles;
    begin = j;
  }
  return count;
}

// pair[1] <- a number for each different pair.
void number_pairs(Cells& pair) {
  const std::vector<Index> order = lexicographic_order(pair, kBoth);
  std::vector<Index> number(order.size(), 0);
  for (Count j = 1; j < pair.size(); ++j)
    number[order[j]] = number[order[j - 1]] + (same_pair(pair, order[j - 1], order[j]) ? 0 : 1);
  std::copy(number.begin(), number.end(), pair[1].begin());
}

}  // namespace

std::vector<FiberCount> count_fibers(const ObservedTensor& tensor) {
  const Count size = tensor.size();
  std::vector<FiberCount> counts(static_cast<std::size_t>(tensor.order()));
  if (size == 0) return counts;
  const std::vector<Index> first_difference = first_differences(tensor);
  const std::vector<Index> zeros(static_cast<std::size_t>(size), 0);
  Cells pair{zeros, zeros};  // (P_k or i_k, S_k)
  for (int k = tensor.order() - 1; k >= 0; --k) {
    number_prefixes(first_difference, static_cast<Index>(k), pair[0]);
    counts[k] = count_pairs(pair);
    if (k == 0) break;
    std::copy(tensor.index(k).begin(), tensor.index(k).end(), pair[0].begin());
    number_pairs(pair);
    pair[0][0] = 0;  // as number_prefixes expects
  }
  return counts;
}

}  // namespace lacuna
