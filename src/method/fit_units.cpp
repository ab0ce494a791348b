// SPDX-License-Identifier: MIT
#include "method/fit_units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <lacuna/base/base.hpp>

namespace lacuna {

void restore_units(const UnitScale& unit, FitResult& result) {
  unit.restore(result.model);
  if (result.certificate) unit.restore(*result.certificate);
  if (!std::isfinite(result.last.objective) || !std::isfinite(result.last.train_rmse))
    throw ValueRangeError(
        fmt::format("the fit ended at an objective of {} with a train RMSE of {}: values between {:.3g} and "
                    "{:.3g} led to numbers that no double holds",
                    result.last.objective, result.last.train_rmse, result.model.observed.low,
                    result.model.observed.high));
}

}  // namespace lacuna
