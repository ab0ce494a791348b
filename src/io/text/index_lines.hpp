// SPDX-License-Identifier: MIT
// Lines "i j k ... value" of plain numbers, the body of .tns and sptensor files.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dist/communicator.hpp"
#include "io/text/number.hpp"
#include "io/text/reader.hpp"

namespace lacuna::io {

struct IndexLineRules {
  std::uint64_t smallest = 0;          // number accepted: 1 where the base is known to be 1
  std::vector<std::uint64_t> largest;  // number accepted, for each mode
  bool value_optional = false;         // a line may stop after its indices: NaN then
};

class IndexLines {
 public:
  explicit IndexLines(IndexLineRules rules);

  // Appends the entry that `line` holds. False: the line breaks the rules, and explain() says how.
  bool add(std::string_view line);
  [[nodiscard]] Error explain(const TextReader& reader, std::string_view line) const;

  // Room for more entries: for `expected` in all once there are enough of them for that to be a fair guess.
  [[nodiscard]] bool full() const { return value_.size() == value_.capacity(); }
  void grow(Count expected);
  [[nodiscard]] Count size() const { return static_cast<Count>(value_.size()); }
  [[nodiscard]] bool saw_zero() const;
  Entries take() {  // still the file's own numbers
    return {.cells = std::move(number_), .value = std::move(value_)};
  }

 private:
  IndexLineRules rules_;
  std::vector<std::vector<Index>> number_;  // [mode][entry]
  std::vector<double> value_;
};

// Blank, or a comment that starts with '#' or '%'.
bool is_comment(std::string_view line);

int count_fields(std::string_view line);

// An error when there are more than kMostModes.
Result<> check_order(const std::string& path, std::size_t order);

// The largest and smallest numbers the options allow in a file of order `order`, or what is wrong with them.
// `base` is unset where the file has to tell.
Result<IndexLineRules> index_line_rules(const std::string& path, const ReadOptions& options,
                                        std::optional<int> base, int order);

// The index base a fitted model's files have; its caller must know it.
int known_base(const ReadOptions& options);

// The file's numbers in `index` -> 0-based positions.
void subtract_base(std::span<Index> index, int base);
// Makes a known mode large enough for positions its model never saw; they have no labels.
void grow(Mode& mode, std::span<const Index> index);
// One more than the largest position.
Index extent(std::span<const Index> index);

// Fills file.modes, from the known modes, the options' shape or what the entries show, counts the missing
// ones, and makes the entries' numbers positions by file.index_base. Processes that have some of the entries each
// agree on the modes.
void settle_positions(const ReadOptions& options, TensorFile& file,
                      const Communicator& everyone = serial_communicator());

Count count_missing(const Entries& entries);

}  // namespace lacuna::io
