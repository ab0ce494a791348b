// SPDX-License-Identifier: MIT
// The one place where the library's errors become Python's.
#pragma once

#include <nanobind/nanobind.h>

#include <lacuna/base/base.hpp>
#include <utility>

namespace lacuna::python {

// As FormatError, ValueError, MemoryError, OSError or RuntimeError, with the sentence that the command line prints.
// Needs the GIL.
[[noreturn]] void raise(const Error& error);

// lacuna.FormatError.
[[nodiscard]] PyObject* format_error_type();

// The value, or the error raised. Needs the GIL.
template <class T>
T value_of(Result<T> result) {
  if (!result) raise(result.error());
  return std::move(result.value());
}

// MemoryError before something of this many bytes is allocated that the machine cannot hold. Needs the GIL.
void require_memory(double bytes, const char* what);

}  // namespace lacuna::python
