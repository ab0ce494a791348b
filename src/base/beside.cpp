// SPDX-License-Identifier: MIT
#include "base/beside.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#ifndef LACUNA_LIBEXEC_FOLDER
#define LACUNA_LIBEXEC_FOLDER ""
#endif

namespace lacuna {

std::vector<std::string> folders_beside() {
  if (const char* told = std::getenv("LACUNA_LIBEXEC"); told != nullptr && *told != '\0') return {told};
  std::vector<std::string> list;
  const auto add = [&](const std::filesystem::path& file) {
    if (!file.has_parent_path()) return;
    list.push_back(file.parent_path().string());
    list.push_back((file.parent_path().parent_path() / "libexec" / "lacuna").string());
  };
  std::error_code none;
  add(std::filesystem::read_symlink("/proc/self/exe", none));
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&find_beside), &here) != 0 && here.dli_fname != nullptr &&
      std::strchr(here.dli_fname, '/') != nullptr)
    add(std::filesystem::absolute(here.dli_fname, none));
  if (*LACUNA_LIBEXEC_FOLDER != '\0') list.emplace_back(LACUNA_LIBEXEC_FOLDER);
  return list;
}

std::optional<std::string> find_beside(const std::string& name) {
  for (const std::string& folder : folders_beside()) {
    std::string path = (std::filesystem::path(folder) / name).string();
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return std::nullopt;
}

}  // namespace lacuna
