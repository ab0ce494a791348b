// SPDX-License-Identifier: MIT
// From the indices of the agreeing modes to the fiber that has them: an open-addressing hash table whose hits
// are verified against the tensor's own indices, so no key has to fit in a word.
#pragma once

#include <bit>
#include <vector>

#include "tensor/fiber_view.hpp"

namespace lacuna {

class FiberLookup {
 public:
  enum class Kind { kNone, kSingle, kListed };
  struct Hit {
    Kind kind = Kind::kNone;
    Index which = 0;  // kSingle: the entry; kListed: the fiber's number
  };

  FiberLookup(const ObservedTensor& tensor, const FiberView& view) : tensor_(&tensor), view_(&view) {
    if (view.part().learns()) {
      known_rows_.assign(tensor.extent(view.part().mode),
                         view.part().side > 0.0);  // known by what is said of it
      for (const Index row : tensor.index(view.part().mode)) known_rows_[row] = true;
    }
    const Count fibers = view.fibers();
    slots_.assign(std::bit_ceil(static_cast<std::size_t>(2 * fibers + 1)), Slot{});
    singles_.reserve(static_cast<std::size_t>(view.single_fibers()));
    for (Count f = 0; f < view.listed_fibers(); ++f) insert(static_cast<Index>(f));
    view.for_each_single(0, tensor.size(), [&](Count e) {
      singles_.push_back(static_cast<Index>(e));
      insert(static_cast<Index>(view.listed_fibers() + static_cast<Count>(singles_.size()) - 1));
    });
  }

  // What knows_row() says of each row, and other words for it: where processes share the entries, a row is
  // known by those of all of them. Empty for a part that learns nothing.
  [[nodiscard]] const std::vector<bool>& known_rows() const { return known_rows_; }
  void set_known_rows(std::vector<bool> known) { known_rows_ = std::move(known); }

  // Whether the part learns from entries at this position of its mode, or from side information; a part that
  // learns nothing has one row.
  [[nodiscard]] bool knows_row(Index row) const { return known_rows_.empty() ? row == 0 : known_rows_[row]; }

  // The fiber through cell number `cell` of the list.
  [[nodiscard]] Hit find(const Cells& cells, Count cell) const {
    const std::uint64_t wanted = hash(cells, cell);
    for (std::size_t at = place(wanted); slots_[at].code != kEmpty; at = place(at + 1)) {
      if (slots_[at].tag != tag(wanted)) continue;
      const Index code = slots_[at].code;
      const Index entry = first_entry(code);
      bool equal = true;
      for (const int mode : view_->modes()) equal = equal && cells[mode][cell] == tensor_->index(mode)[entry];
      if (!equal) continue;
      if (code < view_->listed_fibers()) return {Kind::kListed, code};
      return {Kind::kSingle, entry};
    }
    return {};
  }

 private:
  static constexpr Index kEmpty = 0xffffffffU;
  // The tag spares looking up, in five places, the indices of fibers that merely share the place.
  struct Slot {
    Index code = kEmpty;
    std::uint32_t tag = 0;
  };

  [[nodiscard]] std::size_t place(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  [[nodiscard]] static std::uint32_t tag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32);
  }

  // Codes: listed fibers by number, then single ones in order.
  [[nodiscard]] Index first_entry(Index code) const {
    return code < view_->listed_fibers() ? view_->entry()[view_->span(code).begin]
                                         : singles_[code - view_->listed_fibers()];
  }
  [[nodiscard]] std::uint64_t hash(const Cells& cells, Count cell) const {
    std::uint64_t mixed = 0x9e3779b97f4a7c15U;
    for (const int mode : view_->modes()) {
      mixed ^= cells[mode][cell];
      mixed *= 0xff51afd7ed558ccdU;
      mixed ^= mixed >> 32;
    }
    return mixed;
  }
  void insert(Index code) {
    const std::uint64_t own = hash(tensor_->cells(), first_entry(code));
    std::size_t at = place(own);
    while (slots_[at].code != kEmpty) at = place(at + 1);
    slots_[at] = {.code = code, .tag = tag(own)};
  }

  const ObservedTensor* tensor_;
  const FiberView* view_;
  std::vector<Slot> slots_;
  std::vector<Index> singles_;
  std::vector<bool> known_rows_;  // [row]
};

}  // namespace lacuna
