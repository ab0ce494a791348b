// SPDX-License-Identifier: MIT
// A JSON header and raw arrays in one checksummed file: the layout described in model_file.hpp.
#pragma once

#include <cstdint>
#include <lacuna/base/base.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "io/file/header_fields.hpp"

namespace lacuna::io {

template <class T>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<T, double>) return "f8";
  if constexpr (std::is_same_v<T, float>) return "f4";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "u4";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "u8";
  if constexpr (std::is_same_v<T, std::int64_t>) return "i8";
  if constexpr (std::is_same_v<T, char>) return "c1";
}

// Collects arrays, which must stay alive until save().
class ArrayWriter {
 public:
  // Returns what the header says of the array.
  template <class T>
  nlohmann::json add(const std::string& name, std::span<const T> values) {
    return add_bytes(name, dtype_name<T>(), values.data(), values.size(), values.size_bytes());
  }
  nlohmann::json add_strings(const std::string& name, const std::vector<std::string>& strings);
  Result<> save(const std::string& path, const nlohmann::json& header) const;

 private:
  struct Array {
    const void* data;
    std::uint64_t bytes;
    std::uint64_t offset;
  };
  nlohmann::json add_bytes(const std::string& name, const char* dtype, const void* data, std::uint64_t count,
                           std::uint64_t bytes);

  std::vector<Array> arrays_;
  std::vector<std::vector<char>> owned_text_;
  std::vector<std::vector<std::uint64_t>> owned_ends_;
  std::uint64_t next_offset_ = 0;  // from the end of the header
};

class ArrayReader {
 public:
  struct Bad : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  // `what` it should be, for messages.
  static Result<ArrayReader> open(const std::string& path, const std::string& what = "model");
  [[nodiscard]] const nlohmann::json& header() const { return header_; }

  // Throw Bad, or a json exception, when the description does not fit the file. Numbers are finite. All arrays
  // together are no longer than the file, so an array is read once.
  template <class T>
  [[nodiscard]] std::vector<T> get(const nlohmann::json& described) const {
    std::vector<T> values(checked_bytes(described, dtype_name<T>(), sizeof(T)) / sizeof(T));
    copy_out(described, values.data(), values.size() * sizeof(T));
    if constexpr (std::is_floating_point_v<T>) check_finite(std::span<const T>(values));
    return values;
  }
  [[nodiscard]] std::vector<std::string> strings(const nlohmann::json& described) const;

 private:
  [[nodiscard]] std::uint64_t checked_bytes(const nlohmann::json& described, const char* dtype,
                                            std::size_t element) const;
  void copy_out(const nlohmann::json& described, void* to, std::size_t bytes) const;

  nlohmann::json header_;
  std::vector<char> arrays_;
  mutable std::uint64_t given_ = 0;  // bytes of the arrays read so far
};

[[nodiscard]] bool starts_like_container(const std::string& path);

}  // namespace lacuna::io
