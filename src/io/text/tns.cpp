// SPDX-License-Identifier: MIT
// FROSTT's .tns: one "i j k ... value" line for each entry, '#' (and '%') comments, no header.
#include "io/text/tns.hpp"

#include <fmt/format.h>

#include "dist/agreement.hpp"
#include "io/text/index_lines.hpp"
#include "io/text/writer.hpp"

namespace lacuna::io {
namespace {

// The order: of the known modes, or what the first line shows.
Result<int> find_order(const TextReader& reader, std::string_view line, const ReadOptions& options) {
  if (options.known_modes != nullptr) return static_cast<int>(options.known_modes->size());
  const int columns = count_fields(line);
  if (columns >= 2) return columns - 1;
  return input_error(reader.where(line, 0), "found 1 column, expected at least an index and a value");
}

// What the first line of all tells every process about the others; nothing where there is none.
Result<std::optional<IndexLineRules>> find_rules(const std::vector<std::string>& files,
                                                 const ReadOptions& options, std::optional<int> base) {
  for (const std::string& file : files) {
    auto reader = TextReader::open(file);
    if (!reader) return reader.error();
    std::string_view line;
    while (reader->next(line)) {
      if (is_comment(line)) continue;
      const auto order = find_order(*reader, line, options);
      if (!order) return order.error();
      auto rules = index_line_rules(file, options, base, *order);
      if (!rules) return rules.error();
      return std::optional(std::move(*rules));
    }
    if (const auto status = reader->status(); !status) return status.error();
  }
  return std::optional<IndexLineRules>();
}

Result<> read_range(const TextRange& range, IndexLines& lines) {
  auto reader = TextReader::open(range);
  if (!reader) return reader.error();
  const Count before = lines.size();
  std::string_view line;
  while (reader->next(line)) {
    if (is_comment(line)) continue;
    if (lines.full()) lines.grow(before + reader->estimate_lines());
    if (!lines.add(line)) return lines.explain(*reader, line);
  }
  return reader->status();
}

// What this process reads.
struct OwnLines {
  std::vector<TextRange> ranges;
  std::optional<IndexLines> lines{};  // none: no process has any
};

Result<OwnLines> read_own(const std::string& path, const ReadOptions& options, std::optional<int> base,
                          const Communicator& everyone) {
  const auto files = text_files(path);
  if (!files) return files.error();
  auto rules = find_rules(*files, options, base);
  if (!rules) return rules.error();
  std::vector<TextRange> whole;
  for (const std::string& file : *files) whole.push_back({.path = file});
  auto ranges = share_ranges(whole, everyone);
  if (!ranges) return ranges.error();
  OwnLines own{.ranges = std::move(*ranges)};
  if (!*rules) return own;
  own.lines.emplace(std::move(**rules));
  for (const TextRange& range : own.ranges)
    if (auto read = read_range(range, *own.lines); !read) return read.error();
  return own;
}

// With the base found to be 0 only at the file's end, a number equal to the size turns out to be too large.
bool exceeds_shape(const Entries& entries, const ReadOptions& options, int base) {
  for (int k = 0; k < entries.order() && entries.size() > 0; ++k) {
    const std::uint64_t size = options.shape.empty() ? kLargestSize : options.shape[k];
    if (extent(entries.cells[k]) - static_cast<Index>(base) > size) return true;
  }
  return false;
}

}  // namespace

Result<Reading> read_tns(const std::string& path, const ReadOptions& options, const Communicator& everyone) {
  std::optional<int> base = options.index_base;
  if (options.known_modes != nullptr) base = known_base(options);
  auto own = read_own(path, options, base, everyone);
  if (auto fine = agreed(everyone, own); !fine) return fine.error();
  if (everyone.sum(own->lines ? own->lines->size() : Count{0}) == 0) return input_error(path, "no entries");

  Reading reading{.file = {}, .shared = true, .ranges = std::move(own->ranges)};
  TensorFile& file = reading.file;
  file.format = Format::kTns;
  file.index_base = base ? *base : everyone.any(own->lines->saw_zero()) ? 0 : 1;
  file.entries = own->lines->take();
  if (!base && everyone.any(exceeds_shape(file.entries, options, file.index_base))) {
    ReadOptions settled = options;
    settled.index_base = file.index_base;
    return read_tns(path, settled, everyone);  // fails at the line in question, and names it
  }
  settle_positions(options, file, everyone);
  return reading;
}

Result<> write_tns(const std::string& path, const TensorFile& file) {
  if (auto fine = check_writable(path, file); !fine) return fine;
  auto out = TextWriter::create(path);
  if (!out) return out.error();
  write_index_lines(*out, file.entries, file.index_base);
  return out->commit();
}

std::optional<std::string> locate_tns_entry(std::span<const TextRange> ranges, Count entry) {
  for (const TextRange& range : ranges) {
    auto reader = TextReader::open(range);
    if (!reader) return std::nullopt;
    std::string_view line;
    while (reader->next(line))
      if (!is_comment(line) && entry-- == 0) return reader->where();
  }
  return std::nullopt;
}

}  // namespace lacuna::io
