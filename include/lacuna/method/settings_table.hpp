// SPDX-License-Identifier: MIT
// The one list of settings: what flags, configuration files, records in models and the documentation are made
// from. A setting is written and read as text, in the words of the modes it is about.
#pragma once

#include <lacuna/base/result.hpp>
#include <lacuna/method/settings.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

struct SettingField {
  std::string_view name;        // "max-iterations"
  std::string_view values;      // what it takes: "auto or a number > 0"
  std::string_view by_default;  // one of these values, or what stands for it
  unsigned taken = 0;           // of Setting: who takes it; 0: every method
  std::string_view what;        // it means, in a line
  // Whether the settings say something that a method which does not take it must refuse.
  bool (*given)(const Settings& settings);
  // From text to a setting of data with these modes. An Error without words: the text is none of the values.
  Result<> (*read)(std::string_view text, const std::vector<Mode>& modes, Settings& into);
  // The text that read() would take; empty when it is open or at the default that all methods share.
  std::string (*write)(const Settings& settings, const std::vector<Mode>& modes);
};

[[nodiscard]] std::span<const SettingField> setting_fields();
// Null when there is none of that name.
[[nodiscard]] const SettingField* find_setting(std::string_view name);
// The names of the methods that take the setting, as methods() lists them.
[[nodiscard]] std::vector<std::string_view> takers(const SettingField& field);
// Gives the setting of that name the value that the text says. Errors say what was found and what was expected;
// that of an unknown name suggests the nearest.
Result<> read_setting(std::string_view name, std::string_view text, const std::vector<Mode>& modes,
                      Settings& into);

}  // namespace lacuna
