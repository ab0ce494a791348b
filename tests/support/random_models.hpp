// SPDX-License-Identifier: MIT
// Whole models made of random numbers: every kind of body, with effects of modes and pairs of modes.
#pragma once

#include <lacuna/model/model.hpp>
#include <lacuna/model/structure.hpp>
#include <string>
#include <vector>

#include "kernels/part_kernels.hpp"
#include "support/random_bodies.hpp"

namespace lacuna::test {

struct NamedModel {
  std::string name;
  Model model;
};

inline Effect random_effect(const ObservedTensor& tensor, const std::vector<int>& modes, Rng& rng) {
  OffsetSpec spec{.mean = true, .effects = {modes}};
  Effect effect = fit_offsets(tensor, spec).effects.at(0);
  for (double& value : effect.value) value = rng.normal();
  return effect;
}

// A part in dual form, or with a right factor of its own.
inline ModelPart random_part(const ObservedTensor& tensor, const PartSpec& spec, int rank, bool factored,
                             Rng& rng) {
  ModelPart part;
  part.modes = spec;
  part.lambda = factored ? 1.0 : 0.5 + rng.uniform();
  part.factor = spec.learns() ? random_matrix<double>(tensor.extent(spec.mode), rank, rng)
                              : Matrix<double>(Matrix<double>::Ones(1, 1));
  if (factored) part.right = random_matrix<double>(PartKernels(tensor, spec).view().fibers(), rank, rng);
  return part;
}

inline Model bare_model(const ObservedTensor& tensor, Rng& rng) {
  Model model;
  model.method = "tr-mm";
  model.version = "0";
  model.modes = tensor.modes();
  model.entries = tensor.size();
  model.observed = {.low = -2.0, .high = 2.0};
  model.offsets.mean = 0.75;
  model.offsets.effects.push_back(random_effect(tensor, {0}, rng));
  model.offsets.effects.push_back(random_effect(tensor, {1}, rng));
  model.offsets.effects.push_back(random_effect(tensor, {0, 1}, rng));
  return model;
}

// Of a tensor of three modes.
inline std::vector<NamedModel> random_models(const ObservedTensor& tensor, Rng& rng) {
  const std::vector<std::pair<std::string, std::vector<PartSpec>>> dual = {
      {"full parts", full_parts(3)},
      {"marginal parts", {{.mode = 0, .agree = {1}}, {.mode = 1, .agree = {0}}, {.mode = 2, .agree = {}}}},
      {"weighted parts", {{.mode = 0, .agree = {1, 2}, .row_power = 0.5, .fiber_power = 0.5}}},
      {"near parts",
       {{.mode = 2, .agree = {}, .near = {{0, 3.0}, {1, 2.0}}, .smoothness = 1.5},
        {.mode = 0, .agree = {1}, .near = {{2, 1.5}}},
        {.mode = PartSpec::kNothing, .agree = {2}, .near = {{0, 2.0}}}}}};
  std::vector<NamedModel> models;
  const auto add = [&](const std::string& name, ModelBody body) {
    Model model = bare_model(tensor, rng);
    model.body = std::move(body);
    models.push_back({name, std::move(model)});
  };
  const auto add_parts = [&](const std::string& name, const std::vector<PartSpec>& specs, bool factored) {
    Latent latent;
    for (const PartSpec& spec : specs) latent.parts.push_back(random_part(tensor, spec, 3, factored, rng));
    latent.dual = tensor;
    add(name, std::move(latent));
  };
  for (const auto& [name, specs] : dual) {
    add_parts(name, specs, false);
    if (specs.front().near.empty() && specs.front().row_power == 0.0)
      add_parts(name + ", factored", specs, true);
  }
  std::vector<ModelBody> others = random_bodies(extents(tensor.modes()), rng);
  for (std::size_t i = 0; i < others.size(); ++i) add("body " + std::to_string(i), std::move(others[i]));
  // The same with a guess of their own at cells that the body says nothing of, with and without offsets.
  const std::size_t count = models.size();
  for (std::size_t i = 0; i < count; ++i)
    for (const bool offsets : {true, false}) {
      NamedModel guessing = models[i];
      guessing.name += offsets ? ", guessing" : ", guessing without offsets";
      guessing.model.fallback = fit_offsets(tensor, main_effects(3));
      if (!offsets) guessing.model.offsets = {};
      models.push_back(std::move(guessing));
    }
  models.push_back({"blend", blended({.members = {models[0].model, models.back().model, models[1].model},
                                      .weights = {0.5, 0.3, 0.2}})});
  return models;
}

}  // namespace lacuna::test
