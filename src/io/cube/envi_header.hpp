// SPDX-License-Identifier: MIT
// The header of an ENVI cube: text that begins with "ENVI" and goes on with "key = value" lines. A value in braces is a
// list, separated by commas, and may go over several lines. Keys are in any case.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/array/dtype.hpp"

namespace lacuna::io {

struct EnviField {
  std::string key;    // lower case, single blanks
  std::string value;  // as written, braces among it
  Count line = 0;     // where it begins
};

class EnviHeader {
 public:
  static Result<EnviHeader> read(const std::string& path);

  [[nodiscard]] const std::string* find(std::string_view key) const;
  // "path:line" of a key, "path" when there is none.
  [[nodiscard]] std::string where(std::string_view key) const;
  [[nodiscard]] std::string text() const;

  // The whole number of a key from `low` to `high`; `otherwise` when there is no such key, an error when that is
  // unset.
  Result<std::uint64_t> number(std::string_view key, std::uint64_t low, std::uint64_t high,
                               std::optional<std::uint64_t> otherwise = {}) const;
  // The numbers of a list in braces; none when there is no such key.
  Result<std::vector<double>> numbers(std::string_view key) const;

  void set(std::string_view key, std::string value);
  void erase(std::string_view key);

 private:
  std::string path_;
  std::vector<EnviField> fields_;
};

// ENVI's numbers for types: 1, 2, 3, 4, 5, 12, 13, 14, 15. Nothing for complex ones.
[[nodiscard]] std::optional<Dtype> envi_dtype(std::uint64_t number);
[[nodiscard]] std::optional<unsigned> envi_number(const Dtype& dtype);

}  // namespace lacuna::io
