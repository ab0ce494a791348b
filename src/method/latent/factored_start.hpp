// SPDX-License-Identifier: MIT
// From a part in factored form to the spectrahedron's point that the dual problem starts from.
#pragma once

#include "linalg/matrix.hpp"

namespace lacuna {

// With F T' = P S Q' the trace norm's own factorisation is W = (P S^1/2)(Q S^1/2)', and the learned kernel
// Theta = U U' of trace 1 that belongs to W is P S P' / tr S: so U = P S^1/2 / sqrt(tr S), as wide as F. From
// r x r matrices: O((n + m) r^2). Where F T' is 0 the columns are those of the identity, scaled.
[[nodiscard]] Matrix<double> factored_start(const Matrix<double>& left, const Matrix<double>& right);

}  // namespace lacuna
