// SPDX-License-Identifier: MIT
#include "signals.hpp"

#include <csignal>

namespace lacuna::cli {
namespace {

volatile std::sig_atomic_t seen = 0;

void remember(int number) {
  seen = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

void catch_signals() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

int signal_seen() { return seen; }

}  // namespace lacuna::cli
