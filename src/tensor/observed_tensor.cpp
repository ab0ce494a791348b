// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/tensor/tensor.hpp>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "tensor/sort_entries.hpp"

namespace lacuna {
namespace {

// Entries are numbered with 32 bits: a process holds at most this many.
constexpr Count kMostEntries = std::numeric_limits<Index>::max() - 1;

void check_fit(const std::vector<Mode>& modes, const Entries& entries) {
  if (modes.size() < 2)
    throw std::invalid_argument("a tensor needs at least 2 modes, got " + std::to_string(modes.size()));
  if (entries.order() != static_cast<int>(modes.size()))
    throw std::invalid_argument("entries have " + std::to_string(entries.order()) +
                                " indices, the tensor has " + std::to_string(modes.size()) + " modes");
  if (!entries.weight.empty() && entries.weight.size() != entries.value.size())
    throw std::invalid_argument("got " + std::to_string(entries.weight.size()) + " weights for " +
                                std::to_string(entries.value.size()) + " values");
  if (entries.cells.size() != entries.size())
    throw std::invalid_argument("got " + std::to_string(entries.cells.size()) + " cells for " +
                                std::to_string(entries.size()) + " values");
  for (const Mode& mode : modes)
    if (mode.side) check_side(*mode.side, mode.size, mode.name);
  for (std::size_t k = 0; k < modes.size(); ++k)
    for (const Index i : entries.cells[k])
      if (i >= modes[k].size)
        throw std::invalid_argument("index " + std::to_string(i) + " (0-based) is not below the size " +
                                    std::to_string(modes[k].size) + " of mode " + std::to_string(k + 1));
}

// Where the entry now at `position` was before those at the positions `dropped` went.
Count position_before(Count position, const std::vector<Index>& dropped) {
  for (const Index d : dropped) {
    if (d > position) break;
    ++position;
  }
  return position;
}

}  // namespace

std::optional<Duplicates> parse_duplicates(std::string_view name) {
  if (name == "error") return Duplicates::kError;
  if (name == "mean") return Duplicates::kMean;
  if (name == "sum") return Duplicates::kSum;
  if (name == "last") return Duplicates::kLast;
  return std::nullopt;
}

Result<ObservedTensor> ObservedTensor::create(std::vector<Mode> modes, Entries entries, Duplicates duplicates,
                                              DuplicateCell* repeated) {
  check_fit(modes, entries);
  if (entries.size() > kMostEntries)
    return Error{ErrorKind::kMemory, "",
                 "more than 4294967294 entries; one process numbers them with 32 bits"};
  if (auto fine = check_numbers(modes, entries); !fine) return fine.error();

  ObservedTensor tensor;
  const bool had_entries = entries.size() > 0;
  const bool weighted = !entries.weight.empty();
  std::vector<Index> dropped;
  tensor.missing_ = drop_missing(entries, repeated != nullptr ? &dropped : nullptr);
  if (entries.size() == 0) return nothing_observed(had_entries, weighted);

  const Sorted sorted = sort_entries(entries, duplicates);
  if (sorted.second >= 0) {
    if (repeated != nullptr)
      *repeated = {.first = position_before(sorted.order[sorted.second - 1], dropped),
                   .second = position_before(sorted.order[sorted.second], dropped)};
    return input_error(
        "", "cell " + describe_cell(modes, entries.cells, sorted.second) + " is listed more than once");
  }
  tensor.duplicates_ = sorted.merged;
  tensor.modes_ = std::move(modes);
  tensor.cells_ = std::make_shared<const Cells>(std::move(entries.cells));
  tensor.values_ = std::move(entries.value);
  tensor.weights_ = std::move(entries.weight);
  return tensor;
}

ObservedTensor ObservedTensor::of_sorted(std::vector<Mode> modes, Entries entries) {
  check_fit(modes, entries);
  ObservedTensor tensor;
  tensor.modes_ = std::move(modes);
  tensor.cells_ = std::make_shared<const Cells>(std::move(entries.cells));
  tensor.values_ = std::move(entries.value);
  tensor.weights_ = std::move(entries.weight);
  return tensor;
}

const Cells& ObservedTensor::no_cells() {
  static const Cells none;
  return none;
}

double ObservedTensor::total_weight() const {
  if (weights_.empty()) return static_cast<double>(size());
  return parallel_sum(size(), [&](Count begin, Count end) {
    return std::accumulate(weights_.begin() + begin, weights_.begin() + end, 0.0);
  });
}

double ObservedTensor::mean() const {
  return parallel_sum(size(),
                      [&](Count begin, Count end) {
                        double sum = 0.0;
                        for (Count e = begin; e < end; ++e) sum += weight(e) * values_[e];
                        return sum;
                      }) /
         total_weight();
}

std::vector<Mode> ObservedTensor::take_labels() {
  std::vector<Mode> labelled = std::move(modes_);
  modes_.clear();
  for (const Mode& mode : labelled)
    modes_.push_back({.name = mode.name,
                      .size = mode.size,
                      .labels = {},
                      .binning = mode.binning,
                      .positions = mode.positions,
                      .unit = mode.unit,
                      .side = mode.side,
                      .in_order = mode.in_order,
                      .same_as = mode.same_as,
                      .time_zone = mode.time_zone});
  return labelled;
}

ObservedTensor ObservedTensor::reordered(std::span<const int> modes) const {
  std::vector<Mode> named;
  for (const int k : modes) named.push_back(modes_[k]);
  Entries entries{.cells = cells().reordered(modes), .value = values_, .weight = weights_};
  if (size() == 0) return of_sorted(std::move(named), std::move(entries));
  return std::move(create(std::move(named), std::move(entries)).value());
}

void ObservedTensor::replace_values(std::vector<double> values) {
  if (values.size() != values_.size())
    throw std::invalid_argument("got " + std::to_string(values.size()) + " values for " +
                                std::to_string(values_.size()) + " entries");
  values_ = std::move(values);
}

void ObservedTensor::replace_weights(std::vector<double> weights) {
  if (weights.size() != values_.size())
    throw std::invalid_argument("got " + std::to_string(weights.size()) + " weights for " +
                                std::to_string(values_.size()) + " entries");
  for (const double weight : weights)
    if (!(weight > 0.0 && std::isfinite(weight)))
      throw std::invalid_argument("got a weight of " + std::to_string(weight) + ", expected a number > 0");
  weights_ = std::move(weights);
}

std::string describe_cell(const std::vector<Mode>& modes, const Cells& cells, Count cell, int index_base) {
  std::string text = "(";
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (k > 0) text += ", ";
    const Index i = cells[k][cell];
    text += i < modes[k].labels.size() ? modes[k].labels[i]
                                       : std::to_string(static_cast<std::int64_t>(i) + index_base);
  }
  return text + ")";
}

}  // namespace lacuna
