// SPDX-License-Identifier: MIT
// What every verb shares: how it is registered, how it fails, where it speaks.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <lacuna/base/base.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lacuna::cli {

// Results go to stdout, everything else to stderr.
struct Output {
  bool json = false;
  bool quiet = false;
  int verbose = 0;
  int threads = 0;

  // Adds --json, --quiet, -v, --threads.
  void add_flags(CLI::App& command);
  void say(const std::string& line) const;  // stderr, unless --quiet
};

// A verb: adds its flags to the app and returns what to run once they are parsed; the int is the exit code.
using Action = std::function<Result<int>()>;
Action add_fit(CLI::App& app);
Action add_predict(CLI::App& app);
Action add_top(CLI::App& app);
Action add_explain(CLI::App& app);
Action add_update(CLI::App& app);
Action add_evaluate(CLI::App& app);
Action add_complete(CLI::App& app);
Action add_split(CLI::App& app);
Action add_convert(CLI::App& app);
Action add_info(CLI::App& app);
Action add_tune(CLI::App& app);
Action add_certify(CLI::App& app);
Action add_methods(CLI::App& app);
Action add_settings(CLI::App& app);
Action add_report(CLI::App& app);
Action add_completion(CLI::App& app);
Action add_man(CLI::App& app);

inline constexpr int kNotConverged = 4;

// Checks of numbers. CLI11's own name the largest double when they refuse.
[[nodiscard]] CLI::Validator positive_number();
[[nodiscard]] CLI::Validator nonnegative_number();
[[nodiscard]] CLI::Validator whole_number_in(int low, int high);
[[nodiscard]] CLI::Validator probability();  // 0 and less than 1
// One of a set of words, which "{a,b}" in help and completion is made of.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& words);

[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<double>& value);
// On one line. Names of files need not be UTF-8, which JSON is: what is none of it becomes U+FFFD.
[[nodiscard]] std::string as_json_line(const nlohmann::ordered_json& value);
void print_json(const nlohmann::ordered_json& value);

// Can a file be written here? Asked before a long fit, so that a misspelt folder does not cost it.
Result<> check_writable(const std::string& path);
// What people know it as: "-" is the standard output.
[[nodiscard]] std::string output_name(const std::string& path);
// The file appears, or is replaced, whole.
Result<> write_whole(const std::string& path, std::string_view text);

// "256 x 256 x 3"
[[nodiscard]] std::string shape_text(const std::vector<std::uint32_t>& extents);
// 1234567 -> "1,234,567"
[[nodiscard]] std::string grouped(std::int64_t count);

}  // namespace lacuna::cli
