// SPDX-License-Identifier: MIT
// What fit() does about units: the model it starts from goes into the unit that the method sees, the result
// comes out of it.
#pragma once

#include <lacuna/method/fit_once.hpp>
#include <memory>

#include "method/unit_scale.hpp"

namespace lacuna {

// The options with the model to start from, if there is one, in the unit of the method.
class WarmStart {
 public:
  WarmStart(const Settings& options, const UnitScale& unit) : options_(options) {
    if (options.warm_start == nullptr || unit.exponent() == 0) return;
    model_ = std::make_unique<Model>(unit.scaled(*options.warm_start));
    options_.warm_start = model_.get();
  }
  [[nodiscard]] const Settings& options() const { return options_; }

 private:
  Settings options_;
  std::unique_ptr<Model> model_;
};

// Model and certificate in the user's unit; the figures of the last step are already. Throws ValueRangeError
// when anything is not finite.
void restore_units(const UnitScale& unit, FitResult& result);

}  // namespace lacuna
