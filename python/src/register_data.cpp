// SPDX-License-Identifier: MIT
// Modes, lists of entries, and the observed tensor that a fit takes over.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <lacuna/method/settings.hpp>
#include <lacuna/tensor/tensor.hpp>

#include "arrays.hpp"
#include "bins.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "io/file/info_json.hpp"
#include "register.hpp"

namespace lacuna::python {

void check_values(const std::vector<Mode>& modes, const Entries& entries) {
  if (modes.size() != static_cast<std::size_t>(entries.order())) return;  // create() says so
  const auto cell = [&](std::size_t e) {
    return describe_cell(modes, entries.cells, static_cast<Count>(e), 0);
  };
  for (std::size_t e = 0; e < entries.value.size(); ++e)
    if (std::isinf(entries.value[e]))
      throw std::invalid_argument(
          fmt::format("data: cell {} is infinite, expected a number, or NaN where it is missing", cell(e)));
  for (std::size_t e = 0; e < entries.weight.size(); ++e)
    if (!(entries.weight[e] >= 0.0) || std::isinf(entries.weight[e]))
      throw std::invalid_argument(fmt::format("weights: cell {} has the weight {}, expected a number >= 0",
                                              cell(e), entries.weight[e]));
}

namespace {

Mode make_mode(std::string name, Index size, std::vector<std::string> labels,
               const std::vector<double>& positions, const std::optional<Bins>& bins, int same_as,
               std::shared_ptr<SideInformation> side, std::string unit, bool in_order) {
  if (!labels.empty() && labels.size() != size)
    throw std::invalid_argument(
        fmt::format("mode '{}': found {} labels, expected {}", name, labels.size(), size));
  if (side) check_side(*side, size, name);
  Mode mode{.name = std::move(name),
            .size = size,
            .labels = std::move(labels),
            .positions = positions,
            .unit = std::move(unit),
            .side = std::move(side),
            .in_order = in_order,
            .same_as = same_as};
  if (bins) {
    mode.binning = binning_of(*bins);
    mode.time_zone = time_zone_of(*bins);
  }
  return mode;
}

Entries listed_entries(const std::vector<Array>& coords, const Array& values,
                       const std::optional<Array>& weights) {
  Entries entries;
  const nb::gil_scoped_release free;
  entries.cells = cells_in(coords, "coords");
  entries.value = numbers_in(values, "values");
  if (weights) entries.weight = numbers_in(*weights, "weights");
  if (entries.cells.size() != entries.size())
    throw std::invalid_argument(fmt::format("values: found {}, expected {}, one for each cell",
                                            entries.size(), entries.cells.size()));
  if (weights && entries.weight.size() != entries.value.size())
    throw std::invalid_argument(fmt::format("weights: found {}, expected {}, one for each value",
                                            entries.weight.size(), entries.size()));
  return entries;
}

// Visits the cells of an array that have a value, in C order: visit(position of the row, last index, value).
template <class Visit>
void for_each_value(const Array& array, const std::optional<Array>& hidden, std::optional<double> missing,
                    Visit&& visit) {
  const std::size_t length = array.shape(array.ndim() - 1);
  const bool* hide = hidden ? static_cast<const bool*>(hidden->data()) : nullptr;
  with_type_of(array, "data", [&](auto of_type) {
    using T = decltype(of_type);
    for_each_row<T>(array, [&](const T* first, std::int64_t step, const std::vector<std::size_t>& position) {
      for (std::size_t i = 0; i < length; ++i) {
        const auto value = static_cast<double>(first[static_cast<std::int64_t>(i) * step]);
        if (std::isnan(value) || (missing && value == *missing) || (hide != nullptr && hide[i])) continue;
        visit(position, i, value);
      }
      if (hide != nullptr) hide += length;
    });
  });
}

// `hidden`: True where there is no value; in C order, of the array's shape.
Entries dense_entries(const Array& array, const std::optional<Array>& hidden, std::optional<double> missing) {
  const std::size_t order = array.ndim();
  if (order < 2) throw std::invalid_argument(fmt::format("data: found {} axes, expected at least 2", order));
  for (std::size_t k = 0; k < order; ++k)
    if (array.shape(k) >= kUnseen)
      throw std::invalid_argument(fmt::format(
          "data: found {} positions along axis {}, expected fewer than {}", array.shape(k), k, kUnseen));
  std::size_t count = 0;
  {
    const nb::gil_scoped_release free;
    for_each_value(array, hidden, missing, [&](const auto&, std::size_t, double) { ++count; });
  }
  require_memory(static_cast<double>(count) * (8.0 + 4.0 * static_cast<double>(order)),
                 "holding the observed entries");
  const nb::gil_scoped_release free;
  std::vector<std::vector<Index>> positions(order, std::vector<Index>(count));
  Entries entries;
  entries.value.resize(count);
  std::size_t e = 0;
  for_each_value(array, hidden, missing,
                 [&](const std::vector<std::size_t>& position, std::size_t last, double value) {
                   for (std::size_t k = 0; k + 1 < order; ++k)
                     positions[k][e] = static_cast<Index>(position[k]);
                   positions[order - 1][e] = static_cast<Index>(last);
                   entries.value[e++] = value;
                 });
  entries.cells = Cells(std::move(positions));
  return entries;
}

ObservedTensor observe(std::vector<Mode> modes, Entries& entries, const std::string& duplicates, bool keep) {
  const auto policy = parse_duplicates(duplicates);
  if (!policy)
    throw std::invalid_argument(
        fmt::format("duplicates: found '{}', expected error, mean, sum or last", duplicates));
  DuplicateCell repeated;
  std::optional<Result<ObservedTensor>> made;
  {
    const nb::gil_scoped_release free;
    check_values(modes, entries);
    made = ObservedTensor::create(std::move(modes), keep ? entries : std::move(entries), *policy, &repeated);
  }
  if (repeated.first != repeated.second && !*made)
    throw std::invalid_argument(fmt::format(
        "data: entries {} and {} (counted from 0) are of the same cell; duplicates='mean', 'sum' or "
        "'last' would merge them",
        repeated.first, repeated.second));
  if (!*made && made->error().kind == ErrorKind::kInput)
    throw std::invalid_argument("data: " + made->error().what);
  return value_of(std::move(*made));
}

nb::tuple coords_of(const Cells& cells) {
  nb::list modes;
  for (int k = 0; k < cells.order(); ++k) modes.append(copied(cells.mode(k)));
  return nb::tuple(modes);
}

}  // namespace

void register_data(nb::module_& m) {
  nb::class_<Mode>(m, "Mode", "One axis: its name, its size, and how its positions are called.")
      .def_prop_ro("name", [](const Mode& mode) { return mode.name; })
      .def_prop_ro("size", [](const Mode& mode) { return mode.size; })
      .def_prop_ro("labels", [](const Mode& mode) { return mode.labels; })
      .def_prop_ro(
          "positions", [](const Mode& mode) { return copied(std::span<const double>(mode.positions)); },
          nb::rv_policy::move)
      .def_prop_ro("bins",
                   [](const Mode& mode) {
                     return mode.binning ? std::optional(bins_of(*mode.binning, mode.time_zone))
                                         : std::nullopt;
                   })
      .def_ro("unit", &Mode::unit)
      .def_ro("in_order", &Mode::in_order)
      .def_prop_ro("same_as", [](const Mode& mode) { return mode.same_as; })
      .def_prop_ro("side",
                   [](const Mode& mode) { return std::const_pointer_cast<SideInformation>(mode.side); });
  m.def("make_mode", &make_mode, nb::arg("name"), nb::arg("size"), nb::arg("labels"), nb::arg("positions"),
        nb::arg("bins").none(), nb::arg("same_as"), nb::arg("side").none(), nb::arg("unit"),
        nb::arg("in_order"));

  nb::class_<Entries>(m, "Entries", "Cells and their values; a NaN is a cell without one.")
      .def("__len__", &Entries::size)
      .def_prop_ro("order", &Entries::order)
      .def_prop_ro("coords", [](const Entries& entries) { return coords_of(entries.cells); })
      .def_prop_ro(
          "values", [](const Entries& entries) { return copied(std::span<const double>(entries.value)); },
          nb::rv_policy::move)
      .def_prop_ro(
          "weights", [](const Entries& entries) { return copied(std::span<const double>(entries.weight)); },
          nb::rv_policy::move);
  m.def("listed_entries", &listed_entries, nb::arg("coords"), nb::arg("values"), nb::arg("weights").none());
  m.def("dense_entries", &dense_entries, nb::arg("array"), nb::arg("hidden").none(),
        nb::arg("missing").none());

  nb::class_<ObservedTensor>(m, "Tensor", "Observed entries in canonical order. A fit takes it over.")
      .def("__len__", &ObservedTensor::size)
      .def_prop_ro("missing", &ObservedTensor::missing)
      .def_prop_ro("duplicates", &ObservedTensor::duplicates)
      .def_prop_ro("modes", [](const ObservedTensor& tensor) { return tensor.modes(); });
  m.def(
      "data_info", [](const ObservedTensor& tensor) { return io::data_json(tensor).dump(); },
      nb::arg("tensor"), "What the command line's info says of the data, as JSON.");
  m.def(
      "fit_bytes",
      [](const ObservedTensor& tensor, const Settings& settings) {
        return info(settings.method.value_or(Method::kTrMm)).bytes(tensor.size(), tensor.modes(), settings);
      },
      nb::arg("tensor"), nb::arg("settings"), "What a fit needs about.");
  m.def("observe", &observe, nb::arg("modes"), nb::arg("entries"), nb::arg("duplicates"), nb::arg("keep"),
        "The tensor of these entries, which it takes over unless they are to be kept.");
}

}  // namespace lacuna::python
