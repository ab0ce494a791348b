// SPDX-License-Identifier: MIT
// lacuna completion SHELL: a script with which bash, zsh or fish completes verbs, flags and the words they take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "command.hpp"
#include "flag_list.hpp"

namespace lacuna::cli {
namespace {

std::string joined_names(const std::vector<ListedVerb>& verbs) {
  std::string names = "help";
  for (const ListedVerb& verb : verbs) names += " " + verb.name;
  return names;
}

std::string with_escapes(const std::string& text, const std::string& special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

// For a text between single quotes, in which shells take everything as it is but the quote.
std::string between_quotes(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

std::string bash_verb(const ListedVerb& verb) {
  std::string flags, cases, arguments;
  for (const ListedFlag& flag : verb.flags) {
    if (flag.positional) {
      arguments = fmt::format("{}", fmt::join(flag.choices, " "));
      continue;
    }
    flags += fmt::format(" {}", fmt::join(flag.names, " "));
    if (flag.takes_value)
      cases += fmt::format("        {}) words='{}' value=1 ;;\n", fmt::join(flag.names, "|"),
                           fmt::join(flag.choices, " "));
  }
  return fmt::format("    {})\n      flags='{}' words='{}'\n      case $before in\n{}      esac ;;\n",
                     verb.name, flags.substr(std::min<std::size_t>(flags.size(), 1)), arguments, cases);
}

std::string bash_script(const std::vector<ListedVerb>& verbs) {
  std::string out = fmt::format(
      "# bash completion for lacuna; made by: lacuna completion bash\n"
      "_lacuna() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb='' flags='' "
      "words='' value=''\n"
      "  local at=1\n"
      "  if [[ ${{COMP_WORDS[1]}} == --config ]]; then at=3; [[ ${{COMP_WORDS[2]-}} == '=' ]] && at=4; fi\n"
      "  ((COMP_CWORD > at)) && verb=${{COMP_WORDS[at]}}\n"
      "  COMPREPLY=()\n"
      "  case $verb in\n"
      "    '') flags='--config --help --version -h -V' words='{0}'\n"
      "      ((COMP_CWORD > 1 && COMP_CWORD < at)) && words='' value=1 ;;\n"
      "    help) words='{0}' ;;\n",
      joined_names(verbs));
  for (const ListedVerb& verb : verbs) out += bash_verb(verb);
  out +=
      "  esac\n"
      "  if [[ -z $value && $word == -* ]]; then words=$flags; fi\n"
      "  if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"); fi\n"
      "}\n"
      "complete -o default -F _lacuna lacuna\n";  // -o default: names of files where nothing else is known
  return out;
}

std::string zsh_flag(const ListedFlag& flag) {
  const std::string what = between_quotes(with_escapes(flag.what, "[]:\\"));
  const std::string action =
      flag.choices.empty() ? "_files" : fmt::format("({})", fmt::join(flag.choices, " "));
  if (flag.positional) return fmt::format("        '*:{}:{}'", between_quotes(flag.names[0]), action);
  const std::string value = flag.takes_value ? ":value:" + action : "";
  std::string lines;
  for (const std::string& name : flag.names)
    lines += fmt::format("{}        '*{}[{}]{}'", lines.empty() ? "" : " \\\n", name, what, value);
  return lines;
}

// With the verb after --config FILE as well.
std::string zsh_script(const std::vector<ListedFlag>& common, const std::vector<ListedVerb>& verbs) {
  std::string out =
      "#compdef lacuna\n# made by: lacuna completion zsh\n_lacuna() {\n  local -a verbs\n  verbs=(\n"
      "    'help:explains a verb'\n";
  for (const ListedVerb& verb : verbs)
    out += fmt::format("    '{}:{}'\n", verb.name, between_quotes(with_escapes(verb.what, ":\\")));
  std::vector<std::string> before;
  for (const ListedFlag& flag : common) before.insert(before.end(), flag.names.begin(), flag.names.end());
  out += fmt::format(
      "  )\n  local -i at=2\n  [[ $words[2] == --config ]] && at=4\n  [[ $words[2] == --config=* ]] && at=3\n"
      "  if ((CURRENT < at && CURRENT > 2)); then\n    _files\n    return\n  fi\n"
      "  if ((CURRENT <= at)); then\n    if [[ $words[CURRENT] == -* ]]; then compadd -- {}; else _describe "
      "verb "
      "verbs; fi\n"
      "    return\n  fi\n  local verb=$words[at]\n  shift $((at - 1)) words\n  ((CURRENT -= at - 1))\n  case "
      "$verb in\n"
      "    help) _describe verb verbs ;;\n",
      fmt::join(before, " "));
  for (const ListedVerb& verb : verbs) {
    out += fmt::format("    {})\n      _arguments", verb.name);
    bool file = false;  // one rule for all arguments without a flag
    for (const ListedFlag& flag : verb.flags)
      if (!flag.positional || !std::exchange(file, true)) out += " \\\n" + zsh_flag(flag);
    out += " ;;\n";
  }
  return out +
         "  esac\n}\nif [[ $funcstack[1] == _lacuna ]]; then _lacuna \"$@\"; else compdef _lacuna lacuna; "
         "fi\n";
}

// `where`: the condition under which it is offered.
std::string fish_flag(const std::string& where, const ListedFlag& flag) {
  std::string line = fmt::format("complete -c lacuna -n '{}'", where);
  if (flag.positional)
    return flag.choices.empty() ? "" : fmt::format("{} -f -a '{}'\n", line, fmt::join(flag.choices, " "));
  for (const std::string& name : flag.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (flag.takes_value)
    line += flag.choices.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(flag.choices, " "));
  return fmt::format("{} -d '{}'\n", line, with_escapes(flag.what, "'\\"));
}

std::string fish_script(const std::vector<ListedFlag>& common, const std::vector<ListedVerb>& verbs) {
  std::string out = "# fish completion for lacuna; made by: lacuna completion fish\n";
  const std::string names = joined_names(verbs);
  const std::string first =
      fmt::format("complete -c lacuna -f -n 'not __fish_seen_subcommand_from {}'", names);
  for (const ListedVerb& verb : verbs)
    out += fmt::format("{} -a {} -d '{}'\n", first, verb.name, with_escapes(verb.what, "'\\"));
  out += fmt::format("{} -a help -d 'explains a verb'\n", first);
  for (const ListedFlag& flag : common) out += fish_flag("not __fish_seen_subcommand_from " + names, flag);
  out += fmt::format("complete -c lacuna -f -n '__fish_seen_subcommand_from help' -a '{}'\n", names);
  for (const ListedVerb& verb : verbs)
    for (const ListedFlag& flag : verb.flags)
      out += fish_flag("__fish_seen_subcommand_from " + verb.name, flag);
  return out;
}

}  // namespace

Action add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App& verb = *app.add_subcommand("completion", "a script that lets a shell complete verbs and flags");
  verb.add_option("shell", *shell, "the shell that reads it")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  return [shell, &app]() -> Result<int> {
    const std::vector<ListedVerb> verbs = list_verbs(app);
    const std::vector<ListedFlag> common = list_common(app);
    fmt::print("{}", *shell == "bash"  ? bash_script(verbs)
                     : *shell == "zsh" ? zsh_script(common, verbs)
                                       : fish_script(common, verbs));
    return 0;
  };
}

}  // namespace lacuna::cli
