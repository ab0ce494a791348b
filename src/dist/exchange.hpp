// SPDX-License-Identifier: MIT
// One number for each entry, moved between two ways of dealing the entries to processes. Who sends which entry to
// whom is found once; after that a move is one message to each other process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dist/communicator.hpp"

namespace lacuna {

class Exchange {
 public:
  // owner[e]: the process that is to have entry e of this process. The communicator must outlive this.
  Exchange(const Communicator& everyone, std::span<const int> owner);

  [[nodiscard]] std::int64_t here() const { return static_cast<std::int64_t>(order_.size()); }
  [[nodiscard]] std::int64_t there() const { return arriving_; }
  // Numbers that this process sends to others when it moves one for each entry.
  [[nodiscard]] std::int64_t crossing() const;

  // What arrives as order[i] has place i from here on.
  void arrange(std::span<const std::uint32_t> order);

  // Gives back the room that moves have taken, until the next.
  void rest() const { sent_ = arrived_ = {}; }

  // there <- here
  template <class T>
  void forth(std::span<const T> here, std::span<T> there) const {
    const std::span<T> packed = buffer<T>(sent_, order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) packed[i] = here[order_[i]];
    const std::span<T> arrived = buffer<T>(arrived_, static_cast<std::size_t>(arriving_));
    everyone_->all_to_all(std::span<const T>(packed), to_, arrived, from_);
    for (std::size_t i = 0; i < arrived.size(); ++i) there[place(i)] = arrived[i];
  }
  // here += there
  template <class T>
  void add_back(std::span<const T> there, std::span<T> here) const {
    const std::span<T> packed = buffer<T>(arrived_, static_cast<std::size_t>(arriving_));
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = there[place(i)];
    const std::span<T> returned = buffer<T>(sent_, order_.size());
    everyone_->all_to_all(std::span<const T>(packed), from_, returned, to_);
    for (std::size_t i = 0; i < order_.size(); ++i) here[order_[i]] += returned[i];
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t i) const { return place_.empty() ? i : place_[i]; }
  // Kept from move to move: an application allocates nothing.
  template <class T>
  [[nodiscard]] static std::span<T> buffer(std::vector<std::byte>& memory, std::size_t numbers) {
    if (memory.size() < numbers * sizeof(T)) memory.resize(numbers * sizeof(T));
    return {reinterpret_cast<T*>(memory.data()), numbers};
  }

  const Communicator* everyone_;
  std::vector<std::uint32_t> order_;  // the entries here, by the process they go to
  std::vector<std::int64_t> to_;      // how many go to each process
  std::vector<std::int64_t> from_;    // and come from it
  std::int64_t arriving_ = 0;
  std::vector<std::uint32_t> place_;  // of what arrives, among the entries there; empty: as it arrives
  mutable std::vector<std::byte> sent_;
  mutable std::vector<std::byte> arrived_;
};

}  // namespace lacuna
