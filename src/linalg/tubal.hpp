// SPDX-License-Identifier: MIT
// The algebra of t-products: a 3-way array is a matrix of tubes (its fibers along one mode), and tubes
// multiply by circular convolution. The discrete Fourier transform of the tubes turns a t-product into matrix
// products, one for each frequency.
#pragma once

#include "linalg/unfold.hpp"

namespace lacuna {

// Row f: the slice of frequency f, the other two modes in their order, first fastest. Of the n_mode
// frequencies only 0 .. n_mode / 2: those of a real array come in conjugate pairs.
[[nodiscard]] Eigen::MatrixXcd tube_spectrum(std::span<const double> x, const Shape& shape, int mode);
void from_tube_spectrum(const Eigen::MatrixXcd& spectrum, const Shape& shape, int mode, std::span<double> x);

// How many frequencies of the whole spectrum row f stands for: 1 or 2.
[[nodiscard]] int frequency_weight(Eigen::Index frequency, Eigen::Index size);

// Thresholds the singular values of every frequency's slice: the proximal operator of tau times the tubal
// nuclear norm, (1/n_mode) sum_f ||slice f||_*. Returns that norm of the result. z may be x.
double threshold_tubal(std::span<const double> x, const Shape& shape, int mode, double tau,
                       std::span<double> z);

}  // namespace lacuna
