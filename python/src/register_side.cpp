// SPDX-License-Identifier: MIT
// What is known of the positions of a mode beside the entries: features and graphs.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <lacuna/io/files.hpp>
#include <optional>

#include "errors.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace lacuna::python {
namespace {

// The mode with what the file says, grown by the names that it did not have; and sentences about the file.
nb::tuple side_from_file(const std::string& path, Mode mode, bool is_graph, bool may_grow, bool alone) {
  const PositionNames names{.index_base = 0, .may_grow = may_grow, .alone = alone};
  std::optional<Result<SideFile>> read;
  {
    const nb::gil_scoped_release free;
    read = is_graph ? read_graph(path, names, mode) : read_features(path, names, mode);
  }
  const SideFile found = value_of(std::move(*read));
  return nb::make_tuple(std::move(mode), found.notes);
}

}  // namespace

void register_side(nb::module_& m) {
  nb::class_<SideInformation>(m, "Side", "What is known of the positions of a mode beside the entries.")
      .def_prop_ro("names", [](const SideInformation& side) { return side.names; })
      .def("__len__", &SideInformation::positions);
  m.def("side_from_file", &side_from_file, nb::arg("path"), nb::arg("mode"), nb::arg("is_graph"),
        nb::arg("may_grow"), nb::arg("alone"));
}

}  // namespace lacuna::python
