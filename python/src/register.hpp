// SPDX-License-Identifier: MIT
// The private module `_core`: the library as it is, one file for each concept. What Python people expect of it is made
// in python/lacuna.
#pragma once

#include <nanobind/nanobind.h>

namespace lacuna::python {

void register_errors(nanobind::module_& m);
void register_settings(nanobind::module_& m);
void register_data(nanobind::module_& m);
void register_bins(nanobind::module_& m);
void register_side(nanobind::module_& m);
void register_tables(nanobind::module_& m);
void register_model(nanobind::module_& m);
void register_checkpoint(nanobind::module_& m);
void register_fit(nanobind::module_& m);
void register_tune(nanobind::module_& m);
void register_evaluate(nanobind::module_& m);
void register_answers(nanobind::module_& m);
void register_explain(nanobind::module_& m);
void register_files(nanobind::module_& m);

}  // namespace lacuna::python
