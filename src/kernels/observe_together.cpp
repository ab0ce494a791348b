// SPDX-License-Identifier: MIT
#include "kernels/observe_together.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dist/agreement.hpp"
#include "dist/exchange.hpp"
#include "tensor/cell_hash.hpp"
#include "tensor/sort_entries.hpp"

namespace lacuna {
namespace {

std::vector<int> owners_by_hash(const Cells& cells, int processes) {
  std::vector<int> owner(static_cast<std::size_t>(cells.size()));
  for (std::size_t e = 0; e < owner.size(); ++e)
    owner[e] =
        static_cast<int>(cell_hash(cells, static_cast<Count>(e), 0) % static_cast<std::uint64_t>(processes));
  return owner;
}

// What comes here from a list of which `list` is this process's; that is freed.
template <class T>
std::vector<T> sent(const Exchange& exchange, std::vector<T>& list) {
  std::vector<T> arrived(static_cast<std::size_t>(exchange.there()));
  exchange.forth(std::span<const T>(list), std::span<T>(arrived));
  list = {};
  return arrived;
}

void deal_by_hash(Entries& entries, bool weighted, const Communicator& everyone) {
  const Exchange exchange(everyone, owners_by_hash(entries.cells, everyone.size()));
  if (weighted && entries.weight.empty()) entries.weight.assign(entries.value.size(), 1.0);
  std::vector<std::vector<Index>> positions = entries.cells.take();
  for (std::vector<Index>& along : positions) along = sent(exchange, along);
  entries.cells = Cells(std::move(positions));
  entries.value = sent(exchange, entries.value);
  if (weighted) entries.weight = sent(exchange, entries.weight);
}

// Of all cells that some process found twice the first; empty: there is none.
std::vector<Index> first_repeated(const Entries& entries, Count twice, const Communicator& everyone) {
  std::vector<Index> mine;
  for (int k = 0; k < entries.order() && twice >= 0; ++k) mine.push_back(entries.cells.mode(k)[twice]);
  const std::vector<Index> all = everyone.gather(std::span<const Index>(mine));
  std::vector<Index> first;
  for (auto at = all.begin(); at != all.end(); at += entries.order()) {
    std::vector<Index> cell(at, at + entries.order());
    if (first.empty() || cell < first) first = std::move(cell);
  }
  return first;
}

}  // namespace

Result<SpreadTensor> observe_together(const std::vector<Mode>& modes, Entries entries, Duplicates duplicates,
                                      const Communicator& everyone, std::vector<Index>& repeated) {
  const bool weighted = everyone.any(!entries.weight.empty());
  const bool had_entries = everyone.sum(entries.size()) > 0;
  if (auto fine = agreed(everyone, check_numbers(modes, entries)); !fine) return fine.error();
  SpreadTensor spread{.missing = everyone.sum(drop_missing(entries))};
  if (everyone.sum(entries.size()) == 0) return nothing_observed(had_entries, weighted);
  deal_by_hash(entries, weighted, everyone);
  const Sorted sorted = sort_entries(entries, duplicates);
  repeated = first_repeated(entries, sorted.second, everyone);
  if (!repeated.empty()) {
    Cells cell(static_cast<int>(modes.size()));
    cell.add(repeated);
    return input_error("", "cell " + describe_cell(modes, cell, 0) + " is listed more than once");
  }
  spread.tensor = ObservedTensor::of_sorted(modes, std::move(entries));
  spread.entries = everyone.sum(spread.tensor.size());
  spread.duplicates = everyone.sum(sorted.merged);
  spread.weight = everyone.sum(spread.tensor.total_weight());
  return spread;
}

ObservedTensor gather_entries(const ObservedTensor& mine, const Communicator& everyone) {
  if (everyone.alone()) return mine;
  std::vector<std::vector<Index>> cells;
  for (int k = 0; k < mine.order(); ++k) cells.push_back(everyone.gather(mine.index(k)));
  Entries entries{.cells = Cells(std::move(cells)), .value = everyone.gather(mine.values())};
  if (everyone.any(!mine.weights().empty())) entries.weight = everyone.gather(mine.weights());
  auto whole = ObservedTensor::create(mine.modes(), std::move(entries));
  if (!whole) throw std::runtime_error("the processes' entries do not make a tensor: " + whole.error().what);
  return std::move(*whole);
}

}  // namespace lacuna
