// SPDX-License-Identifier: MIT
// Writing tables.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/writer.hpp"

namespace lacuna::io {

// The field as a reader will take it back: in quotes when it holds the delimiter, a quote, a line break, or blanks
// that would be taken off.
[[nodiscard]] std::string table_field(std::string_view text, std::string_view delimiter);

void write_field(TextWriter& out, std::string_view text, const std::string& delimiter);

// What a table of this name is written with.
[[nodiscard]] std::string output_delimiter(const std::string& path, const TableLayout& layout);

// Only CSV's own delimiters let a quoted field hold line breaks.
Result<> check_line_breaks(const std::string& path, const TensorFile& file, const std::string& delimiter);

// A column behind the others, with a number for each entry.
struct AddedColumn {
  std::string name;
  std::vector<double> value;
};
// With added columns a table has a line for each cell, and the layout must be of such a one.
Result<> write_table(const std::string& path, const TensorFile& file,
                     const std::vector<AddedColumn>& added = {});

}  // namespace lacuna::io
