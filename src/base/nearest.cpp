// SPDX-License-Identifier: MIT
#include "base/nearest.hpp"

#include <algorithm>

namespace lacuna {

int edit_distance(std::string_view a, std::string_view b) {
  // d(i, j) is that of the first i and j letters; three rows of the table are enough for swaps.
  std::vector<int> before(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& names) {
  const auto letters = [](std::string_view text) {  // dashes in front are not what was misspelt
    const std::size_t begin = std::min(text.find_first_not_of('-'), text.size());
    return text.substr(begin);
  };
  const std::string_view meant = letters(word);
  if (meant.size() < 2) return std::nullopt;
  std::optional<std::string> best;
  int least = 1 + static_cast<int>(meant.size() + 1) / 3;  // a third of the letters at most
  int beginnings = 0;
  for (const std::string& name : names) {
    if (letters(name).substr(0, meant.size()) == meant) ++beginnings;
    const int distance = edit_distance(meant, letters(name));
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  if (beginnings != 1 || least <= 1) return best;
  return *std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return letters(name).substr(0, meant.size()) == meant;
  });
}

}  // namespace lacuna
