// SPDX-License-Identifier: MIT
// What format a file is in, by its name's ending and, where that does not say, by its first bytes.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

// What a name's ending says. kAuto with `text` set: some text format, the content tells which.
struct Ending {
  Format format = Format::kAuto;
  bool text = false;
  bool packed = false;  // ".gz", ".zst" or ".xz"
};
[[nodiscard]] Ending ending_of(const std::string& path);

[[nodiscard]] inline bool is_text(Format format) {
  return format == Format::kTns || format == Format::kSptensor || format == Format::kTable;
}

// Of the file at `path`, which is called `name`; of a folder that of its first file, which must be text.
Result<Format> find_format(const std::string& name, const std::string& path);

}  // namespace lacuna::io
