// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/base/version.hpp>
#include <lacuna/method/fit_once.hpp>
#include <lacuna/method/settings_table.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "method/fit_units.hpp"
#include "method/solve.hpp"

namespace lacuna {
namespace {

// What the fit was told, in the words of the table of settings: numbers as numbers, all else as text.
nlohmann::ordered_json written(const Settings& settings, const std::vector<Mode>& modes) {
  nlohmann::ordered_json record = nlohmann::ordered_json::object();
  for (const SettingField& field : setting_fields()) {
    const std::string text = field.write(settings, modes);
    if (text.empty() || (field.taken != 0 && !takes(*settings.method, field.taken))) continue;
    std::string key(field.name);
    std::replace(key.begin(), key.end(), '-', '_');
    const auto number = nlohmann::ordered_json::parse(text, nullptr, false);
    record[key] = number.is_number() ? number : nlohmann::ordered_json(text);
  }
  return record;
}

}  // namespace

FitResult fit_once(ObservedTensor tensor, const Settings& given, const FitCallbacks& callbacks,
                   const Entries* test) {
  if (tensor.size() == 0)
    throw std::invalid_argument("there is nothing to fit: the tensor has no observed entry");
  const Settings settings = settled(given, tensor.order());
  const auto [low, high] = std::minmax_element(tensor.values().begin(), tensor.values().end());

  FitResult result;
  Model& model = result.model;
  model.method = name(*settings.method);
  model.version = version();
  model.modes = tensor.take_labels();
  model.entries = tensor.size();
  model.observed = {.low = *low, .high = *high};
  model.clip = settings.clip_observed ? model.observed : settings.clip;
  const UnitScale unit(tensor);
  unit.scale(tensor);
  model.offsets = fit_offsets(tensor, *settings.offsets);
  if (!model.offsets.empty()) tensor.replace_values(model.offsets.taken_off(tensor));

  const WarmStart warm(settings, unit);
  FitRun run(warm.options(), callbacks, test, model.offsets, model.clip, unit);
  Solved solved = info(*settings.method).solve(tensor, warm.options(), run);
  run.finish(solved.summary, result);
  for (Effect& effect : solved.effects) model.offsets.add(std::move(effect));
  result.mixture = std::move(solved.mixture);
  result.certificate = std::move(solved.certificate);
  nlohmann::ordered_json record = written(settings, model.modes);
  record.update(solved.settings);
  model.settings = record.dump();
  model.body = std::move(solved.body);
  restore_units(unit, result);
  return result;
}

}  // namespace lacuna
