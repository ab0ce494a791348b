// SPDX-License-Identifier: MIT
// One page about a model, to look at: how the fit went, what the model is made of, how good it is and where.
// Nothing is loaded from elsewhere, so the file can be kept, sent and opened anywhere.
#pragma once

#include <lacuna/model/model.hpp>
#include <string>

namespace lacuna {

struct ReportInput {
  const Entries* train = nullptr;  // what the model was fitted on
  const Entries* test = nullptr;   // known entries that it has not seen
  bool picture = false;            // the modes are rows, columns, and maybe channels or frames
};

// How the fit went is read from `run` in the model's record, if it was kept.
[[nodiscard]] std::string report_page(const Model& model, const ReportInput& input = {});

}  // namespace lacuna
