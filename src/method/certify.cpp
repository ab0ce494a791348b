// SPDX-License-Identifier: MIT
#include <cmath>
#include <lacuna/method/fit_once.hpp>
#include <stdexcept>

#include "method/unit_scale.hpp"
#include "model/body.hpp"
#include "problem/certificate.hpp"

namespace lacuna {

Certificate certify(const Model& given, ObservedTensor train) {
  if (given.method != "tr-mm")
    throw std::invalid_argument("only models of tr-mm can be certified: " + given.method +
                                " does not solve the convex problem's dual");
  if (train.cells() != std::get<Latent>(*given.body).dual.cells())
    throw std::invalid_argument("the cells are not those that the model was fitted on");
  const UnitScale unit(train);
  unit.scale(train);
  const Model model = unit.scaled(given);
  const Latent& latent = std::get<Latent>(*model.body);

  std::vector<double> left = model.offsets.taken_off(train);
  std::vector<double> miss = left;  // what offsets and parts leave
  for (const std::vector<double>& part : Predictor(model).predict_parts(train.cells()))
    for (std::size_t e = 0; e < miss.size(); ++e) miss[e] -= part[e];
  double squares = 0.0;
  for (Count e = 0; e < train.size(); ++e) squares += train.weight(e) * miss[e] * miss[e];
  train.replace_values(std::move(left));

  std::vector<PartSpec> parts;
  std::vector<double> lambda;
  std::vector<Matrix<double>> u;
  for (const ModelPart& part : latent.parts) {
    parts.push_back(part.modes);
    lambda.push_back(part.lambda);
    u.push_back(part.factor);
  }
  const ProblemData<double> data(train, parts, lambda);
  Certificate certificate = certify<double>(data, u, latent.dual.values(), std::sqrt(squares));
  unit.restore(certificate);
  return certificate;
}

}  // namespace lacuna
