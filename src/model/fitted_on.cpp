// SPDX-License-Identifier: MIT
#include "model/fitted_on.hpp"

#include "model/body.hpp"

namespace lacuna {

bool tells_values(const Model& model) {
  const Latent* latent = model.latent();
  return latent != nullptr && (latent->factored() || model.method == "tr-mm");
}

const Model* keeper_of_entries(const Model& model) {
  if (model.kept != nullptr) return &model;
  for (const Model* one : members(model))
    if (one->kept != nullptr || tells_values(*one)) return one;
  return nullptr;
}

const ObservedTensor& entries_of(const Model& keeper) {
  return keeper.kept != nullptr ? *keeper.kept : keeper.latent()->dual;
}

// What the model says plus what it leaves.
std::vector<double> fitted_values(const Model& keeper) {
  if (keeper.kept != nullptr) return {keeper.kept->values().begin(), keeper.kept->values().end()};
  const Latent& latent = *keeper.latent();
  std::vector<double> values = Predictor(keeper).scores(latent.dual.cells());
  for (Count e = 0; e < latent.dual.size(); ++e) values[e] += left_of_entry(latent, e);
  return values;
}

double noise_variance(const Model& model) {
  if (const FitRecord::Value* noise = model.record.find("noise"))
    if (const double* deviation = std::get_if<double>(noise)) return *deviation * *deviation;
  const Latent& latent = *model.latent();
  double sum = 0.0;
  for (Count e = 0; e < latent.dual.size(); ++e) {
    const double left = left_of_entry(latent, e);
    sum += latent.dual.weight(e) * left * left;
  }
  return sum / latent.dual.total_weight();
}

}  // namespace lacuna
