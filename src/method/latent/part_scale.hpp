// SPDX-License-Identifier: MIT
// How lambda of a part follows from the one number.
#pragma once

#include "kernels/layouts.hpp"

namespace lacuna {

// The scale of a part, lambda_p = lambda part_scale(): n_k for the paper's parts; a marginal part, whose
// fibers are longer, has that divided by how much longer they are (averaged over entries), which keeps its
// share of A(u) at that of the paper's part of its mode (docs/math.md, "The scale of a part").
// A near part has the scale of the part in which its near modes agree, since kappa has 1 on its diagonal, and
// 1 where it learns nothing ("Near parts").
[[nodiscard]] double part_scale(Layouts& layouts, const PartSpec& part);

}  // namespace lacuna
