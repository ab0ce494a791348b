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

  void reset();
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
  Effect effect_;
  std::vector<Chosen> chosen_;
  Count moved_ = 0;
};

}  // namespace lacuna
