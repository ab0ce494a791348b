// SPDX-License-Identifier: MIT
#include "model/update_entries.hpp"

#include <algorithm>
#include <cmath>

namespace lacuna {

JoinedEntries compared(ObservedTensor joined, const ObservedTensor& old,
                       const std::vector<double>& old_value) {
  JoinedEntries found{.tensor = std::move(joined), .old_of = {}, .is_fresh = {}};
  const ObservedTensor& tensor = found.tensor;
  found.is_fresh.assign(static_cast<std::size_t>(tensor.size()), 1);
  found.old_of.assign(found.is_fresh.size(), kUnseen);
  Count o = 0;
  for (Count e = 0; e < tensor.size() && o < old.size(); ++e) {
    bool same = true;
    for (int k = 0; k < tensor.order(); ++k) same = same && tensor.index(k)[e] == old.index(k)[o];
    if (!same) continue;
    found.is_fresh[e] = tensor.values()[e] == old_value[o] ? 0 : 1;
    found.old_of[e] = static_cast<Index>(o);
    ++o;
  }
  return found;
}

UpdateEntries::UpdateEntries(const JoinedEntries& joined) : is_fresh(joined.is_fresh) {
  const ObservedTensor& tensor = joined.tensor;
  weight.reserve(is_fresh.size());
  for (Count e = 0; e < tensor.size(); ++e) {
    weight.push_back(tensor.weight(e));
    if (is_fresh[e] != 0) fresh.push_back(static_cast<Index>(e));
  }
  held.assign(fresh.size(), 0);
}

void UpdateEntries::hold_out(double share, Rng& rng) {
  auto wanted = std::floor(share * static_cast<double>(held.size()));
  auto left = static_cast<double>(held.size());
  for (char& one : held) {
    one = rng.uniform() * left < wanted ? 1 : 0;
    wanted -= one;
    left -= 1.0;
  }
}

Count UpdateEntries::held_out() const { return std::count(held.begin(), held.end(), 1); }

std::vector<double> UpdateEntries::left_of_held() const {
  std::vector<double> left;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i] != 0) left.push_back(residual[i]);
  return left;
}

std::optional<double> root_mean_square(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace lacuna
