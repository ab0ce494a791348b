// SPDX-License-Identifier: MIT
#include <lacuna/base/base.hpp>

namespace lacuna {

const char* version() { return LACUNA_VERSION; }

}  // namespace lacuna
