// SPDX-License-Identifier: MIT
// Long work that Python waits for. The work runs in a thread of its own without the GIL; the thread that called waits,
// looks for signals ten times a second and runs the callbacks, so that all Python code runs where the call was made.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <lacuna/base/base.hpp>
#include <mutex>

namespace lacuna::python {

class Watch {
 public:
  // Runs the work to its end. Ctrl-C asks it to stop and is then over: interrupted() tells. What the work throws, and
  // what a callback or another signal's handler raises, comes out of here once the work has ended. Needs the GIL.
  void run(const std::function<void()>& work);

  // For the library, from any thread.
  [[nodiscard]] Interrupted stop_asked() {
    return [this] { return stop_.load(std::memory_order_relaxed); };
  }
  // From the work: has the waiting thread call `with_gil`, and waits until it has. Once a stop is asked for nothing
  // is called any more.
  void ask(const std::function<void()>& with_gil);
  void stop() { stop_ = true; }
  // Called with the GIL ten times a second while the work runs, until a stop is asked for.
  void meanwhile(std::function<void()> tick) { tick_ = std::move(tick); }

  [[nodiscard]] bool interrupted() const { return interrupted_; }
  // KeyboardInterrupt with this sentence after Ctrl-C, of work that is worth nothing when it ends early. Needs
  // the GIL.
  void refuse_interrupted(const char* sentence) const;

 private:
  void serve(const std::function<void()>& with_gil);
  void note_exception();

  std::function<void()> tick_;
  std::mutex lock_;
  std::condition_variable changed_;
  const std::function<void()>* asked_ = nullptr;
  bool done_ = false;
  std::atomic<bool> stop_{false};
  bool interrupted_ = false;
  std::exception_ptr raised_;  // in Python, while it ran
  std::exception_ptr thrown_;  // by the work
};

}  // namespace lacuna::python
