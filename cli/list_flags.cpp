// SPDX-License-Identifier: MIT
#include "list_flags.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace lacuna::cli {
namespace {

bool is_grid(const CLI::Option& option) {
  constexpr std::string_view kEnd = "-grid";
  const auto& names = option.get_lnames();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.size() > kEnd.size() && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  });
}

}  // namespace

void take_one_word(CLI::App& app) {
  for (CLI::App* verb : app.get_subcommands({}))
    for (CLI::Option* option : verb->get_options())
      if (option->nonpositional() && !is_grid(*option)) option->allow_extra_args(false);
}

}  // namespace lacuna::cli
