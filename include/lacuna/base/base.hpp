// SPDX-License-Identifier: MIT
// What every other header speaks in: results that can fail, choices left open, interruption, threads,
// version.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace lacuna {

// The result of a function that can fail for reasons outside the program: a missing file, a line that does
// not parse, a full disk. Mistakes of the caller are exceptions (std::invalid_argument); numerical failure is
// a StopReason in a summary. Nothing here prints.

// The values are the process's exit codes.
enum class ErrorKind { kInternal = 1, kUsage = 2, kInput = 3, kMemory = 5, kOutput = 6 };

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string where;  // "ratings.csv:17:4", "--rank", or empty
  std::string what;   // one sentence: what was found, what was expected

  [[nodiscard]] std::string message() const { return where.empty() ? what : where + ": " + what; }
};

inline Error input_error(std::string where, std::string what) {
  return {ErrorKind::kInput, std::move(where), std::move(what)};
}
inline Error usage_error(std::string where, std::string what) {
  return {ErrorKind::kUsage, std::move(where), std::move(what)};
}
inline Error output_error(std::string where, std::string what) {
  return {ErrorKind::kOutput, std::move(where), std::move(what)};
}

// Thrown when values are so large or so small that what is asked for has no finite double: the data are the
// cause, and dividing them by a constant the cure.
class ValueRangeError : public std::range_error {
 public:
  using std::range_error::range_error;
};

struct Nothing {};

// Either a value or an Error. `if (!result) return result.error();`
template <class T = Nothing>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() { return std::get<T>(content_); }
  [[nodiscard]] const T& value() const { return std::get<T>(content_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const { return std::get<Error>(content_); }

 private:
  std::variant<T, Error> content_;
};

// A setting that is either given or left open, for the program to choose.

template <class T>
class Choice {
 public:
  Choice() = default;                            // open
  Choice(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  template <class U>
  Choice(std::initializer_list<U> values) : value_(T(values)) {}

  [[nodiscard]] bool given() const { return value_.has_value(); }
  [[nodiscard]] bool open() const { return !value_.has_value(); }
  // Only of one that is given.
  [[nodiscard]] const T& operator*() const { return *value_; }
  [[nodiscard]] T& operator*() { return *value_; }
  [[nodiscard]] const T* operator->() const { return &*value_; }
  [[nodiscard]] T* operator->() { return &*value_; }
  [[nodiscard]] T value_or(T other) const { return value_.value_or(std::move(other)); }

  // Gives it this value unless it has one.
  void settle(T value) {
    if (open()) value_ = std::move(value);
  }
  void reopen() { value_.reset(); }

  bool operator==(const Choice&) const = default;

 private:
  std::optional<T> value_;
};

// Polled inside long steps: true means stop now and keep the best point so far.
using Interrupted = std::function<bool()>;

// How many threads the library uses. Results do not depend on it.

// Threads that parallel loops use; 0 asks for all of the machine's. Process-wide, read at each loop's start.
// Never more than the system lets the process start. In a child that was forked from a process with threads
// it is 1: OpenMP's threads have stayed with the parent, and a loop would wait for them for ever.
void set_thread_count(int threads);
[[nodiscard]] int thread_count();

// "major.minor.patch" of the library.
[[nodiscard]] const char* version();

}  // namespace lacuna
