// SPDX-License-Identifier: MIT
// What is counted before entries are dealt out is what each process then has.
#include "kernels/share_plan.hpp"

#include <gtest/gtest.h>

#include <lacuna/model/structure.hpp>

#include "kernels/part_set.hpp"
#include "support/random_tensor.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

// Many entries at one position of the first mode.
ObservedTensor uneven_tensor() {
  Rng rng(5);
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 14; ++j)
      for (Index k = 0; k < 9; ++k)
        if (rng.uniform() < (i == 2 ? 0.9 : 0.05)) {
          entries.cells.add({i, j, k});
          entries.value.push_back(rng.normal());
        }
  std::vector<Mode> modes;
  for (const Index size : {6U, 14U, 9U}) modes.push_back({.name = std::to_string(size), .size = size});
  return *ObservedTensor::create(modes, std::move(entries));
}

TEST(SharePlan, TellsWhatEachProcessWillHave) {
  const test::WithThreads one(1);
  const ObservedTensor tensor = uneven_tensor();
  for (const char* named :
       {"2|1 ; 3|1", "1|2,3 ; 2|1,3 ; 3|1,2", "1|2~2,3~2 ; 2|1", "1|2 ; 2|3 ; 3|1 ; 1|3"}) {
    std::vector<PartSpec> parts;
    const std::vector<PartOptions> options = *parse_parts(named, tensor.modes());
    for (const PartOptions& part : options) parts.push_back(part.spec);
    for (const int processes : {2, 3, 7})
      test::ThreadGroup(processes).run([&](const Communicator& everyone) {
        const auto me = static_cast<std::size_t>(everyone.rank());
        const SharePlan plan = plan_shares(portion_of_whole(tensor, everyone), parts, everyone);
        const ObservedTensor share = take_share_of_whole(tensor, parts, everyone);
        EXPECT_EQ(plan.front().cuts.entries[me], share.size()) << named;
        const PartSet set(share, parts, everyone);
        std::size_t planned = 0;
        for (std::size_t l = 0; l < plan.size(); ++l)
          for (const std::size_t p : plan[l].parts) {
            ++planned;
            const std::size_t layout = set.layout_of(p);
            // Where so few positions happen to keep more fibers whole, a part needs less than was planned.
            if (layout == 0 && l > 0) continue;
            EXPECT_EQ(layout == 0, l == 0) << named;
            EXPECT_EQ(plan[l].cuts.entries[me], set.layouts()[layout].tensor->size()) << named;
          }
        EXPECT_EQ(planned, parts.size());
      });
  }
}

}  // namespace
}  // namespace lacuna
