// SPDX-License-Identifier: MIT
// What this program takes from itself before it looks at a file: memory, time, and all of the system but reading
// (or writing) the one file and speaking to the program that started it.
#pragma once

#include <cstdint>

namespace lacuna::formats {

enum class Access { kRead, kWrite };

// Memory and processor time for looking at what a file says it holds. `memory` is what may ever be used; it is
// also the end of this program when the one that started it ends.
void limit_resources(double memory, Access access);

// More of both, for numbers of so many bytes, once their size has been judged.
void allow_bytes(std::uint64_t bytes);

// Of the system's calls only those that reading (writing) a file needs are answered; files are opened for reading
// only, unless access is kWrite. Where the kernel or the processor is not known: nothing.
void restrict_calls(Access access);

// From here on no file is opened at all: what a file says of other files is not followed.
void forbid_opening();

}  // namespace lacuna::formats
