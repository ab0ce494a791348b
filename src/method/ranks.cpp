// SPDX-License-Identifier: MIT
#include "method/ranks.hpp"

#include <algorithm>
#include <stdexcept>

namespace lacuna {
namespace {

std::vector<int> checked_ranks(const Settings& settings) {
  std::vector<int> ranks = ranks_or_default(settings);
  if (ranks.empty()) throw std::invalid_argument("there must be at least one rank");
  const auto wrong = std::find_if(ranks.begin(), ranks.end(), [](int rank) { return rank < 1; });
  if (wrong != ranks.end())
    throw std::invalid_argument("a rank must be at least 1, got " + std::to_string(*wrong));
  return ranks;
}

}  // namespace

std::vector<int> ranks_for(const Settings& settings, std::size_t count, const std::string& what) {
  std::vector<int> ranks = checked_ranks(settings);
  if (ranks.size() == 1) ranks.assign(count, ranks[0]);
  if (ranks.size() != count)
    throw std::invalid_argument("got " + std::to_string(ranks.size()) + " ranks for " +
                                std::to_string(count) + " " + what);
  return ranks;
}

int one_rank(const Settings& settings) {
  const std::vector<int> ranks = checked_ranks(settings);
  if (ranks.size() != 1)
    throw std::invalid_argument("method " + std::string(name(*settings.method)) + " has one rank, got " +
                                std::to_string(ranks.size()));
  return ranks.front();
}

}  // namespace lacuna
