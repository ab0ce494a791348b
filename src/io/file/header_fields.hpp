// SPDX-License-Identifier: MIT
// Numbers and JSON text out of a file that nobody vouches for: bounded before they are used.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace lacuna::io {

// Arrays and objects within each other. What a model holds needs 8; printing JSON and taking it apart again
// call themselves for each level, so depth is stack.
inline constexpr int kDeepestJson = 64;

// Discarded, as nlohmann's parser says it, when the text is not JSON or deeper than kDeepestJson.
[[nodiscard]] nlohmann::json parse_bounded_json(std::string_view text);

// These throw ArrayReader::Bad with `what` in it. JSON libraries convert silently: -3 to a large unsigned
// number, 1e300 to any.
[[nodiscard]] std::int64_t whole_number(const nlohmann::json& field, std::int64_t low, std::int64_t high,
                                        const char* what);
[[nodiscard]] double finite_number(const nlohmann::json& field, const char* what);
[[nodiscard]] std::vector<int> mode_numbers(const nlohmann::json& list, int order);
void check_finite(std::span<const double> values);
void check_finite(std::span<const float> values);

}  // namespace lacuna::io
