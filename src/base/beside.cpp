// SPDX-License-Identifier: MIT
#include "base/beside.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#ifndef LACUNA_LIBEXEC_FOLDER
#define LACUNA_LIBEXEC_FOLDER ""
#endif

namespace lacuna {
namespace {

const char* folder_told() {
  const char* const told = std::getenv("LACUNA_LIBEXEC");
  return told != nullptr && *told != '\0' ? told : nullptr;
}

// The program, and the library that asks where that is another file.
std::vector<std::filesystem::path> own_files() {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  files.push_back(std::filesystem::read_symlink("/proc/self/exe", none));
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&find_beside), &here) != 0 && here.dli_fname != nullptr &&
      std::strchr(here.dli_fname, '/') != nullptr)
    files.push_back(std::filesystem::absolute(here.dli_fname, none));
  return files;
}

// Only root, this user and whoever owns the program can have put it there, and nobody else can write to it. A program
// in /tmp/mine would else take /tmp/libexec, which anyone can make, for its own.
bool is_ours(const std::string& path) {
  struct stat file {};
  struct stat folder {};
  if (::stat(path.c_str(), &file) != 0 ||
      ::stat(std::filesystem::path(path).parent_path().c_str(), &folder) != 0)
    return false;
  const auto trusted = [](uid_t owner) {
    if (owner == 0 || owner == ::geteuid()) return true;
    for (const std::filesystem::path& own : own_files())
      if (struct stat info{}; ::stat(own.c_str(), &info) == 0 && info.st_uid == owner) return true;
    return false;
  };
  const bool guarded = (folder.st_mode & S_IWOTH) == 0 || (folder.st_mode & S_ISVTX) != 0;
  return trusted(file.st_uid) && trusted(folder.st_uid) && (file.st_mode & S_IWOTH) == 0 && guarded;
}

}  // namespace

std::vector<std::string> folders_beside() {
  if (const char* told = folder_told()) return {told};
  std::vector<std::string> list;
  const auto add = [&](const std::filesystem::path& file) {
    if (!file.has_parent_path()) return;
    list.push_back(file.parent_path().string());
    list.push_back((file.parent_path().parent_path() / "libexec" / "lacuna").string());
  };
  for (const std::filesystem::path& own : own_files()) add(own);
  if (*LACUNA_LIBEXEC_FOLDER != '\0') list.emplace_back(LACUNA_LIBEXEC_FOLDER);
  return list;
}

std::optional<std::string> find_beside(const std::string& name) {
  for (const std::string& folder : folders_beside()) {
    std::string path = (std::filesystem::path(folder) / name).string();
    if (::access(path.c_str(), R_OK) == 0 && (folder_told() != nullptr || is_ours(path))) return path;
  }
  return std::nullopt;
}

}  // namespace lacuna
