// SPDX-License-Identifier: MIT
// Tensor Toolbox's text form of a sparse tensor: the word "sptensor", the order, the sizes and the number of
// entries on a line each, then that many "i j k ... value" lines, 1-based.
#include "io/text/sptensor.hpp"

#include <fmt/format.h>

#include "io/text/index_lines.hpp"
#include "io/text/writer.hpp"

namespace lacuna::io {
namespace {

struct Header {
  std::vector<Index> sizes;
  std::uint64_t entries = 0;
};

bool next_filled(TextReader& reader, std::string_view& line) {
  while (reader.next(line)) {
    if (!trim(line).empty()) return true;
  }
  line = {};  // what it showed is gone
  return false;
}

// A header line of `wanted` whole numbers.
Result<std::vector<std::uint64_t>> read_whole_numbers(TextReader& reader, std::size_t wanted,
                                                      std::string_view what) {
  std::string_view line;
  if (!next_filled(reader, line)) {
    if (const auto status = reader.status(); !status) return status.error();
    return input_error(reader.where(), fmt::format("found the end of the file, expected {}", what));
  }
  std::vector<std::uint64_t> numbers;
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  for (const char* p = skip_blanks(begin, end); p < end; p = skip_blanks(p, end)) {
    const char* const start = p;
    std::uint64_t number = 0;
    if (!parse_digits(p, end, number) || (p < end && !is_blank(*p)) || numbers.size() == wanted) {
      return input_error(
          reader.where(line, static_cast<std::size_t>(start - begin)),
          fmt::format("found {}, expected {}", quoted(trim(line.substr(start - begin))), what));
    }
    numbers.push_back(number);
  }
  if (numbers.size() == wanted) return numbers;
  return input_error(
      reader.where(line, line.size()),
      fmt::format("found {} number{}, expected {}", numbers.size(), numbers.size() == 1 ? "" : "s", what));
}

Result<Header> read_header(TextReader& reader) {
  std::string_view line;
  if (!next_filled(reader, line) || trim(line) != "sptensor") {
    if (const auto status = reader.status(); !status) return status.error();
    return input_error(reader.where(line, 0),
                       fmt::format("found {}, expected 'sptensor'", quoted(trim(line))));
  }
  const auto order = read_whole_numbers(reader, 1, "the order, one whole number");
  if (!order) return order.error();
  if (order->front() < 1 || order->front() > kMostModes) {
    return input_error(reader.where(), fmt::format("found the order {}, expected one from 1 to {}",
                                                   order->front(), kMostModes));
  }
  const auto sizes = read_whole_numbers(reader, order->front(), fmt::format("{} sizes", order->front()));
  if (!sizes) return sizes.error();
  Header header;
  for (const std::uint64_t size : *sizes) {
    if (size < 1 || size > kLargestSize) {
      return input_error(reader.where(),
                         fmt::format("found the size {}, expected one from 1 to {}", size, kLargestSize));
    }
    header.sizes.push_back(static_cast<Index>(size));
  }
  const auto entries = read_whole_numbers(reader, 1, "the number of entries");
  if (!entries) return entries.error();
  header.entries = entries->front();
  return header;
}

Result<> read_body(TextReader& reader, const Header& header, IndexLines& lines) {
  std::string_view line;
  while (next_filled(reader, line)) {
    if (static_cast<std::uint64_t>(lines.size()) == header.entries) {
      return input_error(
          reader.where(line, 0),
          fmt::format("found one line more than the stated number of entries, {}", header.entries));
    }
    if (lines.full()) lines.grow(reader.estimate_lines());
    if (!lines.add(line)) return lines.explain(reader, line);
  }
  if (const auto status = reader.status(); !status) return status.error();
  if (header.entries == 0) return input_error(reader.path(), "no entries");
  if (static_cast<std::uint64_t>(lines.size()) < header.entries) {
    return input_error(reader.where(), fmt::format("found the end of the file after {} of {} entries",
                                                   lines.size(), header.entries));
  }
  return Nothing{};
}

}  // namespace

Result<TensorFile> read_sptensor(const std::string& path, const ReadOptions& options) {
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  const auto header = read_header(*reader);
  if (!header) return header.error();

  ReadOptions sized = options;
  if (sized.shape.empty()) sized.shape = header->sizes;
  const auto order = static_cast<int>(header->sizes.size());
  if (options.known_modes != nullptr && options.known_modes->size() != header->sizes.size()) {
    return input_error(
        path, fmt::format("found a tensor of order {}, expected {}", order, options.known_modes->size()));
  }
  TensorFile file;
  file.format = Format::kSptensor;
  file.index_base = options.index_base.value_or(1);
  auto rules = index_line_rules(path, sized, file.index_base, order);
  if (!rules) return rules.error();
  IndexLines lines(std::move(*rules));
  if (const auto read = read_body(*reader, *header, lines); !read) return read.error();
  file.entries = lines.take();
  settle_positions(sized, file);
  return file;
}

Result<> write_sptensor(const std::string& path, const TensorFile& file) {
  if (auto fine = check_writable(path, file); !fine) return fine;
  auto out = TextWriter::create(path);
  if (!out) return out.error();
  out->text(fmt::format("sptensor\n{}\n", file.modes.size()));
  for (std::size_t k = 0; k < file.modes.size(); ++k) {
    out->text(fmt::format("{}{}", k == 0 ? "" : " ", file.modes[k].size));
  }
  out->text(fmt::format("\n{}\n", file.entries.size()));
  write_index_lines(*out, file.entries, 1);
  return out->commit();
}

std::optional<Count> locate_sptensor_entry(const std::string& path, Count entry) {
  auto reader = TextReader::open(path);
  if (!reader) return std::nullopt;
  constexpr Count kHeaderLines = 4;
  std::string_view line;
  for (Count seen = 0; next_filled(*reader, line); ++seen) {
    if (seen == entry + kHeaderLines) return reader->line_number();
  }
  return std::nullopt;
}

}  // namespace lacuna::io
