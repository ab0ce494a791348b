// SPDX-License-Identifier: MIT
// The steps of a fit, for a model's record and for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <lacuna/method/fit_once.hpp>

namespace lacuna::python {

[[nodiscard]] StepRecord record_of(const FitProgress& step);
// What callbacks are given and histories are made of.
[[nodiscard]] nanobind::dict dict_of(const StepRecord& step);

}  // namespace lacuna::python
