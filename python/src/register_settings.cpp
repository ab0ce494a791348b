// SPDX-License-Identifier: MIT
// The table of settings and the table of methods, and from words to settings.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <lacuna/method/settings.hpp>
#include <lacuna/model/structure.hpp>
#include <tuple>

#include "base/nearest.hpp"
#include "errors.hpp"
#include "fitted_model.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace lacuna::python {
namespace {

constexpr double kCalibrationShare = 0.05;  // as the command line's --intervals sets aside

nb::list fields() {
  nb::list rows;
  for (const SettingField& field : setting_fields()) {
    nb::dict row;
    row["name"] = field.name;
    row["values"] = field.values;
    row["default"] = field.by_default;
    row["what"] = field.what;
    row["methods"] = takers(field);
    rows.append(row);
  }
  return rows;
}

nb::list method_rows() {
  nb::list rows;
  for (const MethodInfo& method : methods()) {
    nb::dict row;
    row["name"] = method.name;
    row["what"] = method.what;
    row["assumes"] = method.assumes;
    row["model"] = method.model;
    row["size"] = method.scale == Scale::kSparse ? "sparse" : "dense";
    row["order"] = method.order;
    row["offsets"] = method.offsets;
    row["max_iterations"] = method.max_iterations;
    row["tolerance"] = method.tolerance;
    std::vector<std::string_view> taken;
    for (const SettingField& field : setting_fields())
      if ((method.settings & field.taken) != 0) taken.push_back(field.name);
    row["settings"] = taken;
    rows.append(row);
  }
  return rows;
}

// A setting: the keyword that errors name it by, its name in the table, the text of its value.
using Given = std::vector<std::tuple<std::string, std::string, std::string>>;

void read(const Given& given, const std::vector<Mode>& modes, Settings& into) {
  for (const auto& [keyword, name, text] : given)
    if (auto fine = read_setting(name, text, modes, into); !fine)
      raise({.kind = ErrorKind::kUsage, .where = keyword, .what = fine.error().what});
}

// What is said of facts: how many cells of value 0 to draw for each, and along which modes. `facts`: how many there
// are, when the data are nothing else.
void take_facts(std::optional<int> negatives, const std::string& corrupt, std::optional<Count> facts,
                const std::vector<Mode>& modes, Settings& into) {
  if (!corrupt.empty()) {
    auto list = parse_mode_list(corrupt, modes);
    if (!list) raise({.kind = ErrorKind::kUsage, .where = "corrupt", .what = list.error().what});
    into.links.corrupted = std::move(*list);
  }
  if (negatives && *negatives < 0)
    throw std::invalid_argument(
        fmt::format("negatives: found {}, expected None or a whole number >= 0", *negatives));
  if (negatives)
    into.links.negatives = *negatives;
  else if (facts)
    into.links.negatives = usual_negatives(*facts);
}

// As the command line makes them of its flags. The start, if any, must outlive the settings.
Settings make_settings(const Given& given, const std::vector<Mode>& modes, const FittedModel* start,
                       bool intervals, const std::string& preset, bool watch_gap) {
  Settings settings;
  read(given, modes, settings);
  if (start != nullptr) {  // it goes on with its own kind of model, unless told otherwise
    settings.warm_start = &start->model;
    const auto method = parse_method(start->model.method);
    settings.method.settle(method && takes(*method, kTakesInit) ? *method : Method::kTrMm);
    if (takes(*settings.method, kTakesRank)) settings.ranks.settle(ranks(start->model));
  }
  if (intervals) settings.search.calibrate = kCalibrationShare;
  if (preset == "paper") {
    settings = paper_preset(std::move(settings), static_cast<int>(modes.size()));
    Given open;  // what is said to be open stays so
    for (const auto& one : given)
      if (std::get<2>(one) == "auto" && std::get<1>(one) != "method" && std::get<1>(one) != "clip")
        open.push_back(one);
    read(open, modes, settings);
  } else if (!preset.empty()) {
    throw std::invalid_argument(fmt::format("preset: found '{}', expected paper", preset));
  }
  if (watch_gap) settings.latent.certify = Certify::kEveryStep;
  if (settings.method.given()) (void)settled(settings, static_cast<int>(modes.size()));  // throws
  return settings;
}

}  // namespace

void register_settings(nb::module_& m) {
  nb::class_<Settings>(m, "Settings", "Everything that is said about a fit.")
      .def("describe", [](const Settings& settings, const std::vector<Mode>& modes) {
        nb::dict said;
        for (const SettingField& field : setting_fields())
          if (const std::string text = field.write(settings, modes); !text.empty())
            said[field.name.data()] = text;
        return said;
      });
  m.def("setting_fields", &fields, "The table of settings, a dict for each.");
  m.def("methods", &method_rows, "The table of methods, a dict for each.");
  m.def(
      "nearest",
      [](const std::string& word, const std::vector<std::string>& names) { return nearest(word, names); },
      nb::arg("word"), nb::arg("names"), "The name that a misspelt word was meant to be, if any is near.");
  m.def("take_facts", &take_facts, nb::arg("negatives").none(), nb::arg("corrupt"), nb::arg("facts").none(),
        nb::arg("modes"), nb::arg("settings"));
  m.def("make_settings", &make_settings, nb::arg("given"), nb::arg("modes"), nb::arg("start").none(),
        nb::arg("intervals"), nb::arg("preset"), nb::arg("watch_gap"), nb::keep_alive<0, 3>());
}

}  // namespace lacuna::python
