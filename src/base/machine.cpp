// SPDX-License-Identifier: MIT
#include "base/machine.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace lacuna {
namespace {

// A file that holds one number; "max", and a file that is not there, hold none.
std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double value = 0.0;
  if (!(file >> value) || !(value > 0.0)) return std::nullopt;
  return value;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> out;
  for (std::string word; text >> word;) out.push_back(word);
  return out;
}

bool has_item(std::string_view list, std::string_view item) {  // "rw,memory" has "memory"
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (list.substr(begin, end - begin) == item) return true;
    begin = end + 1;
  }
  return false;
}

// Where groups that limit memory are mounted: a line of mountinfo is
//   id parent major:minor ROOT POINT options [tags] - TYPE source SUPER-OPTIONS
struct Mount {
  std::string root;  // the group that the mount point shows
  std::string point;
  bool unified = false;  // version 2
};

std::vector<Mount> group_mounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> word = words(line);
    const auto dash = std::find(word.begin(), word.end(), "-");
    if (word.size() < 5 || word.end() - dash < 4) continue;
    const bool unified = dash[1] == "cgroup2";
    if (unified || (dash[1] == "cgroup" && has_item(dash[3], "memory")))
      mounts.push_back({.root = word[3], .point = word[4], .unified = unified});
  }
  return mounts;
}

// The group this process is in: a line is "0::/path" in version 2, "N:controllers:/path" in version 1.
std::optional<std::string> group_path(const std::string& root, bool unified) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : has_item(controllers, "memory")) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The least that a group on the way from this process's to the mount's root allows.
std::optional<double> group_limit(const std::string& root) {
  std::optional<double> least;
  for (const Mount& mount : group_mounts(root)) {
    auto path = group_path(root, mount.unified);
    if (!path) continue;
    // In a container the path may be told as the host sees it: what the mount shows is below its root.
    if (mount.root != "/" && path->compare(0, mount.root.size(), mount.root) == 0)
      path->erase(0, mount.root.size());
    const char* name = mount.unified ? "/memory.max" : "/memory.limit_in_bytes";
    for (;;) {
      while (!path->empty() && path->back() == '/') path->pop_back();
      const auto limit = number_in(root + mount.point + *path + name);
      if (limit && (!least || *limit < *least)) least = limit;
      if (path->empty()) break;
      path->erase(path->rfind('/') == std::string::npos ? 0 : path->rfind('/'));
    }
  }
  return least;
}

// What a limit on address space or data leaves. The sixth number of statm counts data and stack.
std::optional<double> left_of(int resource, const std::string& root, int column) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  std::ifstream file(root + "/proc/self/statm");
  double pages = 0.0;
  for (int i = 0; i <= column; ++i) file >> pages;
  const double used = file ? pages * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0.0;
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

}  // namespace

MemoryLimit memory_limit(const std::string& root) {
  MemoryLimit least{
      .bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)),
      .from = "this machine has"};
  const auto take = [&](const std::optional<double>& bytes, const char* from) {
    if (bytes && *bytes < least.bytes) least = {.bytes = *bytes, .from = from};
  };
  take(group_limit(root), "its control group allows");
  take(left_of(RLIMIT_AS, root, 0), "the limit on address space leaves");
  take(left_of(RLIMIT_DATA, root, 5), "the limit on data leaves");
  return least;
}

Result<> check_memory(double bytes, const std::string& what) {
  const MemoryLimit available = memory_limit();
  if (bytes <= available.bytes) return Nothing{};
  return Error{ErrorKind::kMemory, "",
               fmt::format("{} needs about {}, {} {}", what, bytes_text(bytes), available.from,
                           bytes_text(available.bytes))};
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000.0 && unit < 4; ++unit) bytes /= 1000.0;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace lacuna
