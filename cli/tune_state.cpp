// SPDX-License-Identifier: MIT
#include "tune_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/system_text.hpp"
#include "input.hpp"
#include "method/saved_fit.hpp"

namespace lacuna::cli {
namespace {

using nlohmann::json;

json about(const std::string& data, const TuneOptions& options) {
  return {{"data", data}, {"folds", options.folds}, {"seed", options.seed}, {"metric", name(options.metric)}};
}

// A flag may hold bytes that are no UTF-8, which JSON cannot hold.
std::string text_of(const json& line) {
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

// Only what can be shown on a terminal.
std::string shown(std::string_view line) {
  constexpr std::size_t kMost = 120;
  std::string text;
  for (const char c : line.substr(0, kMost)) text += c >= ' ' && c <= '~' ? c : '?';
  return text;
}

}  // namespace

void TuneState::Close::operator()(const int* file) const {
  ::close(*file);  // and with it goes the lock
  delete file;
}

Result<std::string> TuneState::load() {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(*file_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(path_, system_text(errno));
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// A file that does not begin as this run's does may be anything, somebody's notes: it is left as it is. Of a first
// line that a kill cut short there is only the beginning.
Result<> TuneState::check_first_line(std::string_view text, const std::string& wanted) const {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  // What was written with other spaces says the same.
  const bool ours = end == std::string_view::npos
                        ? wanted.starts_with(line)
                        : json::parse(line, nullptr, false) == json::parse(wanted, nullptr, false);
  if (ours) return Nothing{};
  return input_error(path_ + ":1", fmt::format("found '{}', expected {}: it is about another tuning run",
                                               shown(line), wanted.substr(0, wanted.size() - 1)));
}

Result<> TuneState::take_line(std::string_view line, int number, int folds) {
  const auto refuse = [&](const std::string& expected) {
    return input_error(fmt::format("{}:{}", path_, number),
                       fmt::format("found '{}', expected {}", shown(line), expected));
  };
  const json one = json::parse(line, nullptr, false);
  if (one.is_discarded() || !one.is_object())
    return refuse("the result of a fit as a JSON object; without this line the run can go on");
  const auto get = [&](const char* key) { return one.contains(key) ? one[key] : json(); };
  const json candidate = get("candidate");
  const json settings = get("settings");
  const json lambda = get("lambda");
  const json fold = get("fold");
  const json error = get("error");
  if (!candidate.is_string()) return refuse("a string as candidate");
  if (!settings.is_string()) return refuse("a string as settings");
  if (one.contains("lambda") && !lambda.is_number()) return refuse("a number as lambda");
  if (!error.is_number()) return refuse("a number as error");
  if (!fold.is_number_integer() || fold < 0 || fold >= folds)
    return refuse(fmt::format("a fold from 0 to {}", folds - 1));
  const auto strength = lambda.is_null() ? std::nullopt : std::optional(lambda.get<double>());
  known_[{settings.get<std::string>(), strength, fold.get<int>()}] = error.get<double>();
  return Nothing{};
}

Result<TuneState> TuneState::open(const std::string& path, const std::string& data,
                                  const std::vector<Mode>& modes, const TuneOptions& options) {
  TuneState state;
  state.path_ = path;
  state.modes_ = modes;
  if (path.empty()) return state;
  const int file = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) return output_error(path, system_text(errno));
  state.file_.reset(new int(file));
  struct stat info {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
    return output_error(path, "found a device or pipe, expected a file that a later run can read");
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return output_error(path, "another run is writing to it");

  const auto text = state.load();
  if (!text) return text.error();
  const std::string wanted = text_of(about(data, options));
  if (auto fine = state.check_first_line(*text, wanted); !fine) return fine.error();
  const std::size_t whole = text->rfind('\n') + 1;  // 0 where there is none
  const std::string_view lines = std::string_view(*text).substr(0, whole);
  int number = 1;
  for (std::size_t begin = lines.find('\n') + 1; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    if (auto taken = state.take_line(lines.substr(begin, end - begin), ++number, options.folds); !taken)
      return taken.error();
    begin = end + 1;
  }
  // What comes after the last newline was cut short, and goes.
  if (whole < text->size() && ::ftruncate(file, static_cast<off_t>(whole)) != 0)
    return output_error(path, system_text(errno));
  if (whole == 0)
    if (auto written = state.write_line(wanted); !written) return written.error();
  return state;
}

std::string TuneState::settings_of(const TuneCandidate& candidate) const {
  Settings settings = candidate.options;
  settings.lambda = {};
  std::string what = checksum_text("", settings, modes_);
  if (settings.warm_start != nullptr) what += " from " + checksum_text(*settings.warm_start);
  return what;
}

std::optional<double> TuneState::find(const TuneCandidate& candidate, std::optional<double> lambda,
                                      int fold) const {
  if (!file_) return std::nullopt;
  const auto found = known_.find({settings_of(candidate), lambda, fold});
  return found == known_.end() ? std::nullopt : std::optional<double>(found->second);
}

// One write, so that a kill leaves the line whole or torn, never two of them mixed.
Result<> TuneState::write_line(std::string line) {
  const char* data = line.data();
  std::size_t left = line.size();
  while (left > 0) {
    const ssize_t written = ::write(*file_, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return output_error(path_, system_text(errno));
    data += written;
    left -= static_cast<std::size_t>(written);
  }
  return Nothing{};
}

void TuneState::add(const TuneCandidate& candidate, std::optional<double> lambda, int fold, double error) {
  if (!file_ || problem_ || !std::isfinite(error) || !std::isfinite(lambda.value_or(0.0))) return;
  json line = {
      {"candidate", candidate.name}, {"settings", settings_of(candidate)}, {"fold", fold}, {"error", error}};
  if (lambda) line["lambda"] = *lambda;
  if (auto written = write_line(text_of(line)); !written) problem_ = written.error();
}

Result<> TuneState::finish() {
  if (file_ && !problem_ && ::fsync(*file_) != 0) problem_ = output_error(path_, system_text(errno));
  if (problem_) return *problem_;
  return Nothing{};
}

}  // namespace lacuna::cli
