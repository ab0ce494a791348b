// SPDX-License-Identifier: MIT
// A fitted model and the questions it answers.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <lacuna/io/files.hpp>
#include <lacuna/model/structure.hpp>

#include "arrays.hpp"
#include "errors.hpp"
#include "fitted_model.hpp"
#include "io/file/fit_record_json.hpp"
#include "io/file/info_json.hpp"
#include "model/body.hpp"
#include "model/value_kind.hpp"
#include "register.hpp"

namespace lacuna::python {
namespace {

using Coordinates = std::vector<std::vector<double>>;

// Answers of the model about cells, found without the GIL.
template <class Ask>
auto ask(const FittedModel& fitted, const std::vector<Array>& coords, Ask&& question) {
  const nb::gil_scoped_release free;
  return question(fitted.predictor(), cells_in(coords, "cells"));
}

nb::tuple predict(const FittedModel& fitted, const std::vector<Array>& coords,
                  const Coordinates& coordinates) {
  Predictor::Prediction found = ask(fitted, coords, [&](const Predictor& predictor, const Cells& cells) {
    return predictor.predict(cells, coordinates);
  });
  return nb::make_tuple(owned(std::move(found.value)), found.cold);
}

NumpyVector<double> half_widths(const FittedModel& fitted, const std::vector<Array>& coords, double level) {
  return owned(ask(fitted, coords, [&](const Predictor& predictor, const Cells& cells) {
    std::vector<double> widths;
    for (const Count support : predictor.support(cells))
      widths.push_back(fitted.model.calibration.half_width(support, level));
    return widths;
  }));
}

nb::list lists_of(std::vector<std::vector<double>> lists) {
  nb::list out;
  for (auto& one : lists) out.append(owned(std::move(one)));
  return out;
}

nb::list predict_parts(const FittedModel& fitted, const std::vector<Array>& coords) {
  return lists_of(ask(fitted, coords, [](const Predictor& predictor, const Cells& cells) {
    return predictor.predict_parts(cells);
  }));
}

std::vector<std::string> parts_of(const FittedModel& fitted) {
  std::vector<std::string> parts;
  if (const Latent* latent = fitted.model.latent())
    for (const ModelPart& part : latent->parts)
      parts.push_back(describe(PartOptions{.spec = part.modes}, fitted.model.modes));
  return parts;
}

nb::list factors_of(const FittedModel& fitted) {
  nb::list factors;
  const ModelBody& body = *fitted.model.body;
  if (const auto* latent = std::get_if<Latent>(&body))
    for (const ModelPart& part : latent->parts) factors.append(matrix_of(part.factor));
  if (const auto* tucker = std::get_if<Tucker>(&body))
    for (const Matrix<double>& factor : tucker->factors) factors.append(matrix_of(factor));
  if (const auto* cp = std::get_if<Cp>(&body))
    for (const Matrix<double>& factor : cp->factors) factors.append(matrix_of(factor));
  return factors;
}

std::vector<std::pair<std::shared_ptr<FittedModel>, double>> members_of(const FittedModel& fitted) {
  std::vector<std::pair<std::shared_ptr<FittedModel>, double>> members;
  if (const auto* blend = std::get_if<Blend>(&*fitted.model.body))
    for (std::size_t m = 0; m < blend->members.size(); ++m)
      members.emplace_back(std::make_shared<FittedModel>(blend->members[m]), blend->weights[m]);
  return members;
}

// In the order of numpy.reshape(..., order="F").
NumpyVector<double> core_of(const FittedModel& fitted) {
  std::vector<double> core;
  if (const auto* tucker = std::get_if<Tucker>(&*fitted.model.body))
    core.assign(tucker->core.data(), tucker->core.data() + tucker->core.size());
  return owned(std::move(core));
}

void save(const FittedModel& fitted, const std::string& path) {
  std::optional<Result<>> saved;
  {
    const nb::gil_scoped_release free;
    saved = save_model(path, fitted.model);
  }
  (void)value_of(std::move(*saved));
}

std::shared_ptr<FittedModel> load(const std::string& path) {
  std::optional<Result<Model>> loaded;
  {
    const nb::gil_scoped_release free;
    loaded = load_model(path);
  }
  return std::make_shared<FittedModel>(value_of(std::move(*loaded)));
}

// Another way of keeping predictions within bounds; the model itself stays as it is.
std::shared_ptr<FittedModel> clipped(const FittedModel& fitted, const std::string& text) {
  auto clip = Clip::parse(text);
  if (!clip) raise({.kind = ErrorKind::kUsage, .where = "clip", .what = clip.error().what});
  auto other = std::make_shared<FittedModel>(fitted.model);
  set_clip(other->model, *clip);
  return other;
}

// What values of the kind it was fitted on are multiples of.
double step_of(const FittedModel& fitted) {
  const std::optional<double> step = value_step(fitted.model);
  if (!step)
    throw std::invalid_argument(
        "round: the values that the model was fitted on are not all whole numbers or halves");
  return *step;
}

NumpyVector<double> rounded(const FittedModel& fitted, const Array& values) {
  std::vector<double> out = numbers_in(values, "values");
  round_to_step(fitted.model, step_of(fitted), out);
  return owned(std::move(out));
}

using Bounds = std::optional<std::pair<double, double>>;

Bounds clip_of(const FittedModel& fitted) {
  const std::optional<Range> range = prediction_range(fitted.model);
  return range ? Bounds({range->low, range->high}) : std::nullopt;
}

// What is known of it without asking about a cell.
void register_facts(nb::class_<FittedModel>& model) {
  model.def_prop_ro("kind", [](const FittedModel& f) { return kind_name(f.model); })
      .def_prop_ro("method", [](const FittedModel& f) { return f.model.method; })
      .def_prop_ro("version", [](const FittedModel& f) { return f.model.version; })
      .def_prop_ro("modes", [](const FittedModel& f) { return f.model.modes; })
      .def_prop_ro("entries", [](const FittedModel& f) { return f.model.entries; })
      .def_prop_ro("offset", [](const FittedModel& f) { return f.model.offsets.mean; })
      .def_prop_ro("offsets",
                   [](const FittedModel& f) { return describe(spec_of(f.model.offsets), f.model.modes); })
      .def_prop_ro(
          "observed",
          [](const FittedModel& f) { return std::pair(f.model.observed.low, f.model.observed.high); })
      .def_prop_ro("clip", &clip_of)
      .def_prop_ro("has_intervals", [](const FittedModel& f) { return !f.model.calibration.groups.empty(); });
}

}  // namespace

void register_model(nb::module_& m) {
  nb::class_<FittedModel> model(m, "Model", "A fitted model.");
  model
      .def("predict", &predict, nb::arg("coords"), nb::arg("coordinates"),
           "Values at the cells, and how many of them the model says nothing but the offset about.")
      .def("half_widths", &half_widths, nb::arg("coords"), nb::arg("level"),
           "Half the width of the interval around each prediction; infinite where nothing can be said.")
      .def(
          "half_width",
          [](const FittedModel& f, Count support, double level) {
            return f.model.calibration.half_width(support, level);
          },
          nb::arg("support"), nb::arg("level"), "The same of a cell with this support.")
      .def("predict_parts", &predict_parts, nb::arg("coords"))
      .def("support",
           [](const FittedModel& fitted, const std::vector<Array>& coords) {
             return owned(ask(fitted, coords, [](const Predictor& predictor, const Cells& cells) {
               return predictor.support(cells);
             }));
           })
      .def("variance",
           [](const FittedModel& fitted, const std::vector<Array>& coords) {
             return owned(ask(fitted, coords, [](const Predictor& predictor, const Cells& cells) {
               return predictor.variance(cells);
             }));
           })
      .def("mixture", [](const FittedModel& f) { return owned(f.predictor().mixture()); })
      .def("spectra", [](const FittedModel& f) { return lists_of(f.predictor().spectra()); })
      .def("parts", &parts_of)
      .def("factors", &factors_of)
      .def("core", &core_of)
      .def("members", &members_of, "Of a blend, with their weights; else none.")
      .def("ranks", [](const FittedModel& f) { return ranks(f.model); })
      .def("clipped", &clipped, nb::arg("clip"))
      .def("rounded", &rounded, nb::arg("values"),
           "What such values are multiples of: whole numbers or halves.")
      .def("tensor_mixture", [](const FittedModel& f) { return owned(f.predictor().tensor_mixture()); })
      .def_prop_ro("picture",
                   [](const FittedModel& f) { return f.model.record.run && f.model.record.run->picture; })
      .def(
          "info", [](const FittedModel& f) { return io::model_json(f.model).dump(); },
          "What the command line's info says of it, as JSON.")
      .def("save", &save, nb::arg("path"))
      .def(
          "record", [](const FittedModel& f) { return io::to_json(f.model.record).dump(); },
          "How it was fitted, as JSON.");
  register_facts(model);
  m.def("load", &load, nb::arg("path"));
  m.def("is_model_file", &is_model_file, nb::arg("path"));
}

}  // namespace lacuna::python
