// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <lacuna/io/atomic_file.hpp>
#include <lacuna/io/model_file.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/array_container.hpp"

namespace lacuna {
namespace {

using io::ArrayReader;
using io::ArrayWriter;
using nlohmann::json;

json describe_mode(const Mode& mode, std::size_t k, ArrayWriter& arrays) {
  json described{{"name", mode.name}, {"size", mode.size}};
  if (mode.binning) described["binning"] = {{"origin", mode.binning->origin}, {"width", mode.binning->width}};
  if (!mode.labels.empty())
    described["labels"] = arrays.add_strings("labels" + std::to_string(k), mode.labels);
  return described;
}

// Throws json exceptions and ArrayReader::Bad on a header that lies; load_model turns both into an Error.
Mode read_mode(const json& described, const ArrayReader& arrays) {
  Mode mode;
  mode.name = described.at("name").get<std::string>();
  mode.size = described.at("size").get<Index>();
  if (described.contains("binning"))
    mode.binning = Binning{.origin = described["binning"].at("origin").get<std::int64_t>(),
                           .width = described["binning"].at("width").get<std::int64_t>()};
  if (mode.binning && mode.binning->width <= 0) throw ArrayReader::Bad("a bin width that is not positive");
  if (described.contains("labels")) {
    mode.labels = arrays.strings(described["labels"]);
    if (mode.labels.size() != mode.size) throw ArrayReader::Bad("as many labels as positions expected");
  }
  return mode;
}

Matrix<double> read_factor(const json& described, const ArrayReader& arrays, std::int64_t rows) {
  const std::vector<double> values = arrays.get<double>(described);
  const auto count = static_cast<std::int64_t>(values.size());
  if (rows <= 0 || count == 0 || count % rows != 0)
    throw ArrayReader::Bad("a factor that does not fit its mode");
  return Eigen::Map<const Matrix<double>>(values.data(), rows, count / rows);
}

json describe_effect(const Effect& effect, std::size_t i, ArrayWriter& arrays) {
  const std::string name = "effect" + std::to_string(i);
  return {{"modes", effect.modes},
          {"ridge", effect.ridge},
          {"key", arrays.add(name + "_key", std::span<const std::uint64_t>(effect.key))},
          {"value", arrays.add(name + "_value", std::span<const double>(effect.value))}};
}

Offsets read_offsets(const json& described, const ArrayReader& arrays) {
  Offsets offsets;
  offsets.mean = described.at("mean").get<double>();
  for (const json& one : described.at("effects")) {
    Effect effect{.modes = one.at("modes").get<std::vector<int>>(),
                  .ridge = one.at("ridge").get<double>(),
                  .key = arrays.get<std::uint64_t>(one.at("key")),
                  .value = arrays.get<double>(one.at("value"))};
    if (effect.modes.empty() || effect.modes.size() > 2)
      throw ArrayReader::Bad("an offset of one mode or two expected");
    const bool ascending =
        std::is_sorted(effect.key.begin(), effect.key.end(), std::less_equal<>());  // and each once
    if (effect.key.size() != effect.value.size() || !ascending)
      throw ArrayReader::Bad("an offset's keys must ascend, one for each value");
    offsets.effects.push_back(std::move(effect));
  }
  return offsets;
}

// An open end is null: JSON has no infinity.
json describe_range(const Range& range) {
  const auto end = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
  return {end(range.low), end(range.high)};
}

Range read_range(const json& described) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const json& low = described.at(0);
  const json& high = described.at(1);
  const Range range{.low = low.is_null() ? -kInfinite : low.get<double>(),
                    .high = high.is_null() ? kInfinite : high.get<double>()};
  if (range.low > range.high) throw ArrayReader::Bad("a range whose low end is above its high end");
  return range;
}

Result<Model> build_model(const json& header, const ArrayReader& arrays) {
  Model model;
  model.method = header.at("method").get<std::string>();
  model.version = header.at("lacuna").get<std::string>();
  model.settings = header.at("settings").dump();
  model.index_base = header.at("index_base").get<int>();
  model.offsets = read_offsets(header.at("offsets"), arrays);
  model.observed = read_range(header.at("observed"));
  if (header.contains("clip")) model.clip = read_range(header["clip"]);
  std::vector<Mode> modes;
  for (const json& mode : header.at("modes")) modes.push_back(read_mode(mode, arrays));
  const int order = static_cast<int>(modes.size());
  for (const json& described : header.at("parts")) {
    ModelPart part;
    part.modes.mode = described.at("mode").get<int>();
    part.modes.agree = described.at("agree").get<std::vector<int>>();
    part.lambda = described.at("lambda").get<double>();
    part.modes.row_power = described.at("row_power").get<double>();
    part.modes.fiber_power = described.at("fiber_power").get<double>();
    if (part.modes.mode < 0 || part.modes.mode >= order)
      throw ArrayReader::Bad("a part of a mode that is not there");
    part.factor = read_factor(described.at("factor"), arrays, modes[part.modes.mode].size);
    model.parts.push_back(std::move(part));
  }
  Entries dual;
  for (const json& described : header.at("index")) dual.index.push_back(arrays.get<Index>(described));
  dual.value = arrays.get<double>(header.at("dual"));
  if (header.contains("weights")) dual.weight = arrays.get<double>(header["weights"]);
  auto tensor = ObservedTensor::create(std::move(modes), std::move(dual));
  if (!tensor) return tensor.error();
  model.dual = std::move(*tensor);
  for (const ModelPart& part : model.parts) check_part(part.modes, order);
  for (const Effect& effect : model.offsets.effects)
    for (const int mode : effect.modes)
      if (mode < 0 || mode >= order) throw ArrayReader::Bad("an offset of a mode that is not there");
  return model;
}

}  // namespace

Result<> save_model(const std::string& path, const Model& model) {
  ArrayWriter arrays;
  json header{{"kind", "latent"},
              {"lacuna", model.version},
              {"method", model.method},
              {"settings", json::parse(model.settings)},
              {"index_base", model.index_base},
              {"offsets", {{"mean", model.offsets.mean}, {"effects", json::array()}}},
              {"observed", describe_range(model.observed)}};
  if (model.clip) header["clip"] = describe_range(*model.clip);
  for (std::size_t i = 0; i < model.offsets.effects.size(); ++i)
    header["offsets"]["effects"].push_back(describe_effect(model.offsets.effects[i], i, arrays));
  const std::vector<Mode>& modes = model.dual.modes();
  for (std::size_t k = 0; k < modes.size(); ++k)
    header["modes"].push_back(describe_mode(modes[k], k, arrays));
  for (std::size_t p = 0; p < model.parts.size(); ++p) {
    const ModelPart& part = model.parts[p];
    header["parts"].push_back({{"mode", part.modes.mode},
                               {"agree", part.modes.agree},
                               {"row_power", part.modes.row_power},
                               {"fiber_power", part.modes.fiber_power},
                               {"lambda", part.lambda},
                               {"factor", arrays.add("factor" + std::to_string(p), flat(part.factor))}});
  }
  for (int k = 0; k < model.dual.order(); ++k)
    header["index"].push_back(arrays.add("index" + std::to_string(k), model.dual.index(k)));
  header["dual"] = arrays.add("dual", model.dual.values());
  if (!model.dual.weights().empty()) header["weights"] = arrays.add("weights", model.dual.weights());
  return arrays.save(path, header);
}

Result<Model> load_model(const std::string& path) {
  auto arrays = ArrayReader::open(path);
  if (!arrays) return arrays.error();
  try {
    if (arrays->header().at("kind") != "latent")
      return input_error(path, "a model of kind '" + arrays->header().at("kind").get<std::string>() +
                                   "', which this version does not know");
    auto model = build_model(arrays->header(), *arrays);
    if (!model) return input_error(path, "the model is damaged: " + model.error().what);
    return model;
  } catch (const std::exception& problem) {
    return input_error(path, std::string("the model is damaged: ") + problem.what());
  }
}

bool is_model_file(const std::string& path) { return io::starts_like_container(path); }

}  // namespace lacuna
