// SPDX-License-Identifier: MIT
// What is thrown where memory is known not to suffice.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace lacuna {

// Thrown before anything is allocated when what is to be done is known to need more memory than there is; the sentence says
// how much.
class MemoryError : public std::bad_alloc {
 public:
  explicit MemoryError(const std::string& sentence) : sentence_(sentence) {}
  [[nodiscard]] const char* what() const noexcept override { return sentence_.what(); }

 private:
  std::runtime_error sentence_;  // whose copies cannot throw
};

}  // namespace lacuna
