// SPDX-License-Identifier: MIT
#include "file_flags.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <lacuna/io/files.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "cluster.hpp"
#include "io/cube/envi.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/standard_streams.hpp"
#include "io/file/stream_copy.hpp"

namespace lacuna::cli {
namespace {

enum class Role { kInput, kOutput };

struct FileFlag {
  std::string_view verb;  // empty: of every verb that has it
  std::string_view flag;
  Role role;
};

// All that name data: an input may be the standard input, but only one.
constexpr std::array<FileFlag, 46> kFileFlags = {{
    {"", "--mask", Role::kInput},
    {"", "--init", Role::kInput},
    {"", "--report", Role::kOutput},
    {"", "--checkpoint", Role::kOutput},
    {"", "--resume", Role::kInput},
    {"fit", "train", Role::kInput},
    {"fit", "--test", Role::kInput},
    {"fit", "--output", Role::kOutput},
    {"fit", "--history", Role::kOutput},
    {"complete", "input", Role::kInput},
    {"complete", "--output", Role::kOutput},
    {"complete", "--model", Role::kOutput},
    {"predict", "model", Role::kInput},
    {"predict", "cells", Role::kInput},
    {"predict", "--output", Role::kOutput},
    {"top", "model", Role::kInput},
    {"top", "--exclude", Role::kInput},
    {"top", "--candidates", Role::kInput},
    {"top", "--output", Role::kOutput},
    {"explain", "model", Role::kInput},
    {"explain", "cell", Role::kInput},
    {"explain", "--output", Role::kOutput},
    {"update", "model", Role::kInput},
    {"update", "new", Role::kInput},
    {"update", "--output", Role::kOutput},
    {"evaluate", "model", Role::kInput},
    {"evaluate", "test", Role::kInput},
    {"evaluate", "--filter", Role::kInput},
    {"certify", "model", Role::kInput},
    {"certify", "train", Role::kInput},
    {"info", "file", Role::kInput},
    {"top", "queries", Role::kInput},
    {"split", "input", Role::kInput},
    {"split", "--train", Role::kOutput},
    {"split", "--test", Role::kOutput},
    {"convert", "input", Role::kInput},
    {"convert", "output", Role::kOutput},
    {"tune", "train", Role::kInput},
    {"tune", "--test", Role::kInput},
    {"tune", "--output", Role::kOutput},
    {"tune", "--state", Role::kOutput},
    {"tune", "--table", Role::kOutput},
    {"report", "model", Role::kInput},
    {"report", "--train", Role::kInput},
    {"report", "--test", Role::kInput},
    {"report", "--output", Role::kOutput},
}};

struct NamedFile {
  std::string flag;
  std::string path;
  Role role;
};

// Of a file that exists: device, inode. Of one that does not: those of its folder, and its name.
using Identity = std::tuple<dev_t, ino_t, std::string>;

std::optional<Identity> identity(const NamedFile& named) {
  const std::string& path = named.path;
  struct stat info {};
  if (io::is_standard_stream(path)) {  // what the shell has put there may be a file all the same
    const int stream = named.role == Role::kInput ? STDIN_FILENO : STDOUT_FILENO;
    if (::fstat(stream, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return Identity{info.st_dev, info.st_ino, ""};
  }
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) return std::nullopt;
    return Identity{info.st_dev, info.st_ino, ""};
  }
  const std::filesystem::path place =
      follow_link(path);  // a link to nothing yet: what will be made is where it points
  const std::filesystem::path folder = place.has_parent_path() ? place.parent_path() : ".";
  if (::stat(folder.c_str(), &info) != 0) return std::nullopt;
  return Identity{info.st_dev, info.st_ino, place.filename().string()};
}

// Whether an output lies in a folder that is read, whose files are all data. Through a link it may do so by two names.
bool is_within(const NamedFile& output, const NamedFile& input) {
  struct stat folder {};
  if (io::is_standard_stream(output.path) || io::is_standard_stream(input.path)) return false;
  if (::stat(input.path.c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode)) return false;
  const auto lies_there = [&](const std::filesystem::path& place) {
    const std::filesystem::path parent = place.has_parent_path() ? place.parent_path() : ".";
    struct stat info {};
    return ::stat(parent.c_str(), &info) == 0 && info.st_dev == folder.st_dev && info.st_ino == folder.st_ino;
  };
  return lies_there(output.path) || lies_there(follow_link(output.path));
}

bool says(const CLI::App& verb, const char* flag, std::string_view word) {
  const CLI::Option* option = verb.get_option_no_throw(flag);
  return option != nullptr && option->count() > 0 && option->results().front() == word;
}

// A cube has two files, of which one is named.
void add_other_files_of_cubes(const CLI::App& verb, std::vector<NamedFile>& files) {
  const bool reads = says(verb, "--format", "envi");
  const bool writes = says(verb, "--to", "envi");
  for (std::size_t i = 0, named = files.size(); i < named; ++i) {
    const NamedFile file = files[i];
    const bool input = file.role == Role::kInput;
    if (io::is_standard_stream(file.path) || !((input ? reads : writes) || io::names_envi(file.path)))
      continue;
    const std::string other =
        input ? io::envi_file_read_with(file.path) : io::envi_file_written_with(file.path);
    if (!other.empty()) files.push_back({file.flag, other, file.role});
  }
}

std::vector<NamedFile> named_files(const CLI::App& app, const CLI::App& verb) {
  std::vector<NamedFile> files;
  const auto add = [&](const CLI::App& owner, std::string_view flag, Role role) {
    const CLI::Option* option = owner.get_option_no_throw(std::string(flag));
    if (option == nullptr) return;
    for (const std::string& path : option->results()) files.push_back({std::string(flag), path, role});
  };
  add(app, "--config", Role::kInput);
  for (const char* flag : {"--side", "--graph", "--candidates"})  // MODE=FILE
    if (const CLI::Option* option = verb.get_option_no_throw(flag))
      for (const std::string& given : option->results())
        if (const std::size_t equals = given.find('='); equals != std::string::npos)
          files.push_back({flag, given.substr(equals + 1), Role::kInput});
  for (const FileFlag& one : kFileFlags)
    if (one.verb.empty() || one.verb == verb.get_name()) add(verb, one.flag, one.role);
  if (const CLI::Option* option = verb.get_option_no_throw("--coordinates"))
    for (const std::string& pair : option->results())  // MODE=FILE
      files.push_back({"--coordinates", pair.substr(pair.find('=') + 1), Role::kInput});
  const CLI::Option* interval = verb.get_option_no_throw("--interval");
  if (verb.get_name() == "predict" && interval != nullptr && interval->count() > 0)
    for (const std::string& path : verb.get_option("--output")->results())
      for (const char* end : {"low", "high"})
        if (!io::is_standard_stream(path)) files.push_back({"--interval", beside(path, end), Role::kOutput});
  add_other_files_of_cubes(verb, files);
  return files;
}

Result<> check_standard_streams(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (io::is_standard_stream(files[i].path) && files[j].path == files[i].path &&
          files[j].role == files[i].role)
        return usage_error(files[i].flag,
                           fmt::format("standard {} is also {}, expected - for one of them",
                                       files[i].role == Role::kInput ? "input" : "output", files[j].flag));
  return Nothing{};
}

// What one process has read of a pipe the others lack.
Result<> check_pipes(const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files)
    if (!everyone().alone() && file.role == Role::kInput && io::is_stream(file.path))
      return usage_error(file.path,
                         "a pipe is read by one process, expected a file that every process can read");
  return Nothing{};
}

// Those that hold cells; a model, a page or a history may have any name.
bool holds_cells(const CLI::App& verb, const NamedFile& file) {
  if (file.role != Role::kOutput) return false;
  const std::string& name = verb.get_name();
  if (name == "top") return !verb.get_option("--json")->as<bool>();
  if (name == "tune") return file.flag == "--table";
  if (name == "complete") return file.flag == "--output";
  return name == "predict" || name == "split" ||
         (name == "convert" && (verb.count("--to") == 0 || says(verb, "--to", "auto")));
}

}  // namespace

bool writes_to_standard_output(const CLI::App& app, const CLI::App& verb) {
  const std::vector<NamedFile> files = named_files(app, verb);
  return std::any_of(files.begin(), files.end(), [](const NamedFile& file) {
    return file.role == Role::kOutput && io::is_standard_stream(file.path);
  });
}

std::string beside(const std::string& path, const std::string& what) {
  const auto name = path.find_last_of('/') + 1;
  const auto dot = path.find('.', name);
  return dot == std::string::npos ? path + "." + what : path.substr(0, dot) + "." + what + path.substr(dot);
}

Result<> check_files(const CLI::App& app, const CLI::App& verb) {
  const std::vector<NamedFile> files = named_files(app, verb);
  if (auto fine = agreed(check_pipes(files)); !fine) return fine;
  for (const NamedFile& file : files)
    if (file.path.empty()) return usage_error(file.flag, "found an empty file name");
  if (auto fine = check_standard_streams(files); !fine) return fine;
  for (const NamedFile& file : files)
    if (holds_cells(verb, file))
      if (auto fine = check_output_ending(file.path); !fine) return fine;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].role != Role::kOutput) continue;
    const auto mine = identity(files[i]);
    for (const NamedFile& read : files)
      if (read.role == Role::kInput && is_within(files[i], read))
        return usage_error(files[i].flag,
                           fmt::format("'{}' lies in {}, the folder that is read as {}; it would be data",
                                       files[i].path, read.path, read.flag));
    for (std::size_t j = 0; mine && j < files.size(); ++j) {
      if (j == i || (files[j].role == Role::kOutput && j < i) || identity(files[j]) != mine) continue;
      if (files[i].flag == "--checkpoint" && files[j].flag == "--resume")
        continue;  // the next one of the same
      return usage_error(files[i].flag, fmt::format("'{}' is also {}{}; it would be lost", files[i].path,
                                                    files[j].role == Role::kInput ? "what is read as "
                                                                                  : "what is written as ",
                                                    files[j].flag));
    }
  }
  return Nothing{};
}

}  // namespace lacuna::cli
