// SPDX-License-Identifier: MIT
#include "base/quoted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lacuna {
namespace {

// Bytes of the well-formed UTF-8 character at the front of `text`, 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  const unsigned second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
      (lead == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

// Eight bytes at a time, the last eight maybe a second time.
bool is_ascii(std::string_view text) {
  std::uint64_t bits = 0;
  std::uint64_t word = 0;
  if (text.size() < sizeof word) {
    for (const char c : text) bits |= static_cast<unsigned char>(c);
    return bits < 0x80;
  }
  for (std::size_t at = 0; at + sizeof word < text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    bits |= word;
  }
  std::memcpy(&word, text.data() + text.size() - sizeof word, sizeof word);
  return ((bits | word) & 0x8080808080808080U) == 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string quoted(std::string_view text, std::size_t characters) {
  std::string out = "'";
  std::size_t shown = 0;
  while (!text.empty() && shown < characters) {
    const std::size_t length = character_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    if (length == 0 || lead < 0x20 || lead == 0x7f) {
      out += fmt::format("\\x{:02x}", lead);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
    ++shown;
  }
  out += text.empty() ? "'" : "...'";
  return out;
}

}  // namespace lacuna
