// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <lacuna/base/base.hpp>
#include <string>

#include "cluster.hpp"
#include "file_flags.hpp"
#include "help_text.hpp"
#include "io/file/standard_streams.hpp"
#include "list_flags.hpp"
#include "number_flags.hpp"
#include "suggest.hpp"

namespace lacuna::cli {
namespace {

// help, help help -> --help; help fit -> fit --help; help ft -> ft, which is refused as a misspelt verb
std::vector<std::string> asked_for_help(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() == 1 || words[1] == "help") return {"--help"};
  const auto verbs = app.get_subcommands({});
  const bool known = std::any_of(verbs.begin(), verbs.end(),
                                 [&](const CLI::App* verb) { return verb->check_name(words[1]); });
  return known ? std::vector<std::string>{words[1], "--help"} : std::vector<std::string>{words[1]};
}

}  // namespace

Program::Program()
    : app_("Fills in the missing entries of multi-way data.", "lacuna"),
      config_(std::make_shared<ConfigFile>(app_)) {
  app_.formatter(std::make_shared<HelpText>());
  app_.set_version_flag("-V,--version", version());
  app_.set_config("--config", "", "read flags from a file; flags given here win")
      ->transform(CLI::Validator(
          [](std::string& path) {
            if (io::is_standard_stream(path)) path = "/dev/stdin";
            return std::string();
          },
          ""));
  app_.config_formatter(config_);
  app_.allow_config_extras(CLI::config_extras_mode::error);
  app_.require_subcommand(1);
  app_.fallthrough();
  app_.footer("Every verb explains itself: lacuna help VERB");
  actions_ = {{"fit", add_fit(app_)},         {"complete", add_complete(app_)},
              {"predict", add_predict(app_)}, {"evaluate", add_evaluate(app_)},
              {"split", add_split(app_)},     {"convert", add_convert(app_)},
              {"info", add_info(app_)},       {"certify", add_certify(app_)},
              {"methods", add_methods(app_)}, {"tune", add_tune(app_)},
              {"report", add_report(app_)},   {"settings", add_settings(app_)},
              {"top", add_top(app_)},         {"explain", add_explain(app_)},
              {"update", add_update(app_)},   {"completion", add_completion(app_)},
              {"man", add_man(app_)}};
  check_numbers(app_);
  take_one_word(app_);
}

Result<Program::Next> Program::read(std::vector<std::string> words) {
  if (!words.empty() && words[0] == "help") words = asked_for_help(app_, words);
  try {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // it takes them from the end
  } catch (const BadConfig& bad) {
    return bad.error;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      const std::string text = complaint(app_, error, words.empty() ? nullptr : words[0].c_str());
      const std::size_t flag_end = std::min(text.find(": "), text.size());
      return usage_error("", config_->place(text.substr(0, flag_end)) + text.substr(flag_end));
    }
    app_.exit(error);  // prints
    return Next::kDone;
  }
  return Next::kRun;
}

Result<int> Program::run() {
  for (const auto& [verb, action] : actions_) {
    if (!app_.got_subcommand(verb)) continue;
    if (auto fine = check_verb(verb); !fine) return fine.error();
    if (auto fine = check_files(app_, *app_.get_subcommand(verb)); !fine) return fine.error();
    // top answers on standard output by itself, as questions come
    if (verb != "top" && writes_to_standard_output(app_, *app_.get_subcommand(verb)) &&
        !io::keep_output_for_data())
      return output_error("-", "standard output cannot be written to");
    Result<int> code = action();
    if (code) return code;
    return Error{code.error().kind, config_->place(code.error().where), code.error().what};
  }
  return usage_error("", "no verb given; see lacuna --help");
}

}  // namespace lacuna::cli
