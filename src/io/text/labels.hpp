// SPDX-License-Identifier: MIT
// Labels and their positions: an open-addressing table that looks labels up without copying them.
#pragma once

#include <array>
#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::io {

class LabelTable {
 public:
  LabelTable();
  explicit LabelTable(std::vector<std::string> labels);  // of two equal ones the first is found

  [[nodiscard]] Index find(std::string_view label) const;  // kUnseen when it is not there
  // Appends the label's position to `out`; a new label gets the next one. This may happen only some labels
  // later, so that the memory the table needs is fetched meanwhile: settle() must follow the last one. False:
  // there are more labels than positions.
  bool append(std::string_view label, std::vector<Index>& out);
  bool settle(std::vector<Index>& out);

  [[nodiscard]] Index size() const { return static_cast<Index>(labels_.size()); }
  std::vector<std::string> take() { return std::move(labels_); }

 private:
  static constexpr std::size_t kShort = 16;
  static constexpr std::size_t kMostWaiting = 16;
  // A label of up to kShort bytes is its own key, so that looking it up touches no memory but the slot: in a
  // large table each such touch is a cache miss. A longer one has its hash in the key and is then compared.
  struct Key {
    std::uint64_t front = 0;
    std::uint64_t back = 0;
    std::uint32_t length = 0;
  };
  struct Slot {
    std::uint64_t front = 0;
    std::uint64_t back = 0;
    std::uint32_t length = 0;
    Index index = kUnseen;
  };
  struct Waiting {
    Key key;
    std::array<char, kShort> text;
  };
  static Key key_of(std::string_view label);
  [[nodiscard]] std::size_t home_of(const Key& key) const;
  [[nodiscard]] std::size_t find_slot(std::string_view label, const Key& key) const;
  bool append_now(std::string_view label, const Key& key, std::vector<Index>& out);
  void rehash(std::size_t slots);

  std::vector<std::string> labels_;
  std::vector<Slot> slots_;  // a power of two of them, at most two thirds in use
  std::array<Waiting, kMostWaiting> waiting_{};
  std::size_t waiting_count_ = 0;
};

// Sorts labels and renumbers `index`, so that the order of a file's lines changes no position and with it no
// bit of a result. Labels that are all whole numbers come in numerical order, others by their bytes,
// with the digits among them read as numbers: week 2, week 10.
void order_labels(std::vector<std::string>& labels, std::vector<Index>& index);

}  // namespace lacuna::io
