// SPDX-License-Identifier: MIT
// Videos as tensors: y4m itself, anything else through the program ffmpeg, when that is installed.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_video(const std::string& path, const ReadOptions& options);
Result<> write_video(const std::string& path, const TensorFile& file);
Result<> check_video_shape(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
