// SPDX-License-Identifier: MIT
// What the system says of an error number.
#pragma once

#include <string>
#include <system_error>

namespace lacuna {

inline std::string system_text(int code) { return std::generic_category().message(code); }

}  // namespace lacuna
