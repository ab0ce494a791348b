// SPDX-License-Identifier: MIT
// The observed entries Omega of a K-way tensor, in canonical order: sorted by the first mode's index, then
// the second's, and so on. The order in which a file lists its entries therefore changes no result.
#pragma once

#include <lacuna/base/result.hpp>
#include <lacuna/tensor/entries.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// What to do with a cell that is listed more than once.
enum class Duplicates { kError, kMean, kSum, kLast };

[[nodiscard]] std::optional<Duplicates> parse_duplicates(std::string_view name);

// A cell that is listed twice: positions in the given list, first and second mention.
struct DuplicateCell {
  Count first = 0;
  Count second = 0;
};

class ObservedTensor {
 public:
  ObservedTensor() = default;

  // Takes the entries over; those with a NaN value or a weight of 0 are dropped and counted. Merged
  // duplicates add their weights, when there are any, and kMean weighs by them. Throws std::invalid_argument
  // when the entries do not fit the modes (fewer than two modes, an index beyond a mode's size). An Inf
  // value, a weight that is not a number >= 0, no entry left, or a repeated cell under Duplicates::kError is
  // an Error; `repeated`, if given, then says which one.
  static Result<ObservedTensor> create(std::vector<Mode> modes, Entries entries,
                                       Duplicates duplicates = Duplicates::kError,
                                       DuplicateCell* repeated = nullptr);

  [[nodiscard]] int order() const { return static_cast<int>(modes_.size()); }
  [[nodiscard]] Count size() const { return static_cast<Count>(values_.size()); }
  [[nodiscard]] const std::vector<Mode>& modes() const { return modes_; }
  [[nodiscard]] Index extent(int mode) const { return modes_[mode].size; }
  [[nodiscard]] std::span<const Index> index(int mode) const { return cells_.mode(mode); }
  [[nodiscard]] const Cells& cells() const { return cells_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }
  [[nodiscard]] std::span<const double> weights() const { return weights_; }  // empty: all 1
  [[nodiscard]] double weight(Count entry) const { return weights_.empty() ? 1.0 : weights_[entry]; }
  [[nodiscard]] double total_weight() const;

  [[nodiscard]] Count missing() const { return missing_; }  // entries dropped for being NaN or weighing 0
  [[nodiscard]] Count duplicates() const { return duplicates_; }  // entries merged into an earlier one
  [[nodiscard]] double mean() const;                              // weighted

  // Hands over the modes with their labels; the tensor keeps names, sizes and bins.
  [[nodiscard]] std::vector<Mode> take_labels();

  // The same entries with the modes in another order: mode k is modes[k] of this one.
  [[nodiscard]] ObservedTensor reordered(std::span<const int> modes) const;

  // Other values for the same entries, in canonical order.
  void replace_values(std::vector<double> values);
  // Likewise other weights, all > 0.
  void replace_weights(std::vector<double> weights);

 private:
  std::vector<Mode> modes_;
  Cells cells_;
  std::vector<double> values_;
  std::vector<double> weights_;
  Count missing_ = 0;
  Count duplicates_ = 0;
};

// "(3, 17, 2)" with the given index base, or labels where a mode has them.
[[nodiscard]] std::string describe_cell(const std::vector<Mode>& modes, const Cells& cells, Count cell,
                                        int index_base = 1);

}  // namespace lacuna
