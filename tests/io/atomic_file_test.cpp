// SPDX-License-Identifier: MIT
// A file is there whole or not at all.
#include "io/file/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "text_files.hpp"

namespace lacuna {
namespace {

using text_test::TempFolder;

mode_t permissions(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 0777U;
}

TEST(AtomicFile, AppearsOnlyWithCommit) {
  const TempFolder folder;
  const std::string path = folder.write("a.txt", "old");
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file.ok());
  file->write("new");
  EXPECT_EQ(folder.read("a.txt"), "old");
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(folder.read("a.txt"), "new");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TempFolder folder;
  {
    auto file = AtomicFile::create(folder.path("a.txt"));
    ASSERT_TRUE(file.ok());
    file->write(std::string(3 << 20, 'x'));
    EXPECT_LE(folder.files(), 1U);  // the temporary one, where files have to have names
  }
  EXPECT_EQ(folder.files(), 0U);
}

TEST(AtomicFile, AKilledProcessLeavesNothingBehind) {
  const TempFolder folder;
  const int nameless = ::open(folder.path("").c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (nameless < 0) GTEST_SKIP() << "this file system has no files without names";
  ::close(nameless);
  const std::string path = folder.write("a.txt", "old");
  const pid_t child = fork();
  if (child == 0) {
    auto file = AtomicFile::create(path);
    if (file) file->write(std::string(3 << 20, 'x'));
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(folder.files(), 1U);
  EXPECT_EQ(folder.read("a.txt"), "old");
}

TEST(AtomicFile, MovedFileIsWrittenOnce) {
  const TempFolder folder;
  auto file = AtomicFile::create(folder.path("a.txt"));
  ASSERT_TRUE(file.ok());
  file->write("one ");
  AtomicFile moved = std::move(*file);
  moved.write("two");
  EXPECT_TRUE(moved.commit().ok());
  EXPECT_TRUE(moved.commit().ok());
  EXPECT_EQ(folder.read("a.txt"), "one two");
}

TEST(AtomicFile, KeepsOrderAcrossBufferSizes) {
  const TempFolder folder;
  auto file = AtomicFile::create(folder.path("a.bin"));
  ASSERT_TRUE(file.ok());
  std::string expected;
  for (const std::size_t size : {1U, 700'000U, 700'000U, 3'000'000U, 0U, 5U, 1'048'576U, 2U}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 23));
    file->write(piece);
    expected += piece;
  }
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(folder.read("a.bin"), expected);
}

TEST(AtomicFile, FollowsTheUmaskAndKeepsAnOldFilesPermissions) {
  const TempFolder folder;
  const mode_t mask = ::umask(027);
  auto fresh = AtomicFile::create(folder.path("fresh"));
  ASSERT_TRUE(fresh.ok() && fresh->commit().ok());
  ::umask(mask);
  EXPECT_EQ(permissions(folder.path("fresh")), 0640U);

  const std::string secret = folder.write("secret", "x");
  ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
  auto again = AtomicFile::create(secret);
  ASSERT_TRUE(again.ok() && again->commit().ok());
  EXPECT_EQ(permissions(secret), 0600U);
}

TEST(AtomicFile, MissingFolderIsNamed) {
  const TempFolder folder;
  const auto file = AtomicFile::create(folder.path("no/such/a.txt"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::kOutput);
  EXPECT_EQ(file.error().where, folder.path("no/such/a.txt"));
  EXPECT_EQ(file.error().what, "the folder '" + folder.path("no/such") + "' does not exist");
}

TEST(AtomicFile, FolderInPlaceOfAFileIsRefused) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path("d"));
  const auto file = AtomicFile::create(folder.path("d"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().what, "Is a directory");
}

TEST(AtomicFile, ANameThatCannotBeIsRefusedBeforeAnythingIsWritten) {
  const TempFolder folder;
  const auto file = AtomicFile::create(folder.path(std::string(256, 'n')));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::kOutput);
}

TEST(AtomicFile, SymbolicLinkStaysALink) {
  const TempFolder folder;
  const std::string target = folder.write("target", "old");
  std::filesystem::create_symlink(target, folder.path("link"));
  auto file = AtomicFile::create(folder.path("link"));
  ASSERT_TRUE(file.ok());
  file->write("new");
  ASSERT_TRUE(file->commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.read("target"), "new");
}

TEST(AtomicFile, ALinkToNothingYetIsFollowed) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path("there"));
  std::filesystem::create_symlink("there/new", folder.path("second"));
  std::filesystem::create_symlink("second", folder.path("first"));
  auto file = AtomicFile::create(folder.path("first"));
  ASSERT_TRUE(file.ok());
  file->write("new");
  ASSERT_TRUE(file->commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("first")));
  EXPECT_EQ(folder.read("there/new"), "new");
}

TEST(AtomicFile, LinksInACircleAreRefused) {
  const TempFolder folder;
  std::filesystem::create_symlink("b", folder.path("a"));
  std::filesystem::create_symlink("a", folder.path("b"));
  const auto file = AtomicFile::create(folder.path("a"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::kOutput);
  EXPECT_EQ(folder.files(), 2U);
}

TEST(AtomicFile, DevicesAreWrittenStraightTo) {
  auto nothing = AtomicFile::create("/dev/null");
  ASSERT_TRUE(nothing.ok());
  nothing->write(std::string(2 << 20, 'x'));
  EXPECT_TRUE(nothing->commit().ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));

  auto full = AtomicFile::create("/dev/full");
  if (!full.ok()) GTEST_SKIP() << "no /dev/full";
  full->write("x");
  const auto committed = full->commit();
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().kind, ErrorKind::kOutput);
  EXPECT_EQ(committed.error().message(), "/dev/full: No space left on device");
}

TEST(AtomicFile, OpenDescriptorsAreContinuedWhereTheyStand) {
  const TempFolder folder;
  const std::string path = folder.path("log");
  const int log = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(log, 0);
  ASSERT_EQ(::write(log, "before ", 7), 7);
  auto file = AtomicFile::create("/dev/fd/" + std::to_string(log));
  ASSERT_TRUE(file.ok());
  file->write("after");
  EXPECT_TRUE(file->commit().ok());
  ::close(log);
  EXPECT_EQ(folder.read("log"), "before after");
}

TEST(AtomicFile, ReadersNeverSeeAMixture) {
  const TempFolder folder;
  const std::string path = folder.path("shared");
  const auto write_all = [&](char c) {
    for (int i = 0; i < 10; ++i) {
      auto file = AtomicFile::create(path);
      if (!file.ok()) return;
      file->write(std::string(100'000, c));
      (void)file->commit();
    }
  };
  std::thread first(write_all, 'a');
  std::thread second(write_all, 'b');
  for (int i = 0; i < 50; ++i) {
    const std::string seen = folder.read("shared");
    EXPECT_TRUE(seen.empty() || seen == std::string(100'000, seen[0]));
  }
  first.join();
  second.join();
  EXPECT_EQ(folder.files(), 1U);
}

}  // namespace
}  // namespace lacuna
