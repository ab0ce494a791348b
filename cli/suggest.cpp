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

int edit_distance(std::string_view a, std::string_view b) {
  // d(i, j) is that of the first i and j letters; three rows of the table are enough for swaps.
  std::vector<int> before(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& names) {
  const auto letters = [](std::string_view text) {  // dashes in front are not what was misspelt
    const std::size_t begin = std::min(text.find_first_not_of('-'), text.size());
    return text.substr(begin);
  };
  const std::string_view meant = letters(word);
  if (meant.size() < 2) return std::nullopt;
  std::optional<std::string> best;
  int least = 1 + static_cast<int>(meant.size() + 1) / 3;  // a third of the letters at most
  int beginnings = 0;
  for (const std::string& name : names) {
    if (letters(name).substr(0, meant.size()) == meant) ++beginnings;
    const int distance = edit_distance(meant, letters(name));
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  if (beginnings != 1 || least <= 1) return best;
  return *std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return letters(name).substr(0, meant.size()) == meant;
  });
}

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
  } else if (word && is_flag(*word)) {  // what is required may be what was misspelt
    text += fmt::format("; found '{}', which is no flag{}", *word, ask(*word, flags));
  }
  return fmt::format("{}; see lacuna {} --help", text, verb.get_name());
}

}  // namespace lacuna::cli
