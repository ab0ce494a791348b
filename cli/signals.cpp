// SPDX-License-Identifier: MIT
#include "signals.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>
#include <initializer_list>
#include <string_view>

#include "io/file/temporary_files.hpp"

namespace lacuna::cli {
namespace {

volatile std::sig_atomic_t seen = 0;
volatile std::sig_atomic_t asked_for = 0;
timespec first_came{};  // written by the handler alone, which nothing interrupts

constexpr double kOneRequest = 1.0;  // seconds: `timeout` and launchers signal a process and its group
constexpr std::string_view kStopping = "\nstopping with the best so far; once more ends at once\n";

timespec now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time;
}

bool of_one_request(const timespec& first, const timespec& later) {
  return static_cast<double>(later.tv_sec - first.tv_sec) +
             1e-9 * static_cast<double>(later.tv_nsec - first.tv_nsec) <
         kOneRequest;
}

void stop(int number) {
  if (asked_for != 0 && number != SIGPIPE) {
    if (seen == 0) {
      seen = number;
      first_came = now();
      if (isatty(STDERR_FILENO) == 1) (void)!write(STDERR_FILENO, kStopping.data(), kStopping.size());
      return;
    }
    if (of_one_request(first_came, now())) return;
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
