// SPDX-License-Identifier: MIT
// Models as files.
//
//   offset 0   8 bytes    "LACUNA" 0x00 and the layout's version, 1
//          8   8 bytes    length H of the header, little-endian
//         16   H bytes    header: JSON, padded with spaces so that what follows is 64-byte aligned
//              arrays     raw little-endian, each 64-byte aligned, at the offsets the header states
//     end - 8  8 bytes    checksum: CRC-32 of everything before it, as a 64-bit number
//
// Everything is checked on reading: lengths against the file's size before anything is allocated, the
// checksum, every index against its mode's size. A file of a newer layout is refused by name.
#pragma once

#include <lacuna/base/result.hpp>
#include <lacuna/model/model.hpp>
#include <string>

namespace lacuna {

Result<> save_model(const std::string& path, const Model& model);
Result<Model> load_model(const std::string& path);

// Does the file begin like a model?
[[nodiscard]] bool is_model_file(const std::string& path);

}  // namespace lacuna
