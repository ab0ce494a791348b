// SPDX-License-Identifier: MIT
// Labels, time stamps and plain indices as positions.
#include "io/text/mode_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "io/text/index_lines.hpp"
#include "io/text/number.hpp"
#include "io/text/time.hpp"

namespace lacuna::io {
namespace {

// The mark before the decimals of labels that are positions.
char decimal_of(const std::vector<std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(),
                     [](const std::string& label) { return label.find(',') != std::string::npos; })
             ? ','
             : '.';
}

// Whether the labels of a model's mode say where they lie, so that new ones do, too.
bool labels_are_positions(const Mode& mode) {
  if (mode.labels.empty() || mode.positions.size() != mode.labels.size()) return false;
  const char decimal = decimal_of(mode.labels);
  for (std::size_t i = 0; i < mode.labels.size(); ++i) {
    double position = 0;
    if (!parse_position(mode.labels[i], decimal, position) || position != mode.positions[i]) return false;
  }
  return true;
}

std::vector<double> positions_of(const std::vector<std::string>& labels, char decimal) {
  std::vector<double> positions(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) parse_position(labels[i], decimal, positions[i]);
  return positions;
}

// The moments that the labels are; nothing when one of them is none.
std::vector<double> moments_of(const std::vector<std::string>& labels) {
  std::vector<double> moments(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!parse_moment(labels[i], moments[i])) return {};
  return moments;
}

}  // namespace

ModeColumn ModeColumn::of_labels(std::string name) { return {Kind::kLabels, std::move(name)}; }

ModeColumn ModeColumn::of_stamps(std::string name, std::int64_t width) {
  ModeColumn column(Kind::kStamps, std::move(name));
  column.mode_.binning = Binning{.origin = 0, .width = width};
  return column;
}

ModeColumn ModeColumn::of_positions(std::string name, char decimal) {
  ModeColumn column(Kind::kPositions, std::move(name));
  column.decimal_ = decimal;
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
  if (!mode.labels.empty()) kind = labels_are_positions(mode) ? Kind::kKnownPositions : Kind::kKnownLabels;
  if (mode.binning && mode.binning->width <= 0)
    throw std::invalid_argument("a binning whose width is not > 0");
  ModeColumn column(kind, mode.name);
  column.mode_ = mode;
  column.decimal_ = decimal_of(mode.labels);
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
    case Kind::kPositions:
    case Kind::kKnownPositions: {
      double position = 0;
      return parse_position(text, decimal_, position) && labels_.append(trim(text), index_);
    }
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
    case Kind::kPositions:
    case Kind::kKnownPositions:
      if (double position = 0; parse_position(text, decimal_, position)) return too_many_labels();
      return fmt::format("found {}, expected a position along mode '{}': a finite number{} or a time stamp",
                         quoted(text), mode_.name, decimal_ == ',' ? " with a decimal comma" : "");
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

// Labels by ascending position, which the order of the file's lines does not change. Those at the same place are
// one, called by the first of them in the alphabet.
void ModeColumn::order_by_position(const std::vector<double>& position) {
  std::vector<Index> order(position.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return position[a] != position[b] ? position[a] < position[b] : mode_.labels[a] < mode_.labels[b];
  });
  std::vector<Index> place(position.size());
  std::vector<std::string> labels;
  for (const Index i : order) {
    if (mode_.positions.empty() || mode_.positions.back() != position[i]) {
      mode_.positions.push_back(position[i]);
      labels.push_back(std::move(mode_.labels[i]));
    }
    place[i] = static_cast<Index>(labels.size() - 1);
  }
  mode_.labels = std::move(labels);
  mode_.size = static_cast<Index>(mode_.labels.size());
  for (Index& i : index_) i = place[i];
}

// A new label at a place that the model has, or another new one, is that one.
void ModeColumn::place_new_labels() {
  std::map<double, Index> at;
  for (std::size_t i = 0; i < mode_.positions.size(); ++i)
    at.emplace(mode_.positions[i], static_cast<Index>(i));
  const std::size_t known = mode_.positions.size();
  const std::vector<double> position = positions_of(mode_.labels, decimal_);
  std::vector<Index> place(position.size());
  std::iota(place.begin(), place.end(), Index{0});
  for (std::size_t i = known; i < position.size(); ++i) {
    const auto next = static_cast<Index>(mode_.positions.size());
    const auto [found, is_new] = at.emplace(position[i], next);
    place[i] = found->second;
    if (!is_new) continue;
    mode_.positions.push_back(position[i]);
    if (next != i) mode_.labels[next] = std::move(mode_.labels[i]);
  }
  mode_.labels.resize(mode_.positions.size());
  mode_.size = static_cast<Index>(mode_.labels.size());
  for (Index& i : index_) i = place[i];
}

std::string ModeColumn::too_many_labels() const {
  return fmt::format("found more than {} labels in mode '{}'", kLargestSize, mode_.name);
}

Result<> ModeColumn::finish(const std::string& path, int base, Mode& mode, std::vector<Index>& index) {
  switch (kind_) {
    case Kind::kLabels:
      if (auto named = finish_labels(path); !named) return named;
      if (const std::vector<double> moments = moments_of(mode_.labels); !moments.empty()) {
        order_by_position(moments);
        mode_.unit = kSecondsSince;
      } else {
        order_labels(mode_.labels, index_);
      }
      break;
    case Kind::kPositions:
      if (auto named = finish_labels(path); !named) return named;
      if (!moments_of(mode_.labels).empty()) mode_.unit = kSecondsSince;
      order_by_position(positions_of(mode_.labels, decimal_));
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
    case Kind::kKnownPositions:
      if (auto named = finish_labels(path); !named) return named;
      place_new_labels();
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
