// SPDX-License-Identifier: MIT
#include "search/offsets.hpp"

#include <lacuna/evaluate/evaluate.hpp>

#include "model/shared_values.hpp"

namespace lacuna {

OffsetSpec offsets_alone(const Evaluator& evaluator) {
  const int order = evaluator.kept().order();
  const auto error = [&](const OffsetSpec& spec) {
    const Offsets offsets = fit_shared_offsets(evaluator.kept(), spec, kOffsetSweeps, evaluator.sharers());
    return rmse(evaluator.held().value, offsets.at(evaluator.held().cells));
  };
  OffsetSpec chosen{.mean = true, .effects = {}};
  double lowest = error(chosen);
  std::vector<std::vector<int>> candidates;
  for (int k = 0; k < order; ++k) candidates.push_back({k});
  for (int k = 0; k < order && order > 2; ++k)  // at two modes a pair would be the data itself
    for (int other = k + 1; other < order; ++other) candidates.push_back({k, other});
  for (const std::vector<int>& effect : candidates) {
    if (evaluator.interrupted()) break;
    OffsetSpec more = chosen;
    more.effects.push_back(effect);
    const double with = error(more);
    if (!Evaluator::better(with, lowest)) continue;
    chosen = std::move(more);
    lowest = with;
  }
  return chosen;
}

}  // namespace lacuna
