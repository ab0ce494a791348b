// SPDX-License-Identifier: MIT
// A manifold of Tucker tensors for processes that share a fit: each has all of a point and computes with it
// alike, but for the last bits where their processors differ. What a solver decides by, inner products, and
// the points that it goes to are those of the first process.
#pragma once

#include <utility>

#include "dist/communicator.hpp"
#include "linalg/tucker.hpp"

namespace lacuna {

// x <- the first process's, which has the same ranks.
inline void agree(Tucker& x, const Communicator& everyone) {
  everyone.as_first(std::span<double>(x.core.data(), static_cast<std::size_t>(x.core.size())));
  for (Matrix<double>& factor : x.factors) everyone.as_first(flat(factor));
}

template <class M>
class Agreed : public M {
 public:
  // The communicator must outlive this.
  Agreed(M manifold, const Communicator& everyone) : M(std::move(manifold)), everyone_(&everyone) {}

  // With or without a point and its frame, as that of M.
  template <class... A>
  requires requires(const M& m, const A&... a) { m.inner(a...); }
  [[nodiscard]] double inner(const A&... a) const { return everyone_->as_first(M::inner(a...)); }
  void retract(const typename M::Point& x, const typename M::Tangent& u, typename M::Point& out) const {
    M::retract(x, u, out);
    agree(out, *everyone_);
  }

 private:
  const Communicator* everyone_;
};

}  // namespace lacuna
