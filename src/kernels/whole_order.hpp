// SPDX-License-Identifier: MIT
// Where this process's entries are among those of all processes in canonical order: what is kept of a fit is
// in that order, whoever shared it, and is dealt out anew to those who go on.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

#include "dist/communicator.hpp"

namespace lacuna {

class WholeOrder {
 public:
  // Called by all processes. The first holds the cells of all for a while: 4 K + 8 bytes for each.
  WholeOrder(const ObservedTensor& mine, const Communicator& everyone);

  [[nodiscard]] Count entries() const { return entries_; }  // of all processes

  // One number for each entry of this process -> for each entry of all, at the first process; nothing at the
  // others, or where nobody has one. Called by all processes.
  template <class T>
  [[nodiscard]] std::vector<T> gathered(const std::vector<T>& mine) const {
    const std::vector<T> values = everyone_->gather_at_first(std::span<const T>(mine));
    const std::vector<Count> places = everyone_->gather_at_first(std::span<const Count>(place_));
    if (values.empty() || !everyone_->first()) return {};
    std::vector<T> whole(values.size());
    for (std::size_t e = 0; e < values.size(); ++e) whole[static_cast<std::size_t>(places[e])] = values[e];
    return whole;
  }

  // The other way: one number for each entry of all -> for each entry of this process.
  template <class T>
  [[nodiscard]] std::vector<T> own(const std::vector<T>& whole) const {
    std::vector<T> mine;
    mine.reserve(place_.size());
    for (const Count place : place_) mine.push_back(whole[static_cast<std::size_t>(place)]);
    return mine;
  }

 private:
  const Communicator* everyone_;
  Count entries_ = 0;
  std::vector<Count> place_;  // of each entry here
};

}  // namespace lacuna
