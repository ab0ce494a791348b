// SPDX-License-Identifier: MIT
#include "tensor/lexicographic_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"

namespace lacuna {
namespace {

constexpr int kDigitBits = 11;
constexpr int kBuckets = 1 << kDigitBits;

// One stable counting pass: `to` is `from` ordered by the digit of `key` at `shift`. Each thread counts and
// moves its own stretch of `from`; stability makes the outcome independent of how many stretches there are.
void counting_pass(std::span<const Index> key, int shift, std::span<const Index> from, std::span<Index> to) {
  const Count size = static_cast<Count>(from.size());
  const int stretches = static_cast<int>(std::clamp<Count>(size / 65536, 1, thread_count()));
  const auto border = [&](int s) { return size * s / stretches; };
  const auto digit = [&](Index position) { return (key[position] >> shift) & (kBuckets - 1); };
  std::vector<std::array<Count, kBuckets>> next(static_cast<std::size_t>(stretches));

#pragma omp parallel for num_threads(stretches) schedule(static, 1)
  for (int s = 0; s < stretches; ++s) {
    next[s].fill(0);
    for (Count i = border(s); i < border(s + 1); ++i) ++next[s][digit(from[i])];
  }
  Count total = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket)
    for (auto& counts : next) total += std::exchange(counts[bucket], total);
#pragma omp parallel for num_threads(stretches) schedule(static, 1)
  for (int s = 0; s < stretches; ++s)
    for (Count i = border(s); i < border(s + 1); ++i) to[next[s][digit(from[i])]++] = from[i];
}

bool in_order(const Cells& cells, std::span<const int> modes, Count a, Count b) {  // a no later than b
  for (const int mode : modes)
    if (cells[mode][a] != cells[mode][b]) return cells[mode][a] < cells[mode][b];
  return true;
}

// How many of the first cells lie in order.
Count ordered_cells(const Cells& cells, std::span<const int> modes) {
  Count e = 1;
  while (e < cells.size() && in_order(cells, modes, e - 1, e)) ++e;
  return std::min(e, cells.size());
}

// The order of the cells from `first` on.
std::vector<Index> order_from(const Cells& cells, std::span<const int> modes, Count first) {
  std::vector<Index> order(static_cast<std::size_t>(cells.size() - first));
  std::iota(order.begin(), order.end(), static_cast<Index>(first));
  std::vector<Index> scratch(order.size());
  for (auto mode = modes.rbegin(); mode != modes.rend(); ++mode) {
    const std::span<const Index> key = cells.mode(*mode);
    const int bits = std::bit_width(*std::max_element(key.begin() + first, key.end()));
    for (int shift = 0; shift < bits; shift += kDigitBits) {
      counting_pass(key, shift, order, scratch);
      order.swap(scratch);
    }
  }
  return order;
}

}  // namespace

std::vector<Index> lexicographic_order(const Cells& cells, std::span<const int> modes) {
  constexpr Count kFewOf = 8;  // cells that follow this many times as many in order are put among them
  const Count ordered = ordered_cells(cells, modes);
  const Count others = cells.size() - ordered;
  if (others > 0 && kFewOf * others > ordered) return order_from(cells, modes, 0);
  std::vector<Index> order(static_cast<std::size_t>(ordered));
  std::iota(order.begin(), order.end(), Index{0});
  if (others == 0) return order;
  std::vector<Index> whole;
  whole.reserve(static_cast<std::size_t>(cells.size()));
  auto rest = order.begin();
  for (const Index one : order_from(cells, modes, ordered)) {
    // Behind its equals, which came first.
    const auto to =
        std::partition_point(rest, order.end(), [&](Index e) { return in_order(cells, modes, e, one); });
    whole.insert(whole.end(), rest, to);
    whole.push_back(one);
    rest = to;
  }
  whole.insert(whole.end(), rest, order.end());
  return whole;
}

std::pair<Count, Count> equal_cells(const Cells& cells, const Cells& b, Count j, std::span<const int> modes) {
  const auto compare = [&](Count i) {
    for (const int mode : modes)
      if (cells[mode][i] != b[mode][j]) return cells[mode][i] < b[mode][j] ? -1 : 1;
    return 0;
  };
  Count low = 0;
  Count high = cells.size();
  while (low < high) {
    const Count middle = std::midpoint(low, high);
    if (compare(middle) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  while (high < cells.size() && compare(high) == 0) ++high;
  return {low, high};
}

}  // namespace lacuna
