// SPDX-License-Identifier: MIT
#include "method/links/link_data.hpp"

#include <algorithm>
#include <stdexcept>

#include "tensor/lexicographic_order.hpp"

namespace lacuna {

void LinkEntries::add(const LinkEntries& from, Count entry) {
  head.push_back(from.head[entry]);
  relation.push_back(from.relation[entry]);
  tail.push_back(from.tail[entry]);
  label.push_back(from.label[entry]);
  weight.push_back(from.weight[entry]);
}

Index first_tail(const std::vector<Mode>& modes, const LinkRoles& roles) {
  return roles.one_set ? 0 : modes[roles.head].size;
}

Index entity_rows(const std::vector<Mode>& modes, const LinkRoles& roles) {
  return roles.one_set ? std::max(modes[roles.head].size, modes[roles.tail].size)
                       : modes[roles.head].size + modes[roles.tail].size;
}

LinkEntries link_entries(const ObservedTensor& tensor, const LinkRoles& roles, double one) {
  LinkEntries entries;
  const Index tails_from = first_tail(tensor.modes(), roles);
  bool facts = false;
  for (Count e = 0; e < tensor.size(); ++e) {
    const double value = tensor.values()[e];
    if (value != 0.0 && value != one)
      throw std::invalid_argument("links are cells of value 1 or 0, found " + std::to_string(value / one) +
                                  " at cell " + describe_cell(tensor.modes(), tensor.cells(), e));
    facts = facts || value != 0.0;
    entries.head.push_back(tensor.index(roles.head)[e]);
    entries.relation.push_back(tensor.index(roles.relation)[e]);
    entries.tail.push_back(tails_from + tensor.index(roles.tail)[e]);
    entries.label.push_back(value != 0.0 ? 1.0F : 0.0F);
    entries.weight.push_back(static_cast<float>(tensor.weight(e)));
  }
  if (!facts) throw std::invalid_argument("there is no link: every value is 0");
  return entries;
}

LinkQuestions link_questions(const LinkEntries& entries, bool backward, Index relations) {
  LinkQuestions found;
  std::vector<Index> known;
  std::vector<Index> relation;
  std::vector<Index> fact;
  for (Count e = 0; e < entries.size(); ++e) {
    if (entries.label[e] == 0.0F) continue;
    known.push_back(backward ? entries.tail[e] : entries.head[e]);
    relation.push_back(entries.relation[e] + (backward ? relations : 0));
    fact.push_back(static_cast<Index>(e));
  }
  const Cells pairs{known, relation};
  const std::vector<int> both{0, 1};
  for (const Index at : lexicographic_order(pairs, both)) {
    if (found.queries.empty() || found.queries.back().known != known[at] ||
        found.queries.back().relation != relation[at]) {
      const auto begin = static_cast<Count>(found.answers.size());
      found.queries.push_back({.known = known[at], .relation = relation[at], .begin = begin, .end = begin});
    }
    found.answers.push_back(backward ? entries.head[fact[at]] : entries.tail[fact[at]]);
    found.weight.push_back(entries.weight[fact[at]]);
    ++found.queries.back().end;
  }
  return found;
}

bool knows(const LinkQuestions& forward, Index head, Index relation, Index tail) {
  const auto before = [](const LinkQuery& query, std::pair<Index, Index> wanted) {
    return std::pair(query.known, query.relation) < wanted;
  };
  const auto at =
      std::lower_bound(forward.queries.begin(), forward.queries.end(), std::pair(head, relation), before);
  if (at == forward.queries.end() || at->known != head || at->relation != relation) return false;
  const auto end = forward.answers.begin() + at->end;
  return std::find(forward.answers.begin() + at->begin, end, tail) != end;
}

LinkEntries with_corrupted(const LinkEntries& facts, const LinkQuestions& known, const ComplEx& x,
                           int for_each, Rng& rng) {
  constexpr int kDraws = 20;  // before a crowded line is given up
  LinkEntries both = facts;
  for (Count e = 0; e < facts.size(); ++e)
    for (int i = 0; i < for_each; ++i) {
      Index head = facts.head[e];
      Index tail = facts.tail[e];
      for (int draw = 0; draw < kDraws; ++draw) {
        if (i % 2 == 0)
          tail = x.tails_from + static_cast<Index>(rng.below(x.tail_count()));
        else
          head = static_cast<Index>(rng.below(x.head_count()));
        if (knows(known, head, facts.relation[e], tail)) continue;
        both.head.push_back(head);
        both.relation.push_back(facts.relation[e]);
        both.tail.push_back(tail);
        both.label.push_back(0.0F);
        both.weight.push_back(facts.weight[e]);
        break;
      }
    }
  return both;
}

LinkSplit reserve(const LinkEntries& entries, double share, Count most, Rng& rng) {
  const double wanted = std::min(share * static_cast<double>(entries.size()), static_cast<double>(most));
  const double chance = wanted / static_cast<double>(entries.size());
  LinkSplit split;
  for (Count e = 0; e < entries.size(); ++e)
    (rng.uniform() < chance ? split.reserved : split.kept).add(entries, e);
  return split;
}

}  // namespace lacuna
