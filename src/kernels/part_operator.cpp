// SPDX-License-Identifier: MIT
#include "kernels/part_operator.hpp"

#include <stdexcept>

namespace lacuna {

template <class Real>
PartOperator<Real>::PartOperator(const PartSet& parts, std::span<const double> weights, OperatorUse use)
    : parts_(&parts), use_(use), index_(parts.size()), parts_of_(parts.layouts().size()) {
  operators_.reserve(parts_of_.size());
  z_.resize(parts_of_.size());
  y_.resize(parts_of_.size());
  for (std::size_t layout = 0; layout < parts_of_.size(); ++layout) {
    for (std::size_t p = 0; p < parts.size(); ++p)
      if (parts.layout_of(p) == layout) {
        index_[p] = parts_of_[layout].size();
        parts_of_[layout].push_back(p);
      }
    const Count entries =
        parts.in_layout(layout).empty() && layout > 0 ? Count{0} : parts.layouts()[layout].tensor->size();
    operators_.emplace_back(parts.in_layout(layout), entries,
                            layout == 0 ? weights : std::span<const double>(), use);
    if (layout == 0) continue;
    z_[layout].resize(static_cast<std::size_t>(entries));
    y_[layout].resize(static_cast<std::size_t>(entries));
  }
}

template <class Real>
void PartOperator<Real>::set_point(const std::vector<Matrix<Real>>& u, std::span<const double> lambda,
                                   double shift) {
  if (u.size() < parts_->size() || lambda.size() != parts_->size())
    throw std::invalid_argument("a point needs one factor and one lambda for each part");
  for (std::size_t layout = 0; layout < operators_.size(); ++layout) {
    std::vector<const Matrix<Real>*> factors;
    std::vector<double> lambdas;
    for (const std::size_t p : parts_of_[layout]) {
      factors.push_back(&u[p]);
      lambdas.push_back(lambda[p]);
    }
    operators_[layout].move_to(factors, lambdas, layout == 0 ? shift : 0.0);
  }
  lambda_.assign(lambda.begin(), lambda.end());
  std::vector<int> columns;
  for (std::size_t p = 0; p < parts_->size(); ++p) columns.push_back(factor(p).columns());
  by_sums_.assign(operators_.size(), false);
  for (std::size_t layout = 1; layout < operators_.size(); ++layout)
    by_sums_[layout] = !parts_of_[layout].empty() && parts_->by_sums(layout, columns);
  if (use_ == OperatorUse::kRarely) return;
  for (std::size_t layout = 1; layout < operators_.size(); ++layout)
    if (by_sums_[layout]) {
      for (const std::size_t p : parts_of_[layout])
        parts_->shares(p).add_diagonal(factor(p), lambda_[p], operators_.front().more_diagonal());
    } else if (!parts_of_[layout].empty()) {
      parts_->layouts()[layout].dealt->exchange.add_back(operators_[layout].whole_diagonal(),
                                                         operators_.front().more_diagonal());
    }
  operators_.front().invert_diagonal();
}

template <class Real>
void PartOperator<Real>::apply(std::span<const Real> z, std::span<Real> y) const {
  operators_.front().apply(z, y);
  const Count sent_before = parts_->everyone().exchanges().bytes;
  for (std::size_t layout = 1; layout < operators_.size(); ++layout) {
    if (parts_of_[layout].empty()) continue;
    if (by_sums_[layout]) {
      for (const std::size_t p : parts_of_[layout])
        parts_->shares(p).add_product(factor(p), lambda_[p], z, y);
      continue;
    }
    const Exchange& exchange = parts_->layouts()[layout].dealt->exchange;
    exchange.forth(z, std::span<Real>(z_[layout]));
    operators_[layout].apply(z_[layout], y_[layout]);
    exchange.add_back(std::span<const Real>(y_[layout]), y);
  }
  ++parts_->layouts().template sent<Real>().applications;
  parts_->layouts().template sent<Real>().bytes += parts_->everyone().exchanges().bytes - sent_before;
}

template class PartOperator<double>;
template class PartOperator<float>;

}  // namespace lacuna
