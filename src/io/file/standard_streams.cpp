// SPDX-License-Identifier: MIT
#include "io/file/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace lacuna::io {
namespace {

int kept_output = STDOUT_FILENO;

}  // namespace

bool keep_output_for_data() {
  if (kept_output != STDOUT_FILENO) return true;
  std::fflush(stdout);
  const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (copy < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return false;
  kept_output = copy;
  return true;
}

int data_output() { return kept_output; }

}  // namespace lacuna::io
