// SPDX-License-Identifier: MIT
#include "kernels/cosine_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace lacuna {
namespace {

constexpr int kLanes = CosineTransform<double>::kLanes;
// Real parts of a place, then its imaginary ones.
constexpr std::ptrdiff_t kPair = std::ptrdiff_t{2} * kLanes;

// One butterfly: to[t] = w^t sum_s from[s] e^(-2 pi i s t / radix), on all lanes. `step_in` and `step_out`
// are the distances between its inputs and its outputs.
template <int kRadix, class Real>
inline void butterfly(const Real* from, std::ptrdiff_t step_in, Real* to, std::ptrdiff_t step_out,
                      const Real* twiddle, const Real* cosine, const Real* sine) {
  for (int t = 0; t < kRadix; ++t) {
    Real* out = to + t * step_out;
    const Real w_re = twiddle[std::ptrdiff_t{2} * t];
    const Real w_im = twiddle[std::ptrdiff_t{2} * t + 1];
    for (int lane = 0; lane < kLanes; ++lane) {
      Real re = from[lane];
      Real im = from[lane + kLanes];
      for (int s = 1; s < kRadix; ++s) {
        const Real c = cosine[(s * t) % kRadix];
        const Real d = sine[(s * t) % kRadix];  // of -2 pi s t / radix
        const Real a = from[s * step_in + lane];
        const Real b = from[s * step_in + lane + kLanes];
        re += c * a - d * b;
        im += c * b + d * a;
      }
      out[lane] = w_re * re - w_im * im;
      out[lane + kLanes] = w_re * im + w_im * re;
    }
  }
}

template <class Real>
inline void butterfly_of_two(const Real* from, std::ptrdiff_t step_in, Real* to, std::ptrdiff_t step_out,
                             const Real* twiddle) {
  const Real w_re = twiddle[2];
  const Real w_im = twiddle[3];
  for (int lane = 0; lane < kLanes; ++lane) {
    const Real re = from[lane] - from[step_in + lane];
    const Real im = from[lane + kLanes] - from[step_in + lane + kLanes];
    to[lane] = from[lane] + from[step_in + lane];
    to[lane + kLanes] = from[lane + kLanes] + from[step_in + lane + kLanes];
    to[step_out + lane] = w_re * re - w_im * im;
    to[step_out + lane + kLanes] = w_re * im + w_im * re;
  }
}

template <class Real>
inline void butterfly_of_four(const Real* from, std::ptrdiff_t step_in, Real* to, std::ptrdiff_t step_out,
                              const Real* w) {
  const Real* a = from;
  const Real* b = from + step_in;
  const Real* c = from + 2 * step_in;
  const Real* d = from + 3 * step_in;
  Real* first = to;
  Real* second = to + step_out;
  Real* third = to + 2 * step_out;
  Real* fourth = to + 3 * step_out;
  for (int re = 0; re < kLanes; ++re) {
    const int im = re + kLanes;
    const Real sum_re = a[re] + c[re];
    const Real sum_im = a[im] + c[im];
    const Real gap_re = a[re] - c[re];
    const Real gap_im = a[im] - c[im];
    const Real other_re = b[re] + d[re];
    const Real other_im = b[im] + d[im];
    const Real turned_re = b[im] - d[im];  // -i (b - d)
    const Real turned_im = d[re] - b[re];
    first[re] = sum_re + other_re;
    first[im] = sum_im + other_im;
    const Real one_re = gap_re + turned_re;
    const Real one_im = gap_im + turned_im;
    second[re] = w[2] * one_re - w[3] * one_im;
    second[im] = w[2] * one_im + w[3] * one_re;
    const Real two_re = sum_re - other_re;
    const Real two_im = sum_im - other_im;
    third[re] = w[4] * two_re - w[5] * two_im;
    third[im] = w[4] * two_im + w[5] * two_re;
    const Real three_re = gap_re - turned_re;
    const Real three_im = gap_im - turned_im;
    fourth[re] = w[6] * three_re - w[7] * three_im;
    fourth[im] = w[6] * three_im + w[7] * three_re;
  }
}

// cos and sin of -2 pi i / radix
template <class Real, int kRadix>
struct Roots {
  Roots() {
    for (int i = 0; i < kRadix; ++i) {
      cosine[i] = static_cast<Real>(std::cos(2 * std::numbers::pi * i / kRadix));
      sine[i] = static_cast<Real>(-std::sin(2 * std::numbers::pi * i / kRadix));
    }
  }
  Real cosine[kRadix];
  Real sine[kRadix];
};

}  // namespace

template <class Real>
std::ptrdiff_t CosineTransform<Real>::next_length(std::ptrdiff_t m) {
  for (;; ++m) {
    std::ptrdiff_t left = m;
    for (const int factor : {2, 3, 5})
      while (left % factor == 0) left /= factor;
    if (left == 1) return m;
  }
}

template <class Real>
CosineTransform<Real>::CosineTransform(std::ptrdiff_t m) : m_(m) {
  if (m < 1 || m != next_length(m))
    throw std::invalid_argument("a cosine transform of length " + std::to_string(m) +
                                ", expected one with no prime factor but 2, 3 and 5");
  std::ptrdiff_t size = m;
  std::ptrdiff_t stride = 1;
  for (const int radix : {4, 2, 3, 5})
    while (size % radix == 0) {
      const std::ptrdiff_t blocks = size / radix;
      stages_.push_back({.radix = radix, .blocks = blocks, .stride = stride, .twiddles = twiddle_.size()});
      for (std::ptrdiff_t j = 0; j < blocks; ++j)
        for (int t = 0; t < radix; ++t) {
          const double angle = -2 * std::numbers::pi * static_cast<double>(j * t) / static_cast<double>(size);
          twiddle_.push_back(static_cast<Real>(std::cos(angle)));
          twiddle_.push_back(static_cast<Real>(std::sin(angle)));
        }
      size = blocks;
      stride *= radix;
    }
  for (std::ptrdiff_t k = 0; k < m; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / (2.0 * static_cast<double>(m));
    turn_cos_.push_back(static_cast<Real>(std::cos(angle)));
    turn_sin_.push_back(static_cast<Real>(std::sin(angle)));
  }
}

template <class Real>
Real* CosineTransform<Real>::fourier(Real* from, Real* to, bool backward) const {
  static const Roots<Real, 3> three;
  static const Roots<Real, 5> five;
  if (backward)  // the inverse is the transform with real and imaginary parts exchanged, before and after
    for (std::ptrdiff_t n = 0; n < m_; ++n)
      std::swap_ranges(from + n * kPair, from + n * kPair + kLanes, from + n * kPair + kLanes);
  for (const Stage& stage : stages_) {
    const Real* twiddle = twiddle_.data() + stage.twiddles;
    const std::ptrdiff_t step_in = stage.stride * stage.blocks * kPair;
    const std::ptrdiff_t step_out = stage.stride * kPair;
    for (std::ptrdiff_t j = 0; j < stage.blocks; ++j, twiddle += 2 * stage.radix)
      for (std::ptrdiff_t q = 0; q < stage.stride; ++q) {
        const Real* in = from + (q + stage.stride * j) * kPair;
        Real* out = to + (q + stage.stride * stage.radix * j) * kPair;
        if (stage.radix == 4)
          butterfly_of_four(in, step_in, out, step_out, twiddle);
        else if (stage.radix == 2)
          butterfly_of_two(in, step_in, out, step_out, twiddle);
        else if (stage.radix == 3)
          butterfly<3>(in, step_in, out, step_out, twiddle, three.cosine, three.sine);
        else
          butterfly<5>(in, step_in, out, step_out, twiddle, five.cosine, five.sine);
      }
    std::swap(from, to);
  }
  if (backward)
    for (std::ptrdiff_t n = 0; n < m_; ++n)
      std::swap_ranges(from + n * kPair, from + n * kPair + kLanes, from + n * kPair + kLanes);
  return from;
}

// Line i is the real part of lane i, line kLanes + i its imaginary one. Element 2n of a line goes to place n,
// element 2n + 1 to place m - 1 - n.
template <class Real>
void CosineTransform<Real>::forward(Real* base, const Lines& lines, Real* scratch) const {
  Real* const other = scratch + m_ * kPair;
  for (std::ptrdiff_t n = 0; n < m_; ++n) {
    Real* to = scratch + (n % 2 == 0 ? n / 2 : m_ - 1 - n / 2) * kPair;
    const Real* from = base + n * lines.along;
    for (std::ptrdiff_t i = 0; i < lines.count; ++i) to[i] = from[i * lines.across];
    for (std::ptrdiff_t i = lines.count; i < kPair; ++i) to[i] = Real{0};
  }
  const Real* z = fourier(scratch, other, false);
  Real* x = z == scratch ? other : scratch;
  // With Z = V_a + i V_b of the two lines: V_a = (Z_k + conj Z_(m-k)) / 2, and X = Re(e^(-i pi k / 2m) V).
  for (std::ptrdiff_t k = 0; k < m_; ++k) {
    const Real norm = static_cast<Real>(0.5 * std::sqrt((k == 0 ? 1.0 : 2.0) / static_cast<double>(m_)));
    const Real c = norm * turn_cos_[k];
    const Real s = norm * turn_sin_[k];
    const Real* here = z + k * kPair;
    const Real* there = z + (k == 0 ? 0 : m_ - k) * kPair;
    for (int lane = 0; lane < kLanes; ++lane) {
      const int im = lane + kLanes;
      x[lane] = c * (here[lane] + there[lane]) + s * (here[im] - there[im]);
      x[im] = c * (here[im] + there[im]) + s * (there[lane] - here[lane]);
    }
    Real* to = base + k * lines.along;
    for (std::ptrdiff_t i = 0; i < lines.count; ++i) to[i * lines.across] = x[i];
  }
}

// The same backwards: V_k = e^(i pi k / 2m) (X_k - i X_(m-k)), X_m = 0.
template <class Real>
void CosineTransform<Real>::inverse(Real* base, const Lines& lines, Real* scratch) const {
  Real* const x = scratch + m_ * kPair;
  for (std::ptrdiff_t k = 0; k < m_; ++k) {
    const Real norm = static_cast<Real>(k == 0 ? 1.0 / std::sqrt(static_cast<double>(m_))
                                               : 1.0 / std::sqrt(2.0 * static_cast<double>(m_)));
    const Real* from = base + k * lines.along;
    Real* to = x + k * kPair;
    for (std::ptrdiff_t i = 0; i < lines.count; ++i) to[i] = norm * from[i * lines.across];
    for (std::ptrdiff_t i = lines.count; i < kPair; ++i) to[i] = Real{0};
  }
  for (std::ptrdiff_t k = 0; k < m_; ++k) {
    const Real c = turn_cos_[k];
    const Real s = turn_sin_[k];
    const Real rest = k == 0 ? Real{0} : Real{1};
    const Real* here = x + k * kPair;
    const Real* there = x + (k == 0 ? 0 : m_ - k) * kPair;
    Real* to = scratch + k * kPair;
    for (int lane = 0; lane < kLanes; ++lane) {
      const int im = lane + kLanes;
      // V_a + i V_b with V = (c + i s)(X_k - i X_(m-k))
      const Real a = here[lane];
      const Real a_other = rest * there[lane];
      const Real b = here[im];
      const Real b_other = rest * there[im];
      to[lane] = (c * a + s * a_other) - (s * b - c * b_other);
      to[im] = (s * a - c * a_other) + (c * b + s * b_other);
    }
  }
  const Real* v = fourier(scratch, x, true);
  for (std::ptrdiff_t n = 0; n < m_; ++n) {
    const Real* from = v + (n % 2 == 0 ? n / 2 : m_ - 1 - n / 2) * kPair;
    Real* to = base + n * lines.along;
    for (std::ptrdiff_t i = 0; i < lines.count; ++i) to[i * lines.across] = from[i];
  }
}

template class CosineTransform<double>;
template class CosineTransform<float>;

}  // namespace lacuna
