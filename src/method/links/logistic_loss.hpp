// SPDX-License-Identifier: MIT
// The logarithmic loss of cells that are facts (y = 1) or none (y = 0), with the penalty N3:
//
//   L = sum_e w_e (log(1 + exp(f_e)) - y_e f_e + penalty (|e_h|^3 + |w_r|^3 + |e_t|^3)),
//   f = Re(e_h * w_r . conj e_t) + b_h + b_r + b_t
//
// A batch touches few rows, so only those move. O(r) for each cell.
#pragma once

#include "method/links/complex_gradients.hpp"
#include "method/links/link_data.hpp"
#include "method/links/row_updates.hpp"

namespace lacuna {

class LogisticLoss {
 public:
  LogisticLoss(const ComplEx& shape, float penalty);

  // The loss of these entries without the penalty; its gradient, with the penalty, goes to `move`, which is called
  // once for each row that the batch touches, from several threads.
  double batch(const ComplEx& x, const LinkEntries& entries, std::span<const Index> cells,
               const MoveRow& move);

 private:
  void add_to_entity(const ComplEx& x, const LinkEntries& entries, Index cell, Count item, bool head,
                     float* gradient) const;

  float penalty_;
  int rank_;
  Count width_;
  RowUpdates entities_;
  RowUpdates relations_;
  std::vector<float> slope_;  // dL/df of each entry of the batch
};

}  // namespace lacuna
