// SPDX-License-Identifier: MIT
// How good predictions are.
#pragma once

#include <optional>
#include <span>

namespace lacuna {

[[nodiscard]] double rmse(std::span<const double> truth, std::span<const double> predicted);
[[nodiscard]] double mae(std::span<const double> truth, std::span<const double> predicted);
// 1 - sum (y - w)^2 / sum (y - mean y)^2; nothing when the truth is constant.
[[nodiscard]] std::optional<double> r_squared(std::span<const double> truth,
                                              std::span<const double> predicted);

// Are all values 0 or 1, with both present? Then an AUC makes sense.
[[nodiscard]] bool is_binary(std::span<const double> truth);

// Area under the ROC curve: the probability that a random 1 scores above a random 0, ties counted half.
// Nothing unless is_binary(truth).
[[nodiscard]] std::optional<double> auc(std::span<const double> truth, std::span<const double> score);

}  // namespace lacuna
