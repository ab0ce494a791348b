// SPDX-License-Identifier: MIT
#include "kernels/near_chain.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace lacuna {

namespace {
constexpr Count kFibersAtOnce = 4096;  // at least, except for the last groups
}

NearChain::NearChain(std::vector<double> position, std::vector<Count> group_start, double length)
    : position_(std::move(position)),
      group_start_(std::move(group_start)),
      decay_(position_.size() + 1, 0.0),
      length_(length) {
  for (std::size_t g = 0; g + 1 < group_start_.size(); ++g)
    for (Count i = group_start_[g] + 1; i < group_start_[g + 1]; ++i)
      decay_[i] = std::exp(-(position_[i] - position_[i - 1]) / length_);
}

Count NearChain::last_before(Count group, double x) const {
  const auto begin = position_.begin() + group_begin(group);
  const auto end = position_.begin() + group_end(group);
  return std::upper_bound(begin, end, x) - position_.begin() - 1;
}

// body(begin, end) for ranges of whole groups.
template <class Body>
void NearChain::for_groups(Body&& body) const {
  const Count blocks = fibers() / kFibersAtOnce + 1;
  const auto border = [&](Count block) {
    const Count wanted = std::min(block * kFibersAtOnce, fibers());
    return *std::lower_bound(group_start_.begin(), group_start_.end(), wanted);
  };
  parallel_blocks(
      blocks, [&](Count block, Count) { body(border(block), border(block + 1)); }, 1);
}

template <class Real>
void NearChain::smooth(Real* field, int columns) const {
  for_groups([&](Count begin, Count end) {
    std::vector<Real> ahead(static_cast<std::size_t>(columns), Real{0});  // g_(i+1)
    for (Count i = begin + 1; i < end; ++i) {
      const Real a = static_cast<Real>(decay_[i]);
      for (int j = 0; j < columns; ++j) field[i * columns + j] += a * field[(i - 1) * columns + j];
    }
    for (Count i = end - 1; i >= begin; --i) {
      const Real a = static_cast<Real>(decay_[i]);
      const Real next = static_cast<Real>(decay_[i + 1]);
      for (int j = 0; j < columns; ++j) {
        Real& f = field[i * columns + j];
        const Real t = i > begin ? f - a * field[(i - 1) * columns + j] : f;
        const Real behind = next * ahead[j];
        f += behind;
        ahead[j] = t + behind;
      }
    }
  });
}

template <class Real>
void NearChain::sweep(Real* field, Real* backward, int columns) const {
  for_groups([&](Count begin, Count end) {
    for (Count i = end - 1; i >= begin; --i) {
      const Real next = static_cast<Real>(decay_[i + 1]);
      for (int j = 0; j < columns; ++j)
        backward[i * columns + j] =
            field[i * columns + j] + (i + 1 < end ? next * backward[(i + 1) * columns + j] : Real{0});
    }
    for (Count i = begin + 1; i < end; ++i) {
      const Real a = static_cast<Real>(decay_[i]);
      for (int j = 0; j < columns; ++j) field[i * columns + j] += a * field[(i - 1) * columns + j];
    }
  });
}

template void NearChain::smooth(double*, int) const;
template void NearChain::smooth(float*, int) const;
template void NearChain::sweep(double*, double*, int) const;
template void NearChain::sweep(float*, float*, int) const;

}  // namespace lacuna
