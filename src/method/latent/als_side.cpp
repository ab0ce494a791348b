// SPDX-License-Identifier: MIT
#include "method/latent/als_side.hpp"

namespace lacuna {
namespace {

// Depends on the lists alone, so that neither sums nor results depend on the number of threads.
std::vector<Count> even_blocks(const std::vector<Count>& start) {
  constexpr Count kEntries = 16384;
  constexpr Count kRows = 1024;
  std::vector<Count> border{0};
  const Count rows = static_cast<Count>(start.size()) - 1;
  for (Count i = 0; i < rows; ++i)
    if (i + 1 == rows || start[i + 1] - start[border.back()] >= kEntries || i + 1 - border.back() >= kRows)
      border.push_back(i + 1);
  return border;
}

}  // namespace

RowLists lists_by_fiber(const ObservedTensor& tensor, const FiberView& view) {
  RowLists lists;
  lists.entry.reserve(static_cast<std::size_t>(tensor.size()));
  lists.other.reserve(lists.entry.capacity());
  lists.entry = view.entry();
  lists.other = view.row();
  lists.start.reserve(static_cast<std::size_t>(view.fibers()) + 1);
  for (Count f = 0; f < view.listed_fibers(); ++f) lists.start.push_back(view.span(f).begin);
  const std::span<const Index> row_of = tensor.index(view.part().mode);
  view.for_each_single(0, tensor.size(), [&](Count e) {
    lists.start.push_back(static_cast<Count>(lists.entry.size()));
    lists.entry.push_back(static_cast<Index>(e));
    lists.other.push_back(row_of[e]);
  });
  lists.start.push_back(static_cast<Count>(lists.entry.size()));
  lists.block = even_blocks(lists.start);
  return lists;
}

RowLists lists_by_row(const ObservedTensor& tensor, const PartSpec& part, const RowLists& fibers) {
  const std::span<const Index> row_of = tensor.index(part.mode);
  std::vector<Index> fiber_of(static_cast<std::size_t>(tensor.size()));
  for (Count c = 0; c < fibers.rows(); ++c)
    for (Count j = fibers.start[c]; j < fibers.start[c + 1]; ++j)
      fiber_of[fibers.entry[j]] = static_cast<Index>(c);
  RowLists lists;
  lists.start.assign(static_cast<std::size_t>(tensor.extent(part.mode)) + 1, 0);
  for (const Index row : row_of) ++lists.start[row + 1];
  for (std::size_t i = 1; i < lists.start.size(); ++i) lists.start[i] += lists.start[i - 1];
  lists.entry.resize(fiber_of.size());
  lists.other.resize(fiber_of.size());
  std::vector<Count> next = lists.start;
  for (Count e = 0; e < tensor.size(); ++e) {
    const Count to = next[row_of[e]]++;
    lists.entry[to] = static_cast<Index>(e);
    lists.other[to] = fiber_of[e];
  }
  lists.block = even_blocks(lists.start);
  return lists;
}

}  // namespace lacuna
