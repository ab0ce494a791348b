// SPDX-License-Identifier: MIT
// The orthonormal discrete cosine transform (DCT-II) of many lines of one length m, and its inverse:
//
//   X_k = c_k sum_n x_n cos(pi k (n + 1/2) / m),   c_0 = (1/m)^(1/2), c_k = (2/m)^(1/2)
//
// Its basis vectors are the eigenvectors of the Laplacian of a path of m points.
//
// A line's DCT is the discrete Fourier transform of the line with its even places first and its odd ones
// after them, backwards (Makhoul 1980), and two real lines share one complex transform. That is a Stockham
// transform in factors 4, 2, 3 and 5, each butterfly on kLanes pairs of lines at once, which is what the
// compiler turns into vector instructions. O(m log m) for each line.
#pragma once

#include <cstddef>
#include <vector>

namespace lacuna {

// Where the lines lie: element n of line i is at base + n * along + i * across.
struct Lines {
  std::ptrdiff_t along = 1;
  std::ptrdiff_t across = 0;
  std::ptrdiff_t count = 0;
};

template <class Real>
class CosineTransform {
 public:
  static constexpr int kLanes = 16;
  static constexpr std::ptrdiff_t kLinesAtOnce = std::ptrdiff_t{2} * kLanes;

  // The least length >= m that has no prime factor but 2, 3 and 5.
  [[nodiscard]] static std::ptrdiff_t next_length(std::ptrdiff_t m);

  CosineTransform() = default;
  // Throws std::invalid_argument unless m == next_length(m).
  explicit CosineTransform(std::ptrdiff_t m);

  [[nodiscard]] std::ptrdiff_t length() const { return m_; }
  // The scratch that a call needs, in numbers.
  [[nodiscard]] std::size_t scratch() const { return static_cast<std::size_t>(4 * m_ * kLanes); }

  // In place, for at most kLinesAtOnce lines.
  void forward(Real* base, const Lines& lines, Real* scratch) const;
  void inverse(Real* base, const Lines& lines, Real* scratch) const;

 private:
  struct Stage {
    int radix;
    std::ptrdiff_t blocks;  // n / radix
    std::ptrdiff_t stride;
    std::size_t twiddles;  // where its twiddle factors begin
  };
  // From one of the two halves of the scratch to the other; returns where the result is.
  Real* fourier(Real* from, Real* to, bool backward) const;

  std::ptrdiff_t m_ = 0;
  std::vector<Stage> stages_;
  std::vector<Real> twiddle_;   // cos and sin, one after the other
  std::vector<Real> turn_cos_;  // cos(pi k / 2m)
  std::vector<Real> turn_sin_;
};

}  // namespace lacuna
