// SPDX-License-Identifier: MIT
// What has to be set before the libraries start, and how large vectors are allocated.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// Threads that wait for work should spin for a moment and then sleep: on a busy machine libgomp's habit of spinning
// for milliseconds costs many times the work. libgomp reads this when it is initialised; it is linked into the
// program, whose initialisers run in the order of their priorities, so that this one (101, the first there is) comes
// before. What the user has set is left alone.
__attribute__((constructor(101))) void set_spin_count() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "20000", 0);
}

// Vectors of many megabytes that are read in any order want large pages.
constexpr std::size_t kLarge = std::size_t{4} << 20;

void ask_for_large_pages(void* block, std::size_t bytes) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(block) + bytes) / page * page;
  (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: it may be refused
}

}  // namespace

// As the library's own, with that advice.
void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const block = std::malloc(bytes == 0 ? 1 : bytes)) {
      if (bytes >= kLarge) ask_for_large_pages(block, bytes);
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { std::free(block); }
