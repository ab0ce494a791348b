// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "base/nearest.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/standard_streams.hpp"

namespace lacuna::cli {
namespace {

CLI::Validator number_check(bool (*fine)(double), const char* expected) {
  return {[=](std::string& text) {
            double number = 0.0;
            if (CLI::detail::lexical_cast(text, number) && std::isfinite(number) && fine(number))
              return std::string();
            return fmt::format("found '{}', expected {}", text, expected);
          },
          "NUMBER"};
}

}  // namespace

CLI::Validator positive_number() {
  return number_check([](double number) { return number > 0.0; }, "a number > 0");
}
CLI::Validator nonnegative_number() {
  return number_check([](double number) { return number >= 0.0; }, "a number >= 0");
}

CLI::Validator probability() {
  return number_check([](double number) { return number >= 0.0 && number < 1.0; },
                      "a probability >= 0 and less than 1");
}

CLI::Validator whole_number_in(int low, int high) {
  return {[=](std::string& text) {
            int number = 0;
            if (CLI::detail::lexical_cast(text, number) && number >= low && number <= high)
              return std::string();
            return fmt::format("found '{}', expected a whole number from {} to {}", text, low, high);
          },
          ""};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return {[words](std::string& text) {
            if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
            const auto meant = nearest(text, words);
            return fmt::format("found '{}', expected {}{}", text, fmt::join(words, ", "),
                               meant ? fmt::format("; did you mean {}?", *meant) : "");
          },
          fmt::format("{{{}}}", fmt::join(words, ","))};
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string as_json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_json(const nlohmann::ordered_json& value) { fmt::print("{}", as_json_line(value)); }

std::string output_name(const std::string& path) {
  return io::is_standard_stream(path) ? "standard output" : path;
}

Result<> write_whole(const std::string& path, std::string_view text) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(text);
  return file->commit();
}

Result<> check_writable(const std::string& path) {
  std::error_code none;
  // A pipe must not be opened twice, nor a terminal or a tape.
  const auto found = std::filesystem::status(path, none).type();
  if (found == std::filesystem::file_type::fifo || found == std::filesystem::file_type::character)
    return Nothing{};
  if (auto file = AtomicFile::create(path); !file) return file.error();
  return Nothing{};
}

void Output::add_flags(CLI::App& command) {
  command.add_flag("--json", json, "print the result as one JSON object on stdout");
  command.add_flag("-q,--quiet", quiet, "no progress on stderr");
  command.add_flag("-v,--verbose", verbose, "say more on stderr");
  command.add_option("--threads", threads, "threads to use; 0: all")
      ->check(whole_number_in(0, std::numeric_limits<int>::max()));
}

void Output::say(const std::string& line) const {
  if (!quiet) fmt::print(stderr, "{}\n", line);
}

std::string shape_text(const std::vector<std::uint32_t>& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

}  // namespace lacuna::cli
