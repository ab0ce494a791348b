// SPDX-License-Identifier: MIT
// Conjugate gradients with a preconditioner that may differ from step to step, such as another iteration:
//
//   repeat  s ~ A^-1 r;  p = s - <s,q> / <p,q> p;  q = A p;  alpha = <p,r> / <p,q>;  x += alpha p;  r -= alpha q
//
// Every direction is made A-orthogonal to the one before it explicitly, and the step is a line search, so
// the error shrinks whatever s is, as long as <p,r> is not 0. Reference: Notay 2000.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linalg/conjugate_gradients.hpp"

namespace lacuna {

// Reused from solve to solve.
template <class Real>
struct FlexibleCgWorkspace {
  std::vector<Real> preconditioned{};
  std::vector<Real> direction{};
  std::vector<Real> applied{};  // A times the direction
};

// x is where to start, r its residual b - A x on entry and on return. apply(in, out): out = A in;
// precondition(r, s, norm) returns how many steps it took, which count as iterations.
template <class Real, class Apply, class Precondition>
CgResult flexible_conjugate_gradients(Apply&& apply, Precondition&& precondition, std::span<Real> x,
                                      std::span<Real> r, const CgOptions& options,
                                      const Communicator& everyone, FlexibleCgWorkspace<Real>& work) {
  const auto size = static_cast<std::int64_t>(x.size());
  std::vector<Real>& s = work.preconditioned;
  std::vector<Real>& p = work.direction;
  std::vector<Real>& q = work.applied;
  s.resize(x.size());
  p.assign(x.size(), Real{0});
  q.assign(x.size(), Real{0});
  CgResult result;
  double curvature = 0.0;
  for (;;) {
    result.residual_norm = std::sqrt(dot<Real>(everyone, r, r));
    result.converged = result.residual_norm <= options.tolerance;
    if (result.converged || result.iterations >= options.max_iterations) return result;
    if (options.interrupted && options.interrupted()) return result;

    result.iterations += 1 + precondition(std::span<const Real>(r), std::span<Real>(s), result.residual_norm);
    const double beta = curvature > 0.0 ? -dot<Real>(everyone, s, q) / curvature : 0.0;
    parallel_blocks(size, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) p[i] = s[i] + static_cast<Real>(beta) * p[i];
    });
    apply(std::span<const Real>(p), std::span<Real>(q));
    curvature = dot<Real>(everyone, p, q);
    const double along = dot<Real>(everyone, p, r);
    if (!(curvature > 0.0) || along == 0.0) return result;
    const Real alpha = static_cast<Real>(along / curvature);
    parallel_blocks(size, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
    });
  }
}

}  // namespace lacuna
