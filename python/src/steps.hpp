// SPDX-License-Identifier: MIT
// The steps of a fit, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <lacuna/method/fit_once.hpp>

namespace lacuna::python {

// What callbacks are given and histories are made of.
[[nodiscard]] nanobind::dict dict_of(const StepRecord& step);

}  // namespace lacuna::python
