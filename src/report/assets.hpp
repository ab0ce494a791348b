// SPDX-License-Identifier: MIT
// The style and scripts of the pages; CMake makes strings of the files beside this one.
#pragma once

#include <string_view>

namespace lacuna::report {

extern const std::string_view kPageCss;
extern const std::string_view kPlotJs;
extern const std::string_view kReportJs;

}  // namespace lacuna::report
