// SPDX-License-Identifier: MIT
#include <cmath>
#include <lacuna/tensor/tensor.hpp>
#include <stdexcept>

namespace lacuna {

void check_side(const SideInformation& side, std::int64_t size, const std::string& mode) {
  const auto refuse = [&](bool wrong, const std::string& sentence) {
    if (wrong) throw std::invalid_argument("the side information of mode " + mode + " " + sentence);
  };
  refuse(side.positions() != size,
         "is about " + std::to_string(side.positions()) + " positions, the mode has " + std::to_string(size));
  refuse(side.columns() == 0, "has no column");
  refuse(side.start.front() != 0 || side.start.back() != static_cast<std::int64_t>(side.value.size()) ||
             side.column.size() != side.value.size(),
         "has lists of different lengths");
  for (std::int64_t i = 0; i < size; ++i) {
    refuse(side.start[i] > side.start[i + 1] || side.start[i + 1] > side.start.back(),
           "has rows that do not follow each other");
    for (std::int64_t j = side.start[i]; j < side.start[i + 1]; ++j) {
      refuse(side.column[j] >= side.columns(), "names a column that it does not have");
      refuse(j > side.start[i] && side.column[j] <= side.column[j - 1], "has columns that do not ascend");
      refuse(!std::isfinite(side.value[j]), "has a number that is not finite");
    }
  }
}

}  // namespace lacuna
