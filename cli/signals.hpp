// SPDX-License-Identifier: MIT
// Ctrl-C and SIGTERM as a question a fit can ask. The second signal ends the process as usual.
#pragma once

namespace lacuna::cli {

void catch_signals();
// 0, or the number of the signal that came.
[[nodiscard]] int signal_seen();

}  // namespace lacuna::cli
