// SPDX-License-Identifier: MIT
// Which trials are better together. Methods of different kinds err in different ways, so that a weighted mean of
// what they say is often closer than the best of them.
//
//   minimise  sum_e (sum_m w_m p_m(e) - y_e)^2 = w' G w  over held-out entries e,   w >= 0, sum_m w_m = 1,
//   G = R' R,  R_m = p_m - y
//
// for every set of a few trials: on the face of the simplex where all weights are positive w is proportional to
// G^-1 1.
#pragma once

#include <string>
#include <vector>

#include "search/trial.hpp"

namespace lacuna {

struct BlendChoice {
  std::vector<const Trial*> members{};
  std::vector<double> weights{};  // > 0, adding up to 1
  double error = 0.0;             // RMSE on the held-out entries
};

// The trials that a blend may be made of: the best few of each kind.
class Rivals {
 public:
  void consider(const Trial& trial, const Entries& held);
  // At most so many members; each lowers the error by half a per cent or more, else it is left out. `best` is the
  // best trial of all.
  [[nodiscard]] BlendChoice best_blend(const Trial& best, const Entries& held, int most) const;

  [[nodiscard]] std::size_t size() const { return rivals_.size(); }
  [[nodiscard]] const Trial& operator[](std::size_t place) const { return rivals_[place].trial; }

 private:
  struct Rival {
    std::string kind;  // trials of one kind differ in numbers only
    Trial trial;
    std::vector<double> predicted;  // of the held-out entries
  };
  std::vector<Rival> rivals_;  // by ascending error
};

}  // namespace lacuna
