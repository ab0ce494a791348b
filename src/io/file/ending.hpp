// SPDX-License-Identifier: MIT
// How a file's name ends, in any case.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lacuna::io {

[[nodiscard]] inline bool has_ending(std::string_view path, std::string_view lower_case_ending) {
  const std::string_view ending = lower_case_ending;
  return path.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), path.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char wanted, char found) {
                      return wanted == static_cast<char>(std::tolower(static_cast<unsigned char>(found)));
                    });
}

// The name of what is packed in a file of this name: data.csv of data.csv.gz.
[[nodiscard]] inline std::string_view without_packing(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst", ".xz"})
    if (has_ending(path, ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

}  // namespace lacuna::io
