// SPDX-License-Identifier: MIT
// The one list of settings: what flags, configuration files, records in models and the documentation are made
// from. A setting is written and read as text, in the words of the modes it is about.
#pragma once

#include <lacuna/base/result.hpp>
#include <lacuna/method/settings.hpp>
#include <span>
#include <string>
#include <string_view>

namespace lacuna {

struct SettingField {
  std::string_view name;    // "max-iterations"
  std::string_view values;  // what it takes: "auto, or a number > 0"
  std::string_view what;    // it means, in a line
  unsigned taken = 0;       // of Setting: who takes it; 0: every method
  bool (*given)(const Settings& settings);
  // From text to a setting of data with these modes. Errors say what was found and what was expected.
  Result<> (*read)(std::string_view text, const std::vector<Mode>& modes, Settings& into);
  // The text that read() would take; empty when it is open or at the default that all methods share.
  std::string (*write)(const Settings& settings, const std::vector<Mode>& modes);
};

[[nodiscard]] std::span<const SettingField> setting_fields();
// Null when there is none of that name.
[[nodiscard]] const SettingField* find_setting(std::string_view name);
// read() of the field of that name; an unknown name is an error that suggests the nearest.
Result<> read_setting(std::string_view name, std::string_view text, const std::vector<Mode>& modes,
                      Settings& into);

}  // namespace lacuna
