// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "io/file/atomic_file.hpp"

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

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

Result<> write_whole(const std::string& path, std::string_view text) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(text);
  return file->commit();
}

Result<> check_writable(const std::string& path) {
  std::error_code none;
  // A pipe or device must not be opened twice.
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none)) return Nothing{};
  if (auto file = AtomicFile::create(path); !file) return file.error();
  return Nothing{};
}

void Output::add_flags(CLI::App& command) {
  command.add_flag("--json", json, "print the result as one JSON object on stdout");
  command.add_flag("-q,--quiet", quiet, "no progress on stderr");
  command.add_flag("-v,--verbose", verbose, "say more on stderr");
  command.add_option("--threads", threads, "threads to use; 0: all")->check(nonnegative_number());
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
