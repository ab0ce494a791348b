// SPDX-License-Identifier: MIT
#include "tensor/checksum.hpp"

namespace lacuna {

std::uint64_t checksum(const ObservedTensor& tensor) {
  Checksum sum;
  for (int k = 0; k < tensor.order(); ++k) sum.add_all(tensor.index(k));
  sum.add_all(tensor.values());
  sum.add_all(tensor.weights());
  return sum.value();
}

}  // namespace lacuna
