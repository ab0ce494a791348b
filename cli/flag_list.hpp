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

// Every verb of the program, in its order.
[[nodiscard]] std::vector<ListedVerb> list_verbs(const CLI::App& app);

}  // namespace lacuna::cli
