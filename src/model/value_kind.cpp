// SPDX-License-Identifier: MIT
#include "model/value_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace lacuna {
namespace {

constexpr std::size_t kMostRatings = 11;  // 0 to 10, or 0 to 5 in halves

constexpr std::array<std::pair<ValueKind, std::string_view>, 7> kNames = {{{ValueKind::kNumbers, "numbers"},
                                                                           {ValueKind::kWhole, "whole"},
                                                                           {ValueKind::kFacts, "facts"},
                                                                           {ValueKind::kRatings, "ratings"},
                                                                           {ValueKind::kHalves, "halves"},
                                                                           {ValueKind::kCounts, "counts"},
                                                                           {ValueKind::kShares, "shares"}}};

}  // namespace

ValueKind value_kind(std::span<const double> values) {
  bool whole = true;
  bool halves = true;
  bool facts = true;
  std::set<double> different;
  for (const double value : values) {
    whole = whole && std::floor(value) == value;
    halves = halves && std::floor(2.0 * value) == 2.0 * value;
    facts = facts && (value == 0.0 || value == 1.0);
    if (different.size() <= kMostRatings) different.insert(value);
  }
  if (values.empty()) return ValueKind::kNumbers;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (facts) return ValueKind::kFacts;
  if (halves && different.size() > 1 && different.size() <= kMostRatings)
    return whole ? ValueKind::kRatings : ValueKind::kHalves;
  if (whole && *low >= 0.0) return ValueKind::kCounts;
  if (whole) return ValueKind::kWhole;
  return *low >= 0.0 && *high <= 1.0 ? ValueKind::kShares : ValueKind::kNumbers;
}

std::string_view name(ValueKind kind) {
  for (const auto& [one, text] : kNames)
    if (one == kind) return text;
  return "";
}

std::optional<ValueKind> value_kind(const Model& model) {
  const FitRecord::Value* item = model.record.find("values");
  const auto* text = item != nullptr ? std::get_if<std::string>(item) : nullptr;
  if (text == nullptr) return std::nullopt;
  for (const auto& [kind, known] : kNames)
    if (known == *text) return kind;
  return std::nullopt;
}

std::optional<double> value_step(ValueKind kind) {
  if (kind == ValueKind::kNumbers || kind == ValueKind::kShares) return std::nullopt;
  return kind == ValueKind::kHalves ? 0.5 : 1.0;
}

std::optional<double> value_step(const Model& model) {
  const auto kind = value_kind(model);
  return kind ? value_step(*kind) : std::nullopt;
}

void round_to_step(const Model& model, double step, std::span<double> values) {
  const std::optional<Range> range = prediction_range(model);
  for (double& value : values) {
    value = step * std::round(value / step);
    if (range && value < range->low) value = step * std::ceil(range->low / step);
    if (range && value > range->high) value = step * std::floor(range->high / step);
    if (value == 0.0) value = 0.0;  // which would be written -0
  }
}

std::optional<Range> natural_range(const Model& model) {
  if (model.record.find("clip") != nullptr) return std::nullopt;  // its fit was told
  const auto kind = value_kind(model);
  if (kind == ValueKind::kRatings || kind == ValueKind::kHalves) return model.observed;
  if (kind == ValueKind::kCounts) return Range{.low = 0.0, .high = 2.0 * std::max(0.0, model.observed.high)};
  if (kind == ValueKind::kShares) return Range{.low = 0.0, .high = 1.0};
  return std::nullopt;
}

}  // namespace lacuna
