// SPDX-License-Identifier: MIT
#include "problem/problem_data.hpp"

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"

namespace lacuna {

template <class Real>
ProblemData<Real>::ProblemData(const ObservedTensor& tensor, const std::vector<PartSpec>& parts,
                               std::vector<double> lambda, const Communicator& everyone)
    : ProblemData(std::make_shared<Layouts>(tensor, everyone), parts, std::move(lambda)) {}

template <class Real>
ProblemData<Real>::ProblemData(std::shared_ptr<Layouts> layouts, const std::vector<PartSpec>& parts,
                               std::vector<double> lambda, std::span<const int> columns)
    : parts_(std::move(layouts), parts, columns), weights_(parts_.tensor().weights()) {
  const ObservedTensor& tensor = parts_.tensor();
  const Communicator& everyone = parts_.everyone();
  set_lambda(std::move(lambda));
  if constexpr (std::is_same_v<Real, double>) {
    y_ = tensor.values();
  } else {
    y_storage_.assign(tensor.values().begin(), tensor.values().end());
    y_ = y_storage_;
  }
  total_weight_ = everyone.sum(tensor.total_weight());
  y_norm_ = std::sqrt(dot<Real>(everyone, y_, y_));
  weighted_square_ = everyone.sum(parallel_sum(entries(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const auto value = static_cast<double>(y_[e]);
      sum += weight(e) * value * value;
    }
    return sum;
  }));
}

template <class Real>
void ProblemData<Real>::set_lambda(std::vector<double> lambda) {
  if (lambda.size() != parts_.size())
    throw std::invalid_argument("got " + std::to_string(lambda.size()) + " lambdas for " +
                                std::to_string(parts_.size()) + " parts");
  for (const double value : lambda)
    if (!(value > 0.0) || !std::isfinite(value))
      throw std::invalid_argument("every lambda must be a positive number, got " + std::to_string(value));
  lambda_ = std::move(lambda);
}

template class ProblemData<double>;
template class ProblemData<float>;

}  // namespace lacuna
