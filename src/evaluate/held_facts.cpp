// SPDX-License-Identifier: MIT
#include "evaluate/held_facts.hpp"

#include <algorithm>
#include <numeric>

#include "model/complex.hpp"

namespace lacuna {

std::vector<int> ranked_modes(const std::vector<Mode>& modes) {
  if (modes.size() == 3) {
    const LinkRoles roles = link_roles(modes);
    return {std::min(roles.head, roles.tail), std::max(roles.head, roles.tail)};
  }
  std::vector<int> all(modes.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

HeldFacts::HeldFacts(const std::vector<Mode>& modes, const Cells& facts, const Cells& known)
    : extents_(lacuna::extents(modes)), modes_(ranked_modes(modes)), facts_(facts.order()), known_(known) {
  known_.append(facts);
  const Count step = std::max<Count>(1, (facts.size() + kMostRanked - 1) / kMostRanked);
  for (Count e = 0; e < facts.size(); e += step) {
    bool inside = true;
    for (int k = 0; k < facts.order(); ++k) inside = inside && facts[k][e] < extents_[k];
    if (inside) facts_.add(facts, e);
  }
}

double HeldFacts::mrr(const Predictor& predictor) const {
  return rank_facts(predictor, extents_, facts_, known_, modes_).mrr;
}

}  // namespace lacuna
