// SPDX-License-Identifier: MIT
// From what people have, tables of features and graphs, to the side information of a mode.
//
//   numbers      standardised over the positions that have one, at most 4 deviations from the mean; 0, the
//                mean, where there is none, with a column of its own that says so where more than 5 % lack it
//   categories   a column for each of the 64 commonest that two positions or more have, 1 where it holds; where
//                a position has several, all of them with the same length 1 together
//   all          a column of ones beside them: what is common to all positions
//   graphs       the leading 64 eigenvectors of the kernel (eps + L)^-1, L the normalised Laplacian
//
// Each feature has mean squared length about 1, all together are scaled to it.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <vector>

namespace lacuna {

// A column of a table: numbers or words, one for each position.
struct Feature {
  std::string name;
  std::vector<double> numbers{};     // NaN: not known
  std::vector<std::string> words{};  // instead of numbers; empty: not known
  char separator = '\0';             // between the words of a position that has several; 0: it has one
};

struct GraphEdge {
  Index from = 0;
  Index to = 0;
  double weight = 1.0;  // >= 0
};

// For `size` positions. Columns that tell no positions apart are left out, and a sentence about each is added
// to `left_out` if given; nothing may be left. Throws std::invalid_argument on lists of another length and
// infinite numbers.
[[nodiscard]] SideInformation side_of_features(Index size, const std::vector<Feature>& features,
                                               std::vector<std::string>* left_out = nullptr);

// Edges have no direction; those listed twice add up, loops do not count. A position without edges has no
// number. Throws std::invalid_argument on an edge to a position beyond the size and on a weight that is not a
// number >= 0.
[[nodiscard]] SideInformation side_of_graph(Index size, const std::vector<GraphEdge>& edges);

// Both about the same positions, each with half of the squared length. One without columns counts as none.
[[nodiscard]] SideInformation both_sides(const SideInformation& first, const SideInformation& second);

}  // namespace lacuna
