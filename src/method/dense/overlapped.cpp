// SPDX-License-Identifier: MIT
// The overlapped trace norm with exact fit,
//
//   min sum_k alpha_k ||X_(k)||_*   subject to   X_e = Y_e on the observed entries.
//
//   halrtc  alpha_k = 1/K, penalty growing from step to step (Liu, Musialski, Wonka, Ye 2013). A share of the
//           largest singular values of each unfolding may be left unshrunk (LRTC-TNN: Chen, Yang, Sun 2020);
//           they come in one after the other as the threshold falls, which is what the growing penalty is for
//   hard    alpha_k = sqrt(n_k) / sum_j sqrt(n_j), constant penalty: Douglas-Rachford splitting
//           (Signoretto, Dinh, De Lathauwer, Suykens 2014). The weights are a guess of ours: 1/sqrt(n_k),
//           which scales the latent norm well, leaves a short mode to rule all others, and its trace norm
//           is hardly more than the length of X.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "method/dense/dense.hpp"

namespace lacuna {
namespace {

// Held-out error of halrtc, a tenth of the singular values unshrunk, on traffic of which whole station-days
// are missing: 24.9 with these. Larger first steps and slower growth change it by 0.1 and take more steps;
// growth of 1.1 gives 30.4, of 1.2 76, a first step of 0.3 93: values must come in one after the other. Where
// single cells are missing, growth of 1.2 would do.
constexpr double kFirstStep = 1.0;
constexpr double kGrowth = 1.05;

std::vector<double> scaled_weights(const Shape& shape) {
  std::vector<double> alpha;
  double total = 0.0;
  for (const Eigen::Index size : shape) total += alpha.emplace_back(std::sqrt(static_cast<double>(size)));
  for (double& one : alpha) one /= total;
  return alpha;
}

// ceil(share * min(n_k, product of the others)), the largest of X_(k)
Eigen::Index unshrunk_values(const Shape& shape, int mode, const Settings& options) {
  const ModeView view = mode_view(shape, mode);
  const auto count = static_cast<double>(std::min(view.size, view.left * view.right));
  return static_cast<Eigen::Index>(std::ceil(options.dense.unshrunk.value_or(0.0) * count));
}

}  // namespace

Solved solve_overlapped(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  const Shape shape = shape_of(tensor);
  const bool scaled = *options.method == Method::kHard;
  ExactAdmm admm{.step = scaled ? 0.1 : kFirstStep,
                 .growth = scaled ? 1.0 : kGrowth};  // those of hard: guesses
  const std::vector<double> alpha =
      scaled ? scaled_weights(shape) : std::vector<double>(shape.size(), 1.0 / tensor.order());
  for (int k = 0; k < tensor.order(); ++k)
    admm.terms.push_back(trace_norm_of_unfolding(shape, k, alpha[k], unshrunk_values(shape, k, options)));
  return complete_exactly(tensor, options, run, admm);
}

}  // namespace lacuna
