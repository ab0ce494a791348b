// SPDX-License-Identifier: MIT
// Strategy of the search: fields with edges.
#pragma once

#include <algorithm>

#include "search/evaluator.hpp"

namespace lacuna {

// Method edges where neighbours are alike along all modes, or all but one. Two kinds of fields, of smoothness 2 and, for
// large holes and textures, 1; nothing where modes are not so.
class EdgeFields {
 public:
  // One trial of each.
  EdgeFields(Evaluator& evaluator, const OffsetSpec& alone);

  [[nodiscard]] double error() const { return std::min(smooth_.best().error, rough_.best().error); }
  // Length, then lambda and what counts as an edge, of both while neither is far behind, the better one first.
  void refine();

 private:
  Contest smooth_;
  Contest rough_;
};

}  // namespace lacuna
