// SPDX-License-Identifier: MIT
// Eigenvectors of a real symmetric tridiagonal matrix, only those asked for: LAPACK's relatively robust
// representations take O(size) operations for each number, where the QR iteration takes O(size^2) for each
// vector. No Eigen here: the file compiled for AVX2 has one of its own.
#pragma once

#include <span>
#include <vector>

namespace lacuna {

struct TridiagonalPairs {
  std::vector<double> values{};   // ascending
  std::vector<double> vectors{};  // of unit length, one after the other
};

// The pairs whose value is above the bound. off_diagonal has one number fewer than diagonal; a matrix that
// is not finite has none.
[[nodiscard]] TridiagonalPairs eigenpairs_above(double bound, std::span<const double> diagonal,
                                                std::span<const double> off_diagonal);

}  // namespace lacuna
