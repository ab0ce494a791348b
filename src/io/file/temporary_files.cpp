// SPDX-License-Identifier: MIT
#include "io/file/temporary_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace lacuna {
namespace {

constexpr int kPlaces = 16;             // no verb writes more than three files at a time
constexpr std::size_t kLongest = 4096;  // PATH_MAX, with the end

enum State : int { kFree, kFilling, kNoted };

struct Place {
  std::atomic<int> state{kFree};
  std::array<char, kLongest> path{};
};

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may wait for no lock");
std::array<Place, kPlaces> places;

}  // namespace

TemporaryName::TemporaryName(const char* path) {
  const std::size_t length = std::strlen(path);
  if (length >= kLongest) return;
  for (int i = 0; i < kPlaces; ++i) {
    Place& place = places[i];
    int expected = kFree;
    if (!place.state.compare_exchange_strong(expected, kFilling)) continue;
    std::memcpy(place.path.data(), path, length + 1);
    place.state.store(kNoted, std::memory_order_release);
    place_ = i;
    return;
  }
}

void TemporaryName::forget() {
  if (place_ >= 0) places[place_].state.store(kFree, std::memory_order_release);
  place_ = -1;
}

void unlink_temporaries() {
  const int kept = errno;
  for (Place& place : places)
    if (place.state.load(std::memory_order_acquire) == kNoted) ::unlink(place.path.data());
  errno = kept;
}

}  // namespace lacuna
