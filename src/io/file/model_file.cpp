// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <lacuna/io/files.hpp>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/file/array_container.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/fit_record_json.hpp"
#include "io/file/header_fields.hpp"
#include "io/file/json_list.hpp"
#include "io/file/model_body.hpp"
#include "io/file/standard_streams.hpp"
#include "io/file/stream_copy.hpp"
#include "io/text/number.hpp"
#include "io/text/time_zone.hpp"
#include "model/body.hpp"

namespace lacuna {
namespace {

using io::ArrayReader;
using io::ArrayWriter;
using io::finite_number;
using io::kLargestSize;
using io::mode_numbers;
using io::whole_number;
using nlohmann::json;

constexpr std::array<const char*, 3> kBinUnits = {"second", "day", "month"};

json describe_binning(const Binning& binning) {
  json described{{"origin", binning.origin}, {"width", binning.width}};
  if (binning.unit != BinUnit::kSecond) described["unit"] = kBinUnits[static_cast<std::size_t>(binning.unit)];
  if (binning.dates) described["dates"] = true;
  return described;
}

json describe_mode(const Mode& mode, std::size_t k, ArrayWriter& arrays) {
  json described{{"name", mode.name}, {"size", mode.size}};
  if (mode.binning) described["binning"] = describe_binning(*mode.binning);
  if (!mode.labels.empty())
    described["labels"] = arrays.add_strings("labels" + std::to_string(k), mode.labels);
  if (!mode.positions.empty())
    described["positions"] =
        arrays.add("positions" + std::to_string(k), std::span<const double>(mode.positions));
  if (mode.same_as >= 0) described["same_as"] = mode.same_as;
  if (mode.side) {
    const std::string name = "side" + std::to_string(k);
    described["side"] = {
        {"names", arrays.add_strings(name + "_names", mode.side->names)},
        {"start", arrays.add(name + "_start", std::span<const std::int64_t>(mode.side->start))},
        {"column", arrays.add(name + "_column", std::span<const std::uint32_t>(mode.side->column))},
        {"value", arrays.add(name + "_value", std::span<const double>(mode.side->value))}};
  }
  if (!mode.unit.empty()) described["unit"] = mode.unit;
  if (!mode.time_zone.empty()) described["time_zone"] = mode.time_zone;
  return described;
}

std::shared_ptr<const SideInformation> read_side(const json& described, const ArrayReader& arrays,
                                                 const Mode& mode) {
  SideInformation side{.names = arrays.strings(described.at("names")),
                       .start = arrays.get<std::int64_t>(described.at("start")),
                       .column = arrays.get<std::uint32_t>(described.at("column")),
                       .value = arrays.get<double>(described.at("value"))};
  check_side(side, mode.size, mode.name);
  return std::make_shared<const SideInformation>(std::move(side));
}

// Every bin's first second and the one behind the last bin are whole numbers of 64 bits; those of the calendar have
// years that dates are written with.
Binning read_binning(const json& described, Index size) {
  Binning binning;
  std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
  if (described.contains("unit")) {
    const auto* const unit =
        std::find(kBinUnits.begin(), kBinUnits.end(), described["unit"].get<std::string>());
    if (unit == kBinUnits.end()) throw ArrayReader::Bad("bins of a unit that this version does not know");
    binning.unit = static_cast<BinUnit>(unit - kBinUnits.begin());
    if (binning.unit != BinUnit::kSecond) most = binning.unit == BinUnit::kDay ? 3'700'000 : 120'000;
  }
  if (described.contains("dates")) binning.dates = described["dates"].get<bool>();
  binning.origin = whole_number(described.at("origin"), -most, most, "a bin's origin");
  binning.width = whole_number(described.at("width"), 1, most, "a bin's width");
  if (binning.width > most / size) throw ArrayReader::Bad("bins that reach beyond 64 bits");
  return binning;
}

// Throws json exceptions and ArrayReader::Bad on a header that lies; load_model turns both into an Error.
Mode read_mode(const json& described, const ArrayReader& arrays, const std::vector<Mode>& before) {
  Mode mode;
  mode.name = described.at("name").get<std::string>();
  mode.size = static_cast<Index>(whole_number(described.at("size"), 1, kLargestSize, "a mode's size"));
  if (described.contains("binning")) mode.binning = read_binning(described["binning"], mode.size);
  if (described.contains("labels")) {
    mode.labels = arrays.strings(described["labels"]);
    if (mode.labels.size() != mode.size) throw ArrayReader::Bad("as many labels as positions expected");
  }
  if (described.contains("positions")) {
    mode.positions = arrays.get<double>(described["positions"]);
    if (mode.positions.size() != mode.size) throw ArrayReader::Bad("one position for each index expected");
    std::vector<double> ascending = mode.positions;
    std::sort(ascending.begin(), ascending.end());
    if (std::adjacent_find(ascending.begin(), ascending.end()) != ascending.end())
      throw ArrayReader::Bad("a position that only one index has expected");
  }
  if (described.contains("same_as")) {
    const auto last = static_cast<std::int64_t>(before.size()) - 1;
    mode.same_as =
        static_cast<int>(whole_number(described["same_as"], 0, last, "the mode whose positions these are"));
    const Mode& other = before[static_cast<std::size_t>(mode.same_as)];
    if (other.size != mode.size || other.labels != mode.labels)
      throw ArrayReader::Bad("modes that share their positions but differ in them");
  }
  if (described.contains("side")) mode.side = read_side(described["side"], arrays, mode);
  if (described.contains("unit")) mode.unit = described["unit"].get<std::string>();
  if (described.contains("time_zone")) mode.time_zone = described["time_zone"].get<std::string>();
  return mode;
}

json describe_effect(const Effect& effect, const std::string& name, ArrayWriter& arrays) {
  return {{"modes", effect.modes},
          {"ridge", effect.ridge},
          {"key", arrays.add(name + "_key", std::span<const std::uint64_t>(effect.key))},
          {"value", arrays.add(name + "_value", std::span<const double>(effect.value))}};
}

// Arrays are named after `name`.
json describe_offsets(const Offsets& offsets, const std::string& name, ArrayWriter& arrays) {
  json described{{"mean", offsets.mean}, {"effects", json::array()}};
  for (std::size_t i = 0; i < offsets.effects.size(); ++i)
    described["effects"].push_back(describe_effect(offsets.effects[i], name + std::to_string(i), arrays));
  return described;
}

Offsets read_offsets(const json& described, const ArrayReader& arrays, int order) {
  Offsets offsets;
  offsets.mean = finite_number(described.at("mean"), "the mean");
  for (const json& one : described.at("effects")) {
    Effect effect{.modes = mode_numbers(one.at("modes"), order),
                  .ridge = finite_number(one.at("ridge"), "an offset's ridge"),
                  .key = arrays.get<std::uint64_t>(one.at("key")),
                  .value = arrays.get<double>(one.at("value"))};
    const bool one_or_two =
        effect.modes.size() == 1 || (effect.modes.size() == 2 && effect.modes[0] != effect.modes[1]);
    if (!one_or_two) throw ArrayReader::Bad("an offset of one mode or two expected");
    const bool ascending =
        std::is_sorted(effect.key.begin(), effect.key.end(), std::less_equal<>());  // and each once
    if (effect.key.size() != effect.value.size() || !ascending)
      throw ArrayReader::Bad("an offset's keys must ascend, one for each value");
    offsets.effects.push_back(std::move(effect));
  }
  return offsets;
}

Calibration read_calibration(const json& described, const ArrayReader& arrays) {
  Calibration calibration;
  Count last = -1;
  for (const json& one : described) {
    Calibration::Group group{
        .support_from =
            whole_number(one.at("support_from"), 0, std::numeric_limits<Count>::max(), "a group's support"),
        .residuals = arrays.get<double>(one.at("residuals"))};
    if (group.support_from <= last || !std::is_sorted(group.residuals.begin(), group.residuals.end()))
      throw ArrayReader::Bad("a calibration whose groups and residuals do not ascend");
    last = group.support_from;
    calibration.groups.push_back(std::move(group));
  }
  return calibration;
}

// An open end is null: JSON has no infinity.
json describe_range(const Range& range) {
  const auto end = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
  return {end(range.low), end(range.high)};
}

Range read_range(const json& described) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!described.is_array() || described.size() != 2) throw ArrayReader::Bad("a range of two ends expected");
  const json& low = described.at(0);
  const json& high = described.at(1);
  const Range range{.low = low.is_null() ? -kInfinite : finite_number(low, "a range's end"),
                    .high = high.is_null() ? kInfinite : finite_number(high, "a range's end")};
  if (range.low > range.high) throw ArrayReader::Bad("a range whose low end is above its high end");
  return range;
}

// Models of before there were fallbacks predicted 0 without offsets; the middle of what was observed is nearer. Links
// never had one: that of facts alone would make a link of everything unknown.
Offsets older_fallback(const Model& model) {
  Offsets fallback;
  if (model.offsets.empty() && std::isfinite(model.observed.low) && std::isfinite(model.observed.high))
    fallback.mean = std::midpoint(model.observed.low, model.observed.high);
  return fallback;
}

// What a model and the members of a blend have alike. Arrays are named after `prefix`.
json describe_model(const Model& model, const std::string& prefix, ArrayWriter& arrays) {
  json header{{"kind", kind_name(model)},
              {"method", model.method},
              {"settings", io::to_json(model.record)},
              {"observed", describe_range(model.observed)}};
  if (model.clip) header["clip"] = describe_range(*model.clip);
  header["offsets"] = describe_offsets(model.offsets, prefix + "effect", arrays);
  if (!model.fallback.empty())
    header["fallback"] = describe_offsets(model.fallback, prefix + "fallback", arrays);
  io::describe_body(model, header, arrays);
  if (const auto* blend = std::get_if<Blend>(&*model.body))
    for (std::size_t m = 0; m < blend->members.size(); ++m) {
      json member = describe_model(blend->members[m], prefix + "member" + std::to_string(m) + "_", arrays);
      member["weight"] = blend->weights[m];
      io::list_in(header, "members").push_back(std::move(member));
    }
  return header;
}

std::string known_kind(const json& header) {
  std::string kind = header.at("kind").get<std::string>();
  if (!io::knows_body(kind))
    throw ArrayReader::Bad("a model of kind '" + kind + "', which this version does not know");
  return kind;
}

// Into a model whose modes, version and index base are there.
void read_model(const json& header, const ArrayReader& arrays, Model& model);

// Members have the modes of the blend, and are no blends themselves.
Blend read_blend(const json& header, const ArrayReader& arrays, const Model& whole) {
  Blend blend;
  double total = 0.0;
  if (!header.at("members").is_array()) throw ArrayReader::Bad("a list of members expected");
  for (const json& described : header.at("members")) {
    if (known_kind(described) == "blend") throw ArrayReader::Bad("a blend inside a blend");
    Model member;
    member.version = whole.version;
    member.index_base = whole.index_base;
    member.modes = whole.modes;
    read_model(described, arrays, member);
    blend.members.push_back(std::move(member));
    blend.weights.push_back(finite_number(described.at("weight"), "a member's weight"));
    if (!(blend.weights.back() > 0.0)) throw ArrayReader::Bad("a member's weight that is not > 0");
    total += blend.weights.back();
  }
  if (blend.members.empty() || std::abs(total - 1.0) > 1e-9)
    throw ArrayReader::Bad("members whose weights add up to 1 expected");
  return blend;
}

void read_model(const json& header, const ArrayReader& arrays, Model& model) {
  const std::string kind = known_kind(header);
  model.method = header.at("method").get<std::string>();
  model.record = io::read_fit_record(header.at("settings"));
  model.offsets = read_offsets(header.at("offsets"), arrays, model.order());
  model.observed = read_range(header.at("observed"));
  if (header.contains("fallback"))
    model.fallback = read_offsets(header["fallback"], arrays, model.order());
  else if (kind != "complex" && kind != "blend")
    model.fallback = older_fallback(model);
  if (header.contains("clip")) model.clip = read_range(header["clip"]);
  io::read_body(kind, header, arrays, model);
  if (kind == "blend") model.body = ModelBody(read_blend(header, arrays, model));
}

}  // namespace

json io::describe_model(const Model& model, ArrayWriter& arrays) {
  json header = lacuna::describe_model(model, "", arrays);
  header["lacuna"] = model.version;
  header["index_base"] = model.index_base;
  for (std::size_t g = 0; g < model.calibration.groups.size(); ++g) {
    const Calibration::Group& group = model.calibration.groups[g];
    io::list_in(header, "calibration")
        .push_back({{"support_from", group.support_from},
                    {"residuals", arrays.add("calibration" + std::to_string(g),
                                             std::span<const double>(group.residuals))}});
  }
  for (std::size_t k = 0; k < model.modes.size(); ++k)
    io::list_in(header, "modes").push_back(describe_mode(model.modes[k], k, arrays));
  return header;
}

Result<> save_model(const std::string& path, const Model& model) {
  ArrayWriter arrays;
  const json header = io::describe_model(model, arrays);
  return arrays.save(path, header);
}

Model io::read_model(const json& header, const ArrayReader& arrays) {
  Model model;
  model.version = header.at("lacuna").get<std::string>();
  model.index_base = static_cast<int>(whole_number(header.at("index_base"), 0, 1, "the index base"));
  if (header.at("modes").size() > io::kMostModes) throw ArrayReader::Bad("more modes than there may be");
  for (const json& mode : header.at("modes")) model.modes.push_back(read_mode(mode, arrays, model.modes));
  if (model.modes.size() < 2) throw ArrayReader::Bad("two modes or more expected");
  for (const Mode& mode : model.modes)
    if (auto zone = io::TimeZone::find(mode.time_zone); !zone) throw ArrayReader::Bad(zone.error().what);
  lacuna::read_model(header, arrays, model);
  if (header.contains("calibration")) model.calibration = read_calibration(header["calibration"], arrays);
  return model;
}

namespace {

Result<Model> load_from(const std::string& path) {
  auto arrays = ArrayReader::open(path);
  if (!arrays) return arrays.error();
  try {
    const json& header = arrays->header();
    const std::string kind = header.at("kind").get<std::string>();
    if (kind == io::kCheckpointKind)
      return input_error(path, "a checkpoint, expected a model; a fit can go on from it");
    if (!io::knows_body(kind))
      return input_error(path, "a model of kind '" + kind + "', which this version does not know");
    return io::read_model(header, *arrays);
  } catch (const std::bad_alloc&) {  // sizes were held against the file: it is not at fault
    throw;
  } catch (const std::exception& problem) {
    return input_error(path, std::string("the model is damaged: ") + problem.what());
  }
}

}  // namespace

Result<Model> load_model(const std::string& path) {
  if (!io::is_standard_stream(path)) return load_from(path);
  const auto copy = io::StreamCopy::take(path);
  if (!copy) return copy.error();
  auto model = load_from(copy->path());
  if (!model) return copy->of_stream(model.error());
  return model;
}

bool is_model_file(const std::string& path) { return io::starts_like_container(path); }

}  // namespace lacuna
