// SPDX-License-Identifier: MIT
// What a latent part says of a cell, entry by entry and component by component: see lacuna/model/explain.hpp.
#pragma once

#include <lacuna/model/explain.hpp>
#include <map>
#include <utility>

#include "model/latent.hpp"
#include "model/row_prior.hpp"

namespace lacuna {

// A sum of many numbers of which the strongest are told one by one.
struct Doing {
  Index of = 0;  // an entry, or a component
  double weight = 0.0;
  double left = 1.0;
  [[nodiscard]] double adds() const { return weight * left; }
};
// The strongest first, of equal ones the first; the others are counted and left out.
[[nodiscard]] ExplainedOthers keep_strongest(std::vector<Doing>& doings, int count);

class PartExplainer {
 public:
  // The model, which has latent parts, must outlive it.
  explicit PartExplainer(const Model& model);

  [[nodiscard]] const LatentPredictor& latent() const { return latent_; }
  // The term of part p, whose value at the cell is known.
  [[nodiscard]] ExplainedTerm explain(std::size_t p, const Cells& cells, Count cell, double value,
                                      const ExplainOptions& options);
  // Sets the values of all entries that terms list.
  void tell_values(std::vector<ExplainedTerm>& terms) const;

 private:
  [[nodiscard]] std::vector<Doing> dual_doings(std::size_t p, const FiberLookup::Hit& hit, Index row) const;
  [[nodiscard]] std::vector<Doing> near_doings(std::size_t p, const Cells& cells, Count cell) const;
  [[nodiscard]] std::vector<Doing> ridge_doings(std::size_t p, const FiberLookup::Hit& hit, Index row,
                                                bool by_rows);
  void add_components(std::size_t p, const double* row, const Eigen::VectorXd& fiber, int count,
                      ExplainedTerm& term);
  [[nodiscard]] Eigen::VectorXd vector_of(std::size_t p, const Cells& cells, Count cell) const;
  [[nodiscard]] const Eigen::MatrixXd& ridge(std::size_t p, bool of_rows);
  [[nodiscard]] std::vector<Index> entries_on(std::size_t p, const FiberLookup::Hit& hit) const;

  const Model* model_;
  LatentPredictor latent_;
  double noise_ = 0.0;
  // Made when they are first asked for.
  std::map<std::size_t, LatentPredictor::Components> components_;
  std::map<std::pair<std::size_t, bool>, Eigen::MatrixXd> ridges_;
};

}  // namespace lacuna
