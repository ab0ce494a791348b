// SPDX-License-Identifier: MIT
#include "io/file/info_json.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/model/structure.hpp>
#include <lacuna/model/update.hpp>

#include "io/file/fit_record_json.hpp"
#include "io/file/json_list.hpp"
#include "model/body.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/fiber_counts.hpp"
#include "tensor/positions.hpp"

namespace lacuna::io {

using nlohmann::ordered_json;

namespace {

ordered_json mode_json(const ObservedTensor& tensor, int k, const FiberCount& count) {
  const Mode& mode = tensor.modes()[k];
  // A copy, sorted: a mode may have four billion positions and two entries.
  std::vector<Index> seen(tensor.index(k).begin(), tensor.index(k).end());
  std::sort(seen.begin(), seen.end());
  const auto positions = std::unique(seen.begin(), seen.end()) - seen.begin();
  return {{"name", mode.name},
          {"size", mode.size},
          {"labelled", !mode.labels.empty()},
          {"positions", positions_json(mode)},
          {"empty_slices", mode.size - positions},
          {"fibers", count.fibers},
          {"singleton_fibers", count.singles},
          {"mean_fiber", static_cast<double>(tensor.size()) / static_cast<double>(count.fibers)}};
}

// An open end is null.
ordered_json range_json(const Range& range) {
  const auto end = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
  };
  return {end(range.low), end(range.high)};
}

ordered_json part_json(const ModelPart& part, const std::vector<Mode>& modes) {
  std::vector<int> agree = part.modes.agree;
  for (int& mode : agree) ++mode;
  ordered_json near = ordered_json::array();
  for (const NearMode& one : part.modes.near)
    near.push_back({{"mode", one.mode + 1}, {"length", one.length}});
  return {{"part", describe(PartOptions{.spec = part.modes}, modes)},
          {"mode", part.modes.mode + 1},  // 0: none
          {"agree", agree},
          {"near", near},
          {"smoothness", part.modes.smoothness},
          {"side", part.modes.side},
          {"row_power", part.modes.row_power},
          {"fiber_power", part.modes.fiber_power},
          {"rank", part.factor.cols()},
          {"lambda", part.lambda}};
}

// What a member of a blend has of its own.
ordered_json member_json(const Model& model, double weight) {
  ordered_json about{{"weight", weight},
                     {"method", model.method},
                     {"rank", ranks(model)},
                     {"offsets", describe(spec_of(model.offsets), model.modes)},
                     {"mixture", Predictor(model).mixture()},
                     {"settings", to_json(model.record)}};
  if (const Latent* latent = model.latent())
    for (const ModelPart& part : latent->parts)
      list_in(about, "parts").push_back(part_json(part, model.modes));
  return about;
}

}  // namespace

ordered_json positions_json(const Mode& mode) {
  if (mode.positions.empty()) return nullptr;
  const auto [first, last] = std::minmax_element(mode.positions.begin(), mode.positions.end());
  const auto label = [&](auto at) {
    const auto i = static_cast<std::size_t>(at - mode.positions.begin());
    return i < mode.labels.size() ? ordered_json(mode.labels[i]) : ordered_json(nullptr);
  };
  return {{"from", *first},
          {"to", *last},
          {"first_label", label(first)},
          {"last_label", label(last)},
          {"spacing", typical_spacing(mode)},
          {"regular", regular_spacing(mode) > 0.0},
          {"unit", mode.unit}};
}

ordered_json data_json(const ObservedTensor& tensor) {
  const auto [low, high] = std::minmax_element(tensor.values().begin(), tensor.values().end());
  ordered_json about{{"shape", extents(tensor.modes())},
                     {"observed", tensor.size()},
                     {"missing", tensor.missing()},
                     {"duplicates", tensor.duplicates()},
                     {"density", static_cast<double>(tensor.size()) / count_cells(tensor.modes())},
                     {"min", *low},
                     {"max", *high},
                     {"mean", tensor.mean()}};
  const std::vector<FiberCount> fibers = count_fibers(tensor);
  for (int k = 0; k < tensor.order(); ++k)
    list_in(about, "modes").push_back(mode_json(tensor, k, fibers[static_cast<std::size_t>(k)]));
  return about;
}

ordered_json model_json(const Model& model) {
  const std::vector<Mode>& modes = model.modes;
  const Predictor predictor(model);
  ordered_json about{{"kind", kind_name(model)},
                     {"method", model.method},
                     {"rank", ranks(model)},
                     {"version", model.version},
                     {"shape", extents(modes)},
                     {"observed", model.entries},
                     {"range", range_json(model.observed)},
                     {"clip", model.clip ? range_json(*model.clip) : ordered_json(nullptr)},
                     {"offset", model.offsets.mean},
                     {"offsets", describe(spec_of(model.offsets), modes)},
                     {"index_base", model.index_base},
                     {"mixture", predictor.mixture()},
                     {"tensor_mixture", predictor.tensor_mixture()},
                     {"settings", to_json(model.record)},
                     {"updates", why_not_updated(model).empty()},
                     {"keeps_entries", why_not_refitted(model).empty()}};
  about["side"] = ordered_json::object();  // how many columns of side information each mode has
  for (const Mode& mode : modes)
    if (mode.side) about["side"][mode.name] = mode.side->columns();
  for (const Mode& mode : modes)
    list_in(about, "modes")
        .push_back({{"name", mode.name},
                    {"size", mode.size},
                    {"labelled", !mode.labels.empty()},
                    {"positions", positions_json(mode)}});
  if (const Latent* latent = model.latent())
    for (const ModelPart& part : latent->parts) list_in(about, "parts").push_back(part_json(part, modes));
  if (const auto* blend = std::get_if<Blend>(&*model.body))
    for (std::size_t m = 0; m < blend->members.size(); ++m)
      list_in(about, "members").push_back(member_json(blend->members[m], blend->weights[m]));
  return about;
}

}  // namespace lacuna::io
