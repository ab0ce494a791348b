// SPDX-License-Identifier: MIT
#include "support.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <lacuna/base/base.hpp>
#include <lacuna/tensor/tensor.hpp>

namespace lacuna::fuzz {
namespace {

// A position as the file would say it.
std::string spoken(const Mode& mode, Index position) {
  return position < mode.labels.size() ? "'" + mode.labels[position] + "'" : std::to_string(position);
}

}  // namespace

MemoryFile::MemoryFile() : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
  require(file_ >= 0, "no memory file");
  path_ = fmt::format("/proc/self/fd/{}", file_);
  set_thread_count(
      1);  // what is looked for is not in the threads, and starting them takes longer than reading
}

MemoryFile::~MemoryFile() { close(file_); }

void MemoryFile::fill(std::span<const std::uint8_t> bytes) {
  require(ftruncate(file_, 0) == 0 && lseek(file_, 0, SEEK_SET) == 0, "the memory file cannot be emptied");
  const auto written = write(file_, bytes.data(), bytes.size());
  require(written == static_cast<ssize_t>(bytes.size()), "the memory file cannot be filled");
}

std::vector<std::uint8_t> MemoryFile::bytes() const {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)));
  require(pread(file_, out.data(), out.size(), 0) == static_cast<ssize_t>(out.size()),
          "the memory file cannot be read");
  return out;
}

void require(bool holds, std::string_view sentence) {
  if (holds) return;
  std::fprintf(stderr, "found: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

void check(const Error& error) {
  require(error.kind != ErrorKind::kInternal, "an internal error: " + error.message());
  require(!error.what.empty(), "an error without a sentence");
  static const bool must_accept = std::getenv("LACUNA_FUZZ_MUST_ACCEPT") != nullptr;
  require(!must_accept, "a seed is refused: " + error.message());
}

void check(const TensorFile& file) {
  require(!file.modes.empty() && file.entries.order() == static_cast<int>(file.modes.size()),
          "entries of another order than the modes'");
  const Count count = file.entries.size();
  for (std::size_t k = 0; k < file.modes.size(); ++k) {
    const Mode& mode = file.modes[k];
    const std::span<const Index> index = file.entries.cells[k];
    require(static_cast<Count>(index.size()) == count, "indices and values differ in number");
    require(mode.labels.size() <= mode.size, "more labels than positions");
    require(std::all_of(index.begin(), index.end(), [&](Index i) { return i < mode.size; }),
            "an index beyond its mode");
  }
  const auto& values = file.entries.value;
  require(std::none_of(values.begin(), values.end(), [](double v) { return std::isinf(v); }),
          "an infinite value");
  const auto missing = std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  require(missing == file.missing, "missing values that are not counted");
  const auto& weights = file.entries.weight;
  require(weights.empty() || static_cast<Count>(weights.size()) == count,
          "weights and values differ in number");
  require(std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w) && w >= 0.0; }),
          "a weight that is no number >= 0");
  require(file.index_base == 0 || file.index_base == 1, "an index base that is neither 0 nor 1");
  double cells = 1.0;
  for (const Mode& mode : file.modes) cells *= mode.size;
  require(!file.dense || static_cast<double>(count) == cells,
          "a dense file that does not list all its cells");
}

bool same_numbers(std::span<const double> left, std::span<const double> right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
}

std::optional<TensorFile> read_and_check(FuzzedDataProvider& input, MemoryFile& memory,
                                         const ReadOptions& options) {
  const auto policy =
      input.PickValueInArray({Duplicates::kError, Duplicates::kMean, Duplicates::kSum, Duplicates::kLast});
  memory.fill(input.ConsumeRemainingBytes<std::uint8_t>());
  auto file = read_tensor(memory.path(), options);
  if (!file) {
    check(file.error());
    return std::nullopt;
  }
  check(*file);
  if (file->modes.size() < 2) return std::nullopt;  // no tensor: the verbs refuse it
  DuplicateCell repeated;
  const auto tensor = ObservedTensor::create(file->modes, file->entries, policy, &repeated);
  if (!tensor) check(tensor.error());
  if (!tensor && repeated.second != repeated.first) {
    const std::string where = locate_entry(memory.path(), options, repeated.second);
    require(where.compare(0, memory.path().size(), memory.path()) == 0, "an entry that is found in no file");
  }
  return std::move(*file);
}

namespace {

// The columns of what was written, which has no others than the modes, the value and the weight.
void number_columns(const TensorFile& file, ReadOptions& options) {
  options.columns.clear();
  options.value_column.clear();
  std::vector<int> kept = file.table.mode_columns;
  if (kept.empty()) return;
  for (const int column : {file.table.value_column, file.table.weight_column})
    if (column >= 0) kept.push_back(column);
  std::sort(kept.begin(), kept.end());
  const auto number = [&](int column) {
    return std::to_string(std::lower_bound(kept.begin(), kept.end(), column) - kept.begin() + 1);
  };
  for (const int column : file.table.mode_columns) options.columns.push_back(number(column));
  options.value_column = file.table.value_column < 0 ? "none" : number(file.table.value_column);
  if (file.table.weight_column >= 0) options.weight_column = number(file.table.weight_column);
}

// A column that is called by a number cannot be told from the column of that number.
bool has_numbers_for_names(const TensorFile& file) {
  return std::any_of(file.table.header.begin(), file.table.header.end(), [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  });
}

}  // namespace

void write_and_read(const TensorFile& file, MemoryFile& memory, ReadOptions options) {
  if (file.table.wide_mode < 0 && has_numbers_for_names(file)) return;
  memory.clear();
  const auto written = write_tensor(memory.path(), file);
  if (!written) {
    check(written.error());
    return;
  }
  options.shape = extents(file.modes);
  if (file.table.wide_mode < 0) number_columns(file, options);
  for (const Mode& mode : file.modes)
    if (!mode.labels.empty()) options.shape.clear();  // sizes are those of the labels
  const auto again = read_tensor(memory.path(), options);
  require(again.ok(), "what was written cannot be read: " + (again ? "" : again.error().message()));
  require(same_numbers(again->entries.value, file.entries.value), "values change on the way out and in");
  require(same_numbers(again->entries.weight, file.entries.weight), "weights change on the way out and in");
  require(again->modes.size() == file.modes.size(), "modes change on the way out and in");
  for (std::size_t k = 0; k < file.modes.size(); ++k)
    for (Count e = 0; e < file.entries.size(); ++e)
      require(spoken(again->modes[k], again->entries.cells[k][e]) ==
                  spoken(file.modes[k], file.entries.cells[k][e]),
              "cells change on the way out and in");
}

}  // namespace lacuna::fuzz
