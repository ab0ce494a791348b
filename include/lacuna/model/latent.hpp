// SPDX-License-Identifier: MIT
// A sum of latent parts in dual form:
//
//   W(cell) = sum_p lambda_p u_cell . sum_{e in fiber of p through cell} z_e u_e
//
// with u the rows of part p's factor U_p and z the sparse dual tensor on Omega (the paper's representer
// theorem). Problems D and P both end here: D with its maximiser Z, P with its variable Z.
#pragma once

#include <lacuna/model/cell_plan.hpp>
#include <vector>

namespace lacuna {

struct ModelPart {
  PartSpec modes;
  double lambda = 0.0;
  Matrix<double> factor;  // U_p
};

struct Latent {
  std::vector<ModelPart> parts;
  ObservedTensor dual;  // Omega, with Z for values; without labels, which are the model's
};

// Answers questions about the latent parts. Set-up is O(N) for each part; after it a list of cells costs
// O(sum_p r_p) for each cell plus one pass over the fibers the list touches.
class LatentPredictor {
 public:
  // The latent parts must outlive the predictor.
  explicit LatentPredictor(const Latent& latent);

  // out[i] += W(cell i); returns how many cells are cold: on no observed fiber of any part.
  Count add_values(const std::vector<std::vector<Index>>& index, std::span<double> out) const;
  // The parts W^(p) at the cells, one list for each.
  [[nodiscard]] std::vector<std::vector<double>> parts(const std::vector<std::vector<Index>>& index) const;

  // The observed entries on each cell's fibers, over all parts.
  [[nodiscard]] std::vector<Count> support(const std::vector<std::vector<Index>>& index) const;

  [[nodiscard]] std::vector<double> mixture() const;               // over the observed entries
  [[nodiscard]] std::vector<double> tensor_mixture() const;        // over the whole tensor
  [[nodiscard]] std::vector<std::vector<double>> spectra() const;  // part_spectrum() of each part

 private:
  const Latent* latent_;
  std::vector<PartKernels> parts_;
  std::vector<FiberLookup> lookups_;
  std::vector<FactorTable<double>> factors_;
};

// ||W^(p)||_F of one part over the entries that z belongs to.
[[nodiscard]] double observed_norm(std::span<const double> z, const PartKernels& part,
                                   const FactorTable<double>& factor, double lambda);

// The singular values of W^(p), unfolded along its mode over the whole tensor, descending: those of
// lambda U T', T's rows t_c = U'z on fiber c, times the square root of the number of cells that the part's
// ignored modes repeat it over. From r x r matrices only. Their root sum of squares is ||W^(p)||_F.
[[nodiscard]] std::vector<double> part_spectrum(const ObservedTensor& support, std::span<const double> z,
                                                const PartKernels& part, const FactorTable<double>& factor,
                                                double lambda);

// The norms as shares of their sum; all zero when the sum is.
[[nodiscard]] std::vector<double> shares(std::vector<double> norms);

}  // namespace lacuna
