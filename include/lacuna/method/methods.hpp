// SPDX-License-Identifier: MIT
// Every method, in one table: what `--method` reads, `lacuna methods` prints and `fit` checks settings by.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

enum class Method { kTrMm, kTrLs, kMean, kOffsets };

// Settings that not every method has. Those of all methods (offsets, clip, max-time, seed) are not listed.
enum Setting : unsigned {
  kTakesRank = 1U << 0U,
  kTakesLambda = 1U << 1U,
  kTakesParts = 1U << 2U,
  kTakesInit = 1U << 3U,
  kTakesSteps = 1U << 4U,  // iterations, tolerance, early stop
  kTakesOptimizer = 1U << 5U,
  kTakesPrecision = 1U << 6U,
};

// What memory grows with: the observed entries, or all cells of the tensor.
enum class Scale { kSparse, kDense };

struct MethodInfo {
  Method method;
  std::string_view name;
  std::string_view what;     // it does
  std::string_view assumes;  // of the data
  unsigned settings;         // of Setting
  Scale scale;
  std::string_view offsets;  // when the user says nothing
  int max_iterations;        // likewise
  double tolerance;          // likewise, on the relative gradient
};

inline constexpr unsigned kLatentSettings =
    kTakesRank | kTakesLambda | kTakesParts | kTakesInit | kTakesSteps | kTakesOptimizer | kTakesPrecision;

inline constexpr std::array kMethods = {
    MethodInfo{Method::kTrMm, "tr-mm", "latent trace norm, problem D by Riemannian trust region",
               "a sum of tensors, each low-rank along one mode", kLatentSettings, Scale::kSparse, "none", 100,
               1e-5},
    MethodInfo{Method::kTrLs, "tr-ls", "latent trace norm, problem P by Riemannian trust region",
               "a sum of tensors, each low-rank along one mode", kLatentSettings, Scale::kSparse, "none", 100,
               1e-5},
    MethodInfo{Method::kMean, "mean", "the mean of the observed entries", "nothing", 0, Scale::kSparse,
               "mean", 0, 0.0},
    MethodInfo{Method::kOffsets, "offsets", "the mean and effects of modes or pairs of modes",
               "no interaction beyond the effects", 0, Scale::kSparse, "modes", 0, 0.0},
};

[[nodiscard]] constexpr const MethodInfo& info(Method method) {
  for (const MethodInfo& row : kMethods)
    if (row.method == method) return row;
  return kMethods[0];
}
[[nodiscard]] constexpr std::string_view name(Method method) { return info(method).name; }
[[nodiscard]] std::optional<Method> parse_method(std::string_view text);

// The flags of a method's settings, separated by spaces.
[[nodiscard]] std::string setting_names(unsigned settings);

}  // namespace lacuna
