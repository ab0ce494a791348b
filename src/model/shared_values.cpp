// SPDX-License-Identifier: MIT
#include "model/shared_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "model/body.hpp"

namespace lacuna {

// A few of the values that have the kind of all of them: some different ones, the ends, and of each kind that is
// ruled out one that rules it out.
ValueKind shared_value_kind(std::span<const double> values, const Communicator& everyone) {
  if (everyone.alone()) return value_kind(values);
  constexpr std::size_t kSome = 16;  // more than ratings have
  std::set<double> telling;
  const auto keep_first = [&](auto&& rules_out) {
    const auto found = std::find_if(values.begin(), values.end(), rules_out);
    if (found != values.end()) telling.insert(*found);
  };
  for (const double value : values) {
    if (telling.size() >= kSome) break;
    telling.insert(value);
  }
  keep_first([](double value) { return std::floor(value) != value; });
  keep_first([](double value) { return std::floor(2.0 * value) != 2.0 * value; });
  keep_first([](double value) { return value != 0.0 && value != 1.0; });
  if (!values.empty()) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    telling.insert({*low, *high});
  }
  const std::vector<double> here(telling.begin(), telling.end());
  return value_kind(everyone.gather(std::span<const double>(here)));
}

Range shared_range(std::span<const double> values, const Communicator& everyone) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return {.low = -everyone.max(-low), .high = everyone.max(high)};
}

void gather_dual(const Communicator& everyone, Model& model, GatherTo to) {
  Latent* const latent = std::get_if<Latent>(&*model.body);
  if (everyone.alone() || latent == nullptr) return;
  const ObservedTensor& mine = latent->dual;
  const auto gathered = [&](auto list) {
    return to == GatherTo::kEveryone ? everyone.gather(list) : everyone.gather_at_first(list);
  };
  std::vector<std::vector<Index>> cells;
  for (int k = 0; k < mine.order(); ++k) cells.push_back(gathered(mine.index(k)));
  Entries entries{.cells = Cells(std::move(cells)), .value = gathered(mine.values())};
  if (everyone.any(!mine.weights().empty())) {
    std::vector<double> weights(mine.weights().begin(), mine.weights().end());
    weights.resize(mine.values().size(), 1.0);
    entries.weight = gathered(std::span<const double>(weights));
  }
  if (!everyone.first() && to == GatherTo::kFirst) {
    latent->dual = ObservedTensor::of_sorted(mine.modes(), {.cells = Cells(mine.order()), .value = {}});
    return;
  }
  auto whole = ObservedTensor::create(mine.modes(), std::move(entries));
  if (!whole) throw std::runtime_error("the processes' entries do not make a tensor: " + whole.error().what);
  latent->dual = std::move(*whole);
}

}  // namespace lacuna
