// SPDX-License-Identifier: MIT
// A setting that is either given or left open, for the program to choose.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>

namespace lacuna {

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

}  // namespace lacuna
