// SPDX-License-Identifier: MIT
// A part (k, S) in factored form, x_e = f_i . t_c + a_i + b_c for an entry in row i (its position along mode
// k) and on fiber c, fitted by alternating least squares that know how sure they are.
//
//   y_e ~ N(sum_p x_e, 1 / (tau w_e)),   f_i ~ N(prior_i, diag(lambda)^-1),   t_c and the effects likewise
//   prior_i = (sum_e w_e)^(-1/2) sum_e w_e s_c(e),   s_c ~ N(0, 1 / kappa):   which fibers row i was observed
//             on says something by itself, whatever its values are (implicit feedback; Koren 2008)
//
// Where the part has side information, prior_i also has what it says (als_known.hpp), of the learned mode and, if a
// single mode must agree, of that.
//
// Every number has a mean and a variance of its own (mean-field variational inference; Lim & Teh 2007, Raiko,
// Ilin & Karhunen 2007); s is a point. A row's means solve
//
//   (sum_e w_e (t_e t_e' + diag(var t_e)) + diag(lambda)/tau) f_i = sum_e w_e y_e t_e + diag(lambda)/tau prior_i
//
// with y_e what the effect b_c and the other parts leave of the entry. The variances of t_e are a ridge that
// grows with the number of entries, as people weight ridges by counts (ALS-WR); lambda and tau follow from
// what they are the precision of, so no ridge is left to choose. Each update lowers the bound objective().
// A sweep costs O(N r^2 + (rows + fibers) r^3); memory is 16 bytes for each entry, and 24 (r + 2) for each row
// and each fiber.
#pragma once

#include <lacuna/model/structure.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <optional>

#include "base/rng.hpp"
#include "method/latent/als_known.hpp"
#include "method/latent/als_side.hpp"
#include "model/latent.hpp"

namespace lacuna {

class AlsPart {
 public:
  // F starts at 0, T at small random numbers.
  AlsPart(const ObservedTensor& tensor, const PartSpec& part, int rank, const AlsEntries& entries, Rng& rng);

  // Means from a part of a model of the same cells, and from effects in the data's units, which are `unit` of the
  // part's own. Variances and priors follow with settle(), which needs the noise of all parts together.
  void start_from(const ObservedTensor& tensor, const ModelPart& part, const Effect* of_rows,
                  const Effect* of_fibers, double unit);
  void settle(const AlsEntries& entries);

  // Both factors once, with their priors. False when interrupted: what was done by then stays.
  [[nodiscard]] bool sweep(AlsEntries& entries, const Interrupted& interrupted);

  // residual_e -= x_e
  void take_off(std::span<float> residual) const;

  // sum_e (f_i . t_c)^2
  [[nodiscard]] double interaction_square() const;
  // Rows of the tables as they lie there, padding included.
  void set_means(std::span<const float> rows, std::span<const float> fibers);

  // sum_e w_e var(x_e), as of the last sweep.
  [[nodiscard]] double expected_variance() const { return expected_variance_; }
  // The part's divergence from its priors, up to constants.
  [[nodiscard]] double divergence() const;

  [[nodiscard]] const PartSpec& spec() const { return spec_; }
  [[nodiscard]] const AlsSide& rows() const { return sides_[0]; }
  [[nodiscard]] const AlsSide& fibers() const { return sides_[1]; }
  [[nodiscard]] int rank() const { return sides_[0].rank(); }
  // Whether rows without entries have a factor and an effect, too.
  [[nodiscard]] bool knows_rows() const { return known_[0].has_value(); }

  // All that sweeps change.
  template <class A>
  void fields(A& archive) {
    archive("rows", sides_[0]);
    archive("fibers", sides_[1]);
    if (known_[0]) archive("known_rows", *known_[0]);
    if (known_[1]) archive("known_fibers", *known_[1]);
    archive("expected_variance", expected_variance_);
  }

 private:
  bool update(int which, AlsEntries& entries, const Interrupted& interrupted);
  void set_precisions(AlsSide& side) const;
  void take_side(const ObservedTensor& tensor);

  PartSpec spec_;
  AlsSide sides_[2];
  bool implicit_ = false;
  std::optional<AlsKnown> known_[2];
  FactorTable<float> difference_[2];  // scratch of improve_shared(), one row for each row of either side
  double expected_variance_ = 0.0;
};

}  // namespace lacuna
