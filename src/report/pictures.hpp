// SPDX-License-Identifier: MIT
// Slices of a tensor as pictures: what was known, what the model says, how far that is off.
#pragma once

#include <lacuna/model/model.hpp>
#include <lacuna/report/report.hpp>
#include <nlohmann/json.hpp>

namespace lacuna::report {

// [{title, images: [{caption, source}]}], one for each slice shown, sources as data: addresses. Of several frames or
// bands a few are shown. Empty when the modes are no picture's (picture_modes()).
[[nodiscard]] nlohmann::ordered_json pictures(const Model& model, const Predictor& predictor,
                                              const ReportInput& input);

// {caption, source}: numbers row by row, those below 0 dark and those above bright; NaN is transparent.
[[nodiscard]] nlohmann::ordered_json signed_image(const std::string& caption, Index rows, Index columns,
                                                  const std::vector<double>& values);

}  // namespace lacuna::report
