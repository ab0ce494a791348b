// SPDX-License-Identifier: MIT
// What entries from Python must be, wherever they go.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna::python {

// Throws std::invalid_argument on infinite values and on weights below 0. The library counts from 1 in its sentences
// about cells, as files do; here they count from 0.
void check_values(const std::vector<Mode>& modes, const Entries& entries);

}  // namespace lacuna::python
