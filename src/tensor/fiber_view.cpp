// SPDX-License-Identifier: MIT
#include "tensor/fiber_view.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <stdexcept>

#include "tensor/lexicographic_order.hpp"

namespace lacuna {

std::vector<PartSpec> full_parts(int order) {
  std::vector<PartSpec> parts;
  for (int k = 0; k < order; ++k) {
    PartSpec part{.mode = k, .agree = {}};
    for (int other = 0; other < order; ++other)
      if (other != k) part.agree.push_back(other);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<int> PartSpec::fiber_modes() const {
  std::vector<int> modes = agree;
  for (const NearMode& other : near) modes.push_back(other.mode);
  std::sort(modes.begin(), modes.end());
  return modes;
}

namespace {

void check_near(const PartSpec& part, int order) {
  for (const NearMode& near : part.near) {
    if (near.mode < 0 || near.mode >= order || near.mode == part.mode ||
        std::find(part.agree.begin(), part.agree.end(), near.mode) != part.agree.end())
      throw std::invalid_argument(
          "a part's near modes must be modes of the tensor that it neither learns nor asks to agree");
    if (!(near.length > 0.0) || !std::isfinite(near.length))
      throw std::invalid_argument("the length of a near mode must be a number > 0, got " +
                                  std::to_string(near.length));
  }
  for (std::size_t i = 1; i < part.near.size(); ++i)
    if (part.near[i - 1].mode >= part.near[i].mode)
      throw std::invalid_argument("a part's near modes must be ascending, each once");
  if (part.smoothness != 1.0 && part.smoothness != 1.5 && part.smoothness != 2.0)
    throw std::invalid_argument("the smoothness of a part must be 1, 1.5 or 2, got " +
                                std::to_string(part.smoothness));
  if (!part.near.empty() && part.fiber_power != 0.0)
    throw std::invalid_argument("a part with near modes cannot weigh fibers by their counts");
}

}  // namespace

void check_part(const PartSpec& part, int order) {
  const auto valid = [&](int mode) { return mode >= 0 && mode < order; };
  if (part.learns() && !valid(part.mode))
    throw std::invalid_argument("a part's mode must lie in 0.." + std::to_string(order - 1));
  if (!(part.side >= 0.0 && part.side <= 1.0) || (!part.learns() && part.side > 0.0))
    throw std::invalid_argument(
        "a part's share of side information must lie in 0..1, and be 0 where it learns nothing");
  for (const int mode : part.agree)
    if (!valid(mode) || mode == part.mode)
      throw std::invalid_argument("a part's agreeing modes must be modes of the tensor other than its own");
  if (!std::is_sorted(part.agree.begin(), part.agree.end(), std::less_equal<>()))
    throw std::invalid_argument("a part's agreeing modes must be ascending, each once");
  check_near(part, order);
}

namespace {

// length[j] > 0 where a fiber of that many entries begins at position j of `order`, else 0. A fiber of 2^32 -
// 1 entries or more cannot occur: entries are numbered with 32 bits.
std::vector<Index> fiber_lengths(const ObservedTensor& tensor, const std::vector<int>& agree,
                                 const std::vector<Index>& order) {
  const Count size = tensor.size();
  std::vector<Index> length(order.size(), 0);
  const auto same_fiber = [&](Index a, Index b) {
    return std::all_of(agree.begin(), agree.end(),
                       [&](int mode) { return tensor.index(mode)[a] == tensor.index(mode)[b]; });
  };
  Count begin = 0;
  for (Count j = 1; j <= size; ++j)
    if (j == size || !same_fiber(order[j - 1], order[j])) {
      length[begin] = static_cast<Index>(j - begin);
      begin = j;
    }
  return length;
}

}  // namespace

FiberView::FiberView(const ObservedTensor& tensor, PartSpec part) : part_(std::move(part)) {
  check_part(part_, tensor.order());
  modes_ = part_.fiber_modes();
  rows_ = part_.learns() ? tensor.extent(part_.mode) : 1;
  const Count size = tensor.size();
  const std::vector<Index> order = lexicographic_order(tensor.cells(), modes_);
  std::vector<Index> length = fiber_lengths(tensor, modes_, order);

  // Count, and lay the lengths out one after the other.
  single_.assign(static_cast<std::size_t>(size + 63) / 64, 0);
  Count long_count = 0;
  for (Count j = 0; j < size; ++j) {
    if (length[j] == 0) continue;
    if (length[j] == 1) {
      ++single_fibers_;
      single_[order[j] >> 6] |= std::uint64_t{1} << (order[j] & 63);
    } else if (length[j] <= kShort) {
      ++short_fibers_[length[j]];
    } else {
      ++long_count;
    }
  }
  short_begin_[2] = 0;
  for (int l = 2; l <= kShort; ++l) short_begin_[l + 1] = short_begin_[l] + l * short_fibers_[l];
  const auto listed = static_cast<std::size_t>(size - single_fibers_);
  entry_.resize(listed);
  row_.resize(listed);
  long_start_.assign(1, short_begin_[kShort + 1]);
  long_start_.reserve(static_cast<std::size_t>(long_count) + 1);

  // Go through the entries as they lie in the tensor and place each fiber when its first entry comes by.
  std::vector<Index> position_of_first(order.size());
  for (Count j = 0; j < size; ++j) position_of_first[order[j]] = static_cast<Index>(j);
  std::array<Count, kShort + 2> next = short_begin_;
  const auto row_of = [&, rows = part_.learns() ? tensor.index(part_.mode) : std::span<const Index>()](
                          Index entry) { return rows.empty() ? Index{0} : rows[entry]; };
  for (Count e = 0; e < size; ++e) {
    const Count j = position_of_first[e];
    const Count fiber_length = length[j];
    if (fiber_length < 2) continue;
    Count& to = next[fiber_length <= kShort ? fiber_length : kShort + 1];
    for (Count i = j; i < j + fiber_length; ++i, ++to) {
      entry_[to] = order[i];
      row_[to] = row_of(order[i]);
    }
    if (fiber_length > kShort) long_start_.push_back(to);
  }
  listed_fibers_ = long_count;
  for (const Count fibers_of_length : short_fibers_) listed_fibers_ += fibers_of_length;
  Index before = 0;
  for (const std::uint64_t word : single_) {
    singles_before_.push_back(before);
    before += static_cast<Index>(std::popcount(word));
  }
}

FiberView::Span FiberView::span(Count listed_fiber) const {
  for (int l = 2; l <= kShort; ++l) {
    if (listed_fiber < short_fibers_[l]) {
      const Count begin = short_begin_[l] + l * listed_fiber;
      return {begin, begin + l};
    }
    listed_fiber -= short_fibers_[l];
  }
  return {long_start_[listed_fiber], long_start_[listed_fiber + 1]};
}

Count FiberView::bytes() const {
  return static_cast<Count>((entry_.size() + row_.size()) * sizeof(Index) +
                            long_start_.size() * sizeof(Count) + single_.size() * sizeof(std::uint64_t) +
                            singles_before_.size() * sizeof(Index));
}

}  // namespace lacuna
