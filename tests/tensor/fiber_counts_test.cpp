// SPDX-License-Identifier: MIT
#include "tensor/fiber_counts.hpp"

#include <gtest/gtest.h>

#include "support/random_tensor.hpp"
#include "tensor/fiber_view.hpp"

namespace lacuna {
namespace {

TEST(FiberCounts, AreThoseOfTheViewsOfEveryMode) {
  Rng rng(7);
  const std::vector<std::vector<Index>> shapes = {
      {9, 8}, {5, 1, 6}, {6, 5, 4}, {3, 3, 3, 3}, {2, 2, 2, 2, 2, 2}};
  for (const std::vector<Index>& shape : shapes) {
    std::size_t cells = 1;
    for (const Index size : shape) cells *= size;
    for (const std::size_t observed : {std::size_t{1}, cells / 5 + 1, cells / 2, cells}) {
      Entries entries{.cells = test::random_cells(shape, static_cast<Count>(observed), rng),
                      .value = test::random_vector<double>(static_cast<Count>(observed), rng),
                      .weight = {}};
      const auto tensor =
          ObservedTensor::create(test::plain_modes(shape), std::move(entries), Duplicates::kLast);
      ASSERT_TRUE(tensor) << tensor.error().message();
      const std::vector<FiberCount> counts = count_fibers(*tensor);
      const std::vector<PartSpec> parts = full_parts(tensor->order());
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const FiberView view(*tensor, parts[k]);
        EXPECT_EQ(counts[k].fibers, view.fibers()) << observed << " of " << cells << ", mode " << k;
        EXPECT_EQ(counts[k].singles, view.single_fibers()) << observed << " of " << cells << ", mode " << k;
      }
    }
  }
}

}  // namespace
}  // namespace lacuna
