// SPDX-License-Identifier: MIT
// The components of a model, to look at: which positions of which modes are strong in each.
//
//   latent parts   the singular vectors of each part: over the positions of the mode it learns, and over those of the
//                  mode, or pair of modes, that tells its fibers apart
//   Tucker         the singular vectors of each unfolding, over the positions of its mode
//   CP             the columns of each factor, the strongest terms first
//   ComplEx        how large the complex numbers of entities and relations are, the strongest terms first
//   every cell     the singular vectors of each unfolding, as of a Tucker tensor, where they are not too much work; of a
//                  picture of several channels those of the unfolding along its channels
//   a blend        those of its members
//
// Effects alone have none.
#pragma once

#include <lacuna/model/model.hpp>
#include <string>
#include <vector>

#include "linalg/matrix.hpp"

namespace lacuna {

struct ComponentView {
  std::string name;        // of the part or tensor
  std::vector<int> modes;  // one or two, whose positions are the rows of `values`, the last mode fastest
  Matrix<double> values;   // positions x components; NaN at a position that the body knows nothing of
  std::vector<double> strength;  // of each component: its singular value, or the norm of the term
};

struct ComponentViewOptions {
  int most = 6;        // components of each view
  bool pairs = false;  // also pairs of modes 0 and 1, such as the rows and columns of a picture
  Count most_pairs = Count{1} << 20;
};

// The largest number of a component's first view is positive.
[[nodiscard]] std::vector<ComponentView> component_views(const Model& model,
                                                         const ComponentViewOptions& options = {});

}  // namespace lacuna
