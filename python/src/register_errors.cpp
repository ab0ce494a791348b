// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>

#include "base/machine.hpp"
#include "errors.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace lacuna::python {
namespace {

PyObject*& format_error() {
  static PyObject* type = nullptr;  // owned by the module
  return type;
}

PyObject* type_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return PyExc_ValueError;
    case ErrorKind::kInput:
      return format_error();
    case ErrorKind::kMemory:
      return PyExc_MemoryError;
    case ErrorKind::kOutput:
      return PyExc_OSError;
    case ErrorKind::kInternal:
      break;
  }
  return PyExc_RuntimeError;
}

}  // namespace

PyObject* format_error_type() { return format_error(); }

void raise(const Error& error) {
  PyErr_SetString(type_for(error.kind), error.message().c_str());
  throw nb::python_error();
}

void require_memory(double bytes, const char* what) {
  if (auto fits = check_memory(bytes, what); !fits) raise(fits.error());
}

void register_errors(nb::module_& m) {
  format_error() = PyErr_NewExceptionWithDoc(
      "lacuna.FormatError",
      "A file, or what stands in it, is not what was expected; the sentence says where.", PyExc_ValueError,
      nullptr);
  m.attr("FormatError") = nb::handle(format_error());
  m.def(
      "require_memory", [](double bytes, const std::string& what) { require_memory(bytes, what.c_str()); },
      nb::arg("bytes"), nb::arg("what"), "MemoryError when this machine cannot hold so many bytes.");
}

}  // namespace lacuna::python
