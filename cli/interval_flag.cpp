// SPDX-License-Identifier: MIT
#include "interval_flag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lacuna::cli {

namespace {
constexpr double kUsualInterval = 0.9;  // of a model that was fitted with intervals, unless asked otherwise
}

void IntervalFlag::add_flag(CLI::App& command) {
  command
      .add_option("--interval", asked_,
                  "intervals that hold with this probability; unset: 0.9 where the model has them; 0: none")
      ->check(probability());
}

Result<double> IntervalFlag::level(const Model& model, const std::string& path) const {
  const bool can = !model.calibration.groups.empty();
  if (!asked_) return can ? kUsualInterval : 0.0;
  if (auto fine = check_interval(*asked_, model, path); !fine) return fine.error();
  return *asked_;
}

Result<> check_interval(double level, const Model& model, const std::string& path) {
  if (!(level > 0.0)) return Nothing{};
  const auto& groups = model.calibration.groups;
  if (groups.empty())
    return usage_error("--interval", fmt::format("{} was fitted without --intervals", path));
  for (const Calibration::Group& group : groups)
    if (!std::isfinite(model.calibration.half_width(group.support_from, level)))
      return usage_error("--interval",
                         fmt::format("{} asks for more than the {} entries held out for it can tell", level,
                                     group.residuals.size()));
  return Nothing{};
}

IntervalEnds interval_ends(const Calibration& calibration, const std::optional<Range>& range, double value,
                           Count support, double level) {
  if (!(level > 0.0)) return {};
  const double half = calibration.half_width(support, level);
  if (!std::isfinite(half)) return {};
  IntervalEnds ends{.low = value - half, .high = value + half};
  if (!range) return ends;
  for (std::optional<double>* end : {&ends.low, &ends.high})
    *end = std::clamp(**end, range->low, range->high);
  return ends;
}

}  // namespace lacuna::cli
