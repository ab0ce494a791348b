// SPDX-License-Identifier: MIT
#include "input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <lacuna/base/base.hpp>

#include "cluster.hpp"
#include "io/shared_file.hpp"
#include "io/text/time_zone.hpp"
#include "kernels/observe_together.hpp"
#include "report/picture_modes.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/keep_if.hpp"

namespace lacuna::cli {

namespace {

const std::vector<std::pair<std::string, Format>>& named_formats() {
  static const std::vector<std::pair<std::string, Format>> kFormats = {
      {"auto", Format::kAuto},   {"tns", Format::kTns},         {"sptensor", Format::kSptensor},
      {"table", Format::kTable}, {"npy", Format::kNpy},         {"npz", Format::kNpz},
      {"mat", Format::kMat},     {"picture", Format::kPicture}, {"netcdf", Format::kNetcdf},
      {"hdf5", Format::kHdf5},   {"tiff", Format::kTiff},       {"envi", Format::kEnvi},
      {"video", Format::kVideo}};
  return kFormats;
}

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [format_name, format] : named_formats()) names.push_back(format_name);
  return names;
}

Format format_called(const std::string& name) {
  for (const auto& [format_name, format] : named_formats())
    if (format_name == name) return format;
  return Format::kAuto;
}

void InputFlags::add_flags(CLI::App& command) {
  const char* group = "Input";
  command
      .add_option("--format", format,
                  "what the input is; auto: from its name and first bytes, of - from its bytes")
      ->check(one_of(format_names()))
      ->group(group);
  command
      .add_option("--index-base", index_base, "first index in the files; unset: 0 when a 0 is seen, else 1")
      ->check(one_of({"0", "1"}))
      ->group(group);
  command.add_option("--shape", shape, "sizes of the modes, such as 256,256,3")->delimiter(',')->group(group);
  command
      .add_option("--missing-value", missing_value, "in a dense file this number means missing, as NaN does")
      ->group(group);
  command.add_option("--variable", variable, "which array of a .mat, .npz, .nc or .h5 file")->group(group);
  command.add_option("--mask", mask, "picture or array: nonzero cells are observed")->group(group);
  command.add_flag("--invert-mask", invert_mask, "nonzero mask cells are missing instead")->group(group);
  add_table_flags(command);
  command
      .add_option("--same", same,
                  "two modes that are one set of things, such as head,tail; none: no two; unset: found from "
                  "the labels of a table of facts")
      ->delimiter(',')
      ->group(group);
  command
      .add_option(
          "--coordinates", coordinates,
          "positions of a mode's indices, such as band=wavelengths.txt: a number or time stamp on each "
          "line, or a label and one; may repeat")
      ->group(group);
  command.add_option("--duplicates", duplicates, "what to do with a cell listed twice")
      ->check(one_of({"error", "mean", "sum", "last"}))
      ->group(group);
}

void InputFlags::add_table_flags(CLI::App& command) {
  const char* group = "Input";
  command.add_option("--delimiter", delimiter, "of a table; unset: found from the file")->group(group);
  command.add_option("--decimal", decimal, "mark before the decimals of a table's values")
      ->check(one_of({"auto", ",", "."}))
      ->group(group);
  command.add_option("--header", header, "does the table have a header line")
      ->check(one_of({"auto", "yes", "no"}))
      ->group(group);
  command.add_option("--columns", columns, "the mode columns, by name or number from 1: user,item")
      ->delimiter(',')
      ->group(group);
  command.add_option("--value-column", value_column, "by name or number; none: every line counts 1")
      ->group(group);
  command
      .add_option("--weight-column", weight_column,
                  "how much each line counts, by name or number; 2: as if listed twice")
      ->group(group);
  command
      .add_flag("--wide{column}", wide,
                "a wide table: one mode lies across its columns, called so by --wide=NAME; --columns say "
                "where a row "
                "lies")
      ->group(group);
  command
      .add_option("--values", values,
                  "several value columns, such as temperature,humidity: the labels of a mode, variable or "
                  "--wide=NAME")
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--bin", bins,
                  "bin a time column, such as time=7d or, of the calendar, time=1w, 1M, 1Q, 1y; may repeat")
      ->group(group);
  command
      .add_option("--time-zone", time_zone,
                  "of time stamps without an offset, such as Europe/Berlin or +01:00; unset: UTC")
      ->group(group);
  command
      .add_option(
          "--positions", positions,
          "table columns whose numbers or time stamps say where along its mode an entry lies; columns "
          "of dates do by themselves")
      ->delimiter(',')
      ->group(group);
  command.add_flag("--indices", indices, "the table's mode columns are numbers, not labels")->group(group);
}

Result<ReadOptions> InputFlags::read_options() const {
  ReadOptions options;
  options.format = format_called(format);
  if (index_base >= 0) options.index_base = index_base;
  options.shape = shape;
  options.missing_value = missing_value;
  options.variable = variable;
  options.mask = mask;
  options.invert_mask = invert_mask;
  options.delimiter = delimiter == "\\t" || delimiter == "tab" ? "\t" : delimiter;
  if (decimal != "auto") options.decimal = decimal[0];
  if (header != "auto") options.header = header == "yes";
  options.columns = columns;
  options.value_column = value_column;
  options.weight_column = weight_column;
  if (!wide.empty()) options.wide = wide;
  options.value_columns = values;
  options.time_zone = time_zone;
  if (auto zone = io::TimeZone::find(time_zone); !zone) return usage_error("--time-zone", zone.error().what);
  options.table_indices = indices;
  options.same = same;
  for (const std::string& bin : bins) {
    const std::size_t equals = bin.rfind('=');
    const std::size_t width = equals == std::string::npos ? 0 : equals + 1;
    auto request = parse_bin_width(bin.substr(width));
    if (!request) return usage_error("--bin", request.error().what);
    if (width > 0) request->column = bin.substr(0, equals);
    options.bins.push_back(std::move(*request));
  }
  options.positions = positions;
  for (const std::string& one : coordinates) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
      return usage_error("--coordinates",
                         fmt::format("found '{}', expected MODE=FILE such as band=wavelengths.txt", one));
    options.coordinates.push_back({.mode = one.substr(0, equals), .path = one.substr(equals + 1)});
  }
  return options;
}

namespace {

Error too_few_modes(const std::string& path) {
  return input_error(path, "found one column of positions beside the values, expected at least two");
}

}  // namespace

std::string listed_twice(const std::string& first) {
  return fmt::format(" (first at {}); choose --duplicates mean, sum or last", first);
}

Result<ObservedTensor> observe(const std::string& path, TensorFile& file, const ReadOptions& options,
                               Duplicates duplicates) {
  if (file.modes.size() < 2) return too_few_modes(path);
  DuplicateCell repeated;
  auto tensor = ObservedTensor::create(file.modes, std::move(file.entries), duplicates, &repeated);
  if (tensor) return tensor;
  Error error = tensor.error();
  error.where = path;
  if (repeated.second != repeated.first) {
    error.where = locate_entry(path, options, repeated.second);
    error.what += listed_twice(locate_entry(path, options, repeated.first));
  }
  return error;
}

Result<ReadOptions> cell_options(const InputFlags& flags, const std::vector<Mode>& modes, int index_base) {
  auto options = flags.read_options();
  if (!options) return options.error();
  options->known_modes = &modes;
  options->shape.clear();
  if (!options->index_base) options->index_base = index_base;
  return options;
}

Result<TensorFile> read_cells(const std::string& path, const InputFlags& flags,
                              const std::vector<Mode>& modes, int index_base) {
  auto options = cell_options(flags, modes, index_base);
  if (!options) return options.error();
  return read_tensor(path, *options);
}

void keep_valued(Entries& entries) {
  keep_if(entries, [&](Count e) { return !std::isnan(entries.value[e]); });
}

bool shows_a_picture(const TensorFile& file) {
  return file.format == Format::kPicture || (file.dense && report::are_pictures(file.modes));
}

namespace {

// A table without values: each line is a fact.
bool lists_facts(const TensorFile& file) {
  return file.format == Format::kTable && file.table.value_column < 0;
}

bool has_ones_alone(const ObservedTensor& tensor) {
  const auto values = tensor.values();
  return everyone().all(std::all_of(values.begin(), values.end(), [](double v) { return v == 1.0; }));
}

// A sparse file whose every value is 1 lists facts, too, unless so much of the tensor is there that it may be an
// array of ones with holes.
bool is_sparse(const TensorFile& file, const TrainingData& data) {
  constexpr double kMostOfThem = 0.05;
  return !file.dense && data.tensor.order() > 1 &&
         static_cast<double>(data.entries) < kMostOfThem * count_cells(data.tensor.modes());
}

}  // namespace

bool tells_facts_alone(const TensorFile& file, const TrainingData& data) {
  return has_ones_alone(data.tensor) && (lists_facts(file) || is_sparse(file, data));
}

namespace {

// The first two places where the file lists a cell. Reads it again, by all processes.
Result<std::vector<std::string>> find_mentions(const std::string& path, const ReadOptions& options,
                                               const std::vector<Index>& cell) {
  auto again = read_shared(path, options, everyone());
  if (!again) return again.error();
  const Entries& entries = again->file.entries;
  std::vector<std::string> here;
  for (Count e = 0; e < entries.size() && here.size() < 2; ++e) {
    bool same = !std::isnan(entries.value[e]) && (entries.weight.empty() || entries.weight[e] != 0.0);
    for (int k = 0; same && k < entries.order(); ++k) same = entries.cells.mode(k)[e] == cell[k];
    if (same) here.push_back(again->locate(e));
  }
  const auto count = static_cast<std::int64_t>(here.size());
  const std::vector<std::int64_t> counts = everyone().gather(std::span<const std::int64_t>(&count, 1));
  std::vector<std::string> found;
  for (int r = 0; r < everyone().size(); ++r)
    for (std::size_t i = 0; i < static_cast<std::size_t>(counts[r]) && found.size() < 2; ++i)
      found.push_back(everyone().broadcast(i < here.size() ? here[i] : "", r));
  return found;
}

// observe() of a file that several processes have read.
Result<> observe_share(const std::string& path, TensorFile& file, const ReadOptions& options,
                       Duplicates duplicates, TrainingData& data) {
  if (file.modes.size() < 2) return too_few_modes(path);
  std::vector<Index> repeated;
  auto spread = observe_together(file.modes, std::move(file.entries), duplicates, everyone(), repeated);
  if (!spread) {
    Error error = spread.error();
    error.where = path;
    if (repeated.empty()) return error;
    const auto places = find_mentions(path, options, repeated);
    if (places && places->size() == 2) {
      error.where = places->at(1);
      error.what += listed_twice(places->at(0));
    }
    return error;
  }
  data.tensor = std::move(spread->tensor);
  data.spread = true;
  data.entries = spread->entries;
  data.missing = spread->missing;
  data.duplicates = spread->duplicates;
  data.weight = spread->weight;
  return Nothing{};
}

// The test file's cells, and the training file once more where only the test file shows that indices begin at 0.
Result<TensorFile> read_test(const std::string& path, const std::string& train, const InputFlags& flags,
                             const std::function<Result<>(int base)>& read_again, TensorFile& file) {
  auto test = read_cells(path, flags, file.modes, file.index_base);
  if (!test && flags.index_base < 0 && file.index_base == 1 && train != "-") {
    if (auto from_zero = read_cells(path, flags, file.modes, 0); from_zero) {
      if (auto read = read_again(0); !read) return read.error();
      test = read_cells(path, flags, file.modes, 0);
    }
  }
  return test;
}

}  // namespace

void TrainingData::take(ObservedTensor whole) {
  tensor = std::move(whole);
  entries = tensor.size();
  missing = tensor.missing();
  duplicates = tensor.duplicates();
  weight = tensor.total_weight();
}

Result<TrainingData> read_training(const std::string& path, const std::string& test_path,
                                   const InputFlags& flags, const SideFlags& side) {
  auto options = flags.read_options();
  if (!options) return options.error();
  TensorFile file;
  TrainingData data;
  const auto read = [&]() -> Result<> {
    auto shared = read_shared(path, *options, everyone());
    if (!shared) return shared.error();
    file = std::move(shared->file);
    data.notes = file.notes;
    return side.attach(file, data.notes);
  };
  if (auto fine = read(); !fine) return fine.error();
  if (!test_path.empty()) {
    const auto again = [&](int base) {
      options->index_base = base;
      return read();
    };
    auto test = read_test(test_path, path, flags, again, file);
    if (!test) return test.error();
    if (lists_facts(file) && lists_facts(*test)) test->entries.value.assign(test->entries.value.size(), 1.0);
    keep_valued(test->entries);
    if (test->entries.size() == 0) return input_error(test_path, "no test cell has a value");
    data.test = std::move(test->entries);
  }
  data.index_base = file.index_base;
  data.format = file.format;
  data.picture = shows_a_picture(file);
  if (everyone().alone()) {
    auto tensor = observe(path, file, *options, flags.duplicate_policy());
    if (!tensor) return tensor.error();
    data.take(std::move(*tensor));
  } else if (auto fine = observe_share(path, file, *options, flags.duplicate_policy(), data); !fine) {
    return fine.error();
  }
  data.facts = tells_facts_alone(file, data);
  return data;
}

void announce(const Output& output, const std::string& path, const TrainingData& data) {
  const ObservedTensor& tensor = data.tensor;
  const double cells = count_cells(tensor.modes());
  const bool numbered = std::any_of(tensor.modes().begin(), tensor.modes().end(),
                                    [](const Mode& mode) { return mode.labels.empty() && !mode.binning; });
  std::string line = fmt::format("{}: {}, {}, {} observed ({:.3g} %)", path, format_name(data.format),
                                 shape_text(extents(tensor.modes())), grouped(data.entries),
                                 100.0 * static_cast<double>(data.entries) / cells);
  if (data.missing > 0) line += fmt::format(", {} missing", grouped(data.missing));
  if (data.duplicates > 0) line += fmt::format(", {} duplicates merged", grouped(data.duplicates));
  if (!tensor.weights().empty()) line += fmt::format(", of total weight {:.6g}", data.weight);
  if (numbered) line += fmt::format(", indices from {}", data.index_base);
  for (const Mode& mode : tensor.modes())
    if (mode.same_as >= 0)
      line += fmt::format(", {} and {} are one set", tensor.modes()[mode.same_as].name, mode.name);
  output.say(line);
  for (const std::string& note : data.notes) output.say("note: " + note);
}

std::string cold_note(const Predictor::Prediction& prediction, const TensorFile& file) {
  std::string note;
  if (prediction.cold > 0)
    note = fmt::format("{} of {} cells lie on no observed fiber and got the effects of their positions",
                       grouped(prediction.cold), grouped(file.entries.size()));
  if (prediction.unseen == 0) return note;
  const Mode& mode = file.modes[static_cast<std::size_t>(prediction.first_unseen_mode)];
  const Index i = file.entries.cells.mode(prediction.first_unseen_mode)[prediction.first_unseen_cell];
  const std::string where = i < mode.labels.size() ? fmt::format("'{}'", mode.labels[i])
                                                   : fmt::format("{}", std::int64_t{i} + file.index_base);
  return fmt::format("{}{}{} {} at positions without observed entries, the first at {} {}", note,
                     note.empty() ? "" : "; ", grouped(prediction.unseen),
                     prediction.unseen == 1 ? "cell is" : "cells are", mode.name, where);
}

}  // namespace lacuna::cli
