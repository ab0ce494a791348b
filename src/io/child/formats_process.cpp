// SPDX-License-Identifier: MIT
#include "io/child/formats_process.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGXCPU is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/beside.hpp"
#include "base/machine.hpp"

namespace lacuna::io {
namespace {

constexpr const char* kProgram = "lacuna-formats";
constexpr std::size_t kLastHeader = 512;  // where that of a MATLAB 7.3 file begins

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

std::string describe_end(FormatsProcess::Job job, int status) {
  const bool reads = job == FormatsProcess::Job::kRead;
  if (status < 0) return fmt::format("{} ended without an answer", kProgram);
  if (!WIFSIGNALED(status))
    return fmt::format("it could not be {} to its end ({} ended with {})", reads ? "read" : "written",
                       kProgram, WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU)
    return fmt::format("it takes more processor time to {} than a file of its size may",
                       reads ? "read" : "write");
  if (signal == SIGKILL)
    return fmt::format("{} was killed while it {} it, perhaps for want of memory", kProgram,
                       reads ? "read" : "wrote");
  if (!reads)
    return fmt::format("the library that writes such files crashed ({}): nothing was written",
                       ::strsignal(signal));
  return fmt::format("the library that reads such files crashed on it ({}): it is damaged",
                     ::strsignal(signal));
}

// What came through a pipe is kept in memory under a name that is none for the library of HDF5, which follows links.
bool is_hdf5_without_a_name(const std::string& path) {
  std::array<char, 64> link{};
  const ssize_t length = ::readlink(path.c_str(), link.data(), link.size());
  if (length < 0 || std::string_view(link.data(), static_cast<std::size_t>(length)).substr(0, 7) != "/memfd:")
    return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(kLastHeader + 8, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  for (const std::size_t at : {std::size_t{0}, kLastHeader})
    if (head.size() > at && head.compare(at, 6, "\x89HDF\r\n") == 0) return true;
  return false;
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
                                             const std::vector<std::string>& words, int file) {
  const auto refuse = [&](std::string what) {
    return job == Job::kRead ? input_error(path, std::move(what)) : output_error(path, std::move(what));
  };
  if (job == Job::kRead && is_hdf5_without_a_name(path))
    return refuse("found an HDF5 file in a pipe, expected it under a name: its library reads no other");
  const auto program = find_program();
  if (!program)
    return refuse(fmt::format("files of this kind need the program {}, which is not in {}", kProgram,
                              fmt::join(folders_beside(), ", ")));
  std::vector<std::string> all = {kProgram, fmt::format("{:.0f}", memory_limit().bytes)};
  all.insert(all.end(), words.begin(), words.end());
  auto child = ChildProcess::start(*program, std::move(all), environment(), most_silence(), file);
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
  return error(describe_end(job_, child_.wait()));
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
