// SPDX-License-Identifier: MIT
// A certificate in words and in JSON.
#pragma once

#include <lacuna/model/model.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "problem/certificate.hpp"

namespace lacuna::cli {

[[nodiscard]] nlohmann::ordered_json certificate_json(const Certificate& certificate, const Model& model);

// What the gap is, which parts' ranks it comes from, and what can be done about it.
[[nodiscard]] std::string certificate_text(const Certificate& certificate, const Model& model,
                                           double tolerance);

}  // namespace lacuna::cli
