// SPDX-License-Identifier: MIT
// Every method is one row of a table: its name, what it assumes, what it takes, its defaults, how it is solved
// and what memory it needs. `--method` reads the table, `lacuna methods` prints it, settings are checked by it.
#pragma once

#include <lacuna/tensor/observed_tensor.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace lacuna {

struct Settings;
struct Solved;
class FitRun;

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
  kTakesUnshrunk = 1U << 11U,
};

// What memory grows with: the observed entries, or all cells of the tensor.
enum class Scale { kSparse, kDense };

// Where a fit begins. Grow: at rank 1, and one more in each mode whenever that is fitted.
enum class Start { kRandom, kSpectral, kGrow };

struct MethodInfo {
  Method method;
  std::string_view name;
  std::string_view what;     // it does
  std::string_view assumes;  // of the data
  unsigned settings;         // of Setting
  Scale scale;
  // From settled settings and values without their offsets to the body of a model; may take the tensor over.
  Solved (*solve)(ObservedTensor& tensor, const Settings& settings, FitRun& run);
  // Bytes that a fit of so many entries needs, roughly, with the largest ranks the settings allow.
  double (*bytes)(Count entries, const std::vector<Mode>& modes, const Settings& settings);
  // Multiply-adds of an operator application, or of a step where none is counted.
  double (*work)(Count entries, const std::vector<Mode>& modes, const Settings& settings);
  std::string_view model;   // the kind of its body, as kind_name() says it
  int order = 0;            // of the tensors it takes; 0: any
  bool finds_rank = false;  // the rank given is only a bound
  // When nothing is said:
  std::string_view offsets = "none";
  Start start = Start::kSpectral;
  int rank = 10;
  int max_iterations = 0;
  double tolerance = 0.0;  // on the relative gradient, change or gap
};

[[nodiscard]] std::span<const MethodInfo> methods();
[[nodiscard]] const MethodInfo& info(Method method);
[[nodiscard]] inline std::string_view name(Method method) { return info(method).name; }
[[nodiscard]] std::optional<Method> parse_method(std::string_view text);
// Whether the method takes this setting, of Setting.
[[nodiscard]] inline bool takes(Method method, unsigned setting) {
  return (info(method).settings & setting) != 0;
}

}  // namespace lacuna
