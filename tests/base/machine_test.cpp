// SPDX-License-Identifier: MIT
// How much memory a process may use, as control groups of both versions and limits say it.
#include "base/machine.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/sanitized.hpp"

namespace lacuna {
namespace {

constexpr double kMega = 1048576.0;

// A folder that stands for the root of the file system.
class FakeRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "lacuna-machine-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(FakeRoot, WithoutGroupsItIsTheMachines) {
  const double machine = memory_limit(root_).bytes;
  EXPECT_GT(machine, 100 * kMega);
  EXPECT_STREQ(memory_limit(root_).from, "this machine has");
  EXPECT_LE(memory_limit().bytes, machine);
}

TEST_F(FakeRoot, TheLeastOfAllGroupsOfVersionTwo) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/proc/self/mountinfo", "24 21 0:22 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_STREQ(memory_limit(root_).from, "this machine has");
  write("/sys/fs/cgroup/a/memory.max", "52428800\n");
  EXPECT_EQ(memory_limit(root_).bytes, 50 * kMega);
  EXPECT_STREQ(memory_limit(root_).from, "its control group allows");
  write("/sys/fs/cgroup/a/b/memory.max", "10485760\n");
  EXPECT_EQ(memory_limit(root_).bytes, 10 * kMega);
  write("/sys/fs/cgroup/memory.max", "5242880\n");  // a container whose own group is the root
  EXPECT_EQ(memory_limit(root_).bytes, 5 * kMega);
}

TEST_F(FakeRoot, VersionOneBesideTwoAndAsTheHostNamesIt) {
  write("/proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/docker/12ab\n0::/\n");
  write("/proc/self/mountinfo",
        "30 21 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "31 21 0:27 /docker/12ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "32 21 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("/sys/fs/cgroup/cpu/other/memory.limit_in_bytes", "1048576\n");  // not about memory
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "20971520\n");
  EXPECT_EQ(memory_limit(root_).bytes, 20 * kMega);
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_STREQ(memory_limit(root_).from, "this machine has");
}

TEST_F(FakeRoot, RubbishIsNoLimit) {
  write("/proc/self/cgroup", "rubbish\n:\n::\n0::/\n");
  write("/proc/self/mountinfo",
        "\nrubbish\n1 2 3 / /sys/fs/cgroup - cgroup2\n1 2 3 / /g rw - cgroup2 x rw\n");
  write("/g/memory.max", "-5 apples\n");
  EXPECT_STREQ(memory_limit(root_).from, "this machine has");
}

TEST(MemoryLimit, LimitsOfTheProcessCount) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer's shadow takes all address space";
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit most{.rlim_cur = rlim_t{1} << 29, .rlim_max = rlim_t{1} << 29};
      if (setrlimit(resource, &most) != 0) _exit(2);
      const MemoryLimit found = memory_limit();
      _exit(found.bytes > 0.0 && found.bytes < static_cast<double>(most.rlim_cur) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

}  // namespace
}  // namespace lacuna
