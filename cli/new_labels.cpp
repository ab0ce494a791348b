// SPDX-License-Identifier: MIT
#include "new_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "command.hpp"
#include "io/text/number.hpp"

namespace lacuna::cli {
namespace {

using Labels = std::unordered_set<std::string_view>;

Labels known_labels(const Mode& mode) { return {mode.labels.begin(), mode.labels.end()}; }

bool have_one_in_common(const Labels& a, const Labels& b) {
  const Labels& fewer = a.size() < b.size() ? a : b;
  const Labels& more = a.size() < b.size() ? b : a;
  return std::any_of(fewer.begin(), fewer.end(),
                     [&](std::string_view label) { return more.count(label) > 0; });
}

// Which positions of a mode the cells are at.
std::vector<Index> positions_of(const Cells& cells, int mode) {
  std::vector<Index> seen(cells.mode(mode).begin(), cells.mode(mode).end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  return seen;
}

// The first new label of the mode that the other one knows; nothing where the file has a label that the mode knows.
const std::string* first_of_other(const Model& fitted, const Mode& mode, std::size_t k,
                                  const Labels& of_other, const std::vector<Index>& seen) {
  const std::string* first = nullptr;
  for (const Index at : seen) {
    if (at < fitted.modes[k].size) return nullptr;
    if (at >= mode.labels.size()) continue;
    const std::string& label = mode.labels[at];
    // A number is a name that anything may have.
    if (first == nullptr && of_other.count(label) > 0 &&
        !std::all_of(label.begin(), label.end(), [](char c) { return io::is_digit(c); }))
      first = &label;
  }
  return first;
}

std::string without_case_and_blanks(std::string_view label) {
  std::string bare;
  for (const char c : label)
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return bare;
}

}  // namespace

Result<> check_not_mixed_up(const std::string& file, const Model& fitted, const std::vector<Mode>& modes,
                            const Cells& cells) {
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (modes[k].size == fitted.modes[k].size || fitted.modes[k].labels.empty()) continue;
    const std::vector<Index> seen = positions_of(cells, static_cast<int>(k));
    const Labels own = known_labels(fitted.modes[k]);
    for (std::size_t j = 0; j < modes.size(); ++j) {
      if (j == k || fitted.modes[j].labels.empty()) continue;
      const Labels other = known_labels(fitted.modes[j]);
      const std::string* const first = first_of_other(fitted, modes[k], k, other, seen);
      if (first == nullptr || have_one_in_common(own, other)) continue;
      return input_error(file,
                         fmt::format("found '{}', a label of mode {}, and no label that is known of mode {}, "
                                     "where those are expected; --columns says which columns the modes are",
                                     *first, modes[j].name, modes[k].name));
    }
  }
  return Nothing{};
}

std::vector<std::string> nearly_known(const Model& fitted, const std::vector<Mode>& modes) {
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const std::size_t known = fitted.modes[k].labels.size();
    if (modes[k].labels.size() <= known || known == 0) continue;
    std::unordered_map<std::string, std::size_t> bare;
    for (std::size_t i = 0; i < known; ++i) bare.emplace(without_case_and_blanks(modes[k].labels[i]), i);
    std::size_t first = known;
    Count count = 0;
    for (std::size_t i = known; i < modes[k].labels.size(); ++i) {
      if (bare.count(without_case_and_blanks(modes[k].labels[i])) == 0) continue;
      if (count++ == 0) first = i;
    }
    if (count == 0) continue;
    const std::string& label = modes[k].labels[first];
    const std::string others = count > 1 ? fmt::format(", and so do {} others", grouped(count - 1)) : "";
    notes.push_back(fmt::format("the new label '{}' of mode {} differs from '{}' in case or blanks alone{}",
                                label, modes[k].name, modes[k].labels[bare[without_case_and_blanks(label)]],
                                others));
  }
  return notes;
}

}  // namespace lacuna::cli
