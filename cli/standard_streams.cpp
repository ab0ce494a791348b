// SPDX-License-Identifier: MIT
#include "standard_streams.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

namespace lacuna::cli {
namespace {

using FileHandle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// A folder that is gone with its contents when this is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code none;
    std::string name = (std::filesystem::temp_directory_path(none) / "lacuna-XXXXXX").string();
    std::vector<char> text(name.begin(), name.end());
    text.push_back('\0');
    if (::mkdtemp(text.data()) != nullptr) path_ = text.data();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code none;
    if (!path_.empty()) std::filesystem::remove_all(path_, none);
  }
  [[nodiscard]] const std::string& path() const { return path_; }  // empty: none could be made

 private:
  std::string path_;
};

// The ending of a file in the format of this one; empty for those that do not go through a pipe.
std::string ending(const TensorFile& file) {
  switch (file.format) {
    case Format::kTable:
      return file.table.delimiter == "\t" ? ".tsv" : ".csv";
    case Format::kTns:
    case Format::kSptensor:
      return ".tns";
    case Format::kNpy:
      return ".npy";
    case Format::kPicture:
      return ".png";
    default:
      return "";
  }
}

Result<> copy_to_stdout(const std::string& path) {
  const FileHandle from(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!from) return output_error(path, std::generic_category().message(errno));
  std::array<char, 1 << 16> block{};
  for (;;) {
    const std::size_t got = std::fread(block.data(), 1, block.size(), from.get());
    if (got == 0) break;
    if (std::fwrite(block.data(), 1, got, stdout) != got)
      return output_error("stdout", std::generic_category().message(errno));
  }
  if (std::fflush(stdout) != 0) return output_error("stdout", std::generic_category().message(errno));
  return Nothing{};
}

}  // namespace

Result<> check_result_name(const std::string& path, const TensorFile& file) {
  if (path != "-") return check_output_name(path, file);
  if (ending(file).empty())
    return usage_error("--output", fmt::format("found '-' for a file of format {}, expected a file's name",
                                               format_name(file.format)));
  return check_output_name("stdout" + ending(file), file);
}

Result<> write_result(const std::string& path, const TensorFile& file) {
  if (path != "-") return write_tensor(path, file);
  const TemporaryFolder folder;
  if (folder.path().empty())
    return output_error(std::filesystem::temp_directory_path().string(),
                        "no folder can be made there for what goes to the standard output");
  const std::string name = folder.path() + "/stdout" + ending(file);
  if (auto written = write_tensor(name, file); !written) return written;
  return copy_to_stdout(name);
}

}  // namespace lacuna::cli
