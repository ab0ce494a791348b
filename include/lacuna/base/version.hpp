// SPDX-License-Identifier: MIT
#pragma once

namespace lacuna {

// "major.minor.patch" of the library.
[[nodiscard]] const char* version();

}  // namespace lacuna
