// SPDX-License-Identifier: MIT
// What processes say alike though each has seen only some of it: that something failed, and names.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>
#include <vector>

#include "dist/communicator.hpp"

namespace lacuna {

// The same error on all processes if it is one on any: that of the lowest rank.
Result<> agreed(const Communicator& everyone, const Result<>& here);
template <class T>
Result<> agreed(const Communicator& everyone, const Result<T>& here) {
  return agreed(everyone, here ? Result<>(Nothing{}) : Result<>(here.error()));
}

// The different strings of all processes, each once and in the same order everywhere, which is none in particular.
// No process gets more than all of them and what it has itself.
[[nodiscard]] std::vector<std::string> all_of_them(const Communicator& everyone,
                                                   std::vector<std::string> mine);

}  // namespace lacuna
