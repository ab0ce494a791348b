// SPDX-License-Identifier: MIT
#include "watch.hpp"

#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace lacuna::python {
namespace {
constexpr auto kBetweenLooks = std::chrono::milliseconds(100);
}

void Watch::ask(const std::function<void()>& with_gil) {
  std::unique_lock<std::mutex> held(lock_);
  if (stop_) return;
  changed_.wait(held, [&] { return asked_ == nullptr; });  // another thread of the work may be asking
  asked_ = &with_gil;
  changed_.notify_all();
  changed_.wait(held, [&] { return asked_ != &with_gil; });
}

// Ctrl-C is a wish to stop; anything else is for the caller.
void Watch::note_exception() {
  stop_ = true;
  try {
    throw;
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) {
      interrupted_ = true;
      return;
    }
  } catch (...) {  // kept below as it is
  }
  if (!raised_) raised_ = std::current_exception();
}

void Watch::serve(const std::function<void()>& with_gil) {
  try {
    with_gil();
  } catch (...) {
    note_exception();
  }
}

void Watch::refuse_interrupted(const char* sentence) const {
  if (!interrupted_) return;
  PyErr_SetString(PyExc_KeyboardInterrupt, sentence);
  throw nb::python_error();
}

void Watch::run(const std::function<void()>& work) {
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    const std::lock_guard<std::mutex> held(lock_);
    done_ = true;
    changed_.notify_all();
  });
  const auto look_for_signals = [] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  for (bool over = false; !over;) {
    const std::function<void()>* request = nullptr;
    {
      const nb::gil_scoped_release free;
      std::unique_lock<std::mutex> held(lock_);
      changed_.wait_for(held, kBetweenLooks, [&] { return done_ || asked_ != nullptr; });
      request = asked_;
      over = done_;
    }
    if (request != nullptr) {
      if (!stop_) serve(*request);
      const std::lock_guard<std::mutex> held(lock_);
      asked_ = nullptr;
      changed_.notify_all();
    }
    serve(look_for_signals);
    if (tick_ && request == nullptr && !over && !stop_) serve(tick_);
  }
  {
    const nb::gil_scoped_release free;
    worker.join();
  }
  if (raised_) std::rethrow_exception(raised_);
  if (thrown_) std::rethrow_exception(thrown_);
}

}  // namespace lacuna::python
