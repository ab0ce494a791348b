// SPDX-License-Identifier: MIT
// A sum of parts in factored form by alternating least squares: als_part.hpp says what is fitted. The noise's
// precision tau is that of what the parts leave, their uncertainty included:
//
//   tau = sum w / sum_e w_e ((y_e - x_e)^2 + var x_e)
//   objective() = sum w / 2 (1 - log tau) + sum_p divergence_p    minus the lower bound of the evidence, up to
//                                                                 constants; no step of a sweep raises it
//
// A weight counts as that many entries. Values are held in units of their deviation from 0.
#pragma once

#include <lacuna/model/model.hpp>
#include <lacuna/model/structure.hpp>
#include <optional>

#include "method/latent/als_part.hpp"
#include "model/latent.hpp"

namespace lacuna {

// Float residuals hold no smaller noise.
inline constexpr double kLeastNoise = 1e-12;

class Als {
 public:
  // The tensor must outlive this. Throws std::invalid_argument on parts that do not fit it.
  Als(const ObservedTensor& tensor, const std::vector<PartSpec>& parts, const std::vector<int>& ranks,
      std::uint64_t seed);

  // The factors and effects of a model of the same cells, parts and ranks; false, and nothing is changed, for others.
  bool start_from(const Model& model);

  // Every part once. False when interrupted: what was done by then stays.
  [[nodiscard]] bool sweep(const Interrupted& interrupted);

  [[nodiscard]] double objective() const;
  [[nodiscard]] double train_rmse() const;
  [[nodiscard]] double noise_deviation() const;  // tau^(-1/2), in the data's units
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] const std::vector<AlsPart>& parts() const { return parts_; }
  [[nodiscard]] std::span<const float> residual() const { return entries_.residual; }

  // Part p without its effects of modes and pairs of modes, and those effects, equal mode sets added up.
  [[nodiscard]] ModelPart part(std::size_t p) const;
  [[nodiscard]] std::vector<Effect> effects() const;
  // The shares of the parts' norms over the entries, effects left out.
  [[nodiscard]] std::vector<double> mixture() const;
  // The data minus the parts, times the weights.
  [[nodiscard]] std::vector<double> weighted_residual() const;

  // The factors, to come back to.
  struct Kept {
    std::vector<std::vector<float>> means;

    template <class A>
    void fields(A& archive) {
      archive("means", means);
    }
  };
  void keep(Kept& kept) const;
  void restore(const Kept& kept);

  // All that sweeps change, between two of them.
  void fields(Archive& archive);

 private:
  void refresh_residual();
  [[nodiscard]] SidePrior prior_of(const AlsSide& side, int columns, int last, double factor) const;

  const ObservedTensor* tensor_;
  double scale_ = 1.0;
  double total_weight_ = 0.0;
  double square_ = 0.0;  // sum_e w_e residual_e^2
  AlsEntries entries_;
  std::vector<AlsPart> parts_;
};

// Whether the effect of a part's fibers is one of a mode or of a pair of modes, which offsets can hold; else
// it is a column of the part.
[[nodiscard]] inline bool has_fiber_effect(const PartSpec& part) {
  return part.agree.size() == 1 || part.agree.size() == 2;
}

// What a fit says of a list of cells, found once which row and which fiber of each part they are on.
class AlsCells {
 public:
  AlsCells(const ObservedTensor& tensor, const std::vector<AlsPart>& parts, const Cells& index);

  // out[i] += the parts and effects at cell i.
  void add_values(const Als& als, std::span<double> out) const;
  // Which cells no part's product says anything of.
  [[nodiscard]] const std::vector<bool>& silent() const { return silent_; }

 private:
  static constexpr Index kNone = 0xffffffffU;
  struct Cell {
    Index row = kNone;
    Index fiber = kNone;
  };
  std::vector<std::vector<Cell>> parts_;
  std::vector<bool> silent_;
};

}  // namespace lacuna
