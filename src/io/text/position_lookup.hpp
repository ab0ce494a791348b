// SPDX-License-Identifier: MIT
// From what a file calls a position of a mode to the position.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "io/text/labels.hpp"

namespace lacuna::io {

class PositionLookup {
 public:
  PositionLookup(const Mode& mode, int index_base);

  // kUnseen when the mode does not have it.
  [[nodiscard]] Index find(std::string_view text) const;
  // The position that a number stands for, whether the mode has it or not; nothing where names are labels or
  // the text is no such number.
  [[nodiscard]] std::optional<Index> number(std::string_view text) const;
  [[nodiscard]] bool labelled() const { return labelled_; }
  // "a label of mode user, such as 'u1'", "a position of mode row: 1 to 80"
  [[nodiscard]] std::string expected() const;

 private:
  std::string name_;
  std::string example_;
  Index size_ = 0;
  int base_ = 1;
  bool labelled_ = false;
  LabelTable labels_;
};

}  // namespace lacuna::io
