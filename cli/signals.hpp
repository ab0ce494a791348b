// SPDX-License-Identifier: MIT
// What signals do to the program, for every verb. A signal that the caller has the program ignore (nohup) stays
// ignored.
//   INT, TERM, HUP  end the program with 128 + the signal's number and leave no temporary file. A verb that has
//                   something worth keeping asks signal_seen() instead, and ends by itself; a second signal
//                   ends it at once, unless it comes within a second of the first: those are one request.
//   PIPE            the same, without asking: nobody reads on.
//   XFSZ            does nothing: the write that met the file size limit fails and is reported as any other.
#pragma once

namespace lacuna::cli {

// At the start of the program, before any file is written.
void install_signals();

// From here on the verb asks signal_seen() at short intervals.
void catch_signals();
// 0, or the number of the signal that came.
[[nodiscard]] int signal_seen();

}  // namespace lacuna::cli
