// SPDX-License-Identifier: MIT
#include "base/archive.hpp"

namespace lacuna {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53: beyond it a double skips whole numbers

}  // namespace

void Archive::take_number(const std::string& name, double& value) {
  if (!loading()) {
    to_->numbers[name] = value;
    return;
  }
  const auto found = from_->numbers.find(name);
  if (found == from_->numbers.end()) refuse(name, "a number of that name");
  value = found->second;
}

void Archive::take_whole(const std::string& name, std::int64_t& value) {
  auto number = static_cast<double>(value);
  take_number(name, number);
  if (!loading()) return;
  if (!(number >= 0.0 && number <= kLargestWhole) || number != std::floor(number))
    refuse(name, "a whole number");  // of what is counted: none is below 0
  value = static_cast<std::int64_t>(number);
}

void Archive::take_text(const std::string& name, std::string& value) {
  if (!loading()) {
    to_->texts[name] = value;
    return;
  }
  const auto found = from_->texts.find(name);
  if (found == from_->texts.end()) refuse(name, "a text of that name");
  value = found->second;
}

}  // namespace lacuna
