// SPDX-License-Identifier: MIT
// Seconds since the start, pauses left out. The clock can be replaced in tests.
#pragma once

#include <chrono>
#include <functional>

namespace lacuna {

class Stopwatch {
 public:
  using Clock = std::function<double()>;  // seconds, from any origin

  explicit Stopwatch(Clock clock = steady_seconds) : clock_(std::move(clock)), start_(clock_()) {}

  [[nodiscard]] double seconds() const { return (paused_ ? paused_at_ : clock_()) - start_ - skipped_; }
  void pause() {
    paused_ = true;
    paused_at_ = clock_();
  }
  void resume() {
    if (paused_) skipped_ += clock_() - paused_at_;
    paused_ = false;
  }

  // As if it had begun so much earlier.
  void advance(double seconds) { start_ -= seconds; }

  static double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  Clock clock_;
  double start_;
  double skipped_ = 0.0;
  double paused_at_ = 0.0;
  bool paused_ = false;
};

}  // namespace lacuna
