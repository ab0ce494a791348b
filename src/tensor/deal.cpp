// SPDX-License-Identifier: MIT
#include "tensor/deal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/rng.hpp"

namespace lacuna {

Deal deal(Count total, double train_share, double test_share, std::uint64_t seed) {
  std::vector<Count> order(static_cast<std::size_t>(total));
  std::iota(order.begin(), order.end(), Count{0});
  Rng rng(seed);
  for (Count i = total - 1; i > 0; --i)
    std::swap(order[i], order[rng.below(static_cast<std::uint64_t>(i) + 1)]);
  const auto share_of = [&](double share) {
    return static_cast<Count>(std::llround(share * static_cast<double>(total)));
  };
  const Count train = std::clamp(share_of(train_share), Count{0}, total);
  const Count test = std::clamp(share_of(test_share), Count{0}, total - train);
  Deal dealt{.train = {order.begin(), order.begin() + train},
             .test = {order.begin() + train, order.begin() + train + test}};
  std::sort(dealt.train.begin(), dealt.train.end());
  std::sort(dealt.test.begin(), dealt.test.end());
  return dealt;
}

}  // namespace lacuna
