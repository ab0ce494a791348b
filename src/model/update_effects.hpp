// SPDX-License-Identifier: MIT
// An effect of the offsets while a model is updated: UpdateSide with a single number in each row, whose other
// factor is 1.
#pragma once

#include <lacuna/model/structure.hpp>

#include "model/update_side.hpp"

namespace lacuna {

class UpdateEffect {
 public:
  // Keys that new entries bring come with 0. `noise`: variance of what the model leaves of the entries.
  UpdateEffect(const Effect& before, const ObservedTensor& tensor, const UpdateEntries& entries,
               double noise);

  // Whether an entry's value has one that is solved for.
  [[nodiscard]] bool moves(const Cells& cells, Index entry) const;
  double solve(UpdateEntries& entries);

  [[nodiscard]] const Effect& effect() const { return effect_; }
  [[nodiscard]] Count solved() const { return static_cast<Count>(chosen_.size()); }
  [[nodiscard]] Count moved() const { return moved_; }

 private:
  struct Chosen {
    std::size_t place = 0;
    std::vector<Index> fresh{};
    double at = 0.0;
    double hold = 0.0;
  };
  [[nodiscard]] bool may_be_new(const Cells& cells, Index entry) const;

  Effect effect_;
  std::vector<Chosen> chosen_;
  std::vector<char> is_chosen_;              // by place
  std::vector<std::vector<char>> fresh_at_;  // which positions of each of the effect's modes have new entries
  Count moved_ = 0;
};

}  // namespace lacuna
