// SPDX-License-Identifier: MIT
// Labels and their positions: an open-addressing table that looks labels up without copying them.
#pragma once

#include <lacuna/tensor/entries.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::io {

class LabelTable {
 public:
  LabelTable();
  explicit LabelTable(std::vector<std::string> labels);  // of two equal ones the first is found

  [[nodiscard]] Index find(std::string_view label) const;  // kUnseen when it is not there
  // Adds the label when it is new. kUnseen: there is no position left to give it.
  Index find_or_add(std::string_view label);

  [[nodiscard]] Index size() const { return static_cast<Index>(labels_.size()); }
  std::vector<std::string> take() { return std::move(labels_); }

 private:
  // A label of up to 16 bytes is its own key, so that looking it up touches no memory but the slot: in a
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
  static Key key_of(std::string_view label);
  [[nodiscard]] std::size_t find_slot(std::string_view label, const Key& key) const;
  void rehash(std::size_t slots);

  std::vector<std::string> labels_;
  std::vector<Slot> slots_;  // a power of two of them, at most two thirds in use
};

// Labels that are all whole numbers come in numerical order: sorts them and renumbers `index`. Others stay in
// the order of their first appearance.
void order_labels(std::vector<std::string>& labels, std::vector<Index>& index);

}  // namespace lacuna::io
