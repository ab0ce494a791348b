// SPDX-License-Identifier: MIT
// What is thrown where memory is known not to suffice.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <utility>

namespace lacuna {

// Thrown before anything is allocated when what is to be done is known to need more memory than there is; the
// sentence says how much.
class MemoryError : public std::bad_alloc {
 public:
  explicit MemoryError(std::string sentence)
      : sentence_(std::make_shared<const std::string>(std::move(sentence))) {}
  [[nodiscard]] const char* what() const noexcept override { return sentence_->c_str(); }

 private:
  std::shared_ptr<const std::string> sentence_;  // so that copies cannot throw
};

}  // namespace lacuna
