// SPDX-License-Identifier: MIT
#include "signals.hpp"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

#include "io/file/temporary_files.hpp"

namespace lacuna::cli {
namespace {

volatile std::sig_atomic_t seen = 0;
volatile std::sig_atomic_t asked_for = 0;

void stop(int number) {
  if (asked_for != 0 && seen == 0 && number != SIGPIPE) {
    seen = number;
    return;
  }
  unlink_temporaries();
  _exit(128 + number);
}

void let_the_write_fail(int /*number*/) {}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

void install_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle(number, stop);
  handle(SIGXFSZ, let_the_write_fail);
}

void catch_signals() { asked_for = 1; }

int signal_seen() { return seen; }

}  // namespace lacuna::cli
