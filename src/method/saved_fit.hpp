// SPDX-License-Identifier: MIT
// What fits and their steps are made of, for an Archive, and how a checkpoint says what a fit is about.
#pragma once

#include <lacuna/method/fit_once.hpp>

#include "dist/communicator.hpp"
#include "model/journal.hpp"

namespace lacuna {

void fields_of(Archive& archive, FitProgress& progress);
void fields_of(Archive& archive, PartBound& bound);
void fields_of(Archive& archive, Certificate& certificate);
// All but the model.
void fields_of(Archive& archive, FitResult& result);

// Every setting by its name, as the user would write it, and those that have no name of their own.
[[nodiscard]] Journal::About about_settings(const Settings& settings, const std::vector<Mode>& modes);
// A checksum of `what` is done with these settings, without those that may differ when a fit goes on.
[[nodiscard]] std::string checksum_text(std::string_view what, const Settings& settings,
                                        const std::vector<Mode>& modes);

// Over all that a fit learns from: cells, values, weights, and what is known of the modes. The sum of a checksum of
// every entry, so that it is the same whoever shares them.
[[nodiscard]] std::string checksum_text(const ObservedTensor& tensor,
                                        const Communicator& everyone = serial_communicator());
[[nodiscard]] std::string checksum_text(const Entries& entries);
// Over what a fit may begin with: the factors and the dual values of latent parts, the ranks of others.
[[nodiscard]] std::string checksum_text(const Model& model);
// The same of a model whose dual is spread over processes, on any number of them.
[[nodiscard]] std::string checksum_text(const Model& model, const Communicator& everyone);
// The same without dual values, of which a process may have its share alone.
[[nodiscard]] std::string factors_text(const Model& model);

}  // namespace lacuna
