// SPDX-License-Identifier: MIT
#include <lacuna/base/parallel.hpp>
#include <lacuna/kernels/tucker_kernels.hpp>

#include "kernels/core_chain.hpp"

namespace lacuna {
namespace {

bool inside(const Tucker& x, const std::vector<std::vector<Index>>& index, Count i) {
  for (int k = 0; k < x.order(); ++k)
    if (index[k][i] >= x.factors[k].rows()) return false;
  return true;
}

}  // namespace

void add_values(const Tucker& x, const std::vector<std::vector<Index>>& index, std::span<double> out) {
  parallel_blocks(static_cast<Count>(out.size()), [&](Count begin, Count end) {
    CoreChain chain(x);
    Count last = -1;  // the cell the chain is at
    for (Count i = begin; i < end; ++i) {
      if (!inside(x, index, i)) continue;
      for (int k = last < 0 ? 0 : first_difference(index, last, i); k < x.order(); ++k)
        chain.step(k, index[k][i]);
      last = i;
      out[i] += chain.value();
    }
  });
}

}  // namespace lacuna
