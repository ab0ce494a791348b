// SPDX-License-Identifier: MIT
#include "io/text/coordinates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "io/file/stream_copy.hpp"
#include "io/text/fields.hpp"
#include "io/text/number.hpp"
#include "io/text/table_sample.hpp"
#include "io/text/time.hpp"

namespace lacuna::io {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int kLinesLookedAt = 100;

struct PlacedLine {
  std::string label;  // empty: the file has positions only
  double position = 0.0;
  Count line = 0;
};

struct PlacedLines {
  std::vector<PlacedLine> lines;
  bool labelled = false;
  bool dates = false;  // all positions are
};

Error wrong_position(const std::string& where, std::string_view text) {
  return input_error(
      where, fmt::format("found {}, expected a position: a finite number or a time stamp", quoted(text)));
}

bool is_position(std::string_view text) {
  double position = 0;
  return parse_position(text, '.', position);
}

// Whether a line is a position and nothing else: asked first, as a date may hold a blank.
Result<bool> has_positions_only(const std::string& path) {
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  int lines = 0;
  int whole = 0;
  std::string_view line;
  while (lines < kLinesLookedAt && reader->next(line)) {
    if (trim(line).empty()) continue;
    ++lines;
    if (is_position(line) || line.find_first_of(" \t,;|") == std::string_view::npos) ++whole;
  }
  if (const auto status = reader->status(); !status) return status.error();
  if (lines == 0) return input_error(path, "found nothing, expected positions");
  return 2 * whole > lines;
}

// The first line that is no position is a header, if there is another after it.
Result<PlacedLines> read_positions(const std::string& path, const TimeZone& zone) {
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  PlacedLines found;
  std::string_view line;
  Count lines = 0;
  while (reader->next(line)) {
    if (trim(line).empty()) continue;
    double position = 0;
    ++lines;
    if (!parse_position(line, '.', position, zone)) {
      double number = 0;
      if (lines > 1 || parse_number(trim(line), number)) return wrong_position(reader->where(line, 0), line);
      continue;
    }
    found.lines.push_back({.label = "", .position = position, .line = reader->line_number()});
    double moment = 0;
    found.dates = (found.lines.size() == 1 || found.dates) && parse_moment(line, moment);
  }
  if (const auto status = reader->status(); !status) return status.error();
  if (found.lines.empty()) return input_error(path, "found no position, expected one on each line");
  return found;
}

Result<PlacedLines> read_labelled_positions(const std::string& path, const TimeZone& zone) {
  const auto sample = sample_table(path, "", '.');
  if (!sample) return sample.error();
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  RecordReader records(*reader, sample->delimiter);
  PlacedLines found{.lines = {}, .labelled = true, .dates = false};
  std::string scratch;
  for (Count line = 1; records.next(); ++line) {
    const auto fields = records.fields();
    if (fields.size() != 2)
      return input_error(
          reader->where(),
          fmt::format("found {} columns, expected two, a label and its position, or one, positions",
                      fields.size()));
    double position = 0;
    if (!parse_position(fields[1].text, '.', position, zone)) {
      double number = 0;
      if (line > 1 || parse_number(trim(fields[1].text), number))
        return wrong_position(records.where(fields[1]), fields[1].text);
      continue;
    }
    found.lines.push_back({.label = std::string(field_text(fields[0], scratch)),
                           .position = position,
                           .line = reader->line_number()});
    double moment = 0;
    found.dates = (found.lines.size() == 1 || found.dates) && parse_moment(fields[1].text, moment);
  }
  if (const auto status = records.status(); !status) return status.error();
  if (found.lines.empty())
    return input_error(path, "found no position, expected a label and one on each line");
  return found;
}

std::string place(const std::string& path, const PlacedLine& line) {
  return fmt::format("{}:{}", path, line.line);
}

// One mode and the lines about it.
class Placing {
 public:
  Placing(const std::string& path, const PlacedLines& placed, const ReadOptions& options, TensorFile& file,
          std::size_t k)
      : path_(path),
        placed_(placed),
        file_(file),
        mode_(file.modes[k]),
        known_(options.known_modes != nullptr ? &(*options.known_modes)[k] : nullptr),
        may_grow_(known_ == nullptr && options.shape.empty() && !file.dense && mode_.labels.empty() &&
                  !mode_.binning) {}

  Result<> run();

 private:
  Result<> match_by_order();
  Result<> match_by_label();
  Result<> match_by_index();
  Result<> set(std::size_t index, const PlacedLine& line);
  Result<> check_each_has_one() const;
  Result<> check_distinct() const;
  void tell_order();
  [[nodiscard]] std::string name(std::size_t index) const {
    return index < mode_.labels.size() ? quoted(mode_.labels[index])
                                       : fmt::format("the index {}", index + file_.index_base);
  }

  const std::string& path_;
  const PlacedLines& placed_;
  TensorFile& file_;
  Mode& mode_;
  const Mode* known_;
  bool may_grow_;
  std::vector<double> position_;
  std::vector<Count> line_;                // where each stands, 0: nowhere
  const PlacedLine* unmatched_ = nullptr;  // the first line about nothing that the data has
};

Result<> Placing::set(std::size_t index, const PlacedLine& line) {
  if (line_[index] != 0)
    return input_error(place(path_, line), fmt::format("found {} a second time, expected it only in line {}",
                                                       name(index), line_[index]));
  if (known_ != nullptr && index < known_->positions.size() && known_->positions[index] != line.position)
    return input_error(place(path_, line),
                       fmt::format("found the position {} of {}, expected {} as in the model", line.position,
                                   name(index), known_->positions[index]));
  position_[index] = line.position;
  line_[index] = line.line;
  return Nothing{};
}

Result<> Placing::match_by_order() {
  if (!mode_.labels.empty())
    return input_error(place(path_, placed_.lines.front()),
                       fmt::format("found a position without a label, expected two columns, label and "
                                   "position, as the mode '{}' has labels",
                                   mode_.name));
  const std::size_t count = placed_.lines.size();
  if (count != mode_.size && !(may_grow_ && count > mode_.size))
    return input_error(
        place(path_, placed_.lines.back()),
        fmt::format("found {} positions up to this last line, expected {}, one for each index of mode '{}'",
                    count, mode_.size, mode_.name));
  if (count > mode_.size)
    file_.notes.push_back(fmt::format(
        "{}: the positions from here on lie beyond {}, the last that has an entry: mode '{}' gets {} indices",
        place(path_, placed_.lines[mode_.size]), name(mode_.size - 1), mode_.name, count));
  position_.assign(count, kUnknown);
  line_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    if (auto fine = set(i, placed_.lines[i]); !fine) return fine;
  return Nothing{};
}

// Lines about labels that the data does not have say nothing here.
Result<> Placing::match_by_label() {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < mode_.labels.size(); ++i) index.emplace(mode_.labels[i], i);
  for (const PlacedLine& line : placed_.lines) {
    const auto at = index.find(line.label);
    if (at == index.end()) {
      if (unmatched_ == nullptr) unmatched_ = &line;
      continue;
    }
    if (auto fine = set(at->second, line); !fine) return fine;
  }
  return Nothing{};
}

Result<> Placing::match_by_index() {
  for (const PlacedLine& line : placed_.lines) {
    std::uint64_t number = 0;
    const auto base = static_cast<std::uint64_t>(file_.index_base);
    if (!parse_index(trim(line.label), number) || number < base || number - base >= kLargestSize)
      return input_error(place(path_, line),
                         fmt::format("found {}, expected an index of mode '{}': a whole number from {} on",
                                     quoted(line.label), mode_.name, base));
    const auto at = static_cast<std::size_t>(number - base);
    if (at >= position_.size()) {
      if (!may_grow_ || at >= 2 * (position_.size() + placed_.lines.size())) {
        if (unmatched_ == nullptr) unmatched_ = &line;
        continue;
      }
      position_.resize(at + 1, kUnknown);
      line_.resize(at + 1, 0);
    }
    if (auto fine = set(at, line); !fine) return fine;
  }
  return Nothing{};
}

Result<> Placing::check_each_has_one() const {
  for (std::size_t i = 0; i < position_.size(); ++i) {
    if (line_[i] != 0 || known_ != nullptr) continue;
    const char* const kind = mode_.labels.empty() ? "index" : "label";
    if (unmatched_ != nullptr)
      return input_error(place(path_, *unmatched_),
                         fmt::format("found {}, but no position of {}, expected one for each {} of mode '{}'",
                                     quoted(unmatched_->label), name(i), kind, mode_.name));
    return input_error(
        place(path_, placed_.lines.back()),
        fmt::format("found no position of {} up to this last line, expected one for each {} of mode '{}'",
                    name(i), kind, mode_.name));
  }
  return Nothing{};
}

Result<> Placing::check_distinct() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < position_.size(); ++i)
    if (!std::isnan(position_[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return position_[a] < position_[b]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t first = order[i - 1];
    std::size_t second = order[i];
    if (position_[first] != position_[second]) continue;
    if (line_[first] > line_[second]) std::swap(first, second);
    return input_error(
        fmt::format("{}:{}", path_, line_[second]),
        fmt::format("found the position {} of {}, which {}{} has too, expected no two at the same place",
                    position_[second], name(second), name(first),
                    line_[first] > 0 ? fmt::format(" (line {})", line_[first]) : ""));
  }
  return Nothing{};
}

// Of what the data says nothing of, and of an order that the lines do not have.
void Placing::tell_order() {
  if (known_ != nullptr) return;
  if (unmatched_ != nullptr)
    file_.notes.push_back(fmt::format("{}: {} and maybe more lines are about nothing that mode '{}' has",
                                      place(path_, *unmatched_), quoted(unmatched_->label), mode_.name));
  if (placed_.labelled || std::is_sorted(position_.rbegin(), position_.rend())) return;
  for (std::size_t i = 1; i < position_.size(); ++i) {
    if (position_[i] > position_[i - 1]) continue;
    file_.notes.push_back(
        fmt::format("{}:{}: the position {} comes after {}: along mode '{}' neighbours are taken by "
                    "position, not by line",
                    path_, line_[i], position_[i], position_[i - 1], mode_.name));
    return;
  }
}

Result<> Placing::run() {
  if (known_ != nullptr && known_->positions.empty())
    return usage_error(path_, fmt::format("the model was fitted without positions of mode '{}'", mode_.name));
  position_ = mode_.positions;
  if (known_ == nullptr) position_.clear();
  position_.resize(mode_.size, kUnknown);
  line_.assign(mode_.size, 0);
  Result<> matched = Nothing{};
  if (!placed_.labelled)
    matched = match_by_order();
  else
    matched = mode_.labels.empty() ? match_by_index() : match_by_label();
  if (!matched) return matched;
  if (auto fine = check_each_has_one(); !fine) return fine;
  if (auto fine = check_distinct(); !fine) return fine;
  tell_order();
  mode_.size = static_cast<Index>(position_.size());
  mode_.positions = std::move(position_);
  if (known_ == nullptr) mode_.unit = placed_.dates ? kSecondsSince : "";
  return Nothing{};
}

Result<std::size_t> find_mode(const std::string& reference, const std::vector<Mode>& modes) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (modes[k].name == reference) return k;
    names.push_back(modes[k].name);
  }
  std::uint64_t number = 0;
  if (parse_index(reference, number) && number >= 1 && number <= modes.size())
    return static_cast<std::size_t>(number - 1);
  return usage_error("",
                     fmt::format("there is no mode {} to give coordinates, expected one of {} or a number "
                                 "from 1 to {}",
                                 quoted(reference), fmt::join(names, ", "), modes.size()));
}

// Entries beyond the model's own indices lie where the grown modes say.
void place_entries(const std::vector<Mode>& known, TensorFile& file) {
  for (std::size_t k = 0; k < known.size(); ++k) {
    Mode& mode = file.modes[k];
    if (known[k].positions.empty()) continue;
    mode.positions.resize(mode.size, kUnknown);
    if (mode.size == known[k].size) continue;
    file.entries.coordinates.resize(known.size());
    std::vector<double>& along = file.entries.coordinates[k];
    along.reserve(file.entries.value.size());
    for (const Index i : file.entries.cells[k]) along.push_back(mode.positions[i]);
  }
}

Result<> place_mode(const std::string& path, const TimeZone& zone, const ReadOptions& options,
                    TensorFile& file, std::size_t k) {
  const auto positions_only = has_positions_only(path);
  if (!positions_only) return positions_only.error();
  const auto placed = *positions_only ? read_positions(path, zone) : read_labelled_positions(path, zone);
  if (!placed) return placed.error();
  return Placing(path, *placed, options, file, k).run();
}

// It is looked at before it is read.
Result<> place_mode_from_stream(const std::string& path, const TimeZone& zone, const ReadOptions& options,
                                TensorFile& file, std::size_t k) {
  const auto copy = StreamCopy::take(path);
  if (!copy) return copy.error();
  const std::size_t notes = file.notes.size();
  if (auto fine = place_mode(copy->path(), zone, options, file, k); !fine)
    return copy->of_stream(fine.error());
  for (std::size_t i = notes; i < file.notes.size(); ++i)
    file.notes[i] = copy->of_stream(input_error("", file.notes[i])).what;
  return Nothing{};
}

}  // namespace

Result<> place_modes(const ReadOptions& options, TensorFile& file) {
  std::vector<std::size_t> seen;
  const auto zone = TimeZone::find(options.time_zone);
  if (!zone) return zone.error();
  for (const CoordinateRequest& request : options.coordinates) {
    const auto k = find_mode(request.mode, file.modes);
    if (!k) return k.error();
    if (std::find(seen.begin(), seen.end(), *k) != seen.end())
      return usage_error("", fmt::format("mode '{}' is given coordinates twice", file.modes[*k].name));
    seen.push_back(*k);
    if (file.modes[*k].binning && options.known_modes == nullptr)
      return usage_error("", fmt::format("mode '{}' is binned and cannot be given coordinates as well",
                                         file.modes[*k].name));
    const auto place = is_stream(request.path) ? place_mode_from_stream : place_mode;
    if (auto fine = place(request.path, *zone, options, file, *k); !fine) return fine;
  }
  if (options.known_modes != nullptr) place_entries(*options.known_modes, file);
  return Nothing{};
}

}  // namespace lacuna::io
