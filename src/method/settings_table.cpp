// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <lacuna/method/settings.hpp>
#include <type_traits>

#include "base/nearest.hpp"
#include "base/number_text.hpp"

namespace lacuna {
namespace {

using Modes = std::vector<Mode>;

Error none_of_the_values() { return usage_error("", ""); }

// The member that a path of pointers to members leads to: at<&Settings::latent, &LatentSettings::path>(settings).
template <auto... Path, class Owner>
auto& at(Owner& settings) {
  return (settings.*....*Path);
}

bool never_given(const Settings&) { return false; }  // every method takes it
template <auto... Path>
bool is_given(const Settings& settings) {
  return at<Path...>(settings).given();
}

struct Positive {
  static bool fits(double value) { return value > 0.0 && std::isfinite(value); }
};
struct NotNegative {
  static bool fits(double value) { return value >= 0.0 && std::isfinite(value); }
};
struct Share {
  static bool fits(double value) { return value >= 0.0 && value < 1.0; }
};
struct PathLength {
  static bool fits(double value) { return value >= 0.0 && value <= 12.0; }
};

// Whether a Choice, of a number or of some, is open or within bounds.
template <class Bounds, auto... Path>
bool are_within(const Settings& settings) {
  const auto& choice = at<Path...>(settings);
  if (choice.open()) return true;
  if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(*choice)>>) {
    return Bounds::fits(static_cast<double>(*choice));
  } else {
    return !choice->empty() && std::all_of(choice->begin(), choice->end(),
                                           [](auto one) { return Bounds::fits(static_cast<double>(one)); });
  }
}

// A Choice of a number within bounds; "auto" leaves it open.
template <class Bounds, auto... Path>
Result<> read_number(std::string_view text, const Modes&, Settings& into) {
  auto& choice = at<Path...>(into);
  using Number = std::remove_cvref_t<decltype(*choice)>;
  if (text == "auto") {
    choice.reopen();
    return Nothing{};
  }
  const auto value = number_in<Number>(text);
  if (!value || !Bounds::fits(static_cast<double>(*value))) return none_of_the_values();
  choice = *value;
  return Nothing{};
}
template <auto... Path>
std::string write_number(const Settings& settings, const Modes&) {
  const auto& choice = at<Path...>(settings);
  return choice.given() ? shortest(static_cast<double>(*choice)) : "";
}

// An Error for text that is none of the names, which suggests the nearest.
Error none_of(std::string_view text, const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t n = 0; n < names.size(); ++n)
    list += (n == 0 ? "" : n + 1 < names.size() ? ", " : " or ") + names[n];
  const auto near = nearest(text, names);
  return usage_error(
      "", fmt::format("found '{}', expected {}{}", text, list, near ? "; did you mean " + *near + "?" : ""));
}

// A Choice of one of the names of an enumeration.
template <const auto& Values, auto... Path>
Result<> read_word(std::string_view text, const Modes&, Settings& into) {
  auto& choice = at<Path...>(into);
  choice.reopen();
  std::vector<std::string> names{"auto"};
  for (const auto one : Values) {
    names.emplace_back(name(one));
    if (name(one) == text) choice = one;
  }
  if (text != "auto" && choice.open()) return none_of(text, names);
  return Nothing{};
}
template <auto... Path>
std::string write_word(const Settings& settings, const Modes&) {
  const auto& choice = at<Path...>(settings);
  return choice.given() ? std::string(name(*choice)) : "";
}

// A Choice of what `parse` makes of text about the modes.
template <auto Parse, auto... Path>
Result<> read_structure(std::string_view text, const Modes& modes, Settings& into) {
  at<Path...>(into).reopen();
  if (text == "auto") return Nothing{};
  auto found = Parse(text, modes);
  if (!found) return found.error();
  at<Path...>(into) = std::move(*found);
  return Nothing{};
}
template <auto... Path>
std::string write_structure(const Settings& settings, const Modes& modes) {
  const auto& choice = at<Path...>(settings);
  return choice.given() ? describe(*choice, modes) : "";
}

template <class Number>
std::optional<std::vector<Number>> positive_numbers(std::string_view text) {
  std::vector<Number> list;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto one = number_in<Number>(text.substr(0, comma));
    if (!one || !(*one > 0)) return std::nullopt;
    list.push_back(*one);
    if (comma == text.size()) return list;
    text.remove_prefix(comma + 1);
  }
}
template <auto... Path>
std::string write_numbers(const Settings& settings, const Modes&) {
  const auto& choice = at<Path...>(settings);
  return choice.given() ? fmt::format("{}", fmt::join(*choice, ",")) : "";
}

Result<> read_method(std::string_view text, const Modes&, Settings& into) {
  into.method.reopen();
  if (text == "auto") return Nothing{};
  if (const auto method = parse_method(text)) {
    into.method = *method;
    return Nothing{};
  }
  std::vector<std::string> names{"auto"};
  for (const MethodInfo& row : methods()) names.emplace_back(row.name);
  return none_of(text, names);
}

Result<> read_ranks(std::string_view text, const Modes&, Settings& into) {
  into.ranks.reopen();
  if (text == "auto") return Nothing{};
  if (text == "certified") {
    into.latent.certified_gap.settle(1e-3);
    return Nothing{};
  }
  auto ranks = positive_numbers<int>(text);
  if (!ranks) return none_of_the_values();
  into.ranks = std::move(*ranks);
  return Nothing{};
}

Result<> read_lambdas(std::string_view text, const Modes&, Settings& into) {
  auto list = positive_numbers<double>(text);
  if (!list) return none_of_the_values();
  into.latent.lambdas = std::move(*list);
  return Nothing{};
}

Result<> read_tubes(std::string_view text, const Modes& modes, Settings& into) {
  auto list = parse_mode_list(text, modes);
  if (!list) return list.error();
  if (list->size() != 1) return none_of_the_values();
  into.dense.tubes = list->front();
  return Nothing{};
}

Result<> read_clip(std::string_view text, const Modes&, Settings& into) {
  const auto clip = Clip::parse(text);
  if (!clip) return clip.error();
  into.clip = *clip;
  return Nothing{};
}

Result<> read_max_time(std::string_view text, const Modes&, Settings& into) {
  const auto seconds = number_in<double>(text);
  if (!seconds || *seconds < 0.0) return none_of_the_values();
  into.max_time = *seconds > 0.0 ? std::optional(*seconds) : std::nullopt;
  return Nothing{};
}

Result<> read_seed(std::string_view text, const Modes&, Settings& into) {
  const auto seed = number_in<std::uint64_t>(text);
  if (!seed) return none_of_the_values();
  into.seed = *seed;
  return Nothing{};
}

Result<> read_effort(std::string_view text, const Modes&, Settings& into) {
  std::vector<std::string> names;
  for (const Effort one : {Effort::kLow, Effort::kMedium, Effort::kHigh}) {
    names.emplace_back(name(one));
    if (name(one) != text) continue;
    into.search.effort = one;
    return Nothing{};
  }
  return none_of(text, names);
}

// Rows of the usual kinds.
template <class Bounds, auto... Path>
constexpr SettingField number(std::string_view name, std::string_view values, std::string_view by_default,
                              unsigned taken, std::string_view what) {
  return {name,
          values,
          by_default,
          taken,
          what,
          is_given<Path...>,
          read_number<Bounds, Path...>,
          write_number<Path...>,
          are_within<Bounds, Path...>};
}
template <const auto& Values, auto... Path>
constexpr SettingField word(std::string_view name, std::string_view values, std::string_view by_default,
                            unsigned taken, std::string_view what) {
  return {name,
          values,
          by_default,
          taken,
          what,
          is_given<Path...>,
          read_word<Values, Path...>,
          write_word<Path...>};
}

constexpr auto kLatent = &Settings::latent;
constexpr auto kDense = &Settings::dense;
constexpr auto kField = &Settings::field;
constexpr auto kLinks = &Settings::links;
constexpr auto kSearch = &Settings::search;
constexpr std::array kStarts = {Start::kRandom, Start::kSpectral, Start::kGrow};
constexpr std::array kLosses = {Loss::kSquared, Loss::kHuber, Loss::kLogistic, Loss::kSoftmax};
constexpr std::array kOptimizers = {Optimizer::kTrustRegion, Optimizer::kNonlinearCg};
constexpr std::array kPrecisions = {Precision::kDouble, Precision::kFloat};

const SettingField kFields[] = {
    {"method", "auto or a name", "auto", 0,
     "how it is fitted; lacuna methods lists them. auto: the best of those that are tried, on held-out "
     "entries",
     is_given<&Settings::method>, read_method, write_word<&Settings::method>},
    {"parts", "auto, full, pairs, or a list such as 'user|item,week ; user|item rank=20'", "auto",
     kTakesParts,
     "which latent parts the model has; full: the paper's; auto: by the error on held-out entries",
     is_given<kLatent, &LatentSettings::parts>, read_structure<parse_parts, kLatent, &LatentSettings::parts>,
     write_structure<kLatent, &LatentSettings::parts>},
    {"offsets", "auto, none, mean, modes, or a list such as user,item,item*week", "auto", 0,
     "means and effects of modes and pairs of modes, fitted first", never_given,
     read_structure<parse_offsets, &Settings::offsets>, write_structure<&Settings::offsets>},
    {"rank", "auto, certified or numbers > 0 such as 4,4,3", "auto", kTakesRank,
     "one for each mode or part, or one for all; auto: they grow while the held-out error falls; certified: "
     "until the duality gap is below the one of `gap`",
     is_given<&Settings::ranks>, read_ranks, write_numbers<&Settings::ranks>,
     are_within<Positive, &Settings::ranks>},
    number<Positive, kLatent, &LatentSettings::certified_gap>("gap", "a number > 0",
                                                              "1e-3 where the rank is certified", kTakesGap,
                                                              "duality gap that a certified rank must reach"),
    number<Positive, &Settings::lambda>("lambda", "auto or a number > 0", "auto", kTakesLambda,
                                        "how closely to fit: lambda_k = lambda n_k; smaller smooths more"),
    {"lambdas", "numbers > 0, one for each part", "as lambda says", kTakesPath, "the lambda_k themselves",
     is_given<kLatent, &LatentSettings::lambdas>, read_lambdas,
     write_numbers<kLatent, &LatentSettings::lambdas>,
     are_within<Positive, kLatent, &LatentSettings::lambdas>},
    number<PathLength, kLatent, &LatentSettings::path>(
        "path", "auto or 0 to 12", "auto", kTakesPath,
        "how many fits at smaller lambdas, each 10 times the one before, come first, from which the last one "
        "begins; auto: as many as lie above 1"),
    word<kStarts, &Settings::start>("init", "auto, random, spectral, grow or a model file", "auto",
                                    kTakesInit, "where a fit starts; grow: at rank 1, and up"),
    word<kLosses, &Settings::loss>(
        "loss", "auto, squared, huber, logistic or softmax", "auto", kTakesLoss,
        "auto: squared. huber gives entries that are far off less weight. complex has the last two: auto is "
        "softmax where there are facts alone, logistic where zeros are given"),
    number<NotNegative, kLinks, &LinkSettings::penalty>(
        "penalty", "auto or a number >= 0", "auto", kTakesPenalty,
        "weight of the penalty, the cubes of the factors' absolute values, for each fact"),
    number<Share, kDense, &DenseSettings::unshrunk>(
        "unshrunk", "auto or a share >= 0 and below 1", "auto", kTakesUnshrunk,
        "share of the largest singular values that are not shrunk"),
    number<NotNegative, kField, &FieldSettings::contrast>(
        "contrast", "auto or a number >= 0", "auto", kTakesContrast,
        "what counts as an edge: squared steps between neighbours of so many times their mean; 0: nothing "
        "does"),
    {"tubes", "a mode", "the smallest mode", kTakesTubes, "the mode that tsvd transforms along",
     is_given<kDense, &DenseSettings::tubes>, read_tubes,
     [](const Settings& s, const Modes& modes) {
       return s.dense.tubes.given() ? modes[*s.dense.tubes].name : "";
     }},
    word<kOptimizers, kLatent, &LatentSettings::optimizer>(
        "optimizer", "auto, trust-region or conjugate-gradients", "trust-region", kTakesOptimizer,
        "how to minimise"),
    word<kPrecisions, kLatent, &LatentSettings::precision>("precision", "auto, double or float", "double",
                                                           kTakesPrecision, "precision of the arithmetic"),
    number<NotNegative, &Settings::max_iterations>("max-iterations", "auto or a whole number >= 0", "auto",
                                                   kTakesSteps, "steps at most"),
    number<NotNegative, &Settings::tolerance>("tolerance", "auto or a number >= 0", "auto", kTakesSteps,
                                              "stop when what a step still gains is below this: the relative "
                                              "gradient, change or gap (docs/methods.md)"),
    number<Share, kSearch, &SearchSettings::early_stop>(
        "early-stop", "auto or a share >= 0 and below 1", "auto", kTakesEarlyStop,
        "share of the entries held out to find the number of steps; 0: never"),
    {"max-time", "seconds, a number >= 0 (0: no limit)", "0", 0,
     "time limit, choosing included; the best model so far is kept", never_given, read_max_time,
     [](const Settings& s, const Modes&) { return s.max_time ? shortest(*s.max_time) : ""; },
     [](const Settings& s) { return !s.max_time || Positive::fits(*s.max_time); }},
    {"effort", "low, medium or high", "medium", 0,
     "how much choosing may cost: about 1, 4 or 20 times the final fit, or 1, 20 or 100 seconds of one core "
     "where that is more",
     never_given, read_effort,
     [](const Settings& s, const Modes&) { return std::string(name(s.search.effort)); }},
    number<Positive, kSearch, &SearchSettings::blend>(
        "blend", "auto or a whole number >= 1", "auto", 0,
        "fits whose weighted mean may be the answer where the method is chosen; 1: one model"),
    {"clip", "LOW,HIGH, auto or none", "where ratings, counts and shares are", 0,
     "range that predictions are kept in; auto: of the values fitted on; none: anywhere", never_given,
     read_clip, [](const Settings& s, const Modes&) { return s.clip.given() ? s.clip->text() : ""; }},
    {"seed", "a whole number >= 0", "1", 0, "seed of all random draws", never_given, read_seed,
     [](const Settings& s, const Modes&) { return std::to_string(s.seed); }},
};

}  // namespace

std::span<const SettingField> setting_fields() { return kFields; }

const SettingField* find_setting(std::string_view name) {
  for (const SettingField& field : kFields)
    if (field.name == name) return &field;
  return nullptr;
}

std::vector<std::string_view> takers(const SettingField& field) {
  std::vector<std::string_view> names;
  for (const MethodInfo& method : methods())
    if (field.taken == 0 || takes(method.method, field.taken)) names.push_back(method.name);
  return names;
}

Result<> read_setting(std::string_view name, std::string_view text, const std::vector<Mode>& modes,
                      Settings& into) {
  if (const SettingField* field = find_setting(name)) {
    auto read = field->read(text, modes, into);
    if (read || !read.error().what.empty()) return read;
    return usage_error("", fmt::format("found '{}', expected {}", text, field->values));
  }
  std::vector<std::string> names;
  for (const SettingField& field : kFields) names.emplace_back(field.name);
  const auto near = nearest(name, names);
  return usage_error(
      "", fmt::format("there is no setting {}{}", name, near ? "; did you mean " + *near + "?" : ""));
}

}  // namespace lacuna
