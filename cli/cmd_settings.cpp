// SPDX-License-Identifier: MIT
// lacuna settings: every setting of a fit, from the table that flags and configuration files are read by.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "command.hpp"
#include "fit_flags.hpp"

namespace lacuna::cli {
namespace {

std::string taken_by(const SettingField& field) {
  return field.taken == 0 ? "every method" : fmt::format("{}", fmt::join(takers(field), ", "));
}

nlohmann::ordered_json describe_setting(const SettingField& field) {
  return {{"name", field.name},
          {"values", field.values},
          {"default", field.by_default},
          {"what", field.what},
          {"methods", takers(field)}};
}

void print_setting(const SettingField& field) {
  fmt::print("--{:<16}  {}\n", field.name, field.what);
  fmt::print("{:<18}  takes {}; unless given: {}\n", "", field.values, field.by_default);
  fmt::print("{:<18}  for {}\n", "", taken_by(field));
}

// A cell of a table in Markdown, where a bar would end it.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? std::string("\\|") : std::string(1, c);
  return safe;
}

void print_row(const SettingField& field) {
  fmt::print("| `--{}` | {} | {} | {} | {} |\n", field.name, cell(field.what), cell(field.values),
             cell(field.by_default), taken_by(field));
}

struct SettingsCommand {
  Output output;
  bool markdown = false;

  Result<int> run() const {
    if (output.json) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const SettingField& field : setting_fields()) list.push_back(describe_setting(field));
      print_json(nlohmann::ordered_json{{"settings", list}});
      return 0;
    }
    if (markdown) fmt::print("| flag | meaning | takes | unless given | for |\n|---|---|---|---|---|\n");
    for (const SettingField& field : setting_fields()) markdown ? print_row(field) : print_setting(field);
    return 0;
  }
};

}  // namespace

Action add_settings(CLI::App& app) {
  auto command = std::make_shared<SettingsCommand>();
  CLI::App& verb = *app.add_subcommand("settings", "every setting of fit, complete and tune");
  verb.add_flag("--markdown", command->markdown, "as the table of docs/cli.md");
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
