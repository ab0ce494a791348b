// SPDX-License-Identifier: MIT
// Side information of a mode out of files: tables of features, lists of edges.
#pragma once

#include <lacuna/base/result.hpp>
#include <lacuna/tensor/entries.hpp>
#include <string>
#include <vector>

namespace lacuna {

struct SideFile {
  Count listed = 0;                  // positions or edges
  Index added = 0;                   // positions that the mode did not have before
  std::vector<std::string> notes{};  // sentences about columns that are not used as one might think
};

// What the positions of a mode are called in files.
struct PositionNames {
  int index_base = 1;    // of plain numbers, where the mode has no labels
  bool may_grow = true;  // names that the mode does not have become new positions, at its end
};

// A table with a line for each position: its name in the column called as the mode, or else in the first; all
// others are features. A column of numbers is numbers, one of whole numbers with few values categories, too, all
// else are categories, several of them with '|' between. Nothing, NA and the like are not known.
Result<SideFile> read_features(const std::string& path, const PositionNames& names, Mode& mode);

// Lines of two names and maybe a weight >= 0.
Result<SideFile> read_graph(const std::string& path, const PositionNames& names, Mode& mode);

}  // namespace lacuna
