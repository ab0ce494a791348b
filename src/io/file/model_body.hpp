// SPDX-License-Identifier: MIT
// The part of a model file that differs from kind to kind.
//
//   kind      header                                arrays
//   offsets   entries                               -
//   latent    parts: mode (-1: none), agree, near   factor of each part, its right factor if it has one,
//             and smoothness, powers, lambda,       index of each mode, dual, weights, what the priors share
//             prior of rows and fibers
//   tucker    entries                               core, factor of each mode
//   cp        entries, noise_precision              factor of each mode, covariance of each mode if known
//   dense     entries                               cells
//   blend     entries, members: weight and all of a model but its modes
//
// All but latent ones, which have them, may keep the entries: `kept`, with index of each mode, value and weights.
#pragma once

#include <lacuna/model/model.hpp>
#include <string_view>

#include "io/file/array_container.hpp"

namespace lacuna::io {

// What a checkpoint, which is in the same layout, says that it is.
inline constexpr std::string_view kCheckpointKind = "checkpoint";

// A whole model, within a file of whatever kind. The second throws json exceptions, ArrayReader::Bad and
// std::invalid_argument on what does not fit.
[[nodiscard]] nlohmann::json describe_model(const Model& model, ArrayWriter& arrays);
[[nodiscard]] Model read_model(const nlohmann::json& header, const ArrayReader& arrays);

[[nodiscard]] bool knows_body(std::string_view kind);

// Adds the body, how many entries it was fitted on, and those it keeps, to the header and the arrays.
void describe_body(const Model& model, nlohmann::json& header, ArrayWriter& arrays);

// Reads them into a model whose modes are there. Throws json exceptions and ArrayReader::Bad on what does not
// fit.
void read_body(std::string_view kind, const nlohmann::json& header, const ArrayReader& arrays, Model& model);

}  // namespace lacuna::io
