// SPDX-License-Identifier: MIT
// Cells that agree in some modes, all such groups numbered: which have an observed entry, on any of the processes that
// share the entries, and which each entry is in.
#pragma once

#include <algorithm>
#include <vector>

#include "dist/communicator.hpp"
#include "tensor/positions.hpp"

namespace lacuna {

class Groups {
 public:
  enum class Order { kByPosition, kByIndex };  // neighbours are by position; canonical order is by index

  // The tensor and `fixed` must outlive this.
  Groups(const ObservedTensor& tensor, const std::vector<int>& fixed, const Communicator& sharers,
         Order order = Order::kByPosition)
      : Groups(tensor, fixed, sharers, order, [](Count) { return true; }) {}
  // Of the entries for which counts(e).
  template <class Counts>
  Groups(const ObservedTensor& tensor, const std::vector<int>& fixed, const Communicator& sharers,
         Order order, Counts&& counts)
      : tensor_(&tensor), fixed_(&fixed) {
    for (const int k : fixed)
      place_.push_back(order == Order::kByPosition ? places(tensor.modes()[k]) : std::vector<Index>());
    stride_.assign(fixed.size(), 1);
    for (std::size_t j = fixed.size(); j-- > 0;) {
      stride_[j] = count_;
      count_ *= tensor.extent(fixed[j]);
    }
    observed_.assign(count_, false);
    for (Count e = 0; e < tensor.size(); ++e)
      if (counts(e)) observed_[of_entry(e)] = true;
    sharers.any(observed_);
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool observed(std::size_t group) const { return observed_[group]; }
  [[nodiscard]] std::size_t of_entry(Count e) const {
    std::size_t group = 0;
    for (std::size_t j = 0; j < fixed_->size(); ++j) {
      const Index i = tensor_->index((*fixed_)[j])[e];
      group += stride_[j] * (place_[j].empty() ? i : place_[j][i]);
    }
    return group;
  }
  [[nodiscard]] std::size_t size(std::size_t j) const { return tensor_->extent((*fixed_)[j]); }
  [[nodiscard]] std::size_t position(std::size_t group, std::size_t j) const {
    return group / stride_[j] % size(j);
  }
  [[nodiscard]] std::size_t stride(std::size_t j) const { return stride_[j]; }
  [[nodiscard]] std::size_t modes() const { return fixed_->size(); }
  [[nodiscard]] double missing_share() const {
    const auto seen = std::count(observed_.begin(), observed_.end(), true);
    return 1.0 - static_cast<double>(seen) / static_cast<double>(count_);
  }
  // How likely the next group along mode j is missing, given that this one is.
  [[nodiscard]] double missing_beside(std::size_t j) const {
    double holes = 0.0;
    double both = 0.0;
    for (std::size_t g = 0; g < count_; ++g) {
      if (observed_[g] || position(g, j) + 1 >= size(j)) continue;
      holes += 1.0;
      both += observed_[g + stride_[j]] ? 0.0 : 1.0;
    }
    return holes > 0.0 ? both / holes : 0.0;
  }

 private:
  const ObservedTensor* tensor_;
  const std::vector<int>* fixed_;
  std::vector<std::vector<Index>> place_;  // of each index; empty: itself
  std::vector<std::size_t> stride_;
  std::size_t count_ = 1;
  std::vector<bool> observed_;
};

}  // namespace lacuna
