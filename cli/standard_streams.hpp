// SPDX-License-Identifier: MIT
// "-" among the files of the verbs: the standard input where data are read, the standard output where they are written.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::cli {

// What to open for it.
[[nodiscard]] inline std::string input_path(const std::string& path) {
  return path == "-" ? "/dev/stdin" : path;
}

// As check_output_name and write_tensor have it; "-" is written in the format that was read. The result is whole before the
// first byte of it goes out.
[[nodiscard]] Result<> check_result_name(const std::string& path, const TensorFile& file);
[[nodiscard]] Result<> write_result(const std::string& path, const TensorFile& file);

}  // namespace lacuna::cli
