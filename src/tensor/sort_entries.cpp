// SPDX-License-Identifier: MIT
#include "tensor/sort_entries.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "tensor/keep_if.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

template <class T>
void reorder(std::vector<T>& column, const std::vector<Index>& order) {
  std::vector<T> sorted(order.size());
  parallel_blocks(static_cast<Count>(order.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i) sorted[i] = column[order[i]];
  });
  column.swap(sorted);
}

bool same_cell(const Entries& entries, Count a, Count b) {
  for (int k = 0; k < entries.order(); ++k)
    if (entries.cells.mode(k)[a] != entries.cells.mode(k)[b]) return false;
  return true;
}

// Puts entries [begin, end) of one cell in the order of their values and weights, so that sums over them do
// not depend on the order of the file's lines.
void sort_run(Entries& entries, Count begin, Count end) {
  if (end - begin < 3) return;  // sums of two are the same either way
  std::vector<std::pair<double, double>> run;
  for (Count e = begin; e < end; ++e)
    run.emplace_back(entries.value[e], entries.weight.empty() ? 1.0 : entries.weight[e]);
  std::sort(run.begin(), run.end());
  for (Count e = begin; e < end; ++e) {
    entries.value[e] = run[e - begin].first;
    if (!entries.weight.empty()) entries.weight[e] = run[e - begin].second;
  }
}

// Merges each run of equal cells into its first entry; returns how many entries disappeared.
Count merge_duplicates(Entries& entries, Duplicates policy) {
  const Count size = entries.size();
  Count kept = 0;
  for (Count begin = 0, end = 0; begin < size; begin = end) {
    double sum = 0.0;
    double weight = 0.0;
    double weighted_sum = 0.0;
    for (end = begin; end < size && same_cell(entries, begin, end);) ++end;
    const double last = entries.value[end - 1];
    sort_run(entries, begin, end);
    for (Count e = begin; e < end; ++e) {
      const double w = entries.weight.empty() ? 1.0 : entries.weight[e];
      sum += entries.value[e];
      weight += w;
      weighted_sum += w * entries.value[e];
    }
    for (int k = 0; k < entries.order(); ++k) entries.cells.mode(k)[kept] = entries.cells.mode(k)[begin];
    entries.value[kept] = policy == Duplicates::kLast   ? last
                          : policy == Duplicates::kMean ? weighted_sum / weight
                                                        : sum;
    if (!entries.weight.empty()) entries.weight[kept] = weight;
    ++kept;
  }
  truncate(entries, kept);
  return size - kept;
}

}  // namespace

Result<> check_numbers(const std::vector<Mode>& modes, const Entries& entries) {
  for (Count e = 0; e < entries.size(); ++e)
    if (std::isinf(entries.value[e]))
      return input_error(
          "", "cell " + describe_cell(modes, entries.cells, e) + " is infinite, expected a number");
  for (std::size_t e = 0; e < entries.weight.size(); ++e)
    if (!(entries.weight[e] >= 0.0) || std::isinf(entries.weight[e]))
      return input_error("", "cell " + describe_cell(modes, entries.cells, static_cast<Count>(e)) +
                                 " has the weight " + shortest(entries.weight[e]) +
                                 ", expected a number >= 0");
  return Nothing{};
}

Count drop_missing(Entries& entries, std::vector<Index>* dropped) {
  return keep_if(entries, [&](Count e) {
    const bool counts = !std::isnan(entries.value[e]) && (entries.weight.empty() || entries.weight[e] != 0.0);
    if (!counts && dropped != nullptr) dropped->push_back(static_cast<Index>(e));
    return counts;
  });
}

Error nothing_observed(bool had_entries, bool weighted) {
  if (!had_entries) return input_error("", "no entries");
  return input_error("", weighted ? "every entry is without a value or weighs 0, expected at least one"
                                  : "every value is missing, expected at least one");
}

Sorted sort_entries(Entries& entries, Duplicates policy) {
  std::vector<int> all_modes(static_cast<std::size_t>(entries.order()));
  std::iota(all_modes.begin(), all_modes.end(), 0);
  std::vector<Index> order = lexicographic_order(entries.cells, all_modes);
  std::vector<std::vector<Index>> positions = entries.cells.take();
  for (std::vector<Index>& mode : positions) reorder(mode, order);
  entries.cells = std::move(positions);
  reorder(entries.value, order);
  if (!entries.weight.empty()) reorder(entries.weight, order);
  for (Count e = 1; e < entries.size(); ++e) {
    if (!same_cell(entries, e - 1, e)) continue;
    if (policy == Duplicates::kError) return {.second = e, .order = std::move(order)};
    order = {};
    return {.merged = merge_duplicates(entries, policy)};
  }
  return {};
}

}  // namespace lacuna
