// SPDX-License-Identifier: MIT
// lacuna: one binary, a verb for each job. The only place that turns errors into exit codes.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <lacuna/base/result.hpp>
#include <lacuna/base/version.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

#include "command.hpp"
#include "file_flags.hpp"
#include "number_flags.hpp"
#include "run_record.hpp"
#include "signals.hpp"
#include "suggest.hpp"

namespace lacuna::cli {
namespace {

int fail(ErrorKind kind, const std::string& message) {
  fmt::print(stderr, "lacuna: {}\n", message);
  return static_cast<int>(kind);
}

// Keys of a --config file that stand in no [verb] section are flags of the verb that runs.
class VerbConfig : public CLI::ConfigTOML {
 public:
  explicit VerbConfig(const CLI::App& app) : app_(&app) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(input);
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

int run(int argc, char** argv) {
  CLI::App app("Fills in the missing entries of multi-way data.", "lacuna");
  app.set_version_flag("-V,--version", version());
  app.set_config("--config", "", "read flags from a file; flags given here win");
  app.config_formatter(std::make_shared<VerbConfig>(app));
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.require_subcommand(1);
  app.fallthrough();
  app.footer("Every verb explains itself: lacuna help VERB");
  std::vector<std::pair<std::string, Action>> actions = {{"fit", add_fit(app)},
                                                         {"complete", add_complete(app)},
                                                         {"predict", add_predict(app)},
                                                         {"evaluate", add_evaluate(app)},
                                                         {"split", add_split(app)},
                                                         {"convert", add_convert(app)},
                                                         {"info", add_info(app)},
                                                         {"certify", add_certify(app)},
                                                         {"methods", add_methods(app)},
                                                         {"tune", add_tune(app)},
                                                         {"report", add_report(app)},
                                                         {"settings", add_settings(app)},
                                                         {"completion", add_completion(app)},
                                                         {"man", add_man(app)}};
  check_numbers(app);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") words = asked_for_help(app, words);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // it takes them from the end
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(ErrorKind::kUsage, complaint(app, error, words.empty() ? nullptr : words[0].c_str()));
  }
  for (const auto& [verb, action] : actions) {
    if (!app.got_subcommand(verb)) continue;
    if (auto fine = check_files(app, *app.get_subcommand(verb)); !fine)
      return fail(fine.error().kind, fine.error().message());
    const Result<int> result = action();
    return result ? *result : fail(result.error().kind, result.error().message());
  }
  return fail(ErrorKind::kUsage, "no verb given; see lacuna --help");
}

// The exit code, once all that was printed is where it should go.
int printed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return fail(ErrorKind::kOutput, fmt::format("stdout: {}", std::generic_category().message(errno)));
}

// Large vectors go back to the system when they are freed. glibc's default threshold grows with what is
// freed, and a large fit then carries a tenth more memory than it uses.
void return_freed_memory() { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

}  // namespace
}  // namespace lacuna::cli

int main(int argc, char** argv) {
  using lacuna::ErrorKind;
  using lacuna::cli::fail;
  lacuna::cli::return_freed_memory();
  lacuna::cli::install_signals();
  lacuna::cli::set_command_line(argc, argv);
  try {
    return lacuna::cli::printed(lacuna::cli::run(argc, argv));
  } catch (const std::system_error& error) {  // a line that could not be printed
    return fail(ErrorKind::kOutput, fmt::format("stdout: {}", error.code().message()));
  } catch (const std::invalid_argument& error) {
    return fail(ErrorKind::kUsage, error.what());
  } catch (const lacuna::ValueRangeError& error) {
    return fail(ErrorKind::kInput, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::kMemory, "out of memory");
  } catch (const std::exception& error) {
    return fail(ErrorKind::kInternal, fmt::format("internal error: {}", error.what()));
  }
}
