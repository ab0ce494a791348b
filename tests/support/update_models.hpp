// SPDX-License-Identifier: MIT
// Models whose factors are known, to be updated: in factored form, and of CP tensors. Both are of the same cells.
#pragma once

#include <memory>
#include <vector>

#include "model/body.hpp"
#include "support/random_models.hpp"

namespace lacuna::test {

inline const std::vector<Index> kExtents{30, 12, 4};
inline constexpr double kNoise = 1e-4;  // that the model claims; new entries have none

// Every position of every mode has many entries.
inline ObservedTensor fitted_on(Rng& rng) {
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < kExtents[0]; ++i)
    for (Index j = 0; j < kExtents[1]; ++j) {
      entries.cells.add({i, j, (i + j) % kExtents[2]});
      entries.value.push_back(rng.normal());
    }
  return *ObservedTensor::create(plain_modes(kExtents), std::move(entries));
}

// Two parts in factored form and an effect, fitted with nothing left.
inline Model factored_model(Rng& rng) {
  const ObservedTensor tensor = fitted_on(rng);
  Model model = bare_model(tensor, rng);
  model.method = "als";
  model.offsets.effects.resize(1);
  model.offsets.effects[0].ridge = 0.0;  // as large as effects are, and as the noise is
  model.record.set("noise", kNoise);
  Latent latent;
  latent.parts.push_back(random_part(tensor, {.mode = 0, .agree = {1}}, 3, true, rng));
  latent.parts.push_back(random_part(tensor, {.mode = 2, .agree = {1}}, 1, true, rng));
  latent.dual = tensor;
  latent.dual.replace_values(std::vector<double>(static_cast<std::size_t>(tensor.size()), 0.0));
  model.body = ModelBody(std::move(latent));
  return model;
}

inline std::vector<Mode> grown(const Model& model, Index more) {
  std::vector<Mode> modes = model.modes;
  modes[0].size += more;
  return modes;
}

// A CP tensor with covariances.
inline Model cp_model(Rng& rng) {
  const ObservedTensor tensor = fitted_on(rng);
  Model model = bare_model(tensor, rng);
  model.method = "bayescp";
  model.kept = std::make_shared<const ObservedTensor>(tensor);
  Cp cp = random_cp(kExtents, 2, rng);
  for (Matrix<double>& covariance : cp.covariance)
    for (Eigen::Index i = 0; i < covariance.rows(); ++i)
      covariance.row(i) << 0.3 + 0.01 * static_cast<double>(i), 0.1, 0.1, 0.2;
  cp.noise_precision = 5.0;
  model.body = ModelBody(std::move(cp));
  return model;
}

}  // namespace lacuna::test
