// SPDX-License-Identifier: MIT
// Thrown when values are so large or so small that what is asked for has no finite double: the data are the
// cause, and dividing them by a constant the cure.
#pragma once

#include <stdexcept>

namespace lacuna {

class ValueRangeError : public std::range_error {
 public:
  using std::range_error::range_error;
};

}  // namespace lacuna
