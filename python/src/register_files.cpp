// SPDX-License-Identifier: MIT
// Tensor files, and pages about models.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <lacuna/io/files.hpp>
#include <lacuna/report/report.hpp>

#include "arrays.hpp"
#include "base/nearest.hpp"
#include "errors.hpp"
#include "fitted_model.hpp"
#include "io/text/time_zone.hpp"
#include "register.hpp"

namespace lacuna::python {
namespace {

// The words that the command line's --format takes.
constexpr std::array<Format, 13> kFormats = {
    Format::kAuto, Format::kTns,  Format::kSptensor, Format::kTable,  Format::kNpy,
    Format::kNpz,  Format::kMat,  Format::kPicture,  Format::kNetcdf, Format::kHdf5,
    Format::kTiff, Format::kEnvi, Format::kVideo};

Format format_of(const std::string& text) {
  std::string words;
  for (const Format format : kFormats) {
    if (text == format_name(format)) return format;
    words += fmt::format("{}{}", words.empty() ? "" : ", ", format_name(format));
  }
  throw std::invalid_argument(fmt::format("format: found '{}', expected one of {}", text, words));
}

using Widths = std::vector<std::pair<std::string, std::string>>;  // column and width of bins
using Files = std::vector<std::pair<std::string, std::string>>;   // mode and path

std::vector<BinRequest> requests_of(const Widths& bins) {
  std::vector<BinRequest> requests;
  for (const auto& [column, width] : bins) {
    auto request = parse_bin_width(width);
    if (!request) raise({.kind = ErrorKind::kUsage, .where = "bins", .what = request.error().what});
    request->column = column;
    requests.push_back(std::move(*request));
  }
  return requests;
}

// How a file was laid out, so that another one can be written alike.
struct Layout {
  DenseLayout dense;
  TableLayout table;
  Format format = Format::kTns;
  int index_base = 1;
};

Layout layout_of(const TensorFile& file) {
  return {.dense = file.layout, .table = file.table, .format = file.format, .index_base = file.index_base};
}

TensorFile read(const std::string& path, ReadOptions& options) {
  std::optional<Result<TensorFile>> file;
  {
    const nb::gil_scoped_release free;
    file = read_tensor(path, options);
  }
  return value_of(std::move(*file));
}

// The mode of this name lies across the columns of the table; "none": there is a line for each cell; empty:
// as it was.
void lay_across(TensorFile& file, const std::string& across) {
  if (across.empty()) return;
  std::vector<std::string> names{"none"};
  for (const Mode& mode : file.modes) names.push_back(mode.name);
  const auto place = std::find(names.begin(), names.end(), across);
  if (place == names.end()) {
    const auto meant = nearest(across, names);
    throw std::invalid_argument(fmt::format("across: found '{}', expected {}{}", across,
                                            fmt::join(names, ", "),
                                            meant ? fmt::format("; did you mean {}?", *meant) : ""));
  }
  file.table = {};
  file.table.wide_mode = static_cast<int>(place - names.begin()) - 1;
}

// Dense: the entries list every cell, last mode fastest. `layout`: as this was laid out, if the entries came
// from a file.
void write(const std::string& path, std::vector<Mode> modes, Entries& entries, bool dense,
           const std::string& dtype, bool fortran_order, const Layout* layout, const std::string& format,
           const std::string& across) {
  TensorFile file;
  if (layout != nullptr) {
    file.layout = layout->dense;
    file.table = layout->table;
    file.format = layout->format;
    file.index_base = layout->index_base;
  } else {
    file.layout.dtype = dtype;
    file.layout.fortran_order = fortran_order;
  }
  file.modes = std::move(modes);
  file.entries = std::move(entries);
  file.dense = dense;
  lay_across(file, across);
  const Format asked = format_of(format);
  std::optional<Result<>> written;
  {
    const nb::gil_scoped_release free;
    written = write_tensor(path, file, asked);
  }
  (void)value_of(std::move(*written));
}

void register_options(nb::module_& m) {
  nb::class_<ReadOptions>(m, "ReadOptions", "How to read a file; what is not set is found from the file.")
      .def(nb::init<>())
      .def_prop_rw(
          "format", [](const ReadOptions& o) { return format_name(o.format); },
          [](ReadOptions& o, const std::string& text) { o.format = format_of(text); })
      .def_rw("index_base", &ReadOptions::index_base, nb::arg().none())
      .def_rw("shape", &ReadOptions::shape)
      .def_rw("missing_value", &ReadOptions::missing_value, nb::arg().none())
      .def_rw("variable", &ReadOptions::variable)
      .def_rw("mask", &ReadOptions::mask)
      .def_rw("invert_mask", &ReadOptions::invert_mask)
      .def_rw("delimiter", &ReadOptions::delimiter)
      .def_rw("decimal", &ReadOptions::decimal, nb::arg().none())
      .def_rw("header", &ReadOptions::header, nb::arg().none())
      .def_rw("columns", &ReadOptions::columns)
      .def_rw("value_column", &ReadOptions::value_column)
      .def_rw("weight_column", &ReadOptions::weight_column)
      .def_rw("wide", &ReadOptions::wide, nb::arg().none())
      .def_rw("value_columns", &ReadOptions::value_columns)
      .def_prop_rw(
          "time_zone", [](const ReadOptions& o) { return o.time_zone; },
          [](ReadOptions& o, const std::string& text) {
            if (auto zone = io::TimeZone::find(text); !zone)
              raise({.kind = ErrorKind::kUsage, .where = "time_zone", .what = zone.error().what});
            o.time_zone = text;
          })
      .def_rw("positions", &ReadOptions::positions)
      .def_rw("same", &ReadOptions::same)
      .def("set_coordinates",
           [](ReadOptions& o, const Files& files) {
             o.coordinates.clear();
             for (const auto& [mode, path] : files) o.coordinates.push_back({.mode = mode, .path = path});
           })
      .def_rw("table_indices", &ReadOptions::table_indices)
      .def("set_bins", [](ReadOptions& o, const Widths& bins) { o.bins = requests_of(bins); });
}

}  // namespace

void register_files(nb::module_& m) {
  register_options(m);
  nb::class_<TensorFile>(m, "TensorFile", "What a file holds.")
      .def_prop_ro("modes", [](const TensorFile& file) { return file.modes; })
      .def_ro("entries", &TensorFile::entries)
      .def_ro("dense", &TensorFile::dense)
      .def_prop_ro(
          "facts",
          [](const TensorFile& file) { return file.format == Format::kTable && file.table.value_column < 0; })
      .def_prop_ro("format", [](const TensorFile& file) { return format_name(file.format); })
      .def_ro("index_base", &TensorFile::index_base)
      .def_prop_ro("layout", &layout_of)
      .def_ro("notes", &TensorFile::notes);
  nb::class_<Layout>(m, "Layout", "How a file was laid out, so that another one can be written alike.");
  m.def("read", &read, nb::arg("path"), nb::arg("options"));
  m.def("write", &write, nb::arg("path"), nb::arg("modes"), nb::arg("entries"), nb::arg("dense"),
        nb::arg("dtype"), nb::arg("fortran_order"), nb::arg("layout").none(), nb::arg("format"),
        nb::arg("across"), "The entries are taken over.");
  m.def(
      "duration",
      [](const std::string& text, const std::string& argument) {
        const auto seconds = parse_duration(text);
        if (!seconds) raise({.kind = ErrorKind::kUsage, .where = argument, .what = seconds.error().what});
        return *seconds;
      },
      nb::arg("text"), nb::arg("argument"), "'7d', '12h', '30m', '45s' or plain seconds, in seconds.");
  m.def(
      "report_page",
      [](const FittedModel& fitted, const Entries* train, const Entries* test, bool picture) {
        const nb::gil_scoped_release free;
        return report_page(fitted.model, {.train = train, .test = test, .picture = picture});
      },
      nb::arg("model"), nb::arg("train").none(), nb::arg("test").none(), nb::arg("picture"));
}

}  // namespace lacuna::python
