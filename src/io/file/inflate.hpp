// SPDX-License-Identifier: MIT
// zlib streams over byte ranges, as MATLAB packs its variables.
#pragma once

#include <cstdint>
#include <vector>

#include "io/file/byte_file.hpp"

namespace lacuna::io {

// Deflate cannot shrink anything further than this; a larger claim is damage or malice.
inline constexpr std::uint64_t kDeflateRatio = 1040;

// Unpacks from the `packed` bytes at `offset` until `wanted` bytes are there or the stream ends. An answer
// shorter than `wanted` is all the stream has. Damage is an error, and so is a stream that ends in the middle
// or, when all of it is unpacked, a wrong checksum.
Result<Bytes> inflate_bytes(const ByteFile& file, std::uint64_t offset, std::uint64_t packed,
                            std::uint64_t wanted);

// The pieces one after the other, packed.
Bytes deflate_bytes(const std::vector<const Bytes*>& pieces);

}  // namespace lacuna::io
