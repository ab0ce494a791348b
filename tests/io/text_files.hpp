// SPDX-License-Identifier: MIT
// Files for tests of the text formats: a folder of the test's own, and short ways to write, read and compare.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

namespace lacuna::text_test {

// Gone with everything in it when the test ends.
class TempFolder {
 public:
  TempFolder() {
    static std::atomic<int> number{0};
    path_ = std::filesystem::path(testing::TempDir()) /
            ("lacuna_text_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string write(const std::string& name, std::string_view content) const {
    std::filesystem::remove(path(name));  // ext4 syncs a file that is cut short and written again
    std::ofstream out(path(name), std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

class TextFiles : public testing::Test {
 protected:
  // Reads `content` as a file called `name` and expects it to be fine.
  TensorFile read_fine(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
    auto file = read_tensor(folder.write(name, content), options);
    EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message());
    return file.ok() ? *file : TensorFile{};
  }
  // The message of the error that reading gives, the folder's path taken off; empty when it is fine.
  std::string read_error(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
    const auto file = read_tensor(folder.write(name, content), options);
    if (file.ok()) return "";
    std::string message = file.error().message();
    const std::string prefix = folder.path("");
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
      message.erase(at, prefix.size());
    }
    return message;
  }

  TempFolder folder;
};

// Of a list's cells along one mode.
inline std::vector<Index> positions(const Cells& cells, int mode) {
  return {cells.mode(mode).begin(), cells.mode(mode).end()};
}

inline bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

inline void expect_same_entries(const Entries& a, const Entries& b) {
  EXPECT_EQ(a.cells, b.cells);
  ASSERT_EQ(a.value.size(), b.value.size());
  for (std::size_t e = 0; e < a.value.size(); ++e) {
    EXPECT_TRUE(same_value(a.value[e], b.value[e]))
        << "entry " << e << ": " << a.value[e] << " and " << b.value[e];
  }
}

inline std::vector<Index> sizes(const TensorFile& file) {
  std::vector<Index> out;
  for (const Mode& mode : file.modes) out.push_back(mode.size);
  return out;
}

inline std::vector<std::string> names(const TensorFile& file) {
  std::vector<std::string> out;
  for (const Mode& mode : file.modes) out.push_back(mode.name);
  return out;
}

using Row = std::vector<Index>;  // index[k] of a mode, entry by entry
using Labels = std::vector<std::string>;
using Values = std::vector<double>;

}  // namespace lacuna::text_test
