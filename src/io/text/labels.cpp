// SPDX-License-Identifier: MIT
// Label table with linear probing.
#include "io/text/labels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kFirstSlots = 1024;

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;

template <class Word>
std::uint64_t load(const char* p) {
  Word word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// 1 to 8 bytes as a word; with their number it says which they are. Loads that overlap spare a loop over
// bytes.
std::uint64_t load_short(const char* p, std::size_t bytes) {
  if (bytes == 8) return load<std::uint64_t>(p);
  if (bytes >= 4) return load<std::uint32_t>(p) | load<std::uint32_t>(p + bytes - 4) << 32U;
  return load<std::uint8_t>(p) | load<std::uint8_t>(p + bytes / 2) << 8U |
         load<std::uint8_t>(p + bytes - 1) << 16U;
}

std::uint64_t mix(std::uint64_t front, std::uint64_t back) {
  std::uint64_t hash = front * kOdd;
  hash ^= hash >> 32U;
  hash = (hash ^ back) * kOdd;
  hash ^= hash >> 32U;
  return hash * kOdd;
}

// Eight bytes at a time, mixed by multiplication and xor-shift.
std::uint64_t hash_long(std::string_view label) {
  std::uint64_t hash = label.size();
  const char* p = label.data();
  std::size_t left = label.size();
  for (; left > 8; left -= 8, p += 8) {
    hash = (hash ^ load<std::uint64_t>(p)) * kOdd;
    hash ^= hash >> 29U;
  }
  return (hash ^ load_short(p, left)) * kOdd;
}

// A whole number of any length, in parts that compare in numerical order.
struct WholeNumber {
  bool negative = false;
  std::string_view digits;  // without leading zeros

  bool operator<(const WholeNumber& other) const {
    if (negative != other.negative) return negative;
    const WholeNumber& small = negative ? other : *this;
    const WholeNumber& large = negative ? *this : other;
    if (small.digits.size() != large.digits.size()) return small.digits.size() < large.digits.size();
    return small.digits < large.digits;
  }
};

bool parse_whole(std::string_view label, WholeNumber& number) {
  number.negative = !label.empty() && label[0] == '-';
  if (number.negative) label.remove_prefix(1);
  if (label.empty() || !std::all_of(label.begin(), label.end(), is_digit)) return false;
  const std::size_t nonzero = label.find_first_not_of('0');
  number.digits = nonzero == std::string_view::npos ? std::string_view() : label.substr(nonzero);
  if (number.digits.empty()) number.negative = false;
  return true;
}

std::string_view take_digits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

// Byte by byte, runs of digits as numbers. What is the same by that ("7" and "007") is told apart by its bytes.
bool comes_before(std::string_view a, std::string_view b) {
  std::string_view left = a;
  std::string_view right = b;
  while (!left.empty() && !right.empty()) {
    if (is_digit(left[0]) && is_digit(right[0])) {
      WholeNumber first;
      WholeNumber second;
      parse_whole(take_digits(left), first);
      parse_whole(take_digits(right), second);
      if (first < second) return true;
      if (second < first) return false;
      continue;
    }
    if (left[0] != right[0])
      return static_cast<unsigned char>(left[0]) < static_cast<unsigned char>(right[0]);
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  if (left.empty() != right.empty()) return left.empty();
  return a < b;
}

}  // namespace

LabelTable::LabelTable() : slots_(kFirstSlots) {}

LabelTable::LabelTable(std::vector<std::string> labels) : labels_(std::move(labels)) {
  rehash(std::bit_ceil(std::max(kFirstSlots, 3 * labels_.size() / 2 + 2)));
}

LabelTable::Key LabelTable::key_of(std::string_view label) {
  const auto length = static_cast<std::uint32_t>(label.size());
  const char* const p = label.data();
  if (length == 0) return {};
  if (length <= 8) return {.front = load_short(p, length), .back = 0, .length = length};
  const std::uint64_t front = length <= kShort ? load<std::uint64_t>(p) : hash_long(label);
  return {.front = front, .back = load<std::uint64_t>(p + length - 8), .length = length};
}

std::size_t LabelTable::home_of(const Key& key) const {
  return (mix(key.front ^ key.length, key.back) >> 24U) & (slots_.size() - 1);
}

// The label's slot, or the free one where it would go.
std::size_t LabelTable::find_slot(std::string_view label, const Key& key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = home_of(key);; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.index == kUnseen) return at;
    if (slot.front != key.front || slot.back != key.back || slot.length != key.length) continue;
    if (key.length <= kShort || labels_[slot.index] == label) return at;
  }
}

void LabelTable::rehash(std::size_t slots) {
  slots_.assign(slots, Slot{});
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const Key key = key_of(labels_[i]);
    Slot& slot = slots_[find_slot(labels_[i], key)];
    if (slot.index != kUnseen) continue;
    slot = {.front = key.front, .back = key.back, .length = key.length, .index = static_cast<Index>(i)};
  }
}

Index LabelTable::find(std::string_view label) const { return slots_[find_slot(label, key_of(label))].index; }

bool LabelTable::append_now(std::string_view label, const Key& key, std::vector<Index>& out) {
  Slot& slot = slots_[find_slot(label, key)];
  if (slot.index == kUnseen) {
    if (labels_.size() == kLargestSize) return false;
    slot = {.front = key.front,
            .back = key.back,
            .length = key.length,
            .index = static_cast<Index>(labels_.size())};
    labels_.emplace_back(label);
    out.push_back(slot.index);
    if (3 * labels_.size() > 2 * slots_.size()) rehash(2 * slots_.size());
    return true;
  }
  out.push_back(slot.index);
  return true;
}

bool LabelTable::append(std::string_view label, std::vector<Index>& out) {
  const Key key = key_of(label);
  if (label.size() > kShort) return settle(out) && append_now(label, key, out);
  __builtin_prefetch(&slots_[home_of(key)]);
  Waiting& waiting = waiting_[waiting_count_++];
  waiting.key = key;
  std::copy(label.begin(), label.end(), waiting.text.begin());
  return waiting_count_ < kMostWaiting || settle(out);
}

bool LabelTable::settle(std::vector<Index>& out) {
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    const Waiting& waiting = waiting_[i];
    if (!append_now({waiting.text.data(), waiting.key.length}, waiting.key, out)) return false;
  }
  waiting_count_ = 0;
  return true;
}

void order_labels(std::vector<std::string>& labels, std::vector<Index>& index) {
  std::vector<WholeNumber> numbers(labels.size());
  bool whole = true;
  for (std::size_t i = 0; i < labels.size() && whole; ++i) whole = parse_whole(labels[i], numbers[i]);
  std::vector<Index> order(labels.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (whole && numbers[a] < numbers[b]) return true;
    if (whole && numbers[b] < numbers[a]) return false;
    return comes_before(labels[a], labels[b]);
  });
  std::vector<Index> position(labels.size());
  std::vector<std::string> sorted(labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = static_cast<Index>(i);
    sorted[i] = std::move(labels[order[i]]);
  }
  labels = std::move(sorted);
  for (Index& i : index) i = position[i];
}

}  // namespace lacuna::io
