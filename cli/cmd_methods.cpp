// SPDX-License-Identifier: MIT
// lacuna methods: every method, what it assumes, what it takes and what it can take on.
#include <fmt/format.h>

#include <lacuna/method/settings.hpp>
#include <memory>

#include "base/machine.hpp"
#include "command.hpp"
#include "fit_flags.hpp"
#include "input.hpp"

namespace lacuna::cli {
namespace {

// Of an entry, or of a cell where a method holds all of them, in a tensor of 3 modes at the default rank.
double unit_bytes(const MethodInfo& method) {
  constexpr Index kSide = 1000;
  constexpr Count kMany = 1000000;
  const std::vector<Mode> modes(3, Mode{.name = "", .size = kSide});
  Settings settings;
  settings.method = method.method;
  if (takes(method.method, kTakesRank)) settings.ranks = {Settings::kDefaultRank};
  if (takes(method.method, kTakesParts))
    settings.latent.parts = full_structure(static_cast<int>(modes.size()));
  if (method.method == Method::kAls)
    settings.latent.parts = {{pair_structure(static_cast<int>(modes.size())).front()}};
  const double none = method.bytes(0, modes, settings);
  if (method.scale == Scale::kDense) return none / (1.0 * kSide * kSide * kSide);
  return (method.bytes(kMany, modes, settings) - none) / kMany;
}

// "--rank --lambda"
std::string flag_names(unsigned settings) {
  std::string flags;
  for (const SettingField& field : setting_fields())
    if ((settings & field.taken) != 0) flags += fmt::format("{}--{}", flags.empty() ? "" : " ", field.name);
  return flags;
}

using nlohmann::ordered_json;

ordered_json describe_method(const MethodInfo& method) {
  return {{"name", method.name},
          {"what", method.what},
          {"assumes", method.assumes},
          {"settings", flag_names(method.settings)},
          {"model", method.model},
          {"size", method.scale == Scale::kSparse ? "sparse" : "dense"},
          {"offsets", method.offsets},
          {"init", takes(method.method, kTakesInit) ? ordered_json(name(method.start)) : ordered_json()},
          {"rank", takes(method.method, kTakesRank) ? ordered_json(method.rank) : ordered_json()},
          {"lambda",
           takes(method.method, kTakesLambda) ? ordered_json(Settings::kDefaultLambda) : ordered_json()},
          {"max_iterations", method.max_iterations},
          {"tolerance", method.tolerance},
          {"bytes", unit_bytes(method)},
          {"largest", memory_limit().bytes / unit_bytes(method)}};
}

void print_method(const MethodInfo& method) {
  fmt::print("{:<8}  {}\n", method.name, method.what);
  fmt::print("{:<8}  assumes {}\n", "", method.assumes);
  fmt::print("{:<8}  about {:.0f} bytes {}: {:.1g} of them here; a model of kind {}\n", "",
             unit_bytes(method),
             method.scale == Scale::kSparse ? "an observed entry" : "a cell of the whole tensor",
             memory_limit().bytes / unit_bytes(method), method.model);
  if (method.settings != 0) fmt::print("{:<8}  takes {}\n", "", flag_names(method.settings));
  fmt::print("{:<8}  unless told or chosen: --offsets {}", "", method.offsets);
  if (takes(method.method, kTakesRank)) fmt::print(" --rank {}", method.rank);
  if (takes(method.method, kTakesLambda)) fmt::print(" --lambda {:g}", Settings::kDefaultLambda);
  if (takes(method.method, kTakesInit)) fmt::print(" --init {}", name(method.start));
  if (takes(method.method, kTakesSteps))
    fmt::print(" --max-iterations {} --tolerance {:g}", method.max_iterations, method.tolerance);
  fmt::print("\n");
}

}  // namespace

Action add_methods(CLI::App& app) {
  auto output = std::make_shared<Output>();
  CLI::App& verb = *app.add_subcommand("methods", "every method that fit and complete know");
  output->add_flags(verb);
  return [output]() -> Result<int> {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MethodInfo& method : methods()) list.push_back(describe_method(method));
    if (output->json)
      print_json(nlohmann::ordered_json{{"methods", list}});
    else
      for (const MethodInfo& method : methods()) print_method(method);
    return 0;
  };
}

}  // namespace lacuna::cli
