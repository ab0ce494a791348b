// SPDX-License-Identifier: MIT
#include <lacuna/method/fit.hpp>
#include <lacuna/method/methods.hpp>
#include <stdexcept>

namespace lacuna {
namespace {

// A setting, how users write it, and whether options say anything about it.
struct SettingInfo {
  Setting setting;
  std::string_view flags;
  bool (*given)(const FitOptions&);
};

const FitOptions kUntouched{};

constexpr SettingInfo kSettings[] = {
    {kTakesRank, "--rank", [](const FitOptions& o) { return !o.ranks.empty(); }},
    {kTakesLambda, "--lambda", [](const FitOptions& o) { return o.lambda != kUntouched.lambda; }},
    {kTakesPath, "--lambdas --path",
     [](const FitOptions& o) { return !o.lambdas.empty() || o.path != kUntouched.path; }},
    {kTakesParts, "--parts", [](const FitOptions& o) { return !o.parts.empty() || o.auto_parts; }},
    {kTakesInit, "--init",
     [](const FitOptions& o) { return o.start != kUntouched.start || o.warm_start != nullptr; }},
    {kTakesSteps, "--max-iterations --tolerance",
     [](const FitOptions& o) { return o.max_iterations > 0 || o.tolerance > 0.0; }},
    {kTakesEarlyStop, "--early-stop", [](const FitOptions& o) { return o.early_stop > 0.0; }},
    {kTakesOptimizer, "--optimizer", [](const FitOptions& o) { return o.optimizer != kUntouched.optimizer; }},
    {kTakesTubes, "--tubes", [](const FitOptions& o) { return o.tubes != kUntouched.tubes; }},
    {kTakesUnshrunk, "--unshrunk", [](const FitOptions& o) { return o.unshrunk != kUntouched.unshrunk; }},
    {kTakesLoss, "--loss", [](const FitOptions& o) { return o.loss != kUntouched.loss; }},
    {kTakesPrecision, "--precision", [](const FitOptions& o) { return o.precision != kUntouched.precision; }},
};

}  // namespace

std::optional<Method> parse_method(std::string_view text) {
  for (const MethodInfo& row : kMethods)
    if (row.name == text) return row.method;
  return std::nullopt;
}

std::string setting_names(unsigned settings) {
  std::string names;
  for (const SettingInfo& one : kSettings)
    if ((settings & one.setting) != 0) names.append(names.empty() ? "" : " ").append(one.flags);
  return names;
}

FitOptions complete_options(FitOptions options) {
  const MethodInfo& method = info(options.method);
  for (const SettingInfo& one : kSettings)
    if ((method.settings & one.setting) == 0 && one.given(options))
      throw std::invalid_argument("method " + std::string(method.name) + " does not take " +
                                  std::string(one.flags));
  if (options.start == Start::kAuto) options.start = method.start;
  if (options.start == Start::kGrow && (method.settings & kTakesParts) != 0)
    throw std::invalid_argument("method " + std::string(method.name) + " cannot start by growing its rank");
  if (options.max_iterations < 0) options.max_iterations = method.max_iterations;
  if (options.tolerance < 0.0) options.tolerance = method.tolerance;
  if (!(options.tolerance >= 0.0)) throw std::invalid_argument("tolerance must be a number");
  if (options.clip && !(options.clip->low < options.clip->high))
    throw std::invalid_argument("the range to clip to must have low < high");
  if (options.method == Method::kMean && !options.offsets.effects.empty())
    throw std::invalid_argument("method mean has no effects; method offsets has");
  return options;
}

}  // namespace lacuna
