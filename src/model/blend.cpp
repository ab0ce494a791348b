// SPDX-License-Identifier: MIT
#include "model/blend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/body.hpp"
#include "model/fitted_on.hpp"

namespace lacuna {

std::vector<const Model*> members(const Model& model) {
  const auto* blend = std::get_if<Blend>(&*model.body);
  if (blend == nullptr) return {&model};
  std::vector<const Model*> list;
  for (const Model& member : blend->members) list.push_back(&member);
  return list;
}

namespace {

// All were fitted on the same, which the blend keeps for them, unless each tells it by itself.
void keep_entries_once(std::vector<Model>& members, Model& whole) {
  const bool told = std::all_of(members.begin(), members.end(), tells_values);
  for (Model& member : members) {
    if (!told && whole.kept == nullptr) whole.kept = member.kept;
    member.kept.reset();
  }
}

}  // namespace

Model blended(Blend blend) {
  if (blend.members.empty() || blend.members.size() != blend.weights.size() ||
      !std::all_of(blend.weights.begin(), blend.weights.end(), [](double weight) { return weight > 0.0; }))
    throw std::invalid_argument("a blend has a weight > 0 for each of its members");
  const Model& first = blend.members.front();
  Model model;
  model.method = "blend";
  model.version = first.version;
  model.record.seed = first.record.seed;
  for (const std::string_view item : {"values", "clip"})
    if (const FitRecord::Value* said = first.record.find(item)) model.record.set(item, *said);
  model.record.set("blend", describe(blend));
  model.index_base = first.index_base;
  model.modes = first.modes;
  model.entries = first.entries;
  model.observed = first.observed;
  model.clip = first.clip;
  keep_entries_once(blend.members, model);
  model.body = ModelBody(std::move(blend));
  return model;
}

std::string describe(const Blend& blend) {
  std::string text;
  for (std::size_t m = 0; m < blend.members.size(); ++m)
    text += fmt::format("{}{:.2f} {}", m == 0 ? "" : " + ", blend.weights[m], blend.members[m].method);
  return text;
}

}  // namespace lacuna
