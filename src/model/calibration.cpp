// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/model/model.hpp>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace lacuna {
namespace {

constexpr std::size_t kLeastInGroup = 500;
constexpr std::size_t kMostGroups = 10;
constexpr std::size_t kMostKept = 2000;  // residuals of one group

// Evenly spaced ones of an ascending list, its ends among them.
std::vector<double> thinned(const std::vector<double>& sorted) {
  if (sorted.size() <= kMostKept) return sorted;
  std::vector<double> kept;
  for (std::size_t i = 0; i < kMostKept; ++i)
    kept.push_back(sorted[i * (sorted.size() - 1) / (kMostKept - 1)]);
  return kept;
}

}  // namespace

double Calibration::half_width(Count support, double level) const {
  if (!(level > 0.0 && level < 1.0))
    throw std::invalid_argument("an interval's level must be between 0 and 1");
  if (groups.empty()) throw std::invalid_argument("the model was fitted without calibration");
  const auto after =
      std::upper_bound(groups.begin(), groups.end(), support,
                       [](Count wanted, const Group& group) { return wanted < group.support_from; });
  const std::vector<double>& residuals = (after == groups.begin() ? groups.front() : *(after - 1)).residuals;
  // With n residuals exchangeable with the one to come, it is below the k-th smallest with probability k / (n
  // + 1).
  const double wanted = std::ceil(level * static_cast<double>(residuals.size() + 1));
  if (wanted > static_cast<double>(residuals.size())) return std::numeric_limits<double>::infinity();
  return residuals[static_cast<std::size_t>(wanted) - 1];
}

Calibration calibrate(std::span<const double> residuals, std::span<const Count> support) {
  std::vector<std::size_t> order(residuals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return support[a] < support[b]; });
  const std::size_t groups = std::clamp<std::size_t>(order.size() / kLeastInGroup, 1, kMostGroups);
  Calibration calibration;
  std::size_t begin = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    std::size_t end = std::max(begin, (g + 1) * order.size() / groups);
    while (end > begin && end < order.size() && support[order[end]] == support[order[end - 1]])
      ++end;  // never within
    if (end == begin) continue;
    Calibration::Group group{.support_from = begin == 0 ? 0 : support[order[begin]], .residuals = {}};
    for (std::size_t i = begin; i < end; ++i) group.residuals.push_back(residuals[order[i]]);
    std::sort(group.residuals.begin(), group.residuals.end());
    group.residuals = thinned(group.residuals);
    calibration.groups.push_back(std::move(group));
    begin = end;
  }
  return calibration;
}

}  // namespace lacuna
