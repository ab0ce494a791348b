// SPDX-License-Identifier: MIT
// How help is laid out: sentences in lines that a terminal shows whole, and what a setting is unless given.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lacuna::cli {

class HelpText : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace lacuna::cli
