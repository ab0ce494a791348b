// SPDX-License-Identifier: MIT
#include <lacuna/base/base.hpp>

#include "register.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  using namespace lacuna::python;
  m.doc() = "The compiled part of lacuna; its face is the package lacuna.";
  m.attr("__version__") = lacuna::version();
  m.def("set_thread_count", &lacuna::set_thread_count, nb::arg("threads"),
        "Threads that the library uses, process-wide; 0: all of the machine's. Results do not depend on it.");
  m.def("thread_count", &lacuna::thread_count, "How many threads the library uses.");
  register_errors(m);
  register_data(m);
  register_bins(m);
  register_side(m);
  register_settings(m);
  register_model(m);
  register_tables(m);
  register_checkpoint(m);
  register_fit(m);
  register_tune(m);
  register_evaluate(m);
  register_answers(m);
  register_explain(m);
  register_files(m);
}
