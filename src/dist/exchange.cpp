// SPDX-License-Identifier: MIT
#include "dist/exchange.hpp"

#include <numeric>

namespace lacuna {

Exchange::Exchange(const Communicator& everyone, std::span<const int> owner)
    : everyone_(&everyone), order_(owner.size()), to_(static_cast<std::size_t>(everyone.size()), 0) {
  for (const int rank : owner) ++to_[static_cast<std::size_t>(rank)];
  std::vector<std::int64_t> next(to_.size(), 0);
  std::partial_sum(to_.begin(), to_.end() - 1, next.begin() + 1);
  for (std::size_t e = 0; e < owner.size(); ++e)
    order_[static_cast<std::size_t>(next[static_cast<std::size_t>(owner[e])]++)] =
        static_cast<std::uint32_t>(e);
  from_ = everyone.transposed(to_);
  arriving_ = std::accumulate(from_.begin(), from_.end(), std::int64_t{0});
}

std::int64_t Exchange::crossing() const { return here() - to_[static_cast<std::size_t>(everyone_->rank())]; }

void Exchange::arrange(std::span<const std::uint32_t> order) {
  place_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<std::uint32_t>(i);
}

}  // namespace lacuna
