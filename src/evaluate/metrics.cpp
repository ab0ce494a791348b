// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/parallel.hpp"

namespace lacuna {
namespace {

void check_sizes(std::span<const double> truth, std::span<const double> predicted) {
  if (truth.size() != predicted.size() || truth.empty())
    throw std::invalid_argument("metrics need as many predictions as true values and at least one, got " +
                                std::to_string(predicted.size()) + " and " + std::to_string(truth.size()));
}

template <class Loss>
double mean_loss(std::span<const double> truth, std::span<const double> predicted, Loss&& loss) {
  check_sizes(truth, predicted);
  const auto size = static_cast<std::int64_t>(truth.size());
  return parallel_sum(size,
                      [&](std::int64_t begin, std::int64_t end) {
                        double sum = 0.0;
                        for (std::int64_t i = begin; i < end; ++i) sum += loss(truth[i], predicted[i]);
                        return sum;
                      }) /
         static_cast<double>(size);
}

}  // namespace

// Squares of errors near the ends of what a double holds overflow or vanish; a power of two, divided out of
// them, changes no digit.
double rmse(std::span<const double> truth, std::span<const double> predicted) {
  constexpr double kSafe = 1e-280;  // a mean square above it has lost no digit to those that vanished
  const double plain = mean_loss(truth, predicted, [](double y, double w) { return (y - w) * (y - w); });
  if (plain > kSafe && std::isfinite(plain)) return std::sqrt(plain);
  double largest = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    largest = std::max(largest, std::abs(truth[i] - predicted[i]));
  if (!(largest > 0.0) || !std::isfinite(largest)) return std::sqrt(plain);
  const int exponent = std::ilogb(largest);
  const double mean = mean_loss(truth, predicted, [&](double y, double w) {
    const double error = std::ldexp(y - w, -exponent);
    return error * error;
  });
  return std::ldexp(std::sqrt(mean), exponent);
}

double mae(std::span<const double> truth, std::span<const double> predicted) {
  return mean_loss(truth, predicted, [](double y, double w) { return std::abs(y - w); });
}

std::optional<double> r_squared(std::span<const double> truth, std::span<const double> predicted) {
  const double mean = mean_loss(truth, predicted, [](double y, double) { return y; });
  const double variance =
      mean_loss(truth, predicted, [&](double y, double) { return (y - mean) * (y - mean); });
  if (!(variance > 0.0)) return std::nullopt;
  const double error = rmse(truth, predicted);
  return 1.0 - error * error / variance;
}

bool is_binary(std::span<const double> truth) {
  const bool only = std::all_of(truth.begin(), truth.end(), [](double y) { return y == 0.0 || y == 1.0; });
  return only && std::count(truth.begin(), truth.end(), 0.0) > 0 &&
         std::count(truth.begin(), truth.end(), 1.0) > 0;
}

std::optional<double> auc(std::span<const double> truth, std::span<const double> score) {
  check_sizes(truth, score);
  if (!is_binary(truth)) return std::nullopt;
  std::vector<std::size_t> order(score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
  // Mann-Whitney: sum of the ones' ranks, tied scores sharing their mean rank.
  double rank_sum = 0.0;
  double ones = 0.0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double ones_here = 0.0;
    for (end = begin; end < order.size() && score[order[end]] == score[order[begin]]; ++end)
      ones_here += truth[order[end]];
    rank_sum += ones_here * 0.5 * static_cast<double>(begin + 1 + end);
    ones += ones_here;
  }
  const double zeros = static_cast<double>(order.size()) - ones;
  return (rank_sum - ones * (ones + 1) / 2) / (ones * zeros);
}

}  // namespace lacuna
