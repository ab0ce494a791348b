// SPDX-License-Identifier: MIT
// How accurately a solver needs an objective that is itself computed by inner solves.
#pragma once

#include <limits>

namespace lacuna {

// The solver states how far it still is from a solution; the objective decides what error of its inner solves
// that allows. By default nothing is known yet, which allows the largest error the objective ever accepts.
struct Accuracy {
  double relative_gradient = std::numeric_limits<double>::infinity();  // gradient norm / gradient scale
};

}  // namespace lacuna
