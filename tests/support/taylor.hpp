// SPDX-License-Identifier: MIT
// The order at which an error vanishes: what a derivative is tested with.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace lacuna::test {

struct TaylorOptions {
  double largest = 0.03;  // steps are largest, largest / 2, ...
  int steps = 6;
  double floor = 0.0;  // errors below this are rounding and left out
};

// The exponent p of error(t) ~ c t^p: the least-squares slope of log error over log t. NaN, which no
// expectation accepts, when fewer than three steps rise above the floor.
template <class ErrorOf>
[[nodiscard]] double taylor_slope(ErrorOf&& error_of, const TaylorOptions& options = {}) {
  std::vector<double> x;
  std::vector<double> y;
  double t = options.largest;
  for (int step = 0; step < options.steps; ++step, t /= 2) {
    const double error = std::abs(error_of(t));
    if (!(error > options.floor)) continue;
    x.push_back(std::log(t));
    y.push_back(std::log(error));
  }
  if (x.size() < 3) return std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - mean_x) * (y[i] - mean_y);
    variance += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return covariance / variance;
}

}  // namespace lacuna::test
