// SPDX-License-Identifier: MIT
// What kind of values a model was fitted on, and where predictions of such values are kept unless asked otherwise.
//
//   facts    0 and 1 only                                            anywhere: their order is what counts
//   ratings  whole numbers, at most eleven different ones            from the smallest to the largest observed
//   halves   likewise, of multiples of 1/2                           from the smallest to the largest observed
//   counts   whole numbers >= 0                                      from 0 to twice the largest observed
//   shares   from 0 to 1                                             from 0 to 1
//   whole    other whole numbers                                     anywhere
//   numbers  all else                                                anywhere
#pragma once

#include <lacuna/model/model.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace lacuna {

enum class ValueKind { kNumbers, kWhole, kFacts, kRatings, kHalves, kCounts, kShares };

[[nodiscard]] ValueKind value_kind(std::span<const double> values);
[[nodiscard]] std::string_view name(ValueKind kind);
// What such values are multiples of: 1 or 1/2; nothing where they are any numbers.
[[nodiscard]] std::optional<double> value_step(ValueKind kind);

// Of the values that a model was fitted on, from the item "values" of its record; nothing in models that lack it.
[[nodiscard]] std::optional<ValueKind> value_kind(const Model& model);
// Where its predictions are kept by the table above; nothing: anywhere, or where its fit was told. prediction_range()
// knows both.
[[nodiscard]] std::optional<Range> natural_range(const Model& model);

// Likewise; nothing also where their kind is not known.
[[nodiscard]] std::optional<double> value_step(const Model& model);
// Each to the next multiple of this step that lies where the model's predictions are kept.
void round_to_step(const Model& model, double step, std::span<double> values);

}  // namespace lacuna
