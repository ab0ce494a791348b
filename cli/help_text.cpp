// SPDX-License-Identifier: MIT
#include "help_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flag_list.hpp"

namespace lacuna::cli {
namespace {

constexpr std::size_t kColumns = 100;  // of a line, with the flag's name before it

// The same words in lines of at most so many bytes; a longer word has one of its own.
std::string in_lines(const std::string& text, std::size_t most) {
  std::string lines;
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool fits = used == 0 || used + 1 + word.size() <= most;
    if (!lines.empty()) lines += fits ? ' ' : '\n';
    used = fits && used > 0 ? used + 1 + word.size() : word.size();
    lines += word;
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string HelpText::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  if (const std::string standard = standard_of(*option);
      !standard.empty() && option->get_default_str().empty())
    text += "; unless given: " + standard;
  return in_lines(text, kColumns - get_column_width());
}

}  // namespace lacuna::cli
