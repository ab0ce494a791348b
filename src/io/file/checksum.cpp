// SPDX-License-Identifier: MIT
#include "io/file/checksum.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace lacuna {

Result<std::string> file_checksum(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return std::string();
  std::ifstream file(path, std::ios::binary);
  if (!file) return input_error(path, "cannot be opened");
  std::vector<char> block(std::size_t{1} << 20U);
  uLong sum = crc32_z(0, nullptr, 0);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(block.data()), static_cast<std::size_t>(file.gcount()));
  return fmt::format("crc32:{:08x}", sum);
}

}  // namespace lacuna
