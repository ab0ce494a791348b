// SPDX-License-Identifier: MIT
// "-" as the name of a file: standard input where it is read, standard output where it is written.
#pragma once

#include <string>
#include <string_view>

namespace lacuna::io {

inline constexpr std::string_view kStandardStream = "-";
inline constexpr const char* kStandardInput = "standard input";  // in messages

[[nodiscard]] inline bool is_standard_stream(std::string_view path) { return path == kStandardStream; }

// From here on what is printed goes to standard error: standard output is for data alone. False: that cannot be done.
bool keep_output_for_data();
// The descriptor that data are written to.
[[nodiscard]] int data_output();

}  // namespace lacuna::io
