// SPDX-License-Identifier: MIT
// The data that problems D and P share: observed values y and their weights, the parts with their fibers, one
// lambda each.
#pragma once

#include <span>
#include <vector>

#include "dist/communicator.hpp"
#include "kernels/part_set.hpp"

namespace lacuna {

template <class Real>
class ProblemData {
 public:
  // The tensor must outlive this; in double its values are used where they are. Throws std::invalid_argument
  // unless there is one positive lambda for each part.
  ProblemData(const ObservedTensor& tensor, const std::vector<PartSpec>& parts, std::vector<double> lambda,
              const Communicator& everyone = serial_communicator());
  ProblemData(std::shared_ptr<Layouts> layouts, const std::vector<PartSpec>& parts,
              std::vector<double> lambda, std::span<const int> columns = {});
  ProblemData(const ProblemData&) = delete;  // vectors over the entries know where the parts are
  ProblemData& operator=(const ProblemData&) = delete;

  [[nodiscard]] const PartSet& parts() const { return parts_; }
  [[nodiscard]] const std::vector<double>& lambda() const { return lambda_; }
  [[nodiscard]] std::span<const Real> y() const { return y_; }
  [[nodiscard]] Count entries() const { return static_cast<Count>(y_.size()); }  // of this process
  [[nodiscard]] const Communicator& everyone() const { return parts_.everyone(); }
  [[nodiscard]] double y_norm() const { return y_norm_; }                    // ||Y||
  [[nodiscard]] double weighted_square() const { return weighted_square_; }  // sum_e weight_e Y_e^2
  // The weight of each entry in the data term; empty: all 1. total_weight() sums over all processes.
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  [[nodiscard]] double weight(Count entry) const { return weights_.empty() ? 1.0 : weights_[entry]; }
  [[nodiscard]] double total_weight() const { return total_weight_; }

  // Other lambdas for the same data: a step of a path in lambda.
  void set_lambda(std::vector<double> lambda);

 private:
  PartSet parts_;
  std::vector<double> lambda_;
  std::vector<Real> y_storage_;  // only when Real is not double
  std::span<const Real> y_;
  std::span<const double> weights_;
  double y_norm_ = 0.0;
  double weighted_square_ = 0.0;
  double total_weight_ = 0.0;
};

}  // namespace lacuna
