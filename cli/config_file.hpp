// SPDX-License-Identifier: MIT
// What a --config file may hold, and where in it the flags stand.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/base/base.hpp>
#include <map>
#include <string>
#include <vector>

namespace lacuna::cli {

struct BadConfig {
  Error error;
};

// Keys that stand in no [verb] section are flags of the verb that runs. Throws BadConfig.
class ConfigFile : public CLI::ConfigTOML {
 public:
  explicit ConfigFile(const CLI::App& app) : app_(&app) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

  // "fit.ini:3: --rank" of a flag whose value stands there, else the flag.
  [[nodiscard]] std::string place(const std::string& flag) const;

 private:
  void keep_place(const CLI::ConfigItem& item, const std::string& place) const;

  const CLI::App* app_;
  mutable std::map<std::string, std::string> places_;  // of the flags that no word has given
};

}  // namespace lacuna::cli
