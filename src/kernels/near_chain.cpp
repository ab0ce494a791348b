// SPDX-License-Identifier: MIT
#include "kernels/near_chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.hpp"

namespace lacuna {

namespace {
constexpr int kColumnsAtOnce = 64;     // of a field, so that a row of them fits on the stack
constexpr Count kFibersAtOnce = 4096;  // at least, except for the last groups
}  // namespace

NearChain::NearChain(std::vector<double> position, std::vector<Count> group_start, double length)
    : position_(std::move(position)),
      group_start_(std::move(group_start)),
      decay_(position_.size() + 1, 0.0),
      length_(length) {
  for (std::size_t g = 0; g + 1 < group_start_.size(); ++g)
    for (Count i = group_start_[g] + 1; i < group_start_[g + 1]; ++i)
      decay_[i] = std::exp(-(position_[i] - position_[i - 1]) / length_);
}

Count NearChain::group_of(Count fiber) const {
  return std::upper_bound(group_start_.begin(), group_start_.end(), fiber) - group_start_.begin() - 1;
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
    for (Count i = begin + 1; i < end; ++i) {
      const Real a = static_cast<Real>(decay_[i]);
      for (int j = 0; j < columns; ++j) field[i * columns + j] += a * field[(i - 1) * columns + j];
    }
    for (int first = 0; first < columns; first += kColumnsAtOnce) {
      const int last = std::min(columns, first + kColumnsAtOnce);
      std::array<Real, kColumnsAtOnce> ahead{};  // g_(i+1)
      for (Count i = end - 1; i >= begin; --i) {
        const Real a = static_cast<Real>(decay_[i]);
        const Real next = static_cast<Real>(decay_[i + 1]);
        for (int j = first; j < last; ++j) {
          Real& f = field[i * columns + j];
          const Real t = i > begin ? f - a * field[(i - 1) * columns + j] : f;
          const Real behind = next * ahead[j - first];
          f += behind;
          ahead[j - first] = t + behind;
        }
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
