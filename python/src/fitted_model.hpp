// SPDX-License-Identifier: MIT
// A model as Python holds it, with the predictor that answers for it, made when first asked.
#pragma once

#include <lacuna/model/model.hpp>
#include <memory>
#include <mutex>
#include <utility>

namespace lacuna::python {

class FittedModel {
 public:
  explicit FittedModel(Model fitted) : model(std::move(fitted)) {}

  [[nodiscard]] const Predictor& predictor() const {
    std::call_once(made_, [this] { predictor_ = std::make_unique<Predictor>(model); });
    return *predictor_;
  }

  Model model;

 private:
  mutable std::once_flag made_;
  mutable std::unique_ptr<Predictor> predictor_;
};

}  // namespace lacuna::python
