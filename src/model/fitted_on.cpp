// SPDX-License-Identifier: MIT
#include "model/fitted_on.hpp"

#include "model/body.hpp"

namespace lacuna {

bool tells_values(const Model& model) {
  const Latent* latent = model.latent();
  return latent != nullptr && (latent->factored() || model.method == "tr-mm");
}

const Model* keeper_of_entries(const Model& model) {
  for (const Model* one : members(model))
    if (tells_values(*one)) return one;
  return nullptr;
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
