// SPDX-License-Identifier: MIT
// Near parts along the modes that are ordered.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "search/evaluator.hpp"
#include "search/ordered.hpp"

namespace lacuna {

// Whether a grid of several near modes may have this one: irregular positions cost a transform their number for
// each cell.
[[nodiscard]] bool suits_a_grid(const Mode& mode);

// Near parts over the ordered modes: first what is learned; then smoothness, lengths and lambda, then ranks, and lengths and
// lambda again, more finely. Nothing where no mode is ordered.
class NearParts {
 public:
  // One trial of each kind, or until one is far ahead. The evaluator and the offsets must outlive this.
  NearParts(Evaluator& evaluator, const OffsetSpec& alone);

  [[nodiscard]] const Trial& best() const { return contest_.best(); }
  // The rest, with the best of the first.
  void refine();

 private:
  using Parts = std::vector<PartOptions>;
  using EffectTest = std::function<bool(const std::vector<int>& effect)>;

  [[nodiscard]] const ObservedTensor& kept() const { return contest_.evaluator().kept(); }
  [[nodiscard]] int order() const { return kept().order(); }
  [[nodiscard]] bool fits(const PartSpec& spec) const;
  [[nodiscard]] const OrderedMode* ordered(int mode) const;
  [[nodiscard]] bool is_ordered(int mode) const { return ordered(mode) != nullptr; }
  [[nodiscard]] bool all_ordered() const { return static_cast<int>(ordered_.size()) == order(); }
  [[nodiscard]] NearMode near(int mode) const;
  [[nodiscard]] PartSpec grid_part(int learned) const;
  [[nodiscard]] std::vector<Parts> grid_candidates() const;
  [[nodiscard]] Parts line_candidate(int along) const;
  [[nodiscard]] Settings settings(const Parts& parts, double lambda, const EffectTest& said_by_parts) const;
  [[nodiscard]] bool open_lambda() const;
  [[nodiscard]] bool beyond_limits(double factor) const;
  [[nodiscard]] bool given_up() const;
  void tell_order() const;
  void try_grids();
  bool try_lines();
  void choose_roughly();
  bool choose_smoothness();
  void choose_length(double step);
  void learn_again();

  Contest contest_;
  const OffsetSpec* alone_;
  const Settings* asked_;
  std::vector<OrderedMode> ordered_;
};

}  // namespace lacuna
