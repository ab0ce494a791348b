// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <lacuna/method/settings_table.hpp>
#include <limits>
#include <type_traits>

#include "base/nearest.hpp"

namespace lacuna {
namespace {

using Modes = std::vector<Mode>;

Error unexpected(std::string_view found, std::string_view expected) {
  return usage_error("", fmt::format("found '{}', expected {}", found, expected));
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  const bool octal = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  if (std::is_integral_v<Number> && octal) return std::nullopt;  // others would read 010 as 8
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

template <class Number>
std::optional<std::vector<Number>> numbers_in(std::string_view text, Number least) {
  std::vector<Number> list;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto one = number_in<Number>(text.substr(0, comma));
    if (!one || *one < least) return std::nullopt;
    list.push_back(*one);
    if (comma == text.size()) return list;
    text.remove_prefix(comma + 1);
  }
}

template <auto Member>
bool is_given(const Settings& settings) {
  return (settings.*Member).given();
}
bool never_given(const Settings&) { return false; }  // every method takes it

// "auto", or a number that `fits`.
template <auto Member, class Fits>
Result<> read_number(std::string_view text, std::string_view expected, Settings& into, Fits&& fits) {
  using Number = std::remove_cvref_t<decltype(*(into.*Member))>;
  if (text == "auto") {
    (into.*Member).reopen();
    return Nothing{};
  }
  const auto value = number_in<Number>(text);
  if (!value || !fits(*value)) return unexpected(text, expected);
  into.*Member = *value;
  return Nothing{};
}

// "auto", or one of the names of an enumeration.
template <auto Member, class Value>
Result<> read_name(std::string_view text, std::initializer_list<Value> values, Settings& into) {
  std::string names = "auto";
  (into.*Member).reopen();
  for (const Value one : values) {
    if (name(one) == text) into.*Member = one;
    names += ", " + std::string(name(one));
  }
  if (text != "auto" && (into.*Member).open()) return unexpected(text, names);
  return Nothing{};
}

template <auto Member>
std::string write_number(const Settings& settings, const Modes&) {
  return (settings.*Member).given() ? shortest(static_cast<double>(*(settings.*Member))) : "";
}
template <auto Member>
std::string write_name(const Settings& settings, const Modes&) {
  return (settings.*Member).given() ? std::string(name(*(settings.*Member))) : "";
}

Result<> read_method(std::string_view text, const Modes&, Settings& into) {
  into.method.reopen();
  if (text == "auto") return Nothing{};
  std::vector<std::string> names;
  for (const MethodInfo& row : methods()) names.emplace_back(row.name);
  const auto method = parse_method(text);
  if (!method) {
    const auto near = nearest(text, names);
    return unexpected(
        text, fmt::format("auto, {}{}", fmt::join(names, ", "), near ? "; did you mean " + *near + "?" : ""));
  }
  into.method = *method;
  return Nothing{};
}

Result<> read_ranks(std::string_view text, const Modes&, Settings& into) {
  into.ranks.reopen();
  if (text == "auto") return Nothing{};
  if (text == "certified") {
    into.certified_gap.settle(1e-3);
    return Nothing{};
  }
  auto ranks = numbers_in<int>(text, 1);
  if (!ranks) return unexpected(text, "auto, certified or numbers > 0 such as 4,4,3");
  into.ranks = std::move(*ranks);
  return Nothing{};
}

Result<> read_lambdas(std::string_view text, const Modes&, Settings& into) {
  auto list = numbers_in<double>(text, 0.0);
  if (!list || std::find(list->begin(), list->end(), 0.0) != list->end())
    return unexpected(text, "numbers > 0, one for each part");
  into.lambdas = std::move(*list);
  return Nothing{};
}

Result<> read_part_list(std::string_view text, const Modes& modes, Settings& into) {
  into.parts.reopen();
  if (text == "auto") return Nothing{};
  auto list = parse_parts(text, modes);
  if (!list) return list.error();
  into.parts = std::move(*list);
  return Nothing{};
}

Result<> read_offset_list(std::string_view text, const Modes& modes, Settings& into) {
  into.offsets.reopen();
  if (text == "auto") return Nothing{};
  auto spec = parse_offsets(text, modes);
  if (!spec) return spec.error();
  into.offsets = std::move(*spec);
  return Nothing{};
}

Result<> read_tubes(std::string_view text, const Modes& modes, Settings& into) {
  auto list = parse_mode_list(text, modes);
  if (!list) return list.error();
  if (list->size() != 1) return unexpected(text, "one mode");
  into.tubes = list->front();
  return Nothing{};
}

Result<> read_clip(std::string_view text, const Modes&, Settings& into) {
  into.clip.reset();
  into.clip_observed = text == "auto";
  if (text == "auto" || text == "none") return Nothing{};
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto end = [](std::string_view digits) -> std::optional<double> {  // which may be open
    if (digits == "inf") return std::numeric_limits<double>::infinity();
    if (digits == "-inf") return -std::numeric_limits<double>::infinity();
    return number_in<double>(digits);
  };
  const auto low = end(text.substr(0, comma));
  const auto high = end(text.substr(std::min(comma + 1, text.size())));
  if (!low || !high || !(*low < *high)) return unexpected(text, "LOW,HIGH with LOW < HIGH, auto or none");
  into.clip = Range{.low = *low, .high = *high};
  return Nothing{};
}

Result<> read_max_time(std::string_view text, const Modes&, Settings& into) {
  const auto seconds = number_in<double>(text);
  if (!seconds || *seconds < 0.0) return unexpected(text, "seconds, a number >= 0 (0: no limit)");
  into.max_time = *seconds > 0.0 ? std::optional(*seconds) : std::nullopt;
  return Nothing{};
}

Result<> read_seed(std::string_view text, const Modes&, Settings& into) {
  const auto seed = number_in<std::uint64_t>(text);
  if (!seed) return unexpected(text, "a whole number >= 0");
  into.seed = *seed;
  return Nothing{};
}

Result<> read_effort(std::string_view text, const Modes&, Settings& into) {
  for (const Effort one : {Effort::kLow, Effort::kMedium, Effort::kHigh})
    if (name(one) == text) {
      into.effort = one;
      return Nothing{};
    }
  return unexpected(text, "low, medium or high");
}

const auto positive = [](auto value) { return value > 0; };
const auto nonnegative = [](auto value) { return value >= 0; };
const auto share = [](double value) { return value >= 0.0 && value < 1.0; };

const SettingField kFields[] = {
    {"method", "auto or a name", "the method; lacuna methods lists them", 0, is_given<&Settings::method>,
     read_method, write_name<&Settings::method>},
    {"parts", "auto, full, pairs, or a list such as 'user|item,week ; user|item rank=20'",
     "which latent parts the model has; full: the paper's", kTakesParts, is_given<&Settings::parts>,
     read_part_list,
     [](const Settings& s, const Modes& modes) { return s.parts.given() ? describe(*s.parts, modes) : ""; }},
    {"offsets", "auto, none, mean, modes, or a list such as user,item,item*week",
     "means and effects fitted first", 0, never_given, read_offset_list,
     [](const Settings& s, const Modes& modes) {
       return s.offsets.given() ? describe(*s.offsets, modes) : "";
     }},
    {"rank", "auto, certified, or numbers such as 4,4,3",
     "one for each mode or part, or one for all; auto: they grow while the held-out error falls; certified: "
     "until the duality gap is below the one of `gap`",
     kTakesRank, is_given<&Settings::ranks>, read_ranks,
     [](const Settings& s, const Modes&) {
       return s.ranks.given() ? fmt::format("{}", fmt::join(*s.ranks, ",")) : "";
     }},
    {"gap", "a number > 0", "duality gap that a certified rank must reach; 1e-3 unless given", kTakesPath,
     is_given<&Settings::certified_gap>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_number<&Settings::certified_gap>(text, "a number > 0", into, positive);
     },
     write_number<&Settings::certified_gap>},
    {"lambda", "auto or a number > 0", "how closely to fit: lambda_k = lambda n_k", kTakesLambda,
     is_given<&Settings::lambda>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_number<&Settings::lambda>(text, "auto or a number > 0", into, positive);
     },
     write_number<&Settings::lambda>},
    {"lambdas", "numbers > 0", "the lambda_k themselves, one for each part", kTakesPath,
     is_given<&Settings::lambdas>, read_lambdas,
     [](const Settings& s, const Modes&) {
       return s.lambdas.given() ? fmt::format("{}", fmt::join(*s.lambdas, ",")) : "";
     }},
    {"path", "auto or 0 to 12", "warm-started fits at smaller lambdas first; auto: as many as lie above 1",
     kTakesPath, is_given<&Settings::path>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_number<&Settings::path>(text, "auto or 0 to 12", into,
                                           [](int value) { return value >= 0 && value <= 12; });
     },
     write_number<&Settings::path>},
    {"init", "auto, random, spectral, grow, or a model file", "where a fit starts", kTakesInit,
     is_given<&Settings::start>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_name<&Settings::start>(text, {Start::kRandom, Start::kSpectral, Start::kGrow}, into);
     },
     write_name<&Settings::start>},
    {"loss", "squared or huber", "huber gives entries that are far off less weight", kTakesLoss,
     is_given<&Settings::loss>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_name<&Settings::loss>(text, {Loss::kSquared, Loss::kHuber}, into);
     },
     write_name<&Settings::loss>},
    {"unshrunk", "auto or a share from 0 to 1", "share of the largest singular values that are not shrunk",
     kTakesUnshrunk, is_given<&Settings::unshrunk>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_number<&Settings::unshrunk>(text, "auto or a share >= 0 and below 1", into, share);
     },
     write_number<&Settings::unshrunk>},
    {"tubes", "a mode", "the mode that tsvd transforms along; the smallest unless given", kTakesTubes,
     is_given<&Settings::tubes>, read_tubes,
     [](const Settings& s, const Modes& modes) { return s.tubes.given() ? modes[*s.tubes].name : ""; }},
    {"optimizer", "trust-region or conjugate-gradients", "how to minimise", kTakesOptimizer,
     is_given<&Settings::optimizer>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_name<&Settings::optimizer>(text, {Optimizer::kTrustRegion, Optimizer::kNonlinearCg}, into);
     },
     write_name<&Settings::optimizer>},
    {"precision", "double or float", "of the arithmetic", kTakesPrecision, is_given<&Settings::precision>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_name<&Settings::precision>(text, {Precision::kDouble, Precision::kFloat}, into);
     },
     write_name<&Settings::precision>},
    {"max-iterations", "auto or a number >= 0", "steps at most", kTakesSteps,
     is_given<&Settings::max_iterations>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_number<&Settings::max_iterations>(text, "auto or a whole number >= 0", into, nonnegative);
     },
     write_number<&Settings::max_iterations>},
    {"tolerance", "auto or a number >= 0", "stop when gradient norm / objective is below this", kTakesSteps,
     is_given<&Settings::tolerance>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_number<&Settings::tolerance>(text, "auto or a number >= 0", into, nonnegative);
     },
     write_number<&Settings::tolerance>},
    {"early-stop", "auto or a share from 0 to 1",
     "share of the entries held out to find the number of steps; 0: never", kTakesEarlyStop,
     is_given<&Settings::early_stop>,
     [](std::string_view text, const Modes&, Settings& into) {
       return read_number<&Settings::early_stop>(text, "auto or a share >= 0 and below 1", into, share);
     },
     write_number<&Settings::early_stop>},
    {"max-time", "seconds", "at most, choosing included; the best model so far is kept", 0, never_given,
     read_max_time, [](const Settings& s, const Modes&) { return s.max_time ? shortest(*s.max_time) : ""; }},
    {"effort", "low, medium or high", "how much choosing may cost: about 1, 4 or 20 times the final fit", 0,
     never_given, read_effort, [](const Settings& s, const Modes&) { return std::string(name(s.effort)); }},
    {"clip", "LOW,HIGH, auto or none", "keep predictions within; auto: within the values fitted on", 0,
     never_given, read_clip,
     [](const Settings& s, const Modes&) {
       if (s.clip_observed) return std::string("auto");
       return s.clip ? shortest(s.clip->low) + "," + shortest(s.clip->high) : "";
     }},
    {"seed", "a whole number >= 0", "of everything random", 0, never_given, read_seed,
     [](const Settings& s, const Modes&) { return std::to_string(s.seed); }},
};

}  // namespace

std::span<const SettingField> setting_fields() { return kFields; }

const SettingField* find_setting(std::string_view name) {
  for (const SettingField& field : kFields)
    if (field.name == name) return &field;
  return nullptr;
}

Result<> read_setting(std::string_view name, std::string_view text, const std::vector<Mode>& modes,
                      Settings& into) {
  if (const SettingField* field = find_setting(name)) return field->read(text, modes, into);
  std::vector<std::string> names;
  for (const SettingField& field : kFields) names.emplace_back(field.name);
  const auto near = nearest(name, names);
  return usage_error(
      "", fmt::format("there is no setting {}{}", name, near ? "; did you mean " + *near + "?" : ""));
}

}  // namespace lacuna
