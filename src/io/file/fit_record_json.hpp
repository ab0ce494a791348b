// SPDX-License-Identifier: MIT
// The record of a fit as JSON and back: the one place that knows the names of its fields in files and pages.
#pragma once

#include <lacuna/model/model.hpp>
#include <nlohmann/json.hpp>

namespace lacuna::io {

// Settings beside each other, the run, if there is one, as an object of its own.
[[nodiscard]] nlohmann::ordered_json to_json(const FitRecord& record);
[[nodiscard]] nlohmann::ordered_json to_json(const RunRecord& run);
[[nodiscard]] nlohmann::ordered_json to_json(const TuningRecord& tuning);

// Takes the records of all versions: what is missing keeps its default. Throws ArrayReader::Bad or a json
// exception on fields of another kind.
[[nodiscard]] FitRecord read_fit_record(const nlohmann::json& described);

}  // namespace lacuna::io
