// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <lacuna/base/base.hpp>
#include <memory>
#include <sstream>
#include <string>

#include "cluster.hpp"
#include "file_flags.hpp"
#include "io/file/standard_streams.hpp"
#include "list_flags.hpp"
#include "number_flags.hpp"
#include "suggest.hpp"

namespace lacuna::cli {
namespace {

// Anyone may have written a --config file, and its parser has no bounds: it recurses for each bracket, and keeps all
// levels of a section for each of its lines.
constexpr std::size_t kMostConfigBytes = std::size_t{1} << 18;
constexpr std::ptrdiff_t kMostBrackets = 1000;  // lists and sections, all together
constexpr std::ptrdiff_t kMostLevels = 8;       // of a section or a key: there is one of verbs

struct BadConfig {
  Error error;
};

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

// Keys of a --config file that stand in no [verb] section are flags of the verb that runs.
class VerbConfig : public CLI::ConfigTOML {
 public:
  explicit VerbConfig(const CLI::App& app) : app_(&app) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const std::vector<std::string> given = app_->get_config_ptr()->results();
    const std::string path = given.empty() ? "--config" : given.back();
    const std::string text = read_config(path, input);
    check_config(path, text);
    std::istringstream checked(text);
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(checked);
    for (CLI::ConfigItem& item : read)
      for (const CLI::App* verb : app_->get_subcommands())
        if (item.parents.empty()) item.parents = {verb->get_name()};
    return read;
  }

 private:
  const CLI::App* app_;
};

// help -> --help; help fit -> fit --help; help ft -> ft, which is refused as a misspelt verb
std::vector<std::string> asked_for_help(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() == 1) return {"--help"};
  const auto verbs = app.get_subcommands({});
  const bool known = std::any_of(verbs.begin(), verbs.end(),
                                 [&](const CLI::App* verb) { return verb->check_name(words[1]); });
  return known ? std::vector<std::string>{words[1], "--help"} : std::vector<std::string>{words[1]};
}

}  // namespace

Program::Program() : app_("Fills in the missing entries of multi-way data.", "lacuna") {
  app_.set_version_flag("-V,--version", version());
  app_.set_config("--config", "", "read flags from a file; flags given here win");
  app_.config_formatter(std::make_shared<VerbConfig>(app_));
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
    if (error.get_exit_code() != 0)
      return usage_error("", complaint(app_, error, words.empty() ? nullptr : words[0].c_str()));
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
    return action();
  }
  return usage_error("", "no verb given; see lacuna --help");
}

}  // namespace lacuna::cli
