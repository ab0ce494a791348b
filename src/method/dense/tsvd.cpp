// SPDX-License-Identifier: MIT
// The tubal nuclear norm with exact fit (Zhang, Ely, Aeron, Hao, Kilmer 2014),
//
//   min (1/n) sum_f ||slice f of the Fourier transform of X along a mode of size n||_*
//   subject to X_e = Y_e on the observed entries,
//
// by ADMM. The mode transformed along is the one asked for, or the smallest, the last of them when there are
// several.
#include <algorithm>
#include <stdexcept>

#include "linalg/tubal.hpp"
#include "method/dense/dense.hpp"

namespace lacuna {

Solved solve_tsvd(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  if (tensor.order() != 3)
    throw std::invalid_argument("method tsvd is for tensors of 3 modes, this one has " +
                                std::to_string(tensor.order()));
  const Shape shape = shape_of(tensor);
  int tubes = options.dense.tubes.value_or(0);
  for (int k = 1; k < 3 && options.dense.tubes.open(); ++k)
    if (shape[k] <= shape[tubes]) tubes = k;
  ExactAdmm admm{.step = 0.3};  // a guess
  admm.terms.emplace_back(
      [&](std::span<double> x, double tau) { return threshold_tubal(x, shape, tubes, tau, x); });
  run.record().set("tubes", tensor.modes()[tubes].name);
  return complete_exactly(tensor, options, run, admm);
}

}  // namespace lacuna
