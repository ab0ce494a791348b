// SPDX-License-Identifier: MIT
// One of the two factors of a part in factored form, and the entries of each of its rows. See als_part.hpp.
#pragma once

#include <algorithm>
#include <lacuna/base/base.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "base/archive.hpp"
#include "base/parallel.hpp"
#include "kernels/factor_table.hpp"
#include "kernels/row_kernels.hpp"
#include "tensor/fiber_view.hpp"

namespace lacuna {

// The entries in the order of the rows of one factor; `other` is the row of the other factor that each meets.
struct RowLists {
  std::vector<Count> start;  // rows + 1
  std::vector<Index> entry;
  std::vector<Index> other;
  std::vector<Count> block;  // borders of blocks of rows with about as many entries each

  [[nodiscard]] Count rows() const { return static_cast<Count>(start.size()) - 1; }
  [[nodiscard]] int blocks() const { return static_cast<int>(block.size()) - 1; }
  [[nodiscard]] kernels::RowEntries row(Count i) const {
    return {
        .entry = entry.data() + start[i], .other = other.data() + start[i], .size = start[i + 1] - start[i]};
  }
};

// The entries by the fibers of the view, and by the positions of its mode.
[[nodiscard]] RowLists lists_by_fiber(const ObservedTensor& tensor, const FiberView& view);
[[nodiscard]] RowLists lists_by_row(const ObservedTensor& tensor, const PartSpec& part,
                                    const RowLists& fibers);

// body(block) for every block; false when interrupted in between.
template <class Body>
bool for_row_blocks(const RowLists& lists, const Interrupted& interrupted, Body&& body);

// A table as it lies there, padding included; it keeps its size.
inline void fields_of(Archive& archive, FactorTable<float>& table) {
  std::vector<float> values(table.data(), table.data() + table.size());
  archive("values", values);
  if (static_cast<Count>(values.size()) != table.size()) Archive::refuse("values", "a table of another size");
  std::copy(values.begin(), values.end(), table.data());
}

// What the parts share.
struct AlsEntries {
  std::vector<float> residual;  // y_e - sum_p x_e, in units of the data's deviation
  std::vector<float> weight;    // empty: all 1
  double tau = 1.0;
};

// Numbers of row i: the r factors, the row's own effect, a 1 that meets the other side's effect, zeros up to
// whole vectors. The prior of the free ones is N(prior, 1 / precision), one precision for each column.
struct AlsSide {
  RowLists lists;
  int effect = 0;  // the column of the own effect
  int fixed = 0;   // the column of ones
  FactorTable<float> mean;
  FactorTable<float> variance;
  FactorTable<float> prior;
  FactorTable<float> shared;  // a row for each row of the other side: prior_i = scale_i sum_e w_e shared_e
  std::vector<float> scale;   // 1 / sqrt(sum_e w_e) of each row
  std::vector<double> precision;  // of each column
  std::vector<double> deviation;  // sum_i (mean - prior)^2 of each column
  std::vector<double> spread;     // sum_i variance of each column
  std::vector<double> shared_square;
  double log_variance = 0.0;  // summed over rows and free columns
  Count observed_rows = 0;

  // All that sweeps change.
  template <class A>
  void fields(A& archive) {
    archive("mean", mean);
    archive("variance", variance);
    archive("prior", prior);
    archive("shared", shared);
    archive("precision", precision);
    archive("deviation", deviation);
    archive("spread", spread);
    archive("shared_square", shared_square);
    archive("log_variance", log_variance);
  }

  [[nodiscard]] int width() const { return mean.columns(); }
  [[nodiscard]] bool is_free(int column) const { return column < rank() || column == effect; }
  [[nodiscard]] int rank() const { return std::min(effect, fixed); }
};

template <class Body>
bool for_row_blocks(const RowLists& lists, const Interrupted& interrupted, Body&& body) {
  constexpr int kAtOnce = 64;  // blocks between two looks at `interrupted`
  for (int first = 0; first < lists.blocks(); first += kAtOnce) {
    if (interrupted && interrupted()) return false;
    parallel_tasks(std::min(kAtOnce, lists.blocks() - first), [&](int task) { body(first + task); });
  }
  return true;
}

// Sums over rows, one number for each column: body(block, sums) adds what a block has; in block order.
template <class Body>
std::vector<double> column_sums(const RowLists& lists, int width, Body&& body) {
  std::vector<double> partial(static_cast<std::size_t>(lists.blocks()) * width, 0.0);
  (void)for_row_blocks(lists, {},
                       [&](int block) { body(block, partial.data() + static_cast<Count>(block) * width); });
  std::vector<double> sums(width, 0.0);
  for (std::size_t i = 0; i < partial.size(); ++i) sums[i % width] += partial[i];
  return sums;
}

}  // namespace lacuna
