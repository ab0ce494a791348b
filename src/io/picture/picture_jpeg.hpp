// SPDX-License-Identifier: MIT
// JPEG pictures.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>

#include "io/picture/picture.hpp"

namespace lacuna::io {

Result<Picture> decode_jpeg(const std::string& path, const Bytes& bytes);
Result<Bytes> encode_jpeg(const std::string& path, const Picture& picture);

}  // namespace lacuna::io
