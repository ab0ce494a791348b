// SPDX-License-Identifier: MIT
// BMP pictures.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>

#include "io/picture/picture.hpp"

namespace lacuna::io {

Result<Picture> decode_bmp(const std::string& path, const Bytes& bytes);
Result<Bytes> encode_bmp(const std::string& path, const Picture& picture);

}  // namespace lacuna::io
