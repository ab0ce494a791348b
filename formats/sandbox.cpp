// SPDX-License-Identifier: MIT
#include "sandbox.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGKILL for prctl
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LACUNA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LACUNA_SANITIZED 1
#endif
#endif

namespace lacuna::formats {
namespace {

[[maybe_unused]] constexpr double kFirstBytes = 1e9;    // of address space: libraries, tables, and a margin
[[maybe_unused]] constexpr double kBytesPerByte = 4.0;  // stored, unpacked, as doubles, and a buffer
constexpr double kFirstSeconds = 60.0;                  // of processor time
constexpr double kBytesPerSecond = 5e6;                 // the slowest that unpacking is
constexpr double kMostSeconds = 14400.0;

void set_limit(int which, double soft, double hard) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(which), &limit) != 0) return;
  const auto whole = [](double value) {
    return value >= 9e18 ? RLIM_INFINITY : static_cast<rlim_t>(std::max(0.0, value));
  };
  limit.rlim_max = std::min(limit.rlim_max, whole(hard));
  limit.rlim_cur = std::min(limit.rlim_max, whole(soft));
  (void)::setrlimit(static_cast<__rlimit_resource>(which), &limit);
}

// A program for the kernel's filter: what it looks at is a seccomp_data.
class Filter {
 public:
  Filter() {
#if defined(__x86_64__)
    constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
    constexpr unsigned kArchitecture = 0;
#endif
    known_ = kArchitecture != 0;
    load(offsetof(seccomp_data, arch));
    skip_unless_equal(kArchitecture, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }

  void answer(long call, unsigned how) {
    skip_unless_equal(static_cast<unsigned>(call), 0, 1);
    give(how);
  }
  void allow(std::initializer_list<long> calls) {
    for (const long call : calls) answer(call, SECCOMP_RET_ALLOW);
  }
  // Allowed unless one of these bits of the argument is set.
  void allow_without(long call, int argument, unsigned bits) {
    skip_unless_equal(static_cast<unsigned>(call), 0, 4);
    load(static_cast<unsigned>(offsetof(seccomp_data, args)) + 8U * static_cast<unsigned>(argument));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    give(SECCOMP_RET_ERRNO | EPERM);
    give(SECCOMP_RET_ALLOW);
  }
  // Allowed where the argument, which the kernel takes for an int, is this one.
  void allow_with(long call, int argument, int value) {
    skip_unless_equal(static_cast<unsigned>(call), 0, 4);
    load(static_cast<unsigned>(offsetof(seccomp_data, args)) + 8U * static_cast<unsigned>(argument));
    skip_unless_equal(static_cast<unsigned>(value), 0, 1);
    give(SECCOMP_RET_ALLOW);
    give(SECCOMP_RET_ERRNO | EPERM);
  }
  void otherwise(unsigned how) { give(how); }

  void install() {
#ifndef LACUNA_SANITIZED
    if (!known_ || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    const sock_fprog program{.len = static_cast<unsigned short>(code_.size()), .filter = code_.data()};
    (void)::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
  }

 private:
  void load(unsigned offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
  void skip_unless_equal(unsigned value, unsigned char if_equal, unsigned char if_not) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, if_equal, if_not));
  }
  void give(unsigned how) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, how)); }

  std::vector<sock_filter> code_;
  bool known_ = false;
};

}  // namespace

void limit_resources([[maybe_unused]] double memory, Access access) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_limit(RLIMIT_CORE, 0, 0);
#ifndef LACUNA_SANITIZED
  set_limit(RLIMIT_AS, std::min(kFirstBytes, memory), memory);
#endif
  set_limit(RLIMIT_CPU, kFirstSeconds, kMostSeconds);
  if (access == Access::kRead) set_limit(RLIMIT_FSIZE, 0, 0);
  if (access == Access::kWrite) (void)::signal(SIGXFSZ, SIG_IGN);  // too large is an error, with a sentence
}

void allow_bytes(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
#ifndef LACUNA_SANITIZED
  set_limit(RLIMIT_AS, kFirstBytes + kBytesPerByte * size, 1e19);
#endif
  set_limit(RLIMIT_CPU, kFirstSeconds + size / kBytesPerSecond, 1e19);
}

void restrict_calls(Access access) {
  Filter filter;
  filter.allow({__NR_read,           __NR_pread64,      __NR_readv,         __NR_lseek,
                __NR_fstat,          __NR_newfstatat,   __NR_close,         __NR_munmap,
                __NR_mremap,         __NR_brk,          __NR_madvise,       __NR_write,
                __NR_writev,         __NR_exit,         __NR_exit_group,    __NR_rt_sigaction,
                __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack,   __NR_futex,
                __NR_getpid,         __NR_gettid,       __NR_clock_gettime, __NR_gettimeofday,
                __NR_getrandom,      __NR_getrlimit,    __NR_setrlimit,     __NR_sched_getaffinity,
                __NR_sched_yield,    __NR_uname,        __NR_getcwd,        __NR_readlinkat,
                __NR_faccessat,      __NR_fcntl,        __NR_flock,         __NR_fstatfs,
                __NR_statx,          __NR_sysinfo,      __NR_getuid,        __NR_geteuid,
                __NR_getgid,         __NR_getegid,      __NR_prctl /* for forbid_opening() */});
#ifdef __NR_stat  // older calls that not every processor has
  filter.allow({__NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_time});
#endif
  filter.allow_with(__NR_tgkill, 0, ::getpid());  // abort(): no other process is to be ended,
  filter.allow_with(__NR_prlimit64, 0, 0);        // or to have its limits changed
  filter.allow_without(__NR_mmap, 2, PROT_EXEC);
  filter.allow_without(__NR_mprotect, 2, PROT_EXEC);
  constexpr unsigned kChanges = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  if (access == Access::kWrite) {
    filter.allow({__NR_openat, __NR_pwrite64, __NR_ftruncate, __NR_fsync, __NR_fdatasync, __NR_fallocate});
#ifdef __NR_open
    filter.allow({__NR_open});
#endif
  } else {
    filter.allow_without(__NR_openat, 2, kChanges);
#ifdef __NR_open
    filter.allow_without(__NR_open, 1, kChanges);
#endif
  }
  filter.otherwise(SECCOMP_RET_ERRNO | EPERM);
  filter.install();
}

void forbid_opening() {
  Filter filter;
  filter.answer(__NR_openat, SECCOMP_RET_ERRNO | EACCES);
#ifdef __NR_open
  filter.answer(__NR_open, SECCOMP_RET_ERRNO | EACCES);
#endif
  filter.otherwise(SECCOMP_RET_ALLOW);
  filter.install();
}

}  // namespace lacuna::formats
