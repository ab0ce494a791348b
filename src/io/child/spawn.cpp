// SPDX-License-Identifier: MIT
#include "io/child/spawn.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/system_text.hpp"
#include "io/file/atomic_file.hpp"

namespace lacuna::io {
namespace {

constexpr long kMostSilence = 300;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// posix_spawn and not fork: this process may have threads. Returns an error number.
int spawn(const std::string& program, std::vector<std::string>& words, std::vector<std::string>& environment,
          int socket, int file, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  if (file >= 0) posix_spawn_file_actions_adddup2(&actions, file, AtomicFile::kGivenFile);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t signals;
  ::sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int one : {SIGPIPE, SIGXCPU, SIGXFSZ, SIGTERM}) ::sigaddset(&signals, one);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int code = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(words).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return code;
}

}  // namespace

long most_silence() {
  const char* told = std::getenv("LACUNA_FORMATS_TIMEOUT");
  const long seconds = told != nullptr ? std::strtol(told, nullptr, 10) : 0;
  return seconds > 0 ? seconds : kMostSilence;
}

Result<ChildProcess> ChildProcess::start(const std::string& program, std::vector<std::string> words,
                                         std::vector<std::string> environment, long patience, int file) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{ErrorKind::kInternal, "", system_text(errno)};
  const timeval limit{.tv_sec = patience, .tv_usec = 0};
  ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  pid_t pid = -1;
  const int code = spawn(program, words, environment, ends[1], file, pid);
  ::close(ends[1]);
  if (code == 0) return ChildProcess(pid, ends[0]);
  ::close(ends[0]);
  return Error{ErrorKind::kInternal, "", system_text(code)};
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), socket_(std::exchange(other.socket_, -1)) {}

ChildProcess::~ChildProcess() {
  if (socket_ >= 0) ::close(socket_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  (void)wait();
}

void ChildProcess::say_no_more() { ::shutdown(socket_, SHUT_WR); }

int ChildProcess::wait() {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  pid_ = -1;
  return ended < 0 ? -1 : status;
}

}  // namespace lacuna::io
