// SPDX-License-Identifier: MIT
// Parsing of "i j k ... value" lines. add() is the hot path and only says yes or no; explain() walks a
// refused line again, slowly, to find what is wrong and where.
#include "io/text/index_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lacuna::io {
namespace {

const char* field_end(const char* p, const char* end) {
  while (p < end && !is_blank(*p)) ++p;
  return p;
}

}  // namespace

IndexLines::IndexLines(IndexLineRules rules) : rules_(std::move(rules)) {
  number_.resize(rules_.largest.size());
}

bool IndexLines::add(std::string_view line) {
  const char* p = line.data();
  const char* const end = p + line.size();
  const std::uint64_t smallest = rules_.smallest;
  const std::size_t order = rules_.largest.size();
  for (std::size_t k = 0; k < order; ++k) {
    p = skip_blanks(p, end);
    std::uint64_t number = 0;
    if (!parse_digits(p, end, number) || number < smallest || number > rules_.largest[k]) return false;
    if (p < end && !is_blank(*p)) return false;
    number_[k].push_back(static_cast<Index>(number));
  }
  p = skip_blanks(p, end);
  double value = std::numeric_limits<double>::quiet_NaN();
  if (p == end) {
    if (!rules_.value_optional) return false;
  } else {
    if (!parse_number(p, end, value) || std::isinf(value)) return false;
    if (skip_blanks(p, end) != end) return false;
  }
  value_.push_back(value);
  return true;
}

Error IndexLines::explain(const TextReader& reader, std::string_view line) const {
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const std::size_t order = rules_.largest.size();
  const auto at = [&](const char* p) { return reader.where(line, static_cast<std::size_t>(p - begin)); };
  const auto found = static_cast<std::size_t>(count_fields(line));
  const char* p = begin;
  for (std::size_t k = 0; k <= order; ++k) {
    p = skip_blanks(p, end);
    const char* const stop = field_end(p, end);
    const std::string_view field(p, static_cast<std::size_t>(stop - p));
    // A wrong number of columns explains more than the field that happens to stand in the wrong place.
    if (field.empty() || (k == order && skip_blanks(stop, end) != end)) {
      const char* const spot = field.empty() ? end : skip_blanks(stop, end);
      return input_error(at(spot),
                         fmt::format("found {} column{}, expected {}{}", found, found == 1 ? "" : "s",
                                     rules_.value_optional ? fmt::format("{} or ", order) : "", order + 1));
    }
    if (k == order) {
      double value = 0;
      const bool number = parse_number(field, value);
      return input_error(
          at(p), fmt::format("found {}, expected a {}number", quoted(field), number ? "finite " : ""));
    }
    std::uint64_t number = 0;
    if (!parse_index(field, number)) {
      return input_error(at(p), fmt::format("found {}, expected an index: a whole number >= {}",
                                            quoted(field), rules_.smallest));
    }
    if (number < rules_.smallest || number > rules_.largest[k]) {
      return input_error(at(p), fmt::format("found {}, expected an index from {} to {}", quoted(field),
                                            rules_.smallest, rules_.largest[k]));
    }
    p = stop;
  }
  return input_error(reader.where(), "found a line that cannot be read");
}

void IndexLines::grow(Count expected) {
  constexpr Count kFirst = 4096;
  const Count now = size();
  Count room = std::max(kFirst, 2 * now);
  if (now >= kFirst && expected > now + now / 8) room = expected + expected / 64;
  for (auto& mode : number_) mode.reserve(static_cast<std::size_t>(room));
  value_.reserve(static_cast<std::size_t>(room));
}

bool IndexLines::saw_zero() const {
  return std::any_of(number_.begin(), number_.end(), [](const std::vector<Index>& mode) {
    return std::find(mode.begin(), mode.end(), Index{0}) != mode.end();
  });
}

bool is_comment(std::string_view line) {
  const char* const end = line.data() + line.size();
  const char* const p = skip_blanks(line.data(), end);
  return p == end || *p == '#' || *p == '%';
}

int count_fields(std::string_view line) {
  const char* const end = line.data() + line.size();
  int fields = 0;
  for (const char* p = skip_blanks(line.data(), end); p < end; p = skip_blanks(p, end)) {
    p = field_end(p, end);
    ++fields;
  }
  return fields;
}

Result<> check_order(const std::string& path, std::size_t order) {
  if (order <= kMostModes) return Nothing{};
  return input_error(path, fmt::format("found {} modes, expected at most {}", order, kMostModes));
}

Result<IndexLineRules> index_line_rules(const std::string& path, const ReadOptions& options,
                                        std::optional<int> base, int order) {
  if (auto fine = check_order(path, static_cast<std::size_t>(order)); !fine) return fine.error();
  IndexLineRules rules;
  rules.smallest = static_cast<std::uint64_t>(base.value_or(0));
  // With the base unknown as yet the looser bound holds; the caller looks again once it is known.
  const std::uint64_t largest_base = static_cast<std::uint64_t>(base.value_or(1));
  const bool known = options.known_modes != nullptr;
  rules.value_optional = known;
  rules.largest.assign(static_cast<std::size_t>(order), kLargestSize - 1 + largest_base);
  if (known || options.shape.empty()) return rules;
  if (options.shape.size() != rules.largest.size()) {
    return input_error(
        path, fmt::format("found {} modes, expected the {} that the shape has", order, options.shape.size()));
  }
  for (std::size_t k = 0; k < rules.largest.size(); ++k) {
    if (options.shape[k] == 0 || options.shape[k] > kLargestSize) {
      return usage_error(
          "shape", fmt::format("found {}, expected sizes from 1 to {}", options.shape[k], kLargestSize));
    }
    rules.largest[k] = options.shape[k] - 1 + largest_base;
  }
  return rules;
}

int known_base(const ReadOptions& options) {
  if (!options.index_base) throw std::invalid_argument("known_modes without index_base");
  return *options.index_base;
}

void subtract_base(std::span<Index> index, int base) {
  if (base == 0) return;
  for (Index& i : index) i -= static_cast<Index>(base);
}

Index extent(std::span<const Index> index) {
  return index.empty() ? 0 : *std::max_element(index.begin(), index.end()) + 1;
}

void grow(Mode& mode, std::span<const Index> index) { mode.size = std::max(mode.size, extent(index)); }

void settle_positions(const ReadOptions& options, TensorFile& file, const Communicator& everyone) {
  file.missing = count_missing(file.entries);
  const bool known = options.known_modes != nullptr;
  if (known) file.modes = *options.known_modes;
  for (int k = 0; k < file.entries.order(); ++k) {
    const std::span<Index> index = file.entries.cells.mode(k);
    subtract_base(index, file.index_base);
    if (known) {
      grow(file.modes[k], index);
    } else {
      const auto seen = static_cast<Index>(everyone.max(static_cast<double>(extent(index))));
      const Index size = options.shape.empty() ? seen : options.shape[k];
      file.modes.push_back({.name = fmt::format("mode{}", k + 1), .size = size, .labels = {}});
    }
  }
}

Count count_missing(const Entries& entries) {
  return std::count_if(entries.value.begin(), entries.value.end(), [](double v) { return std::isnan(v); });
}

}  // namespace lacuna::io
