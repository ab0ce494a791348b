// SPDX-License-Identifier: MIT
// The certificate's top_singular where less than its accuracy will do.
#pragma once

#include <lacuna/problem/certificate.hpp>

namespace lacuna {

// Squared values to this relative accuracy, from which they are rounded up.
template <class Real>
[[nodiscard]] TopSingular top_singular(const ProblemData<Real>& data, std::size_t part,
                                       std::span<const Real> z, int count, double wanted_accuracy);

}  // namespace lacuna
