// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <stdexcept>

namespace lacuna {

std::vector<ReliabilityBin> reliability(std::span<const double> truth, std::span<const double> predicted,
                                        int bins) {
  if (bins < 1) throw std::invalid_argument("a table of reliability needs at least one bin");
  if (truth.size() != predicted.size())
    throw std::invalid_argument("as many predictions as values expected for a table of reliability");
  std::vector<ReliabilityBin> table(static_cast<std::size_t>(bins));
  for (int b = 0; b < bins; ++b) {
    table[static_cast<std::size_t>(b)].low = static_cast<double>(b) / bins;
    table[static_cast<std::size_t>(b)].high = static_cast<double>(b + 1) / bins;
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double p = std::clamp(predicted[i], 0.0, 1.0);
    ReliabilityBin& bin = table[static_cast<std::size_t>(std::min(bins - 1, static_cast<int>(p * bins)))];
    ++bin.cells;
    bin.predicted += p;
    bin.observed += truth[i];
  }
  for (ReliabilityBin& bin : table) {
    if (bin.cells == 0) continue;
    bin.predicted /= static_cast<double>(bin.cells);
    bin.observed /= static_cast<double>(bin.cells);
  }
  return table;
}

double calibration_error(std::span<const ReliabilityBin> bins) {
  double sum = 0.0;
  double cells = 0.0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.cells) * std::abs(bin.predicted - bin.observed);
    cells += static_cast<double>(bin.cells);
  }
  return cells > 0.0 ? sum / cells : 0.0;
}

}  // namespace lacuna
