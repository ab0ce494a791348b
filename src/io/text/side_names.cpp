// SPDX-License-Identifier: MIT
#include "io/text/side_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/labels.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

// Beyond the mode's size by more than the file has lines: not new positions but a mistake, and no reason to
// fill the memory.
Result<Index> grow_numbers(const std::string& path, const std::vector<Index>& position, const Mode& mode) {
  const Index largest = position.empty() ? 0 : *std::max_element(position.begin(), position.end());
  if (largest < mode.size) return Index{0};
  if (largest - mode.size >= position.size())
    return input_error(path,
                       fmt::format("found a position {} beyond the {} of mode {}, in a file of {} lines",
                                   largest - mode.size + 1, mode.size, mode.name, position.size()));
  return largest + 1 - mode.size;
}

}  // namespace

Result<Index> grow_mode(const std::string& path, std::vector<std::string> labels,
                        std::vector<Index>& position, Mode& mode) {
  Index added = 0;
  if (mode.labels.empty()) {
    const auto grown = grow_numbers(path, position, mode);
    if (!grown) return grown.error();
    added = *grown;
  } else {
    added = static_cast<Index>(labels.size());
    std::vector<Index> fresh;
    for (const Index i : position)
      if (i >= mode.size) fresh.push_back(i - mode.size);
    order_labels(labels, fresh);
    std::size_t next = 0;
    for (Index& i : position)
      if (i >= mode.size) i = mode.size + fresh[next++];
    mode.labels.insert(mode.labels.end(), labels.begin(), labels.end());
  }
  if (added > 0 && !mode.positions.empty())
    return input_error(path,
                       fmt::format("found {} names that mode {} does not have, expected none: its positions "
                                   "have coordinates, and theirs are not known",
                                   added, mode.name));
  mode.size += added;
  return added;
}

std::string position_name(const Mode& mode, Index position, int index_base) {
  if (position < mode.labels.size()) return quoted(mode.labels[position]);
  return fmt::format("position {}", static_cast<std::int64_t>(position) + index_base);
}

std::string to_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0U | byte >> 6U);
      out += static_cast<char>(0x80U | (byte & 0x3fU));
    }
  }
  return out;
}

}  // namespace lacuna::io
