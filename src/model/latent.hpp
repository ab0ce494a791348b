// SPDX-License-Identifier: MIT
// A sum of latent parts, W(cell) = sum_p lambda_p u_cell . v_c, with u the rows of part p's factor U_p and
// v_c a vector for the fiber c of p through the cell, in one of two forms:
//
//   dual      v_c = sum_{e in c} z_e u_e, z the sparse dual tensor on Omega (the representer theorem).
//             Problems D and P both end here: D with its maximiser Z, P with its variable Z.
//   factored  v_c is row c of a right factor V_p of its own: a method that builds W_p = U_p V_p' by itself.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/cell_plan.hpp"

namespace lacuna {

// What a part in factored form expects of a row before its values are seen: numbers about
//   (sum_e w_e)^(-1/2) sum_e w_e shared_e      over the row's entries, shared_e of the other factor's row that e meets,
// each of the precision `ridge` times that of the noise.
struct SidePrior {
  std::vector<double> ridge;  // of each column; 0: it is not solved for, all rows have the same number there
  Matrix<float> shared{};     // a column more than the factor, for the effect of a row; empty: 0 is expected
};
struct PartPrior {
  SidePrior rows;
  SidePrior fibers;
};

struct ModelPart {
  PartSpec modes;
  double lambda = 0.0;
  Matrix<double> factor;  // U_p
  // V_p, fibers x r; listed fibers first, then single ones (FiberView::fiber_of_single). None: dual form.
  std::optional<Matrix<double>> right{};
  std::optional<PartPrior> prior{};  // of a factored part whose method has one (als): what `update` goes by
};

struct Latent {
  std::vector<ModelPart> parts;
  // Omega, with Z for values; without labels, which are the model's. Z is not used by factored parts: there
  // it is what they leave of the data, times the weights.
  ObservedTensor dual;

  [[nodiscard]] bool factored() const {
    return std::any_of(parts.begin(), parts.end(),
                       [](const ModelPart& part) { return part.right.has_value(); });
  }
};

// Answers questions about the latent parts. Set-up is O(N) for each part; after it a list of cells costs
// O(sum_p r_p) for each cell plus one pass over the fibers the list touches.
class LatentPredictor {
 public:
  // The latent parts must outlive the predictor.
  explicit LatentPredictor(const Latent& latent);

  // out[i] += W(cell i); returns which cells no part says anything of (CellPlan::silent). coordinates: as CellPlan
  // takes them.
  std::vector<bool> add_values(const Cells& cells, std::span<double> out,
                               const std::vector<std::vector<double>>& coordinates = {}) const;
  // The parts W^(p) at the cells, one list for each.
  [[nodiscard]] std::vector<std::vector<double>> parts(const Cells& cells) const;

  // The observed entries on each cell's fibers, over all parts; those on near fibers count as much as the
  // kernel between them.
  [[nodiscard]] std::vector<Count> support(const Cells& cells,
                                           const std::vector<std::vector<double>>& coordinates = {}) const;

  // What the parts are made of, for whoever asks about many cells at once. Factored parts have no near modes.
  [[nodiscard]] std::size_t part_count() const { return parts_.size(); }
  [[nodiscard]] const PartSpec& spec(std::size_t p) const { return parts_[p].part(); }
  [[nodiscard]] const PartKernels& kernels(std::size_t p) const { return parts_[p]; }
  [[nodiscard]] const FiberLookup& lookup(std::size_t p) const { return lookups_[p]; }
  [[nodiscard]] const Latent& latent() const { return *latent_; }
  [[nodiscard]] int rank(std::size_t p) const { return static_cast<int>(latent_->parts[p].factor.cols()); }
  // u of a row, and lambda v_c of a fiber that was found: rank(p) numbers.
  [[nodiscard]] const double* left_row(std::size_t p, Index row) const;
  void fiber_vector(std::size_t p, const FiberLookup::Hit& hit, double* out) const;
  // The row of part p that a cell is on: its position along the mode that is learned.
  [[nodiscard]] Index row_of(std::size_t p, const Cells& cells, Count cell) const {
    return spec(p).learns() ? cells[spec(p).mode][cell] : Index{0};
  }
  // lambda s at near fibers: NearKernel::cell_field().
  [[nodiscard]] std::vector<double> near_field(std::size_t p) const;

  [[nodiscard]] std::vector<double> mixture() const;         // over the observed entries
  [[nodiscard]] std::vector<double> tensor_mixture() const;  // over the whole tensor
  // The singular values of each W^(p), unfolded along its mode over the whole tensor, descending. From r x r
  // matrices only: U'U and the Gram matrix of the fibers' vectors, times the number of cells that the part's
  // ignored modes repeat it over. Their root sum of squares is ||W^(p)||_F.
  [[nodiscard]] std::vector<std::vector<double>> spectra() const;
  // The singular vectors of W^(p) in terms of its factors: for a row u and a fiber's vector v, as left_row() and
  // fiber_vector() give them, component j is (u . left_j) (v . right_j), and all together are u . v. The columns of
  // U left are orthonormal, those of V right have the singular values for lengths but for the ignored modes.
  struct Components {
    Eigen::MatrixXd left;        // r x r
    Eigen::MatrixXd right;       // r x r
    std::vector<double> values;  // as spectra() has them
  };
  [[nodiscard]] Components components(std::size_t p) const;

 private:
  void add_part(const CellPlan& cells, std::size_t p, std::span<double> out) const;

  const Latent* latent_;
  std::vector<PartKernels> parts_;
  std::vector<FiberLookup> lookups_;
  std::vector<FactorTable<double>> factors_;  // empty for a factored part
};

// ||W^(p)||_F of one part over the entries that z belongs to.
[[nodiscard]] double observed_norm(std::span<const double> z, const PartKernels& part,
                                   const FactorTable<double>& factor, double lambda);

// The same of a factored part U V', to be multiplied by its lambda.
[[nodiscard]] double observed_norm(const PartKernels& part, const Matrix<double>& left,
                                   const Matrix<double>& right);

// "user|item": a part as the setting is written, the powers of its norm left out.
[[nodiscard]] std::string part_text(const PartSpec& part, const std::vector<Mode>& modes);

// The norms as shares of their sum; all zero when the sum is.
[[nodiscard]] std::vector<double> shares(std::vector<double> norms);

}  // namespace lacuna
