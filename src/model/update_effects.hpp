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
  // What the prior of a part's rows or fibers expects of new ones, which are told apart by these modes; by one of the
  // entries of each. Taken up with what other parts expect since forget_expected().
  void expect(const std::vector<int>& modes, const Cells& cells, Index entry, double value);
  void forget_expected();
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
    bool known = false;
  };
  [[nodiscard]] bool may_be_new(const Cells& cells, Index entry) const;

  void make_table(const ObservedTensor& tensor);
  // Where the effect of an entry's value is among the keys; their number when it is not.
  [[nodiscard]] std::size_t place_of(const Cells& cells, Index entry) const;

  Effect effect_;
  std::vector<Index> table_;  // the places of all pairs of positions, or of all positions; empty: too many
  std::size_t second_ = 1;    // how many positions the second mode has
  std::vector<Chosen> chosen_;
  std::vector<char> is_chosen_;              // by place
  std::vector<Index> chosen_at_;             // by place: which of chosen_, of new ones
  std::vector<std::vector<char>> fresh_at_;  // which positions of each of the effect's modes have new entries
  Count moved_ = 0;
};

// Offsets that are all a guess is made of, given the new entries: the mean stays, and so does every effect that is not
// solved for. `value`: of each entry, read of new ones; none is held out. `noise`: as above.
[[nodiscard]] Offsets updated_offsets(const Offsets& before, const ObservedTensor& tensor,
                                      const std::vector<double>& value, const UpdateEntries& joined,
                                      double noise);

}  // namespace lacuna
