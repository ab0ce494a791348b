// SPDX-License-Identifier: MIT
// The table of methods, everything that can be said about a fit, and the table of settings.
#pragma once

#include <cstdint>
#include <lacuna/base/base.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/model/structure.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// Every method is one row of a table: its name, what it assumes, what it takes, its defaults, how it is solved
// and what memory it needs. The setting `method` is read by the table, `lacuna methods` prints it, settings are checked
// by it.

struct Settings;
struct Solver;  // how it is solved; private to the library (src/method/solve.hpp)

enum class Method {
  kTrMm,
  kTrLs,
  kFfw,
  kAls,
  kRprecon,
  kGeomCg,
  kTopt,
  kBayesCp,
  kComplEx,
  kEdges,
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
  kTakesPenalty = 1U << 12U,
  kTakesContrast = 1U << 13U,
  kTakesGap = 1U << 14U,  // the fit bounds how far it is from the best over all ranks
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
  const Solver* solver;
  // Bytes that a fit of so many entries needs, roughly, with the largest ranks the settings allow.
  double (*bytes)(Count entries, const std::vector<Mode>& modes, const Settings& settings);
  // Multiply-adds of an operator application, or of a step where none is counted.
  double (*work)(Count entries, const std::vector<Mode>& modes, const Settings& settings);
  std::string_view model;   // the kind of its body, as kind_name() says it
  int order = 0;            // of the tensors it takes; 0: any
  bool finds_rank = false;  // the rank given is only a bound
  bool shares = false;      // processes can share a fit, each with some of the entries
  // When nothing is said:
  std::string_view offsets = "none";
  Start start = Start::kSpectral;
  int rank = 10;
  int max_iterations = 0;
  double tolerance = 0.0;  // on the relative gradient, change or gap
};

[[nodiscard]] std::span<const MethodInfo> methods();
// Throws std::invalid_argument when there is no such method.
[[nodiscard]] const MethodInfo& info(Method method);
[[nodiscard]] inline std::string_view name(Method method) { return info(method).name; }
[[nodiscard]] std::optional<Method> parse_method(std::string_view text);
// Whether the method takes this setting, of Setting.
[[nodiscard]] inline bool takes(Method method, unsigned setting) {
  return (info(method).settings & setting) != 0;
}

// Everything that can be said about a fit. What is a Choice and not given is left to the program: `fit` chooses
// it on held-out entries, `fit_once` takes the method's default. The table of fields (setting_fields()) says
// how each is written, what it means and which methods take it.

enum class Optimizer { kTrustRegion, kNonlinearCg };
enum class Precision { kDouble, kFloat };
// What an error r of an observed entry costs. Squared: r^2. Huber: r^2 up to a bound, beyond it as its
// tangent, so that entries that are plain wrong pull little; the bound is found from the data. Of links, which are
// facts or none: -log of the probability of an entry (logistic), or of a fact among all that differ from it in its
// head or in its tail only (softmax).
enum class Loss { kSquared, kHuber, kLogistic, kSoftmax };
// When to bound the distance to the best over all ranks (tr-mm).
enum class Certify { kNever, kAtTheEnd, kEveryStep };
// How much choosing may cost: about 1, 4 or 20 times the final fit, and where that is quick 5, 20 or 100 seconds of
// one core.
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

// What only method edges takes.
struct FieldSettings {
  Choice<double> contrast{};  // >= 0: squared steps of so many times their mean are edges; 0: there are none
};

// What only the methods of links take, and what is said of data that are nothing but facts, every value 1.
struct LinkSettings {
  Choice<double> penalty{};  // >= 0, of the cubes of the factors' absolute values, for each fact
  // Entries are facts, and for each so many cells of value 0 are drawn for methods that need both: `fit` then
  // chooses by the ranking of held-out facts. 0, or open: values are just values.
  Choice<int> negatives{};
  std::vector<int> corrupted{};  // the modes whose index a draw replaces; empty: those that are ranked
};

// How what is open is chosen.
struct SearchSettings {
  Effort effort = Effort::kMedium;
  Choice<double> early_stop{};  // share of the entries held out to count the steps; 0: never
  double calibrate = 0.0;       // share of the entries held out, of choosing too, for intervals; 0: none
  Choice<int> blend{};          // at most so many fits whose weighted mean is the answer, >= 1; 1: one model
  // The last step whose test error is within half a standard error of the lowest, not the last of all.
  bool keep_best = false;
};

struct Settings {
  Choice<Method> method{};
  Choice<Loss> loss{};
  Choice<Start> start{};
  Choice<OffsetSpec> offsets{};
  Choice<std::vector<int>> ranks{};  // one for each part, or for each mode, or one for all; capped at n_k
  Choice<double> lambda{};           // > 0; lambda_p = lambda times part_scale() times the part's own factor
  Choice<Clip> clip{};               // where predictions are kept; open: where values of their kind are
  Choice<int> max_iterations{};      // steps, in all
  Choice<double> tolerance{};        // on what a step still gains: the relative gradient, change or gap
  std::optional<double> max_time{};  // seconds, > 0, choosing included
  std::uint64_t seed = 1;
  LatentSettings latent{};
  DenseSettings dense{};
  FieldSettings field{};
  LinkSettings links{};
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

// Whether a method that takes a loss has this one.
[[nodiscard]] bool has_loss(Method method, Loss loss);

// Throws std::invalid_argument when a value is out of range, a mode is none of the tensor's or two things exclude each
// other, whatever is left open.
void check_values(const Settings& settings, int order);

// Throws std::invalid_argument as settled() does, for a method that is given.
void check_taken(const Settings& settings);

// The paper's own model: its parts, no offsets, its lambda_k = lambda n_k, solved by tr-mm or what is given.
[[nodiscard]] Settings paper_preset(Settings settings, int order);

// The one list of settings: what flags, configuration files, records in models and the documentation are made
// from. A setting is written and read as text, in the words of the modes it is about.

struct SettingField {
  std::string_view name;        // "max-iterations"
  std::string_view values;      // what it takes: "auto or a number > 0"
  std::string_view by_default;  // one of these values, or what stands for it
  unsigned taken = 0;           // of Setting: who takes it; 0: every method
  std::string_view what;        // it means, in a line
  // Whether the settings say something that a method which does not take it must refuse.
  bool (*given)(const Settings& settings);
  // From text to a setting of data with these modes. An Error without words: the text is none of the values.
  Result<> (*read)(std::string_view text, const std::vector<Mode>& modes, Settings& into);
  // The text that read() would take; empty when it is open or at the default that all methods share.
  std::string (*write)(const Settings& settings, const std::vector<Mode>& modes);
  // Whether what is given, by text or not, is one of the values; null: a type of its own sees to that.
  bool (*fits)(const Settings& settings) = nullptr;
};

[[nodiscard]] std::span<const SettingField> setting_fields();
// Null when there is none of that name.
[[nodiscard]] const SettingField* find_setting(std::string_view name);
// The names of the methods that take the setting, as methods() lists them.
[[nodiscard]] std::vector<std::string_view> takers(const SettingField& field);
// Gives the setting of that name the value that the text says. Errors say what was found and what was expected;
// that of an unknown name suggests the nearest.
Result<> read_setting(std::string_view name, std::string_view text, const std::vector<Mode>& modes,
                      Settings& into);

}  // namespace lacuna
