// SPDX-License-Identifier: MIT
// Partly observed K-way data: cells, modes, entries, the observed tensor, and which entries a part relates.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <lacuna/base/base.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// Lists of cells of a K-way tensor.

using Index = std::uint32_t;  // a position along one mode, 0-based
using Count = std::int64_t;   // how many of anything

// A position that no mode has. Every position at or beyond a mode's size is unseen by whoever knows the mode
// at that size; this one is beyond all sizes.
inline constexpr Index kUnseen = 0xffffffffU;

// Cells in no particular order, kept mode by mode: cells[k][i] is the position of cell i along mode k. Every
// mode lists equally many.
class Cells {
 public:
  Cells() = default;                                        // of a tensor without modes
  explicit Cells(int order);                                // none yet
  Cells(std::vector<std::vector<Index>> positions);         // NOLINT(google-explicit-constructor)
  Cells(std::initializer_list<std::vector<Index>> by_mode)  // as above
      : Cells(std::vector<std::vector<Index>>(by_mode)) {}
  // The constructors from lists, one for each mode, throw std::invalid_argument when they differ in length.

  [[nodiscard]] int order() const { return static_cast<int>(positions_.size()); }
  [[nodiscard]] Count size() const {
    return positions_.empty() ? 0 : static_cast<Count>(positions_.front().size());
  }
  [[nodiscard]] std::span<const Index> mode(int k) const { return positions_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<Index> mode(int k) { return positions_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<const Index> operator[](std::size_t k) const { return positions_[k]; }
  [[nodiscard]] std::span<Index> operator[](std::size_t k) { return positions_[k]; }

  // One cell, one of another list, or all of another list, after the last. Throw std::invalid_argument on
  // another number of modes.
  void add(std::span<const Index> cell);
  void add(std::initializer_list<Index> cell) { add(std::span(cell.begin(), cell.size())); }
  void add(const Cells& from, Count cell);
  void append(const Cells& others);
  void reserve(Count cells);
  void keep_first(Count cells);
  // The same cells with the modes in another order: mode k is modes[k] of this list.
  [[nodiscard]] Cells reordered(std::span<const int> modes) const;
  // The list of each mode, for whoever goes on with them alone; none are left here.
  [[nodiscard]] std::vector<std::vector<Index>> take();

  bool operator==(const Cells&) const = default;

 private:
  std::vector<std::vector<Index>> positions_;  // [mode][cell]
};

// What is known of the positions of a mode beside the entries, such as the age of users or who knows whom, as
// a row of numbers for each position: positions whose rows have a large product are alike. The rows are
// sparse; their mean squared length is 1 where lacuna/model/side.hpp made them.

struct SideInformation {
  std::vector<std::string> names{};     // of the columns
  std::vector<std::int64_t> start{0};   // of each position's numbers, and the end
  std::vector<std::uint32_t> column{};  // ascending within a position
  std::vector<double> value{};          // finite

  [[nodiscard]] std::int64_t positions() const { return static_cast<std::int64_t>(start.size()) - 1; }
  [[nodiscard]] std::int64_t columns() const { return static_cast<std::int64_t>(names.size()); }

  bool operator==(const SideInformation&) const = default;
};

// Throws std::invalid_argument unless it is one of a mode of this size. `mode` is its name.
void check_side(const SideInformation& side, std::int64_t size, const std::string& mode);

// What the width of a bin counts.
enum class BinUnit {
  kSecond,  // seconds, wherever a day begins
  kDay,     // days of the calendar
  kMonth,   // months of the calendar: a quarter is 3, a year 12
};

// A mode made of time stamps: index = floor((stamp - origin) / width), all in units since 1970-01-01. A mode
// that has labels as well has the bins that they name, in their order.
struct Binning {
  std::int64_t origin = 0;
  std::int64_t width = 1;
  BinUnit unit = BinUnit::kSecond;
  // Bins are called by their first day or moment, as the stamps were, and not by a number of seconds.
  bool dates = false;
};

// One axis of the tensor.
struct Mode {
  std::string name;                   // "user", or "mode1" when the file has no names
  Index size = 0;                     // n_k
  std::vector<std::string> labels{};  // of the first positions; the others are plain numbers
  std::optional<Binning> binning{};   // set when positions are bins of time stamps
  std::vector<double> positions{};    // where along the mode each index lies; empty: at the index itself
  std::string unit{};                 // of the positions, for people: "nm"
  std::shared_ptr<const SideInformation> side{};  // what is known of the positions; null: nothing
  bool in_order = false;  // neighbours are known to lie side by side, as the rows of a picture do
  int same_as = -1;       // an earlier mode whose positions these are: heads and tails of links; -1: none
  std::string
      time_zone{};  // whose clock its time stamps follow where they do not say: "Europe/Berlin"; empty: UTC
};

[[nodiscard]] inline std::vector<Index> extents(const std::vector<Mode>& modes) {
  std::vector<Index> sizes;
  for (const Mode& mode : modes) sizes.push_back(mode.size);
  return sizes;
}

// Entries in no particular order: cells and their values. A NaN value is a cell whose value is missing. A
// weight says how much an entry counts: 2 is the entry twice, 0 is none at all.
struct Entries {
  Cells cells;
  std::vector<double> value;
  std::vector<double> weight{};  // empty: all 1
  // Where along mode k the entries lie, [k][e], when that may be between Mode::positions; empty, as is the
  // list of any mode: where their indices do.
  std::vector<std::vector<double>> coordinates{};

  [[nodiscard]] Count size() const { return static_cast<Count>(value.size()); }
  [[nodiscard]] int order() const { return cells.order(); }
};

// The observed entries Omega of a K-way tensor, in canonical order: sorted by the first mode's index, then
// the second's, and so on. The order in which a file lists its entries therefore changes no result.

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
  // Of entries that are in canonical order and fit the modes: a share of another tensor's. There may be none.
  static ObservedTensor of_sorted(std::vector<Mode> modes, Entries entries);

  [[nodiscard]] int order() const { return static_cast<int>(modes_.size()); }
  [[nodiscard]] Count size() const { return static_cast<Count>(values_.size()); }
  [[nodiscard]] const std::vector<Mode>& modes() const { return modes_; }
  [[nodiscard]] Index extent(int mode) const { return modes_[mode].size; }
  [[nodiscard]] std::span<const Index> index(int mode) const { return cells().mode(mode); }
  // Copies of a tensor share them.
  [[nodiscard]] const Cells& cells() const { return cells_ ? *cells_ : no_cells(); }
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
  static const Cells& no_cells();

  std::vector<Mode> modes_;
  std::shared_ptr<const Cells> cells_;  // null: none
  std::vector<double> values_;
  std::vector<double> weights_;
  Count missing_ = 0;
  Count duplicates_ = 0;
};

// "(3, 17, 2)" with the given index base, or labels where a mode has them.
[[nodiscard]] std::string describe_cell(const std::vector<Mode>& modes, const Cells& cells, Count cell,
                                        int index_base = 1);

// Which entries a latent part relates: the mode it learns, and what it asks of the others. A mode that is
// neither learned nor asked to agree or to be near is ignored.

// A mode along which neighbours are alike.
struct NearMode {
  int mode = 0;
  double length = 1.0;  // > 0: how far they are, in units of the mode's positions

  bool operator==(const NearMode&) const = default;
};

struct PartSpec {
  static constexpr int kNothing = -1;

  int mode = 0;            // k: the mode whose Theta is learned; kNothing: Theta is a fixed 1 of size 1 x 1
  std::vector<int> agree;  // S: the modes whose indices must agree, ascending, without k
  // Powers of the observation counts in a weighted trace norm (docs/math.md); 0 and 0: the paper's norm.
  double row_power = 0.0;
  double fiber_power = 0.0;
  // The modes whose indices must be near, ascending; none of them k or in S.
  std::vector<NearMode> near{};
  double smoothness = 1.0;  // p of their kernel: 1, 1.5 or 2
  // The share of Theta's kernel over the positions of k that comes from their side information, 0 to 1.
  double side = 0.0;

  [[nodiscard]] bool learns() const { return mode != kNothing; }
  // The modes that tell fibers apart: those that agree and those that are near, ascending.
  [[nodiscard]] std::vector<int> fiber_modes() const;

  bool operator==(const PartSpec&) const = default;
};

// The paper's K parts: S = all modes but k.
[[nodiscard]] std::vector<PartSpec> full_parts(int order);

// Throws std::invalid_argument unless the part is one of a tensor of this many modes.
void check_part(const PartSpec& part, int order);

// Data that lists facts only, every value 1, teaches nothing about what is not a fact. Negatives are cells of
// value 0 made from facts by replacing one index.

// The tensor with, for each of its entries, `for_each` more of value 0: the entry with its index along one of
// `modes`, drawn in turn, replaced by a random one, such that the cell is not in the tensor. Where no such
// cell is found in a few draws there are fewer. Cells drawn twice are kept once. Throws std::invalid_argument
// without modes.
[[nodiscard]] ObservedTensor with_negatives(const ObservedTensor& tensor, std::span<const int> modes,
                                            int for_each, std::uint64_t seed);

// How many cells of value 0 are drawn for each fact unless told: 30, fewer where that would be millions.
[[nodiscard]] int usual_negatives(Count facts);

}  // namespace lacuna
