// SPDX-License-Identifier: MIT
#include "search/ordered.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "kernels/layouts.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

constexpr Index kLeastSize = 8;        // of a mode, for neighbours to differ from strangers
constexpr Index kLeastKnown = 3;       // of one that is known to be ordered
constexpr double kLeastPairs = 50.0;   // of neighbours, to tell by
constexpr double kAlike = 0.6;         // of strangers' difference, for a mode to be ordered
constexpr double kFirstLength = 16.0;  // typical distances of neighbours, unless measured
constexpr double kStep = 4.0;          // from one length to the next
constexpr int kSteps = 5;              // either way
constexpr std::size_t kBins = 48;      // two for each doubling of the distance
constexpr double kSlack = 1.001;       // of a regular distance

// The entries fiber by fiber along the mode, by position within each.
class Fibers {
 public:
  // `positions` of the mode's indices; none: the indices.
  Fibers(const ObservedTensor& tensor, int mode, const std::vector<double>& positions)
      : tensor_(&tensor), mode_(mode), positions_(&positions) {
    std::vector<int> modes;
    for (int k = 0; k < tensor.order(); ++k)
      if (k != mode) modes.push_back(k);
    modes.push_back(mode);
    order_ = lexicographic_order(tensor.cells(), modes);
    if (std::is_sorted(positions.begin(), positions.end())) return;
    each([this](std::size_t begin, std::size_t end) {
      std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                order_.begin() + static_cast<std::ptrdiff_t>(end),
                [this](Index a, Index b) { return position_of(a) < position_of(b); });
    });
  }

  // visit(begin, end) of each fiber.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      while (end < order_.size() && same_fiber(order_[end], order_[begin])) ++end;
      visit(begin, end);
    }
  }
  [[nodiscard]] double position(std::size_t i) const { return position_of(order_[i]); }
  [[nodiscard]] double value(std::size_t i) const { return tensor_->values()[order_[i]]; }

 private:
  [[nodiscard]] double position_of(Index entry) const {
    const Index i = tensor_->index(mode_)[entry];
    return positions_->empty() ? static_cast<double>(i) : (*positions_)[i];
  }
  [[nodiscard]] bool same_fiber(Index a, Index b) const {
    for (int k = 0; k < tensor_->order(); ++k)
      if (k != mode_ && tensor_->index(k)[a] != tensor_->index(k)[b]) return false;
    return true;
  }

  const ObservedTensor* tensor_;
  int mode_;
  const std::vector<double>* positions_;
  std::vector<Index> order_;
};

std::size_t bin_of(double distance, double spacing) {
  const double bin = std::ceil(2.0 * std::log2(distance / (kSlack * spacing)));
  return bin > 0.0 ? std::min(static_cast<std::size_t>(bin), kBins - 1) : 0;
}

bool known_to_be_ordered(const Mode& mode) {
  return mode.in_order || !mode.positions.empty() || (mode.binning && mode.labels.empty());
}

// The sum of weighted squares left by the best a, b >= 0 of a + b (1 - exp(-distance / length)).
double misfit(const std::vector<Variogram::Bin>& bins, double length) {
  double s[5] = {};  // of weights; of w x, w x x, w y, w x y
  const auto weight = [](const Variogram::Bin& bin) { return bin.pairs / (bin.squared * bin.squared); };
  const auto rise = [&](const Variogram::Bin& bin) { return 1.0 - std::exp(-bin.distance / length); };
  for (const Variogram::Bin& bin : bins) {
    const double w = weight(bin);
    const double x = rise(bin);
    s[0] += w;
    s[1] += w * x;
    s[2] += w * x * x;
    s[3] += w * bin.squared;
    s[4] += w * x * bin.squared;
  }
  const double determinant = s[0] * s[2] - s[1] * s[1];
  double b = determinant > 0.0 ? (s[0] * s[4] - s[1] * s[3]) / determinant : 0.0;
  double a = (s[3] - b * s[1]) / s[0];
  if (b < 0.0) {
    b = 0.0;
    a = s[3] / s[0];
  } else if (a < 0.0) {
    a = 0.0;
    b = s[4] / s[2];
  }
  double sum = 0.0;
  for (const Variogram::Bin& bin : bins) {
    const double away = bin.squared - a - b * rise(bin);
    sum += weight(bin) * away * away;
  }
  return sum;
}

// Labels as the numbers they are; nothing where one is none.
std::vector<double> as_numbers(const std::vector<std::string>& labels) {
  std::vector<double> numbers;
  for (const std::string& label : labels) {
    const char* const end = label.data() + label.size();
    double number = 0.0;
    const auto [at, problem] = std::from_chars(label.data(), end, number);
    if (problem != std::errc() || at != end || !std::isfinite(number)) return {};
    numbers.push_back(number);
  }
  return numbers;
}

// `placed`: the mode, with the positions it is to have.
Variogram variogram_along(const ObservedTensor& portion, int mode, const Mode& placed,
                          const Communicator& sharers) {
  const auto dealt = with_whole_fibers(portion, full_parts(portion.order())[mode], sharers);
  const ObservedTensor& tensor = dealt ? *dealt : portion;
  const double spacing = typical_spacing(placed);
  const Fibers fibers(tensor, mode, placed.positions);
  std::vector<double> sums(3 * kBins + 2);
  double& within = sums[3 * kBins];  // squares about the fibers' means, and their degrees of freedom
  double& freedom = sums[3 * kBins + 1];
  fibers.each([&](std::size_t begin, std::size_t end) {
    double mean = 0.0;
    for (std::size_t i = begin; i < end; ++i) mean += fibers.value(i);
    mean /= static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      within += (fibers.value(i) - mean) * (fibers.value(i) - mean);
      for (std::size_t back = 1; begin + back <= i; back *= 2) {
        const double distance = fibers.position(i) - fibers.position(i - back);
        const double difference = fibers.value(i) - fibers.value(i - back);
        double* const bin = &sums[3 * bin_of(distance, spacing)];
        bin[0] += 1.0;
        bin[1] += distance;
        bin[2] += difference * difference;
      }
    }
    freedom += static_cast<double>(end - begin) - 1.0;
  });
  sharers.sum(sums);
  Variogram found{.bins = std::vector<Variogram::Bin>(kBins), .freedom = freedom};
  if (freedom > 0.0) found.strangers = 2.0 * within / freedom;
  for (std::size_t i = 0; i < kBins; ++i)
    if (const double pairs = sums[3 * i]; pairs > 0.0)
      found.bins[i] = {
          .pairs = pairs, .distance = sums[3 * i + 1] / pairs, .squared = sums[3 * i + 2] / pairs};
  return found;
}

}  // namespace

Variogram variogram(const ObservedTensor& portion, int mode, const Communicator& sharers) {
  return variogram_along(portion, mode, portion.modes()[mode], sharers);
}

std::optional<Variogram::Bin> nearest_pairs(const Variogram& of) {
  if (of.freedom < kLeastPairs || !(of.strangers > 0.0)) return std::nullopt;
  Variogram::Bin nearest;
  for (const Variogram::Bin& bin : of.bins) {
    nearest.distance += bin.pairs * bin.distance;
    nearest.squared += bin.pairs * bin.squared;
    nearest.pairs += bin.pairs;
    if (nearest.pairs < kLeastPairs) continue;
    nearest.distance /= nearest.pairs;
    nearest.squared /= nearest.pairs;
    return nearest;
  }
  return std::nullopt;
}

std::optional<double> length_of(const Variogram& of, double first) {
  std::vector<Variogram::Bin> bins;
  for (const Variogram::Bin& bin : of.bins)
    if (bin.pairs >= kLeastPairs && bin.squared > 0.0) bins.push_back(bin);
  if (bins.size() < 4) return std::nullopt;  // three numbers are fitted
  if (!(bins.back().squared > bins.front().squared)) return std::nullopt;
  double best = first;
  double least = misfit(bins, first);
  for (int step = -kSteps; step <= kSteps; ++step) {
    const double length = first * std::pow(kStep, step);
    if (const double sum = misfit(bins, length); sum < least) {
      least = sum;
      best = length;
    }
  }
  return best;
}

std::vector<OrderedMode> ordered_modes(const ObservedTensor& tensor, const Communicator& sharers) {
  std::vector<OrderedMode> ordered;
  for (int k = 0; k < tensor.order(); ++k) {
    const Mode& mode = tensor.modes()[k];
    const bool known = known_to_be_ordered(mode);
    if (mode.size < (known ? kLeastKnown : kLeastSize) || (!mode.labels.empty() && mode.positions.empty()))
      continue;
    const Variogram found = variogram(tensor, k, sharers);
    const auto nearest = nearest_pairs(found);
    const bool alike = nearest && nearest->squared < kAlike * found.strangers;
    if (!known && !alike) continue;
    const double first = kFirstLength * typical_spacing(mode);
    OrderedMode one{.mode = k, .length = length_of(found, first).value_or(first)};
    const double longest = alike ? std::max(first, extent(mode)) : extent(mode);
    while (one.length > longest) one.length /= kStep;
    if (alike) one.squared = nearest->squared;
    ordered.push_back(one);
  }
  return ordered;
}

std::vector<int> ordered_by_number(const ObservedTensor& tensor, const Communicator& sharers) {
  std::vector<int> ordered;
  for (int k = 0; k < tensor.order(); ++k) {
    const Mode& mode = tensor.modes()[k];
    if (mode.size < kLeastSize || mode.labels.size() != mode.size || !mode.positions.empty()) continue;
    const Mode placed{.name = mode.name, .size = mode.size, .positions = as_numbers(mode.labels)};
    if (placed.positions.empty()) continue;
    const Variogram found = variogram_along(tensor, k, placed, sharers);
    const auto nearest = nearest_pairs(found);
    if (nearest && nearest->squared < kAlike * found.strangers) ordered.push_back(k);
  }
  return ordered;
}

std::string order_notice(const ObservedTensor& tensor, const Communicator& sharers) {
  std::vector<std::string> names;
  for (const int k : ordered_by_number(tensor, sharers)) names.push_back(tensor.modes()[k].name);
  if (names.empty()) return "";
  return fmt::format(
      "neighbours are alike along {0}, whose labels are numbers; --positions {1} would make use of it",
      fmt::join(names, " and "), fmt::join(names, ","));
}

}  // namespace lacuna
