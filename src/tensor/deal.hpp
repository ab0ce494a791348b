// SPDX-License-Identifier: MIT
// Entries dealt at random into a training and a test part.
#pragma once

#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

// Positions below `total`, ascending in each part; none is in both.
struct Deal {
  std::vector<Count> train;
  std::vector<Count> test;
};

// These shares of the positions, rounded; the test part takes what the training part leaves where that is
// less.
[[nodiscard]] Deal deal(Count total, double train_share, double test_share, std::uint64_t seed);

}  // namespace lacuna
