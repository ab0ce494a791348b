// SPDX-License-Identifier: MIT
// What fit_once() asks of a method: values without their offsets in, the body of a model out. What it settles or
// finds beside that goes into the record of the run.
#pragma once

#include <lacuna/method/fit_once.hpp>

#include "method/fit_run.hpp"
#include "model/body.hpp"

namespace lacuna {

struct Solved {
  ModelBody body;
  Summary summary;
  std::vector<double> mixture{};  // of latent parts
  std::vector<Effect> effects{};  // to be added to the model's offsets
  std::optional<Certificate> certificate{};
};

// From settled settings and values without their offsets to the body of a model.
struct Solver {
  Solved (*solve)(ObservedTensor& tensor, const Settings& settings, FitRun& run);
};

// Each may take the tensor over. Throw std::invalid_argument when the options do not fit it.
[[nodiscard]] Solved solve_trust_region(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_ffw(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_als(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_bayes_cp(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_complex(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_tucker(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_edges(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_overlapped(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_latent_admm(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_tsvd(ObservedTensor& tensor, const Settings& options, FitRun& run);
[[nodiscard]] Solved solve_offsets(ObservedTensor& tensor, const Settings& options, FitRun& run);

}  // namespace lacuna
