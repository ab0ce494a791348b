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

std::vector<int> ranks_of_parts(const Settings& settings, const std::vector<PartOptions>& parts, int order) {
  const std::size_t given = ranks_or_default(settings).size();
  if (given == 1 || given == parts.size() || given != static_cast<std::size_t>(order))
    return ranks_for(settings, parts.size(), "parts; give one, one for each part, or one for each mode");
  const std::vector<int> of_mode = ranks_for(settings, given, "modes");
  std::vector<int> ranks;
  for (const PartOptions& part : parts) ranks.push_back(part.spec.learns() ? of_mode[part.spec.mode] : 1);
  return ranks;
}

int one_rank(const Settings& settings) {
  const std::vector<int> ranks = checked_ranks(settings);
  if (ranks.size() != 1)
    throw std::invalid_argument("method " + std::string(name(*settings.method)) + " has one rank, got " +
                                std::to_string(ranks.size()));
  return ranks.front();
}

bool takes_so_many_ranks(const Settings& settings, int order) {
  const std::size_t given = ranks_or_default(settings).size();
  const Method method = settings.method.value_or(Method::kTrMm);
  if (given == 1 || !takes(method, kTakesRank)) return true;
  if (takes(method, kTakesParts) && settings.latent.parts.given() && settings.latent.parts->size() == given)
    return true;
  return given == static_cast<std::size_t>(order) &&
         (takes(method, kTakesParts) || info(method).model == "tucker");
}

}  // namespace lacuna
