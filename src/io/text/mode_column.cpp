// SPDX-License-Identifier: MIT
// Labels, time stamps and plain indices as positions.
#include "io/text/mode_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "dist/agreement.hpp"
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
bool labels_are_positions(const Mode& mode, const TimeZone& zone) {
  if (mode.labels.empty() || mode.positions.size() != mode.labels.size()) return false;
  const char decimal = decimal_of(mode.labels);
  for (std::size_t i = 0; i < mode.labels.size(); ++i) {
    double position = 0;
    if (!parse_position(mode.labels[i], decimal, position, zone) || position != mode.positions[i])
      return false;
  }
  return true;
}

std::vector<double> positions_of(const std::vector<std::string>& labels, char decimal, const TimeZone& zone) {
  std::vector<double> positions(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) parse_position(labels[i], decimal, positions[i], zone);
  return positions;
}

// The moments that the labels are; nothing when one of them is none.
std::vector<double> moments_of(const std::vector<std::string>& labels, const TimeZone& zone) {
  std::vector<double> moments(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!parse_moment(labels[i], moments[i], zone)) return {};
  return moments;
}

}  // namespace

ModeColumn ModeColumn::of_labels(std::string name) { return {Kind::kLabels, std::move(name)}; }

ModeColumn ModeColumn::of_stamps(std::string name, const BinRequest& bin) {
  ModeColumn column(Kind::kStamps, std::move(name));
  column.mode_.binning = Binning{.origin = 0, .width = bin.width, .unit = bin.unit};
  return column;
}

Result<> ModeColumn::set_zone(const std::string& name) {
  auto zone = TimeZone::find(name);
  if (!zone) return zone.error();
  zone_ = std::move(*zone);
  mode_.time_zone = name;
  return Nothing{};
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

Result<ModeColumn> ModeColumn::of_known(const Mode& mode, int base) {
  Kind kind = Kind::kKnownIndices;
  if (mode.binning)
    kind = Kind::kKnownStamps;
  else if (!mode.labels.empty())
    kind = Kind::kKnownLabels;
  if (mode.binning && mode.binning->width <= 0)
    throw std::invalid_argument("a binning whose width is not > 0");
  ModeColumn column(kind, mode.name);
  column.mode_ = mode;
  column.decimal_ = decimal_of(mode.labels);
  column.labels_ = LabelTable(mode.labels);
  column.smallest_ = static_cast<std::uint64_t>(base);
  column.largest_ = kLargestSize - 1 + column.smallest_;
  auto zone = TimeZone::find(mode.time_zone);
  if (!zone) return zone.error();
  column.zone_ = std::move(*zone);
  if (kind == Kind::kKnownLabels && labels_are_positions(mode, column.zone_))
    column.kind_ = Kind::kKnownPositions;
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
      return parse_position(text, decimal_, position, zone_) && labels_.append(trim(text), index_);
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
  text = trim(text);
  if (!parse_stamp(text, zone_, seconds)) return false;
  if (mode_.binning->unit != BinUnit::kSecond && !has_a_date(seconds)) return false;
  if (dates_) {
    double number = 0;
    dates_ = !parse_number(text, number);
  }
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
      if (std::int64_t seconds = 0; parse_stamp(trim(text), zone_, seconds))
        return fmt::format("found {}, expected a time stamp of the years 0 to 9999", quoted(text));
      return fmt::format("found {}, expected a time stamp: seconds, or YYYY-MM-DD HH:MM:SS", quoted(text));
    case Kind::kPositions:
    case Kind::kKnownPositions:
      if (double position = 0; parse_position(text, decimal_, position, zone_)) return too_many_labels();
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

Result<> ModeColumn::finish_stamps(const std::string& path, const Communicator& everyone) {
  Binning& binning = *mode_.binning;
  const bool calendar = binning.unit != BinUnit::kSecond;
  std::vector<std::int64_t> ends;
  if (!stamps_.empty()) {
    const auto [low, high] = std::minmax_element(stamps_.begin(), stamps_.end());
    ends = {*low, *high};
  }
  ends = everyone.gather(std::span<const std::int64_t>(ends));
  const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
  binning.dates = calendar || everyone.all(dates_);
  binning.origin = calendar ? calendar_origin(count_units(*first, binning.unit, zone_), binning) : *first;
  const auto bins = static_cast<std::uint64_t>(bin_of(*last, binning, zone_)) + 1;
  if (bins > kLargestSize) {
    return input_error(path, fmt::format("found time stamps that span {} bins of {} in mode '{}', expected "
                                         "at most {} bins",
                                         bins, width_text(binning), mode_.name, kLargestSize));
  }
  mode_.size = static_cast<Index>(bins);
  index_.reserve(stamps_.size());
  for (const std::int64_t stamp : stamps_)
    index_.push_back(static_cast<Index>(bin_of(stamp, binning, zone_)));
  for (Index bin = 0; calendar && bin < mode_.size; ++bin)
    mode_.labels.push_back(bin_text(bin, binning, zone_));
  stamps_ = {};
  return Nothing{};
}

// Bins the model never saw come after its own, and all are then named.
Result<> ModeColumn::finish_known_stamps(const std::string& path) {
  const Binning& binning = *mode_.binning;
  for (std::int64_t& stamp : stamps_) stamp = bin_of(stamp, binning, zone_);
  const auto seen = [&](std::int64_t bin) { return bin >= 0 && bin < std::int64_t{mode_.size}; };
  if (mode_.labels.empty()) {
    if (std::all_of(stamps_.begin(), stamps_.end(), seen)) {
      index_.assign(stamps_.begin(), stamps_.end());
      return Nothing{};
    }
    std::vector<std::string> names;
    for (Index bin = 0; bin < mode_.size; ++bin) names.push_back(bin_text(bin, binning, zone_));
    labels_ = LabelTable(std::move(names));
  }
  for (const std::int64_t bin : stamps_)
    if (!labels_.append(bin_text(bin, binning, zone_), index_)) return input_error(path, too_many_labels());
  return finish_labels(path);
}

Result<> ModeColumn::finish_labels(const std::string& path) {
  if (!labels_.settle(index_)) return input_error(path, too_many_labels());
  mode_.labels = labels_.take();
  mode_.size = static_cast<Index>(mode_.labels.size());
  return Nothing{};
}

// The labels of all processes; each has numbered those that it has seen.
Result<> ModeColumn::share_labels(const std::string& path, const Communicator& everyone) {
  const auto finished = finish_labels(path);
  if (auto fine = agreed(everyone, finished); !fine || everyone.alone()) return fine;
  std::vector<std::string> all = all_of_them(everyone, mode_.labels);
  if (all.size() > kLargestSize) return input_error(path, too_many_labels());
  const LabelTable table(all);
  std::vector<Index> place;
  for (const std::string& label : mode_.labels) place.push_back(table.find(label));
  for (Index& i : index_) i = place[i];
  mode_.labels = std::move(all);
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
  const std::vector<double> position = positions_of(mode_.labels, decimal_, zone_);
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

Result<> ModeColumn::finish(const std::string& path, int base, const Communicator& everyone, Mode& mode,
                            std::vector<Index>& index) {
  switch (kind_) {
    case Kind::kLabels:
      if (auto named = share_labels(path, everyone); !named) return named;
      if (const std::vector<double> moments = moments_of(mode_.labels, zone_); !moments.empty()) {
        order_by_position(moments);
        mode_.unit = kSecondsSince;
      } else {
        order_labels(mode_.labels, index_);
      }
      break;
    case Kind::kPositions:
      if (auto named = share_labels(path, everyone); !named) return named;
      if (!moments_of(mode_.labels, zone_).empty()) mode_.unit = kSecondsSince;
      order_by_position(positions_of(mode_.labels, decimal_, zone_));
      break;
    case Kind::kStamps:
      if (auto binned = finish_stamps(path, everyone); !binned) return binned;
      break;
    case Kind::kIndices:
      subtract_base(index_, base);
      mode_.size = static_cast<Index>(everyone.max(static_cast<double>(extent(index_))));
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
  if (!mode_.binning && mode_.unit != kSecondsSince) mode_.time_zone.clear();  // no stamps
  mode = std::move(mode_);
  index = std::move(index_);
  return Nothing{};
}

}  // namespace lacuna::io
