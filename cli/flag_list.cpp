// SPDX-License-Identifier: MIT
#include "flag_list.hpp"

#include <algorithm>
#include <cctype>
#include <lacuna/method/settings.hpp>
#include <string_view>

namespace lacuna::cli {
namespace {

bool is_word(std::string_view text) {
  return text.size() > 1 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; });
}

// "low, medium or high" -> the three; "auto or a name" -> auto; "auto or a list such as 4,4" -> auto
std::vector<std::string> words_of(std::string text) {
  text.erase(std::min(text.find(" such as "), text.size()));
  for (std::size_t at = text.find(" or "); at != std::string::npos; at = text.find(" or "))
    text.replace(at, 4, ",");
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    word.erase(0, std::min(word.find_first_not_of(' '), word.size()));
    if (is_word(word)) words.push_back(std::move(word));
    begin = end + 1;
  }
  return words;
}

// What stands between the last `open` and its `close`, which is the end of the text.
std::string last_enclosed(const std::string& text, char open, char close) {
  const std::size_t from = text.rfind(open);
  if (from == std::string::npos || text.back() != close) return "";
  return text.substr(from + 1, text.size() - from - 2);
}

// The table of settings ends its sentences with the words a setting takes; CLI11 has sets as "TEXT:{a,b}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  if (option.check_lname("method")) {
    std::vector<std::string> names = {"auto"};
    for (const MethodInfo& method : methods()) names.emplace_back(method.name);
    return names;
  }
  if (option.get_items_expected_max() == 0) return {};
  std::vector<std::string> set = words_of(last_enclosed(option.get_type_name(), '{', '}'));
  return set.empty() ? words_of(last_enclosed(option.get_description(), '(', ')')) : set;
}

ListedFlag list_flag(const CLI::Option& option) {
  ListedFlag flag{.what = option.get_description(),
                  .positional = !option.nonpositional(),
                  .takes_value = option.get_items_expected_max() > 0,
                  .choices = choices_of(option),
                  .standard = standard_of(option)};
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  if (flag.positional) flag.names = {option.get_name(true)};
  return flag;
}

}  // namespace

std::string standard_of(const CLI::Option& option) {
  if (!option.get_default_str().empty()) return option.get_default_str();
  const bool of_a_fit = option.get_group().starts_with("Fit");
  for (const std::string& name : option.get_lnames())
    if (const SettingField* const field = find_setting(name); field != nullptr && of_a_fit)
      return std::string(field->by_default);
  return "";
}

std::vector<ListedFlag> list_common(const CLI::App& app) {
  std::vector<ListedFlag> flags;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) flags.push_back(list_flag(*option));
  return flags;
}

std::vector<ListedVerb> list_verbs(const CLI::App& app) {
  std::vector<ListedVerb> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    ListedVerb listed{.name = verb->get_name(), .what = verb->get_description()};
    for (const CLI::Option* option : verb->get_options())
      if (!option->get_group().empty()) listed.flags.push_back(list_flag(*option));
    verbs.push_back(std::move(listed));
  }
  return verbs;
}

}  // namespace lacuna::cli
