// SPDX-License-Identifier: MIT
#include "io/child/formats_process.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGXCPU is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/beside.hpp"
#include "base/machine.hpp"

namespace lacuna::io {
namespace {

constexpr const char* kProgram = "lacuna-formats";

std::optional<std::string> find_program() {
  std::optional<std::string> path = find_beside(kProgram);
  if (path && ::access(path->c_str(), X_OK) != 0) return std::nullopt;
  return path;
}

// Nothing of the user's but what a loader or a sanitizer needs.
std::vector<std::string> environment() {
  std::vector<std::string> list = {"HDF5_USE_FILE_LOCKING=FALSE", "HDF5_PLUGIN_PRELOAD=::", "LC_ALL=C"};
  for (const char* name :
       {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) list.push_back(fmt::format("{}={}", name, value));
  return list;
}

std::string describe_end(int status) {
  if (status < 0) return fmt::format("{} ended without an answer", kProgram);
  if (!WIFSIGNALED(status))
    return fmt::format("it could not be read to its end ({} ended with {})", kProgram, WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU) return "it takes more processor time to read than a file of its size may";
  if (signal == SIGKILL)
    return fmt::format("{} was killed while it read it, perhaps for want of memory", kProgram);
  return fmt::format("the library that reads such files crashed on it ({}): it is damaged",
                     ::strsignal(signal));
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code none;
  return std::filesystem::absolute(path, none).string();
}

FormatsProcess::FormatsProcess(Job job, std::string path, ChildProcess child)
    : job_(job),
      path_(std::move(path)),
      child_(std::move(child)),
      to_(child_.socket(), WireWriter::Kind::kSocket),
      from_(child_.socket()) {}

Error FormatsProcess::error(std::string what) const {
  return job_ == Job::kRead ? input_error(path_, std::move(what)) : output_error(path_, std::move(what));
}

Error FormatsProcess::nonsense() const {
  return error(fmt::format("{} gave an answer that makes no sense", kProgram));
}

Result<FormatsProcess> FormatsProcess::start(Job job, const std::string& path,
                                             const std::vector<std::string>& words) {
  const auto refuse = [&](std::string what) {
    return job == Job::kRead ? input_error(path, std::move(what)) : output_error(path, std::move(what));
  };
  const auto program = find_program();
  if (!program)
    return refuse(fmt::format("files of this kind need the program {}, which is not in {}", kProgram,
                              fmt::join(folders_beside(), ", ")));
  std::vector<std::string> all = {kProgram, fmt::format("{:.0f}", memory_limit().bytes)};
  all.insert(all.end(), words.begin(), words.end());
  auto child = ChildProcess::start(*program, std::move(all), environment(), most_silence());
  if (!child) return refuse(fmt::format("{} could not be started: {}", *program, child.error().what));
  return FormatsProcess(job, path, std::move(*child));
}

Error FormatsProcess::failure() {
  switch (from_.failure()) {
    case WireReader::Failure::kSilence:
      return error(fmt::format("{} said nothing for {} s and was stopped", kProgram, most_silence()));
    case WireReader::Failure::kDamaged:
      return nonsense();
    case WireReader::Failure::kEnded:
      break;
  }
  return error(describe_end(child_.wait()));
}

Result<nlohmann::json> FormatsProcess::answer() {
  nlohmann::json header;
  if (!from_.header(header)) return failure();
  if (!header.contains("error")) return header;
  Error told = nonsense();
  if (header["error"].is_string()) told.what = header["error"].get<std::string>();
  if (header.contains("memory") && header["memory"] == true) told.kind = ErrorKind::kMemory;
  return told;
}

Result<> FormatsProcess::numbers(std::span<double> out) {
  if (!from_.numbers(out)) return failure();
  return Nothing{};
}

Result<> FormatsProcess::finish() {
  if (!from_.complete()) return failure();
  return Nothing{};
}

}  // namespace lacuna::io
