// SPDX-License-Identifier: MIT
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// Method edges where neighbours are alike along all modes, or all but one. Two kinds of fields, of smoothness 2 and, for
// large holes and textures, 1; nothing where modes are not so.
class EdgeFields {
 public:
  // One trial of each.
  EdgeFields(Evaluator& evaluator, const OffsetSpec& alone);

  // Length, then lambda and what counts as an edge, of both while neither is far behind, the better one first. Once.
  void refine();
  // Whether a trial takes so long that others should begin before more of them are tried.
  [[nodiscard]] bool take_long() const;

 private:
  Contest smooth_;
  Contest rough_;
  bool refined_ = false;
};

}  // namespace lacuna
