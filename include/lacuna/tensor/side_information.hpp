// SPDX-License-Identifier: MIT
// What is known of the positions of a mode beside the entries, such as the age of users or who knows whom, as a
// row of numbers for each position: positions whose rows have a large product are alike. The rows are sparse;
// their mean squared length is 1 where lacuna/model/side.hpp made them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lacuna {

struct SideInformation {
  std::vector<std::string> names{};     // of the columns
  std::vector<std::int64_t> start{0};   // of each position's numbers, and the end
  std::vector<std::uint32_t> column{};  // ascending within a position
  std::vector<double> value{};          // finite

  [[nodiscard]] std::int64_t positions() const { return static_cast<std::int64_t>(start.size()) - 1; }
  [[nodiscard]] std::int64_t columns() const { return static_cast<std::int64_t>(names.size()); }

  bool operator==(const SideInformation&) const = default;
};

// Throws std::invalid_argument unless it is one of a mode of this size. `mode` is its name.
void check_side(const SideInformation& side, std::int64_t size, const std::string& mode);

}  // namespace lacuna
