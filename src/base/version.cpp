// SPDX-License-Identifier: MIT
#include <lacuna/base/version.hpp>

namespace lacuna {

const char* version() { return LACUNA_VERSION; }

}  // namespace lacuna
