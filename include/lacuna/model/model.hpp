// SPDX-License-Identifier: MIT
// A fitted model: everything needed to predict any cell.
//
//   W(cell) = offset(cell) + sum_p lambda_p u_cell . sum_{e in fiber of p through cell} z_e u_e
//
// with u the rows of part p's factor U_p and z the sparse dual tensor on Omega (the paper's representer
// theorem). Both problems end here: D with its maximiser Z, P with its variable Z.
#pragma once

#include <lacuna/model/cell_plan.hpp>
#include <lacuna/model/offsets.hpp>
#include <lacuna/tensor/fiber_lookup.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

struct ModelPart {
  PartSpec modes;
  double lambda = 0.0;
  Matrix<double> factor;  // U_p
};

struct Range {
  double low = 0.0;
  double high = 0.0;
};

struct Model {
  std::string method;           // "tr-mm", "tr-ls"
  std::string version;          // of the library that fitted it
  std::string settings = "{}";  // how it was fitted, as JSON
  int index_base = 1;           // of the numbers in the files it was fitted on
  Offsets offsets;
  Range observed;               // the smallest and largest value it was fitted on
  std::optional<Range> clip{};  // predictions are kept within
  std::vector<ModelPart> parts;
  ObservedTensor dual;  // Omega, with Z for values; its modes are the model's
};

// Answers questions about a model. Set-up is O(N) for each part; after it a list of cells costs O(sum_p r_p)
// for each cell plus one pass over the fibers the list touches.
class Predictor {
 public:
  // The model must outlive the predictor.
  explicit Predictor(const Model& model);

  struct Prediction {
    std::vector<double> value;
    Count cold = 0;  // cells on no observed fiber: they get their offset
  };
  // index[k][i]: position of cell i along mode k, or kUnseen. Throws std::invalid_argument on another number
  // of modes.
  [[nodiscard]] Prediction predict(const std::vector<std::vector<Index>>& index) const;

  // The latent parts W^(p) at the cells, one list for each part, without the offset and unclipped.
  [[nodiscard]] std::vector<std::vector<double>> predict_parts(
      const std::vector<std::vector<Index>>& index) const;

  // ||W^(p)||_F / sum_q ||W^(q)||_F (the paper's Figure 1), over the observed entries: what each part has to
  // say of the data. Over the whole tensor a part whose few fibers reach few cells counts for less.
  [[nodiscard]] std::vector<double> mixture() const;
  [[nodiscard]] std::vector<double> tensor_mixture() const;

 private:
  [[nodiscard]] CellPlan plan(const std::vector<std::vector<Index>>& index) const;

  const Model* model_;
  std::vector<PartKernels> parts_;
  std::vector<FiberLookup> lookups_;
  std::vector<FactorTable<double>> factors_;
};

// ||W^(p)||_F of one part over the entries that z belongs to.
[[nodiscard]] double observed_norm(std::span<const double> z, const PartKernels& part,
                                   const FactorTable<double>& factor, double lambda);

// ||W^(p)||_F of one part over the whole tensor: lambda (sum_c t_c' U'U t_c)^1/2, t_c = U'z on fiber c, times
// the square root of the number of cells that the part's ignored modes repeat it over.
[[nodiscard]] double part_norm(const ObservedTensor& support, std::span<const double> z,
                               const PartKernels& part, const FactorTable<double>& factor, double lambda);

// The norms as shares of their sum; all zero when the sum is.
[[nodiscard]] std::vector<double> shares(std::vector<double> norms);

}  // namespace lacuna
