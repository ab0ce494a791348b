// SPDX-License-Identifier: MIT
// Labels, time stamps and plain indices as positions.
#include "io/text/mode_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "io/text/index_lines.hpp"
#include "io/text/number.hpp"
#include "io/text/time.hpp"

namespace lacuna::io {

ModeColumn ModeColumn::of_labels(std::string name) { return {Kind::kLabels, std::move(name)}; }

ModeColumn ModeColumn::of_stamps(std::string name, std::int64_t width) {
  ModeColumn column(Kind::kStamps, std::move(name));
  column.mode_.binning = Binning{.origin = 0, .width = width};
  return column;
}

ModeColumn ModeColumn::of_indices(std::string name, std::uint64_t smallest, std::uint64_t largest) {
  ModeColumn column(Kind::kIndices, std::move(name));
  column.smallest_ = smallest;
  column.largest_ = largest;
  return column;
}

ModeColumn ModeColumn::of_known(const Mode& mode, int base) {
  Kind kind = Kind::kKnownIndices;
  if (mode.binning) kind = Kind::kKnownStamps;
  if (!mode.labels.empty()) kind = Kind::kKnownLabels;
  if (mode.binning && mode.binning->width <= 0)
    throw std::invalid_argument("a binning whose width is not > 0");
  ModeColumn column(kind, mode.name);
  column.mode_ = mode;
  column.labels_ = LabelTable(mode.labels);
  column.smallest_ = static_cast<std::uint64_t>(base);
  column.largest_ = kLargestSize - 1 + column.smallest_;
  return column;
}

bool ModeColumn::add(std::string_view text) {
  switch (kind_) {
    case Kind::kLabels:
    case Kind::kKnownLabels:  // one the model never saw comes after its own
      return !text.empty() && is_utf8(text) && labels_.append(text, index_);
    case Kind::kStamps:
    case Kind::kKnownStamps:
      return add_stamp(text);
    default:
      return add_index(text);
  }
}

bool ModeColumn::add_stamp(std::string_view text) {
  std::int64_t seconds = 0;
  if (!parse_stamp(trim(text), seconds)) return false;
  stamps_.push_back(seconds);
  return true;
}

bool ModeColumn::add_index(std::string_view text) {
  std::uint64_t number = 0;
  if (!parse_index(trim(text), number) || number < smallest_ || number > largest_) return false;
  index_.push_back(static_cast<Index>(number));
  return true;
}

std::string ModeColumn::complaint(std::string_view text) const {
  switch (kind_) {
    case Kind::kLabels:
    case Kind::kKnownLabels:
      if (text.empty()) return fmt::format("found an empty field, expected a label of mode '{}'", mode_.name);
      if (!is_utf8(text)) return fmt::format("found {}, expected UTF-8 text", quoted(text));
      return too_many_labels();
    case Kind::kStamps:
    case Kind::kKnownStamps:
      return fmt::format("found {}, expected a time stamp: seconds, or YYYY-MM-DD HH:MM:SS", quoted(text));
    default:
      break;
  }
  std::uint64_t number = 0;
  if (!parse_index(trim(text), number)) {
    return fmt::format("found {}, expected an index: a whole number >= {}", quoted(text), smallest_);
  }
  return fmt::format("found {}, expected an index from {} to {}", quoted(text), smallest_, largest_);
}

bool ModeColumn::saw_zero() const {
  return std::find(index_.begin(), index_.end(), Index{0}) != index_.end();
}

Result<> ModeColumn::finish_stamps(const std::string& path) {
  Binning& binning = *mode_.binning;
  const auto [first, last] = std::minmax_element(stamps_.begin(), stamps_.end());
  binning.origin = *first;
  const auto bins = static_cast<std::uint64_t>(bin_of(*last, binning)) + 1;
  if (bins > kLargestSize) {
    return input_error(path,
                       fmt::format("found time stamps that span {} bins of {} seconds in mode '{}', expected "
                                   "at most {} bins",
                                   bins, binning.width, mode_.name, kLargestSize));
  }
  mode_.size = static_cast<Index>(bins);
  index_.reserve(stamps_.size());
  for (const std::int64_t stamp : stamps_) index_.push_back(static_cast<Index>(bin_of(stamp, binning)));
  stamps_ = {};
  return Nothing{};
}

// Bins the model never saw come after its own, and all are then named by their first second.
Result<> ModeColumn::finish_known_stamps(const std::string& path) {
  const Binning binning = *mode_.binning;
  const auto first_second = [&](std::int64_t bin) {
    return fmt::to_string(binning.origin + bin * binning.width);
  };
  for (std::int64_t& stamp : stamps_) stamp = bin_of(stamp, binning);
  const auto seen = [&](std::int64_t bin) { return bin >= 0 && bin < std::int64_t{mode_.size}; };
  if (std::all_of(stamps_.begin(), stamps_.end(), seen)) {
    index_.assign(stamps_.begin(), stamps_.end());
    return Nothing{};
  }
  std::vector<std::string> names;
  for (std::int64_t bin = 0; bin < std::int64_t{mode_.size}; ++bin) names.push_back(first_second(bin));
  labels_ = LabelTable(std::move(names));
  for (const std::int64_t bin : stamps_)
    if (!labels_.append(first_second(bin), index_)) return input_error(path, too_many_labels());
  mode_.binning.reset();
  return finish_labels(path);
}

Result<> ModeColumn::finish_labels(const std::string& path) {
  if (!labels_.settle(index_)) return input_error(path, too_many_labels());
  mode_.labels = labels_.take();
  mode_.size = static_cast<Index>(mode_.labels.size());
  return Nothing{};
}

std::string ModeColumn::too_many_labels() const {
  return fmt::format("found more than {} labels in mode '{}'", kLargestSize, mode_.name);
}

Result<> ModeColumn::finish(const std::string& path, int base, Mode& mode, std::vector<Index>& index) {
  switch (kind_) {
    case Kind::kLabels:
      if (auto named = finish_labels(path); !named) return named;
      order_labels(mode_.labels, index_);
      break;
    case Kind::kStamps:
      if (auto binned = finish_stamps(path); !binned) return binned;
      break;
    case Kind::kIndices:
      subtract_base(index_, base);
      mode_.size = extent(index_);
      if (mode_.size > kLargestSize) {
        return input_error(
            path, fmt::format("found the index {} in mode '{}' of a 0-based file, expected at most {}",
                              mode_.size - 1, mode_.name, kLargestSize - 1));
      }
      break;
    case Kind::kKnownLabels:
      if (auto named = finish_labels(path); !named) return named;
      break;
    case Kind::kKnownIndices:
      subtract_base(index_, base);
      grow(mode_, index_);
      break;
    case Kind::kKnownStamps:
      if (auto binned = finish_known_stamps(path); !binned) return binned;
      break;
    default:
      break;
  }
  mode = std::move(mode_);
  index = std::move(index_);
  return Nothing{};
}

}  // namespace lacuna::io
