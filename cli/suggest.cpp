// SPDX-License-Identifier: MIT
#include "suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacuna::cli {
namespace {

bool is_flag(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app, const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::App* one : {&verb, &app})
    for (const CLI::Option* option : one->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Of the words that were not understood, the first that looks like a flag, else the first.
std::optional<std::string> unknown_word(const CLI::App& app) {
  std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return std::nullopt;
  const auto flag = std::find_if(left.begin(), left.end(), is_flag);
  const std::string& word = flag == left.end() ? left.front() : *flag;
  return is_flag(word) ? word.substr(0, word.find('=')) : word;
}

// "INI was not able to parse fit.rnak": the key.
std::string unknown_key(const CLI::ParseError& error) {
  const std::string text = error.what();
  return text.substr(text.find_last_of(" .") + 1);
}

}  // namespace

std::string complaint(const CLI::App& app, const CLI::ParseError& error, const char* first) {
  const auto given = app.get_subcommands();
  const auto ask = [](std::string_view word, const std::vector<std::string>& names) {
    const auto name = nearest(word, names);
    return name ? fmt::format("; did you mean {}?", *name) : std::string();
  };
  if (given.empty()) {
    const std::vector<std::string> verbs = verb_names(app);
    const std::string found = first == nullptr ? "nothing" : fmt::format("'{}'", first);
    return fmt::format("found {}, expected a verb: {}{}; see lacuna --help", found, fmt::join(verbs, ", "),
                       first == nullptr ? "" : ask(first, verbs));
  }
  const CLI::App& verb = *given.front();
  const std::vector<std::string> flags = flag_names(app, verb);
  std::string text = error.what();
  const auto word = unknown_word(app);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ConfigError)) {
    const std::string key = unknown_key(error);
    text = fmt::format("--config: found the key '{}', which is no flag of {}{}", key, verb.get_name(),
                       ask(key, flags));
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && word) {
    text = is_flag(*word) ? fmt::format("found '{}', which is no flag of {}{}", *word, verb.get_name(),
                                        ask(*word, flags))
                          : fmt::format("found '{}', a word more than {} takes", *word, verb.get_name());
    const CLI::Option* const wide = verb.get_option_no_throw("--wide");
    if (!is_flag(*word) && wide != nullptr && wide->count() > 0)
      text += fmt::format("; the mode across the columns is named by --wide={}", *word);
  } else if (word && is_flag(*word)) {  // what is required may be what was misspelt
    text += fmt::format("; found '{}', which is no flag{}", *word, ask(*word, flags));
  }
  return fmt::format("{}; see lacuna {} --help", text, verb.get_name());
}

}  // namespace lacuna::cli
