// SPDX-License-Identifier: MIT
// Loaded before a program (LD_PRELOAD), makes one of its calls to the system fail.
//
//   TORTURE_FAIL=alloc:17         the 17th allocation after main() began gives no memory
//   TORTURE_FAIL=alloc:17+        that one and all after it
//   TORTURE_FAIL=write:3:28       the 3rd call that has to do with writing fails with error number 28
//   TORTURE_FAIL=read:3:5         likewise the 3rd read
//   TORTURE_FAIL=short:3          the 3rd write writes one byte only; no failure
//   TORTURE_COUNT=FILE            how many such calls there were is written there when main() ends
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum class What { kNothing, kAlloc, kWrite, kRead, kShort };

What what = What::kNothing;
long first = 0;
bool all_after = false;
int code = ENOSPC;
std::atomic<bool> running{false};
std::atomic<long> calls{0};

void read_plan() {
  const char* plan = std::getenv("TORTURE_FAIL");
  if (plan == nullptr) return;
  const char* colon = std::strchr(plan, ':');
  if (colon == nullptr) return;
  if (std::strncmp(plan, "alloc", 5) == 0) what = What::kAlloc;
  if (std::strncmp(plan, "write", 5) == 0) what = What::kWrite;
  if (std::strncmp(plan, "read", 4) == 0) what = What::kRead;
  if (std::strncmp(plan, "short", 5) == 0) what = What::kShort;
  char* end = nullptr;
  first = std::strtol(colon + 1, &end, 10);
  all_after = *end == '+';
  if (*end == ':') code = static_cast<int>(std::strtol(end + 1, nullptr, 10));
}

// Is this call the one?
bool fails(What kind) {
  if (kind != what || !running.load(std::memory_order_relaxed)) return false;
  const long number = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  return number == first || (all_after && number > first);
}

bool refuse(What kind) {
  if (!fails(kind)) return false;
  errno = code;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void tell_count() {
  const char* path = std::getenv("TORTURE_COUNT");
  if (path == nullptr) return;
  running = false;
  if (std::FILE* file = std::fopen(path, "w")) {
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  read_plan();
  std::atexit(tell_count);
  running = true;
  const int result = real_main(argc, argv, environment);
  running = false;
  return result;
}

}  // namespace

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  real_main = main;
  return next<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main")(
      counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// glibc's own allocator has a second name for each function, which no call of dlsym has to look up.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

static void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

void* malloc(std::size_t bytes) { return fails(What::kAlloc) ? no_memory() : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) {
  return fails(What::kAlloc) ? no_memory() : __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
  return fails(What::kAlloc) ? no_memory() : __libc_realloc(block, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return fails(What::kAlloc) ? no_memory() : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  if (fails(What::kAlloc)) return ENOMEM;
  *out = __libc_memalign(alignment, bytes);
  return *out == nullptr ? ENOMEM : 0;
}

ssize_t write(int file, const void* data, std::size_t bytes) {
  static auto* real = next<ssize_t(int, const void*, std::size_t)>("write");
  if (file == STDERR_FILENO) return real(file, data, bytes);
  if (refuse(What::kWrite)) return -1;
  return real(file, data, fails(What::kShort) && bytes > 1 ? 1 : bytes);
}
int fsync(int file) {
  static auto* real = next<int(int)>("fsync");
  struct stat info {};
  if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode))
    return real(file);  // a folder's may fail: it is advice
  return refuse(What::kWrite) ? -1 : real(file);
}
int ftruncate64(int file, off64_t size) {
  static auto* real = next<int(int, off64_t)>("ftruncate64");
  return refuse(What::kWrite) ? -1 : real(file, size);
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }
int rename(const char* from, const char* to) {
  static auto* real = next<int(const char*, const char*)>("rename");
  return refuse(What::kWrite) ? -1 : real(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static auto* real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return refuse(What::kWrite) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static auto* real = next<int(int, const char*, int, const char*, int)>("linkat");
  return refuse(What::kWrite) ? -1 : real(from_folder, from, to_folder, to, flags);
}

// Opening for writing is a write; so that closing and reading are not mistaken for it, only that is counted.
static int opened(const char* name, const char* path, int flags, mode_t mode) {
  auto* real = next<int(const char*, int, ...)>(name);
  const bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
  return writes && refuse(What::kWrite) ? -1 : real(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const auto mode = static_cast<mode_t>((flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, int) : 0);
  va_end(list);
  return opened("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const auto mode = static_cast<mode_t>((flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, int) : 0);
  va_end(list);
  return opened("open64", path, flags, mode);
}

ssize_t read(int file, void* into, std::size_t bytes) {
  static auto* real = next<ssize_t(int, void*, std::size_t)>("read");
  return refuse(What::kRead) ? -1 : real(file, into, bytes);
}
ssize_t pread64(int file, void* into, std::size_t bytes, off64_t at) {
  static auto* real = next<ssize_t(int, void*, std::size_t, off64_t)>("pread64");
  return refuse(What::kRead) ? -1 : real(file, into, bytes, at);
}
ssize_t pread(int file, void* into, std::size_t bytes, off_t at) { return pread64(file, into, bytes, at); }
std::size_t fread(void* into, std::size_t bytes, std::size_t count, std::FILE* file) {
  static auto* real = next<std::size_t(void*, std::size_t, std::size_t, std::FILE*)>("fread");
  return refuse(What::kRead) ? 0 : real(into, bytes, count, file);
}

// The names that checked calls have (_FORTIFY_SOURCE).
ssize_t __read_chk(int file, void* into, std::size_t bytes, std::size_t /*room*/) {
  return read(file, into, bytes);
}
ssize_t __pread64_chk(int file, void* into, std::size_t bytes, off64_t at, std::size_t /*room*/) {
  return pread64(file, into, bytes, at);
}
ssize_t __pread_chk(int file, void* into, std::size_t bytes, off_t at, std::size_t /*room*/) {
  return pread64(file, into, bytes, at);
}
std::size_t __fread_chk(void* into, std::size_t /*room*/, std::size_t bytes, std::size_t count,
                        std::FILE* file) {
  return fread(into, bytes, count, file);
}
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }
}
