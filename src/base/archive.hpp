// SPDX-License-Identifier: MIT
// What is kept of something so that it can go on later: named numbers, texts and arrays. An Archive takes the members
// of a struct there and back by one list of names, so that what is written is what is read:
//
//   struct State {
//     std::vector<double> z;
//     double cost = 0.0;
//     template <class A>
//     void fields(A& archive) {
//       archive("z", z);
//       archive("cost", cost);
//     }
//   };
//
// What is read comes from a file that nobody vouches for: every name must be there, a whole number must be one, and
// an array or matrix that is not empty keeps its size. Whatever else is wrong, whoever reads has to ask.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace lacuna {

struct Saved {
  std::map<std::string, double> numbers{};  // may be infinite or NaN
  std::map<std::string, std::string> texts{};
  std::map<std::string, std::vector<double>> doubles{};
  std::map<std::string, std::vector<float>> floats{};
  std::map<std::string, std::vector<std::uint64_t>> words{};
};

// What was saved is not what is asked for.
class SavedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Archive;

// An Eigen matrix or vector.
template <class T>
concept MatrixLike = requires(T& m) {
  T::ColsAtCompileTime;
  m.rows();
  m.cols();
  m.resize(m.rows(), m.cols());
  m.data();
};
// Members by name.
template <class T>
concept HasFields = requires(T& value, Archive& archive) {
  value.fields(archive);
};
// The same of a struct that knows nothing of archives: a function beside it, or beside whoever saves it.
template <class T>
concept HasFieldsOf = requires(T& value, Archive& archive) {
  fields_of(archive, value);
};

class Archive {
 public:
  // Both must outlive this.
  explicit Archive(Saved& to) : to_(&to) {}
  explicit Archive(const Saved& from) : from_(&from) {}

  [[nodiscard]] bool loading() const { return from_ != nullptr; }

  template <class T>
  void operator()(const std::string& name, T& value) {
    const std::string full = prefix_ + name;
    if constexpr (std::is_enum_v<T>) {
      auto number = static_cast<std::int64_t>(value);
      take_whole(full, number);
      value = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      std::vector<std::uint64_t> word{value};
      take(full, word, &Saved::words);
      value = word[0];
    } else if constexpr (std::is_integral_v<T>) {
      auto number = static_cast<std::int64_t>(value);
      take_whole(full, number);
      value = static_cast<T>(number);
      if (static_cast<std::int64_t>(value) != number) refuse(full, "a smaller number");
    } else if constexpr (std::is_floating_point_v<T>) {
      take_number(full, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      take_text(full, value);
    } else if constexpr (MatrixLike<T>) {
      take_matrix(full, value);
    } else if constexpr (HasFields<T>) {
      within(name, [&] { value.fields(*this); });
    } else if constexpr (HasFieldsOf<T>) {
      within(name, [&] { fields_of(*this, value); });
    } else {
      take_many(name, value);
    }
  }

  // Names inside body() begin with this one.
  template <class Body>
  void within(const std::string& name, Body&& body) {
    const std::string before = prefix_;
    prefix_ += name + "/";
    body();
    prefix_ = before;
  }

  [[noreturn]] static void refuse(const std::string& name, const std::string& expected) {
    throw SavedError("found another '" + name + "', expected " + expected);
  }

 private:
  template <class T>
  void take(const std::string& name, std::vector<T>& values,
            std::map<std::string, std::vector<T>> Saved::*where) {
    if (!loading()) {
      (to_->*where)[name] = values;
      return;
    }
    const auto found = (from_->*where).find(name);
    if (found == (from_->*where).end()) refuse(name, "an array of that name");
    if (!values.empty() && values.size() != found->second.size())
      refuse(name, std::to_string(values.size()) + " numbers");
    values.resize(found->second.size());  // in place, where somebody looks at the same numbers
    std::copy(found->second.begin(), found->second.end(), values.begin());
  }

  template <class T>
  void take_matrix(const std::string& name, T& matrix) {
    using Real = std::remove_const_t<std::remove_pointer_t<decltype(matrix.data())>>;
    std::int64_t rows = matrix.rows();
    std::int64_t columns = matrix.cols();
    std::vector<Real> values(matrix.data(), matrix.data() + matrix.size());
    take_whole(name + "/rows", rows);
    take_whole(name + "/columns", columns);
    if (loading() && matrix.size() > 0 && (rows != matrix.rows() || columns != matrix.cols()))
      refuse(name, std::to_string(matrix.rows()) + " rows of " + std::to_string(matrix.cols()));
    if constexpr (std::is_same_v<Real, float>)
      take(name, values, &Saved::floats);
    else
      take(name, values, &Saved::doubles);
    if (!loading()) return;
    const auto count = static_cast<std::int64_t>(values.size());
    if (rows < 0 || columns < 0 || (columns > 0 && rows > count / columns) || rows * columns != count)
      refuse(name, "as many numbers as rows times columns");
    if (T::ColsAtCompileTime == 1 && columns != 1) refuse(name, "one column");
    matrix.resize(rows, columns);
    std::copy(values.begin(), values.end(), matrix.data());
  }

  template <class T>
  void take_many(const std::string& name, std::optional<T>& value) {
    const std::string full = prefix_ + name + "?";
    bool given = value.has_value();
    auto number = static_cast<std::int64_t>(given);
    take_whole(full, number);
    given = number != 0;
    if (loading() && given && !value) value.emplace();
    if (!given) value.reset();
    if (given) (*this)(name, *value);
  }
  void take_many(const std::string& name, std::vector<double>& values) {
    take(prefix_ + name, values, &Saved::doubles);
  }
  void take_many(const std::string& name, std::vector<float>& values) {
    take(prefix_ + name, values, &Saved::floats);
  }
  void take_many(const std::string& name, std::vector<std::uint64_t>& values) {
    take(prefix_ + name, values, &Saved::words);
  }
  template <class T>
  void take_many(const std::string& name, std::vector<T>& values) {
    if constexpr (std::is_integral_v<T>) {
      std::vector<std::uint64_t> words;
      for (const T value : values) words.push_back(static_cast<std::uint64_t>(value));
      take(prefix_ + name, words, &Saved::words);
      if (!loading()) return;
      values.clear();
      for (const std::uint64_t word : words) values.push_back(static_cast<T>(word));
    } else {
      auto count = static_cast<std::int64_t>(values.size());
      take_whole(prefix_ + name + "#", count);
      if (loading() && !values.empty() && count != static_cast<std::int64_t>(values.size()))
        refuse(prefix_ + name, std::to_string(values.size()) + " of them");
      within(name, [&] {
        for (std::int64_t i = 0; i < count; ++i) {
          if (i == static_cast<std::int64_t>(values.size())) values.emplace_back();
          (*this)(std::to_string(i), values[static_cast<std::size_t>(i)]);
        }
      });
    }
  }

  void take_number(const std::string& name, double& value);
  void take_whole(const std::string& name, std::int64_t& value);
  void take_text(const std::string& name, std::string& value);

  Saved* to_ = nullptr;
  const Saved* from_ = nullptr;
  std::string prefix_;
};

}  // namespace lacuna
