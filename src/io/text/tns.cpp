// SPDX-License-Identifier: MIT
// FROSTT's .tns: one "i j k ... value" line for each entry, '#' (and '%') comments, no header.
#include "io/text/tns.hpp"

#include <fmt/format.h>

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

// With the base found to be 0 only at the file's end, a number equal to the size turns out to be too large.
bool exceeds_shape(const Entries& entries, const ReadOptions& options, int base) {
  for (int k = 0; k < entries.order(); ++k) {
    const std::uint64_t size = options.shape.empty() ? kLargestSize : options.shape[k];
    if (extent(entries.cells[k]) - static_cast<Index>(base) > size) return true;
  }
  return false;
}

}  // namespace

Result<TensorFile> read_tns(const std::string& path, const ReadOptions& options) {
  auto opened = TextReader::open(path);
  if (!opened) return opened.error();
  TextReader& reader = *opened;
  std::optional<int> base = options.index_base;
  if (options.known_modes != nullptr) base = known_base(options);

  std::optional<IndexLines> lines;
  std::string_view line;
  while (reader.next(line)) {
    if (is_comment(line)) continue;
    if (!lines) {
      const auto order = find_order(reader, line, options);
      if (!order) return order.error();
      auto rules = index_line_rules(path, options, base, *order);
      if (!rules) return rules.error();
      lines.emplace(std::move(*rules));
    }
    if (lines->full()) lines->grow(reader.estimate_lines());
    if (!lines->add(line)) return lines->explain(reader, line);
  }
  if (const auto status = reader.status(); !status) return status.error();
  if (!lines) return input_error(path, "no entries");

  TensorFile file;
  file.format = Format::kTns;
  file.index_base = base ? *base : lines->saw_zero() ? 0 : 1;
  file.entries = lines->take();
  if (!base && exceeds_shape(file.entries, options, file.index_base)) {
    ReadOptions settled = options;
    settled.index_base = file.index_base;
    return read_tns(path, settled);  // fails at the line in question, and names it
  }
  settle_positions(options, file);
  return file;
}

Result<> write_tns(const std::string& path, const TensorFile& file) {
  if (auto fine = check_writable(path, file); !fine) return fine;
  auto out = TextWriter::create(path);
  if (!out) return out.error();
  write_index_lines(*out, file.entries, file.index_base);
  return out->commit();
}

std::optional<Count> locate_tns_entry(const std::string& path, Count entry) {
  auto reader = TextReader::open(path);
  if (!reader) return std::nullopt;
  std::string_view line;
  while (reader->next(line)) {
    if (!is_comment(line) && entry-- == 0) return reader->line_number();
  }
  return std::nullopt;
}

}  // namespace lacuna::io
