// SPDX-License-Identifier: MIT
// Every method, in one table: what `--method` reads, `lacuna methods` prints and `fit` checks settings by.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

enum class Method {
  kTrMm,
  kTrLs,
  kFfw,
  kAls,
  kRprecon,
  kGeomCg,
  kTopt,
  kBayesCp,
  kHalrtc,
  kHard,
  kLatent,
  kTsvd,
  kMean,
  kOffsets
};

// Settings that not every method has. Those of all methods (offsets, clip, max-time, seed) are not listed.
enum Setting : unsigned {
  kTakesRank = 1U << 0U,
  kTakesLambda = 1U << 1U,
  kTakesParts = 1U << 2U,
  kTakesInit = 1U << 3U,
  kTakesSteps = 1U << 4U,
  kTakesOptimizer = 1U << 5U,
  kTakesPrecision = 1U << 6U,
  kTakesEarlyStop = 1U << 7U,
  kTakesPath = 1U << 8U,  // a lambda for each part, smaller ones first
  kTakesLoss = 1U << 9U,
  kTakesTubes = 1U << 10U,
};

// What memory grows with: the observed entries, or all cells of the tensor.
enum class Scale { kSparse, kDense };

// Where a fit begins. Grow: at rank 1, and one more in each mode whenever that is fitted.
enum class Start { kAuto, kRandom, kSpectral, kGrow };

struct MethodInfo {
  Method method;
  std::string_view name;
  std::string_view what;     // it does
  std::string_view assumes;  // of the data
  unsigned settings;         // of Setting
  Scale scale;
  std::string_view model;   // the kind of its body, as kind_name() says it
  int order = 0;            // of the tensors it takes; 0: any
  bool finds_rank = false;  // --rank is only a bound
  // When the user says nothing:
  std::string_view offsets = "none";
  Start start = Start::kAuto;
  int max_iterations = 0;
  double tolerance = 0.0;  // on the relative gradient, change or gap
};

inline constexpr unsigned kLatentSettings = kTakesRank | kTakesLambda | kTakesPath | kTakesParts |
                                            kTakesInit | kTakesSteps | kTakesOptimizer | kTakesPrecision |
                                            kTakesEarlyStop | kTakesLoss;
inline constexpr unsigned kTuckerSettings = kTakesRank | kTakesInit | kTakesSteps | kTakesLoss;

inline constexpr std::array kMethods = {
    MethodInfo{.method = Method::kTrMm,
               .name = "tr-mm",
               .what = "latent trace norm, problem D by Riemannian trust region",
               .assumes = "a sum of tensors, each low-rank along one mode",
               .settings = kLatentSettings,
               .scale = Scale::kSparse,
               .model = "latent",
               .start = Start::kSpectral,
               .max_iterations = 100,
               .tolerance = 1e-5},
    MethodInfo{.method = Method::kTrLs,
               .name = "tr-ls",
               .what = "latent trace norm, problem P by Riemannian trust region",
               .assumes = "a sum of tensors, each low-rank along one mode",
               .settings = kLatentSettings,
               .scale = Scale::kSparse,
               .model = "latent",
               .start = Start::kSpectral,
               .max_iterations = 100,
               .tolerance = 1e-5},
    MethodInfo{.method = Method::kFfw,
               .name = "ffw",
               .what = "scaled latent trace norm within a bound, by Frank-Wolfe with basis reduction",
               .assumes = "a sum of tensors, each low-rank along one mode",
               .settings = kTakesLambda | kTakesSteps,
               .scale = Scale::kSparse,
               .model = "latent",
               .max_iterations = 200,
               .tolerance = 1e-4},
    MethodInfo{.method = Method::kAls,
               .name = "als",
               .what = "parts in factored form with main effects, by variational alternating least squares",
               .assumes = "a sum of low-rank parts, Gaussian noise",
               .settings = kTakesRank | kTakesParts | kTakesSteps,
               .scale = Scale::kSparse,
               .model = "latent",
               .finds_rank = true,
               .offsets = "mean",
               .max_iterations = 50,
               .tolerance = 1e-4},
    MethodInfo{.method = Method::kRprecon,
               .name = "rprecon",
               .what = "fixed multilinear rank, Riemannian CG with a preconditioned metric",
               .assumes = "a low multilinear (Tucker) rank",
               .settings = kTuckerSettings,
               .scale = Scale::kSparse,
               .model = "tucker",
               .start = Start::kGrow,
               .max_iterations = 250,
               .tolerance = 1e-6},
    MethodInfo{.method = Method::kGeomCg,
               .name = "geomcg",
               .what = "fixed multilinear rank, Riemannian CG on the embedded manifold",
               .assumes = "a low multilinear (Tucker) rank",
               .settings = kTuckerSettings,
               .scale = Scale::kSparse,
               .model = "tucker",
               .start = Start::kGrow,
               .max_iterations = 250,
               .tolerance = 1e-6},
    MethodInfo{.method = Method::kTopt,
               .name = "topt",
               .what = "Tucker model by nonlinear CG on core and factors",
               .assumes = "a low multilinear (Tucker) rank, which may be overestimated",
               .settings = kTuckerSettings,
               .scale = Scale::kSparse,
               .model = "tucker",
               .start = Start::kGrow,
               .max_iterations = 500,
               .tolerance = 1e-6},
    MethodInfo{.method = Method::kBayesCp,
               .name = "bayescp",
               .what = "Bayesian CP by variational inference; finds the rank and how sure it is",
               .assumes = "a low CP rank, Gaussian noise",
               .settings = kTakesRank | kTakesInit | kTakesSteps,
               .scale = Scale::kSparse,
               .model = "cp",
               .finds_rank = true,
               .start = Start::kSpectral,
               .max_iterations = 100,
               .tolerance = 1e-5},
    MethodInfo{.method = Method::kHalrtc,
               .name = "halrtc",
               .what = "overlapped trace norm with exact fit, by ADMM with a growing penalty",
               .assumes = "a low rank along every mode at once",
               .settings = kTakesSteps,
               .scale = Scale::kDense,
               .model = "dense",
               .offsets = "mean",
               .max_iterations = 500,
               .tolerance = 1e-5},
    MethodInfo{.method = Method::kHard,
               .name = "hard",
               .what = "scaled overlapped trace norm with exact fit, by Douglas-Rachford splitting",
               .assumes = "a low rank along every mode at once; no noise",
               .settings = kTakesSteps,
               .scale = Scale::kDense,
               .model = "dense",
               .offsets = "mean",
               .max_iterations = 500,
               .tolerance = 1e-5},
    MethodInfo{.method = Method::kLatent,
               .name = "latent",
               .what = "latent trace norm with exact fit, by ADMM on the dual",
               .assumes = "a sum of tensors, each low-rank along one mode",
               .settings = kTakesSteps,
               .scale = Scale::kDense,
               .model = "dense",
               .offsets = "mean",
               .max_iterations = 500,
               .tolerance = 1e-5},
    MethodInfo{.method = Method::kTsvd,
               .name = "tsvd",
               .what = "tubal nuclear norm with exact fit, by ADMM",
               .assumes = "3 modes; low-rank slices in the Fourier domain of one",
               .settings = kTakesSteps | kTakesTubes,
               .scale = Scale::kDense,
               .model = "dense",
               .order = 3,
               .offsets = "mean",
               .max_iterations = 500,
               .tolerance = 1e-5},
    MethodInfo{.method = Method::kMean,
               .name = "mean",
               .what = "the mean of the observed entries",
               .assumes = "nothing",
               .settings = 0,
               .scale = Scale::kSparse,
               .model = "offsets",
               .offsets = "mean"},
    MethodInfo{.method = Method::kOffsets,
               .name = "offsets",
               .what = "the mean and effects of modes or pairs of modes",
               .assumes = "no interaction beyond the effects",
               .settings = 0,
               .scale = Scale::kSparse,
               .model = "offsets",
               .offsets = "modes"},
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
