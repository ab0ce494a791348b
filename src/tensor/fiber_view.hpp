// SPDX-License-Identifier: MIT
// The fibers of a part (k, S): entries grouped by the indices of the modes in S, told apart by mode k. Modes
// that must be near tell fibers apart like those in S; how near fibers speak to each other is NearKernel's.
//
// The paper's part k has S = all modes but k, so a group is a mode-k fiber and the groups together are the
// non-zero columns of the unfolding Z_k. A smaller S makes longer, marginal fibers. All that is said about
// fibers holds for any S: two entries interact through part (k, S) exactly when they share a fiber.
//
// Layout. Fibers of one entry need no list, only a bit per entry. The others are stored one after the other,
// by length: all pairs, all triples, ... up to kShort, then the long ones in any length; within a length by
// where their first entry lies, so neighbours in memory are neighbours in the tensor.
#pragma once

#include <array>
#include <bit>
#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

class FiberView {
 public:
  static constexpr int kShort = 4;  // fibers of 2..kShort entries are "short"

  // Positions [begin, end) in entry() and row().
  struct Span {
    Count begin = 0;
    Count end = 0;
  };

  FiberView() = default;
  FiberView(const ObservedTensor& tensor, PartSpec part);

  [[nodiscard]] const PartSpec& part() const { return part_; }
  [[nodiscard]] const std::vector<int>& modes() const { return modes_; }  // that tell fibers apart
  [[nodiscard]] Count rows() const { return rows_; }                      // n_k, or 1 when nothing is learned

  // entry()[j] is the entry at position j of the fiber order, row()[j] its index along mode k.
  [[nodiscard]] const std::vector<Index>& entry() const { return entry_; }
  [[nodiscard]] const std::vector<Index>& row() const { return row_; }

  [[nodiscard]] Count single_fibers() const { return single_fibers_; }
  [[nodiscard]] Count short_fibers(int length) const { return short_fibers_[length]; }
  [[nodiscard]] Count long_fibers() const { return static_cast<Count>(long_start_.size()) - 1; }
  [[nodiscard]] Count fibers() const { return listed_fibers() + single_fibers_; }
  [[nodiscard]] Count listed_fibers() const { return listed_fibers_; }  // those with two entries or more

  // Where the fibers of this length begin in the fiber order; long fibers begin at short_begin(kShort + 1).
  [[nodiscard]] Count short_begin(int length) const { return short_begin_[length]; }
  [[nodiscard]] const std::vector<Count>& long_start() const { return long_start_; }
  [[nodiscard]] Span span(Count listed_fiber) const;

  [[nodiscard]] bool is_single(Count entry) const { return (single_[entry >> 6] >> (entry & 63) & 1U) != 0; }
  // body(entry) for each entry of [begin, end) that is_single(), ascending.
  template <class Body>
  void for_each_single(Count begin, Count end, Body&& body) const {
    for (Count word = begin >> 6; word << 6 < end; ++word) {
      std::uint64_t bits = single_[word];
      if (word << 6 < begin) bits &= ~std::uint64_t{0} << (begin & 63);
      if ((word + 1) << 6 > end) bits &= (std::uint64_t{1} << (end & 63)) - 1;
      for (; bits != 0; bits &= bits - 1) body((word << 6) + std::countr_zero(bits));
    }
  }
  // The number of an entry's fiber among the fibers(): listed ones first, then the single ones as they lie in
  // the tensor. Only for an entry that is_single().
  [[nodiscard]] Count fiber_of_single(Count entry) const {
    const std::uint64_t before = single_[entry >> 6] & ((std::uint64_t{1} << (entry & 63)) - 1);
    return listed_fibers_ + singles_before_[entry >> 6] + std::popcount(before);
  }

  [[nodiscard]] Count bytes() const;

 private:
  PartSpec part_;
  std::vector<int> modes_;
  Count rows_ = 0;
  Count single_fibers_ = 0;
  Count listed_fibers_ = 0;
  std::array<Count, kShort + 1> short_fibers_{};
  std::array<Count, kShort + 2> short_begin_{};
  std::vector<Index> entry_;
  std::vector<Index> row_;
  std::vector<Count> long_start_{0};   // positions of the long fibers, and the end
  std::vector<std::uint64_t> single_;  // a bit for each entry
  std::vector<Index> singles_before_;  // how many bits the words before each word have
};

}  // namespace lacuna
