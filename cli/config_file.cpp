// SPDX-License-Identifier: MIT
#include "config_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <sstream>

#include "io/file/standard_streams.hpp"

namespace lacuna::cli {
namespace {

// Anyone may have written a --config file, and its parser has no bounds: it recurses for each bracket, and keeps all
// levels of a section for each of its lines.
constexpr std::size_t kMostConfigBytes = std::size_t{1} << 18;
constexpr std::ptrdiff_t kMostBrackets = 1000;  // lists and sections, all together
constexpr std::ptrdiff_t kMostLevels = 8;       // of a section or a key: there is one of verbs

std::string read_config(const std::string& path, std::istream& input) {
  std::string text(kMostConfigBytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (input.bad()) throw BadConfig{input_error(path, "it could not be read to its end")};
  if (text.size() > kMostConfigBytes)
    throw BadConfig{input_error(path, fmt::format("found more than {} bytes of flags", kMostConfigBytes))};
  return text;
}

void check_config(const std::string& path, const std::string& text) {
  if (std::count(text.begin(), text.end(), '[') > kMostBrackets)
    throw BadConfig{input_error(path, fmt::format("found more than {} brackets", kMostBrackets))};
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    begin += line.size() + 1;
    const auto key_end =
        line.begin() + static_cast<std::ptrdiff_t>(std::min(line.find_first_of("=:"), line.size()));
    if (std::count(line.begin(), key_end, '.') >= kMostLevels)
      throw BadConfig{input_error(
          fmt::format("{}:{}", path, number),
          fmt::format("found a name of more than {} levels, expected a flag or a verb", kMostLevels))};
  }
}

// Where the keys first stand, which the parser does not tell: "fit.rank" -> 3. Lines amid a list look like keys that
// nobody asks for.
std::map<std::string, std::size_t> lines_of_keys(const std::string& text) {
  std::map<std::string, std::size_t> lines;
  std::istringstream input(text);
  std::string section;
  std::size_t number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    CLI::detail::trim(line);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = CLI::detail::trim_copy(line, "[]");
      if (CLI::detail::to_lower(section) == "default")
        section.clear();
      else
        section += '.';
      continue;
    }
    std::string key = CLI::detail::trim_copy(line.substr(0, line.find_first_of("=#")));
    lines.emplace(section + CLI::detail::remove_quotes(key), number);
  }
  return lines;
}

}  // namespace

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& input) const {
  const std::vector<std::string> given = app_->get_config_ptr()->results();
  const std::string named = given.empty() ? "--config" : given.back();
  const std::string path = io::is_standard_stream(named) ? io::kStandardInput : named;
  const std::string text = read_config(path, input);
  check_config(path, text);
  std::istringstream checked(text);
  std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(checked);
  const auto lines = lines_of_keys(text);
  for (CLI::ConfigItem& item : read) {
    const auto line = lines.find(item.fullname());
    for (const CLI::App* verb : app_->get_subcommands())
      if (item.parents.empty()) item.parents = {verb->get_name()};
    keep_place(item, line == lines.end() ? path : fmt::format("{}:{}", path, line->second));
  }
  return read;
}

void ConfigFile::keep_place(const CLI::ConfigItem& item, const std::string& place) const {
  for (const CLI::App* verb : app_->get_subcommands()) {
    if (item.parents != std::vector<std::string>{verb->get_name()}) continue;
    const CLI::Option* const option = verb->get_option_no_throw("--" + item.name);
    if (option != nullptr && option->empty()) places_.emplace(option->get_name(), place);
  }
}

std::string ConfigFile::place(const std::string& flag) const {
  const auto found = places_.find(flag);
  return found == places_.end() ? flag : fmt::format("{}: {}", found->second, flag);
}

}  // namespace lacuna::cli
