// SPDX-License-Identifier: MIT
// Everything that can be said about a fit. What is a Choice and not given is left to the program: `fit` chooses
// it on held-out entries, `fit_once` takes the method's default. The table of fields (settings_table.hpp) says
// how each is written, what it means and which methods take it.
#pragma once

#include <cstdint>
#include <lacuna/base/choice.hpp>
#include <lacuna/method/methods.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/model/structure.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace lacuna {

enum class Optimizer { kTrustRegion, kNonlinearCg };
enum class Precision { kDouble, kFloat };
// What an error r of an observed entry costs. Squared: r^2. Huber: r^2 up to a bound, beyond it as its
// tangent, so that entries that are plain wrong pull little; the bound is found from the data.
enum class Loss { kSquared, kHuber };
// When to bound the distance to the best over all ranks (tr-mm).
enum class Certify { kNever, kAtTheEnd, kEveryStep };
// How much choosing may cost: about 1, 4 or 20 times the final fit.
enum class Effort { kLow, kMedium, kHigh };

[[nodiscard]] std::string_view name(Optimizer optimizer);
[[nodiscard]] std::string_view name(Precision precision);
[[nodiscard]] std::string_view name(Start start);
[[nodiscard]] std::string_view name(Loss loss);
[[nodiscard]] std::string_view name(Effort effort);

// What only the methods of latent parts take.
struct LatentSettings {
  Choice<std::vector<PartOptions>> parts{};
  Choice<std::vector<double>> lambdas{};  // lambda_p themselves, one for each part; instead of lambda
  Choice<int> path{};  // warm-started fits at smaller lambdas first, each 10 times the one before
  Choice<Optimizer> optimizer{};
  Choice<Precision> precision{};
  Choice<double> certified_gap{};  // ranks grow until the duality gap is below this
  Certify certify = Certify::kAtTheEnd;
};

// What only the methods that hold every cell take.
struct DenseSettings {
  Choice<double> unshrunk{};  // share of the singular values that halrtc leaves as they are, [0, 1)
  Choice<int> tubes{};        // the mode that tsvd transforms along
};

// How what is open is chosen.
struct SearchSettings {
  Effort effort = Effort::kMedium;
  Choice<double> early_stop{};  // share of the entries held out to count the steps; 0: never
  double calibrate = 0.0;       // share of the entries held out, of choosing too, for intervals; 0: none
  bool keep_best = false;       // the step at which the test error was lowest, not the last
};

struct Settings {
  Choice<Method> method{};
  Choice<Loss> loss{};
  Choice<Start> start{};
  Choice<OffsetSpec> offsets{};
  Choice<std::vector<int>> ranks{};  // one for each part, or for each mode, or one for all; capped at n_k
  Choice<double> lambda{};           // > 0; lambda_p = lambda times part_scale() times the part's own factor
  Clip clip{};                       // where predictions are kept
  Choice<int> max_iterations{};      // steps, in all
  Choice<double> tolerance{};        // on the gradient norm relative to the objective
  std::optional<double> max_time{};  // seconds, > 0, choosing included
  std::uint64_t seed = 1;
  LatentSettings latent{};
  DenseSettings dense{};
  SearchSettings search{};
  // Takes its factors where modes, parts and ranks agree, and its Z where Omega does.
  const Model* warm_start = nullptr;

  static constexpr int kDefaultRank = 10;
  static constexpr double kDefaultLambda = 10.0;
  static constexpr double kPathStart = 1.0;  // the lambda that a path begins at
};

// The settings with the method's defaults where nothing is given, except for ranks (see ranks_or_default); the
// method itself is tr-mm unless given.
// Throws std::invalid_argument when a setting is given that the method does not take, or is out of range.
[[nodiscard]] Settings settled(Settings settings, int order);

// The ranks given, or the one of the method.
[[nodiscard]] std::vector<int> ranks_or_default(const Settings& settings);

// Throws std::invalid_argument as settled() does, for a method that is given.
void check_taken(const Settings& settings);

// The paper's own model: its parts, no offsets, its lambda_k = lambda n_k, solved by tr-mm or what is given.
[[nodiscard]] Settings paper_preset(Settings settings, int order);

}  // namespace lacuna
