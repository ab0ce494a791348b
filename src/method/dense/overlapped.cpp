// SPDX-License-Identifier: MIT
// The overlapped trace norm with exact fit,
//
//   min sum_k alpha_k ||X_(k)||_*   subject to   X_e = Y_e on the observed entries.
//
//   halrtc  alpha_k = 1/K, penalty growing from step to step (Liu, Musialski, Wonka, Ye 2013)
//   hard    alpha_k = sqrt(n_k) / sum_j sqrt(n_j), constant penalty: Douglas-Rachford splitting
//           (Signoretto, Dinh, De Lathauwer, Suykens 2014). The weights are a guess of ours: 1/sqrt(n_k),
//           which scales the latent norm well, leaves a short mode to rule all others, and its trace norm
//           is hardly more than the length of X.
#include "method/dense/dense.hpp"

namespace lacuna {
namespace {

std::vector<double> scaled_weights(const Shape& shape) {
  std::vector<double> alpha;
  double total = 0.0;
  for (const Eigen::Index size : shape) total += alpha.emplace_back(std::sqrt(static_cast<double>(size)));
  for (double& one : alpha) one /= total;
  return alpha;
}

}  // namespace

Solved solve_overlapped(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  const Shape shape = shape_of(tensor);
  const bool scaled = *options.method == Method::kHard;
  ExactAdmm admm{.step = scaled ? 0.1 : 1.0, .growth = scaled ? 1.0 : 1.05};  // guesses
  const std::vector<double> alpha =
      scaled ? scaled_weights(shape) : std::vector<double>(shape.size(), 1.0 / tensor.order());
  for (int k = 0; k < tensor.order(); ++k) admm.terms.push_back(trace_norm_of_unfolding(shape, k, alpha[k]));
  return complete_exactly(tensor, options, run, admm);
}

}  // namespace lacuna
