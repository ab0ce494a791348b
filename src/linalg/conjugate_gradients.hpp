// SPDX-License-Identifier: MIT
// Preconditioned conjugate gradients for A x = b, A symmetric positive definite, preconditioned by a
// diagonal.
//
//   r = b - A x,  s = M^-1 r,  p = s
//   repeat  alpha = <r,s> / <p,Ap>
//           x    += alpha p
//           r    -= alpha Ap
//           beta  = <r,s>_new / <r,s>
//           p     = s + beta p
//
// Starts from the x it is given (a warm start) and stops when ||r|| <= tolerance. Four vectors of the size of
// x and no allocation after the first call; s is never stored. If <p,Ap> is not positive, which only rounding
// can cause, it stops with what it has.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "dist/communicator.hpp"

namespace lacuna {

struct CgOptions {
  double tolerance = 0.0;               // on ||b - A x||, absolute
  int max_iterations = 500;             // >= 0
  std::function<bool()> interrupted{};  // polled at every step: true means stop now
};

struct CgResult {
  int iterations = 0;
  double residual_norm = 0.0;
  bool converged = false;
};

template <class Real>
struct CgWorkspace {
  std::vector<Real> residual;  // on return: b - A x as the recurrence has it
  std::vector<Real> direction;
  std::vector<Real> product;

  void resize(std::size_t size) {
    residual.resize(size);
    direction.resize(size);
    product.resize(size);
  }
};

struct ResidualProducts {
  double scaled = 0.0;  // <r, M^-1 r>
  double plain = 0.0;   // <r, r>

  ResidualProducts& operator+=(const ResidualProducts& other) {
    scaled += other.scaled;
    plain += other.plain;
    return *this;
  }
};

// Both in one pass.
template <class Real>
[[nodiscard]] ResidualProducts residual_products(const Communicator& everyone, std::span<const float> inverse,
                                                 const std::vector<Real>& r) {
  const auto size = static_cast<std::int64_t>(r.size());
  const ResidualProducts here = parallel_sum(size, [&](std::int64_t begin, std::int64_t end) {
    double scaled[4] = {};
    double plain[4] = {};
    std::int64_t i = begin;
    for (; i + 4 <= end; i += 4)
      for (int lane = 0; lane < 4; ++lane) {
        const double square = static_cast<double>(r[i + lane]) * static_cast<double>(r[i + lane]);
        scaled[lane] += static_cast<double>(inverse[i + lane]) * square;
        plain[lane] += square;
      }
    for (; i < end; ++i) {
      const double square = static_cast<double>(r[i]) * static_cast<double>(r[i]);
      scaled[0] += static_cast<double>(inverse[i]) * square;
      plain[0] += square;
    }
    return ResidualProducts{.scaled = (scaled[0] + scaled[2]) + (scaled[1] + scaled[3]),
                            .plain = (plain[0] + plain[2]) + (plain[1] + plain[3])};
  });
  double sums[2] = {here.scaled, here.plain};
  everyone.sum(std::span<double>(sums));
  return {.scaled = sums[0], .plain = sums[1]};
}

// apply(in, out) computes out = A in. `start_is_zero` saves the first application; b may
// then be work.residual itself, which saves a vector.
template <class Real, class Apply>
CgResult conjugate_gradients(Apply&& apply, std::span<const float> inverse_diagonal, std::span<const Real> b,
                             std::span<Real> x, bool start_is_zero, const CgOptions& options,
                             const Communicator& everyone, CgWorkspace<Real>& work) {
  const auto size = static_cast<std::int64_t>(b.size());
  work.resize(b.size());
  auto& [r, p, q] = work;

  if (start_is_zero) {
    std::fill(x.begin(), x.end(), Real{0});
    if (b.data() != r.data()) std::copy(b.begin(), b.end(), r.begin());
  } else {
    apply(std::span<const Real>(x), std::span<Real>(q));
    parallel_blocks(size, [&, r_ = r.data(), q_ = q.data()](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) r_[i] = b[i] - q_[i];
    });
  }

  CgResult result;
  auto [rs, rr] = residual_products<Real>(everyone, inverse_diagonal, r);
  double beta = 0.0;
  for (;;) {
    result.residual_norm = std::sqrt(rr);
    result.converged = result.residual_norm <= options.tolerance;
    if (result.converged || result.iterations >= options.max_iterations || !(rs > 0.0)) return result;
    if (options.interrupted && options.interrupted()) return result;

    const bool first = result.iterations == 0;
    parallel_blocks(size, [&, step = static_cast<Real>(beta), r_ = r.data(), p_ = p.data()](
                              std::int64_t begin, std::int64_t end) {
      if (first)
        for (std::int64_t i = begin; i < end; ++i) p_[i] = static_cast<Real>(inverse_diagonal[i]) * r_[i];
      else
        for (std::int64_t i = begin; i < end; ++i)
          p_[i] = static_cast<Real>(inverse_diagonal[i]) * r_[i] + step * p_[i];
    });
    apply(std::span<const Real>(p), std::span<Real>(q));
    const double curvature = dot<Real>(everyone, p, q);
    if (!(curvature > 0.0)) return result;
    parallel_blocks(size, [&, alpha = static_cast<Real>(rs / curvature), r_ = r.data(), p_ = p.data(),
                           q_ = q.data()](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        x[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
      }
    });
    ++result.iterations;
    const auto [rs_next, rr_next] = residual_products<Real>(everyone, inverse_diagonal, r);
    beta = rs_next / rs;
    rs = rs_next;
    rr = rr_next;
  }
}

}  // namespace lacuna
