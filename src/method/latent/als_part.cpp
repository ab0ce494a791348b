// SPDX-License-Identifier: MIT
#include "method/latent/als_part.hpp"

#include <cmath>

#include "method/latent/als_shared.hpp"

namespace lacuna {
namespace {

// A tight prior at the start lets the first sweeps find the strong directions: half as many sweeps as from 1.
constexpr double kFirstPrecision = 10.0;
constexpr double kFirstEffectPrecision = 5.0;
constexpr double kStartDeviation = 0.1;  // of T: sqrt(1 / kFirstPrecision), roughly
constexpr double kLargestPrecision = 1e12;
// Of a diagonal: keeps products that were summed in float positive definite. Damps a step, moves no solution.
constexpr double kDamping = 1e-6;
// Rows that share no fiber tell each other nothing: mean entries on a fiber from which on the shared prior is
// used.
constexpr double kEnoughOnFiber = 4.0;

// What a block of rows adds to the sums over rows.
struct RowSums {
  explicit RowSums(int width) : deviation(width, 0.0), spread(width, 0.0) {}
  void add(const RowSums& other) {
    for (std::size_t k = 0; k < deviation.size(); ++k) {
      deviation[k] += other.deviation[k];
      spread[k] += other.spread[k];
    }
    log_variance += other.log_variance;
    expected_variance += other.expected_variance;
  }
  std::vector<double> deviation;
  std::vector<double> spread;
  double log_variance = 0.0;
  double expected_variance = 0.0;
};

void make_side(AlsSide& side, RowLists lists, Count others, int rank, bool first, const AlsEntries& entries) {
  const int width = (rank + 2 + kernels::kRowStep - 1) / kernels::kRowStep * kernels::kRowStep;
  side.lists = std::move(lists);
  side.effect = first ? rank : rank + 1;
  side.fixed = first ? rank + 1 : rank;
  const Count rows = side.lists.rows();
  side.mean.resize_zero(rows, width);
  side.variance.resize_zero(rows, width);
  side.prior.resize_zero(rows, width);
  side.shared.resize_zero(others, width);
  side.scale.assign(static_cast<std::size_t>(rows), 0.0F);
  for (Count i = 0; i < rows; ++i) {
    side.mean.data()[i * width + side.fixed] = 1.0F;
    double total = 0.0;
    for (Count j = side.lists.start[i]; j < side.lists.start[i + 1]; ++j)
      total += entries.weight.empty() ? 1.0 : static_cast<double>(entries.weight[side.lists.entry[j]]);
    if (total == 0.0) continue;
    ++side.observed_rows;
    side.scale[i] = static_cast<float>(1.0 / std::sqrt(total));
  }
  side.precision.assign(width, kFirstPrecision);
  side.precision[side.effect] = kFirstEffectPrecision;
  side.deviation.assign(width, 0.0);
  side.spread.assign(width, 0.0);
  side.shared_square.assign(width, 0.0);
}

// The small system of one row, its memory kept from row to row.
class RowSystem {
 public:
  RowSystem(const AlsSide& side, const AlsSide& other, AlsEntries& entries)
      : side_(&side),
        other_(&other),
        entries_(&entries),
        width_(side.width()),
        scratch_(kernels::gather_scratch(width_)),
        gram_(static_cast<std::size_t>(width_) * width_),
        right_(width_),
        spread_(width_),
        diagonal_(width_),
        step_(width_) {}

  // Solves for row i and takes the change off its entries' residuals.
  void solve(Count i, float* mean, float* variance, RowSums& sums) {
    const kernels::RowEntries row = side_->lists.row(i);
    if (row.size == 0) return;
    const kernels::RowKernels& kernel = kernels::row_kernels();
    std::fill(gram_.begin(), gram_.end(), 0.0);
    std::fill(right_.begin(), right_.end(), 0.0);
    std::fill(spread_.begin(), spread_.end(), 0.0);
    kernel.gather(row, other_->mean.data(), other_->variance.data(), width_, entries_->residual.data(),
                  entries_->weight.empty() ? nullptr : entries_->weight.data(), scratch_.data(), gram_.data(),
                  right_.data(), spread_.data());
    add_prior(side_->prior.row(i), mean);
    kernel.solve(gram_.data(), width_, right_.data());
    finish(side_->prior.row(i), mean, variance, sums);
    kernel.advance(row, other_->mean.data(), width_, step_.data(), entries_->residual.data());
  }

 private:
  // (sum w t t' + diag(s) + diag(lambda)/tau) step = sum w r t - s f + lambda/tau (prior - f)
  void add_prior(const float* prior, const float* mean) {
    for (int k = 0; k < width_; ++k) {
      const double ridge = side_->precision[k] / entries_->tau;
      double& diagonal = gram_[static_cast<std::size_t>(k) * width_ + k];
      diagonal += spread_[k];
      diagonal_[k] = diagonal;
      diagonal += ridge;
      diagonal *= 1.0 + kDamping;
      right_[k] += ridge * (static_cast<double>(prior[k]) - static_cast<double>(mean[k])) -
                   spread_[k] * static_cast<double>(mean[k]);
    }
    for (int k = 0; k < width_; ++k) {
      if (side_->is_free(k)) continue;
      for (int j = 0; j < width_; ++j)
        gram_[static_cast<std::size_t>(std::min(j, k)) * width_ + std::max(j, k)] = j == k ? 1.0 : 0.0;
      right_[k] = 0.0;
    }
  }

  void finish(const float* prior, float* mean, float* variance, RowSums& sums) {
    for (int k = 0; k < width_; ++k) {
      const float moved = mean[k] + static_cast<float>(right_[k]);
      step_[k] = moved - mean[k];
      mean[k] = moved;
      const double value = static_cast<double>(moved);
      sums.expected_variance += value * value * spread_[k];
      if (!side_->is_free(k)) continue;
      const double sure = entries_->tau * diagonal_[k] + side_->precision[k];
      variance[k] = static_cast<float>(1.0 / sure);
      sums.expected_variance += diagonal_[k] / sure;
      sums.spread[k] += 1.0 / sure;
      sums.log_variance -= std::log(sure);
      const double away = value - static_cast<double>(prior[k]);
      sums.deviation[k] += away * away;
    }
  }

  const AlsSide* side_;
  const AlsSide* other_;
  AlsEntries* entries_;
  int width_;
  std::vector<float> scratch_;
  std::vector<double> gram_;
  std::vector<double> right_;
  std::vector<double> spread_;
  std::vector<double> diagonal_;  // of the data's own part of the system
  std::vector<float> step_;
};

}  // namespace

AlsPart::AlsPart(const ObservedTensor& tensor, const PartSpec& part, int rank, const AlsEntries& entries,
                 Rng& rng)
    : spec_(part) {
  RowLists fibers;
  {
    const FiberView view(tensor, part);
    fibers = lists_by_fiber(tensor, view);
  }
  RowLists rows = lists_by_row(tensor, part, fibers);
  const Count row_count = rows.rows();
  const Count fiber_count = fibers.rows();
  implicit_ = static_cast<double>(tensor.size()) >= kEnoughOnFiber * static_cast<double>(fiber_count);
  make_side(sides_[0], std::move(rows), implicit_ ? fiber_count : 0, rank, true, entries);
  make_side(sides_[1], std::move(fibers), implicit_ ? row_count : 0, rank, false, entries);
  for (Count c = 0; c < fiber_count; ++c)
    for (int k = 0; k < rank; ++k)
      sides_[1].mean.data()[c * sides_[1].width() + k] = static_cast<float>(kStartDeviation * rng.normal());
  if (part.side > 0.0) take_side(tensor);
  if (!implicit_) return;
  difference_[0].resize_zero(row_count, sides_[0].width());
  difference_[1].resize_zero(fiber_count, sides_[0].width());
}

void AlsPart::take_side(const ObservedTensor& tensor) {
  const auto position = [&](const AlsSide& side, int mode, bool rows) {
    std::vector<Index> list;
    for (Count i = 0; i < side.lists.rows(); ++i)
      list.push_back(rows ? static_cast<Index>(i)
                          : tensor.index(mode)[side.lists.entry[side.lists.start[i]]]);
    return list;
  };
  if (const auto& side = tensor.modes()[spec_.mode].side)
    known_[0].emplace(side, sides_[0], position(sides_[0], spec_.mode, true));
  if (spec_.agree.size() != 1) return;
  if (const auto& side = tensor.modes()[spec_.agree[0]].side)
    known_[1].emplace(side, sides_[1], position(sides_[1], spec_.agree[0], false));
}

bool AlsPart::sweep(AlsEntries& entries, const Interrupted& interrupted) {
  for (int which = 0; which < 2; ++which) {
    if (!update(which, entries, interrupted)) return false;
    if (implicit_)
      improve_shared(sides_[which], sides_[1 - which].lists, entries, difference_[which],
                     difference_[1 - which]);
    if (known_[which]) known_[which]->improve(sides_[which]);
    set_precisions(sides_[which]);
  }
  return true;
}

bool AlsPart::update(int which, AlsEntries& entries, const Interrupted& interrupted) {
  AlsSide& side = sides_[which];
  const int width = side.width();
  std::vector<RowSums> partial(static_cast<std::size_t>(side.lists.blocks()), RowSums(width));
  const bool whole = for_row_blocks(side.lists, interrupted, [&](int block) {
    RowSystem system(side, sides_[1 - which], entries);
    for (Count i = side.lists.block[block]; i < side.lists.block[block + 1]; ++i)
      system.solve(i, side.mean.data() + i * width, side.variance.data() + i * width, partial[block]);
  });
  if (!whole) return false;
  RowSums sums(width);
  for (const RowSums& block : partial) sums.add(block);
  side.deviation = sums.deviation;
  side.spread = sums.spread;
  side.log_variance = sums.log_variance;
  expected_variance_ = sums.expected_variance;
  return true;
}

// lambda_k = rows / sum_i E (f - prior)^2
void AlsPart::set_precisions(AlsSide& side) const {
  for (int k = 0; k < side.width(); ++k) {
    if (!side.is_free(k)) continue;
    const double square = side.deviation[k] + side.spread[k];
    side.precision[k] =
        std::min(kLargestPrecision, static_cast<double>(side.observed_rows) / std::max(square, 1e-300));
  }
}

void AlsPart::take_off(std::span<float> residual) const {
  const RowLists& rows = sides_[0].lists;
  (void)for_row_blocks(rows, {}, [&](int block) {
    std::vector<double> product;
    for (Count i = rows.block[block]; i < rows.block[block + 1]; ++i) {
      const kernels::RowEntries row = rows.row(i);
      product.resize(static_cast<std::size_t>(row.size));
      kernels::row_kernels().products(row, sides_[1].mean.data(), sides_[0].width(), sides_[0].mean.row(i),
                                      product.data());
      for (Count j = 0; j < row.size; ++j) {
        float& left = residual[row.entry[j]];
        left = static_cast<float>(static_cast<double>(left) - product[j]);
      }
    }
  });
}

double AlsPart::interaction_square() const {
  const RowLists& rows = sides_[0].lists;
  const int width = sides_[0].width();
  return column_sums(rows, 1, [&](int block, double* sum) {
    std::vector<double> product;
    std::vector<float> own(width, 0.0F);
    for (Count i = rows.block[block]; i < rows.block[block + 1]; ++i) {
      product.resize(static_cast<std::size_t>(rows.row(i).size));
      std::copy_n(sides_[0].mean.row(i), rank(), own.begin());
      kernels::row_kernels().products(rows.row(i), sides_[1].mean.data(), width, own.data(), product.data());
      for (const double value : product) *sum += value * value;
    }
  })[0];
}

void AlsPart::set_means(std::span<const float> rows, std::span<const float> fibers) {
  std::copy(rows.begin(), rows.end(), sides_[0].mean.data());
  std::copy(fibers.begin(), fibers.end(), sides_[1].mean.data());
}

double AlsPart::divergence() const {
  double sum = 0.0;
  for (const std::optional<AlsKnown>& known : known_)
    if (known) sum += 0.5 * kKnownPrecision * known->square();
  for (const AlsSide& side : sides_) {
    sum -= 0.5 * side.log_variance;
    for (int k = 0; k < side.width(); ++k) {
      if (!side.is_free(k)) continue;
      sum += 0.5 * side.precision[k] * (side.deviation[k] + side.spread[k]) +
             0.5 * kSharedPrecision * side.shared_square[k] -
             0.5 * static_cast<double>(side.observed_rows) * std::log(side.precision[k]);
    }
  }
  return sum;
}

}  // namespace lacuna
