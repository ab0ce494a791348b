// SPDX-License-Identifier: MIT
// What the program takes, verb by verb, as it was told to CLI11: for the man page and what shells complete.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lacuna::cli {

struct ListedFlag {
  std::vector<std::string> names{};    // "-o", "--output"; of an argument without a flag its name alone
  std::string what{};                  // its sentence
  bool positional = false;             // an argument without a flag
  bool takes_value = false;            // something stands after it
  std::vector<std::string> choices{};  // the words it takes, if they are known
  std::string standard{};              // what it is unless given; empty: nothing is said
};

struct ListedVerb {
  std::string name{};
  std::string what{};
  std::vector<ListedFlag> flags{};
};

// What an option is unless given, as the table of settings or the option itself says; empty: nothing is said.
[[nodiscard]] std::string standard_of(const CLI::Option& option);

// Flags that stand before a verb.
[[nodiscard]] std::vector<ListedFlag> list_common(const CLI::App& app);

// Every verb of the program, in its order.
[[nodiscard]] std::vector<ListedVerb> list_verbs(const CLI::App& app);

}  // namespace lacuna::cli
