// SPDX-License-Identifier: MIT
#include "arrow_stream.hpp"

#include <Eigen/Core>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "io/text/number.hpp"

namespace lacuna::python {
namespace {

bool is_one_of(std::string_view format, std::string_view letters) {
  return format.size() == 1 && letters.find(format[0]) != std::string_view::npos;
}
bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }

ColumnKind kind_of_format(std::string_view format) {
  if (is_one_of(format, "bcCsSiIlL")) return ColumnKind::kWhole;
  if (is_one_of(format, "efg")) return ColumnKind::kNumber;
  if (is_text(format)) return ColumnKind::kText;
  if (format == "tdD" || format == "tdm" || format.starts_with("ts")) return ColumnKind::kTime;
  return format == "n" ? ColumnKind::kNulls : ColumnKind::kOther;
}

bool bit(const void* bits, std::int64_t at) {
  return (static_cast<const std::uint8_t*>(bits)[at / 8] >> (at % 8) & 1U) != 0;
}

// Text at a row of an array; the array's own statements about it are checked.
class TextRows {
 public:
  TextRows(const ArrowArray& array, std::string_view format) : array_(&array), format_(format) {
    // validity, offsets or views, characters or the lengths of their buffers
    if (array.n_buffers < 3 || array.buffers == nullptr) throw std::invalid_argument("buffers are missing");
  }

  [[nodiscard]] std::string_view at(std::int64_t row) const {
    if (format_ == "vu") return view(row);
    return format_ == "u" ? plain<std::int32_t>(row) : plain<std::int64_t>(row);
  }

 private:
  template <class Offset>
  [[nodiscard]] std::string_view plain(std::int64_t row) const {
    const auto* offsets = static_cast<const Offset*>(array_->buffers[1]);
    if (offsets == nullptr) throw std::invalid_argument("its offsets are missing");
    const Offset begin = offsets[row];
    const Offset end = offsets[row + 1];
    if (begin < offsets[0] || begin < 0 || end < begin)
      throw std::invalid_argument("its offsets do not ascend");
    if (begin == end) return {};
    return {static_cast<const char*>(array_->buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
  }

  // Sixteen bytes a row: the length, then up to twelve characters, or four of them, a buffer's number and an offset.
  [[nodiscard]] std::string_view view(std::int64_t row) const {
    const auto* const bytes = static_cast<const char*>(array_->buffers[1]) + 16 * row;
    const auto field = [&](int at) {
      std::int32_t number = 0;
      std::memcpy(&number, bytes + at, sizeof number);
      return number;
    };
    const std::int32_t length = field(0);
    if (length < 0) throw std::invalid_argument("a text has a negative length");
    if (length <= 12) return {bytes + 4, static_cast<std::size_t>(length)};
    const std::int64_t buffers = array_->n_buffers - 3;
    const std::int32_t buffer = field(8);
    const std::int32_t offset = field(12);
    const auto* const sizes = static_cast<const std::int64_t*>(array_->buffers[array_->n_buffers - 1]);
    if (buffer < 0 || buffer >= buffers || offset < 0 || std::int64_t{offset} + length > sizes[buffer])
      throw std::invalid_argument("a text lies outside its buffer");
    return {static_cast<const char*>(array_->buffers[2 + buffer]) + offset, static_cast<std::size_t>(length)};
  }

  const ArrowArray* array_;
  std::string_view format_;
};

bool is_null(const ArrowArray& array, std::int64_t row) {
  return array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] != nullptr &&
         !bit(array.buffers[0], row);
}

}  // namespace

ColumnKind kind_of(const ArrowSchema& schema) {
  return kind_of_format(schema.dictionary != nullptr ? schema.dictionary->format : schema.format);
}

const char* time_unit(const ArrowSchema& schema) {
  const std::string_view format(schema.format);
  if (format == "tdD") return "D";
  if (format == "tdm" || format.starts_with("tsm")) return "ms";
  if (format.starts_with("tsu")) return "us";
  return format.starts_with("tsn") ? "ns" : "s";
}

// "tsu:Europe/Berlin" are moments, "tsu:" what some clock shows.
bool has_time_zone(const ArrowSchema& schema) {
  const std::string_view format(schema.format);
  return format.starts_with("ts") && format.size() > 4;
}

ColumnReader::ColumnReader(const ArrowSchema& schema)
    : kind(kind_of(schema)),
      name(schema.name != nullptr ? schema.name : ""),
      unit(kind == ColumnKind::kTime ? time_unit(schema) : ""),
      utc(kind == ColumnKind::kTime && has_time_zone(schema)),
      format_(schema.dictionary != nullptr ? schema.dictionary->format : schema.format),
      index_format_(schema.dictionary != nullptr ? schema.format : "") {}

void ColumnReader::refuse(const char* why) const {
  throw std::invalid_argument("data: the column '" + name + "' is no valid Arrow array: " + why);
}

// cell(row within the array, whether it is null)
template <class Cell>
void ColumnReader::each_row(const ArrowArray& chunk, Cell&& cell) {
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    const std::int64_t at = chunk.offset + i;
    const bool null = is_null(chunk, at);
    if (null) nulls.push_back(rows);
    cell(at, null);
    ++rows;
  }
}

template <class T>
void ColumnReader::add_whole(const ArrowArray& chunk) {
  const auto* const data = static_cast<const T*>(chunk.buffers[1]);
  each_row(chunk, [&](std::int64_t at, bool null) {
    const T value = null ? T{0} : data[at];
    if constexpr (std::is_same_v<T, std::uint64_t>)
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw std::invalid_argument("data: the column '" + name + "' holds numbers beyond 2^63");
    whole.push_back(static_cast<std::int64_t>(value));
  });
}

template <class T>
void ColumnReader::add_numbers(const ArrowArray& chunk) {
  const auto* const data = static_cast<const T*>(chunk.buffers[1]);
  each_row(chunk, [&](std::int64_t at, bool null) {
    numbers.push_back(null ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(data[at]));
  });
}

void ColumnReader::add_numbers_of_format(const ArrowArray& chunk) {
  if (chunk.n_buffers < 2 || chunk.buffers == nullptr || (chunk.buffers[1] == nullptr && chunk.length > 0))
    refuse("its values are missing");
  if (format_.size() > 1)
    return format_ == "tdD" ? add_whole<std::int32_t>(chunk) : add_whole<std::int64_t>(chunk);
  switch (format_[0]) {
    case 'b':
      return each_row(
          chunk, [&](std::int64_t at, bool null) { whole.push_back(!null && bit(chunk.buffers[1], at)); });
    case 'c':
      return add_whole<std::int8_t>(chunk);
    case 'C':
      return add_whole<std::uint8_t>(chunk);
    case 's':
      return add_whole<std::int16_t>(chunk);
    case 'S':
      return add_whole<std::uint16_t>(chunk);
    case 'i':
      return add_whole<std::int32_t>(chunk);
    case 'I':
      return add_whole<std::uint32_t>(chunk);
    case 'l':
      return add_whole<std::int64_t>(chunk);
    case 'L':
      return add_whole<std::uint64_t>(chunk);
    case 'e':
      return add_numbers<Eigen::half>(chunk);
    case 'f':
      return add_numbers<float>(chunk);
    default:
      return add_numbers<double>(chunk);
  }
}

void ColumnReader::add_label(std::string_view label) {
  if (!io::is_utf8(label)) refuse("a text is not UTF-8");
  if (!table_.append(label, codes)) refuse("it has more than 4294967294 labels");
}

void ColumnReader::add_text(const ArrowArray& chunk) {
  const TextRows text(chunk, format_);
  each_row(chunk, [&](std::int64_t at, bool null) {
    if (!null) add_label(text.at(at));
  });
}

// Numbers into a list of texts.
void ColumnReader::add_dictionary(const ArrowArray& chunk) {
  if (chunk.dictionary == nullptr) refuse("its dictionary is missing");
  if (!is_one_of(index_format_, "cCsSiIlL")) refuse("its dictionary is not numbered by whole numbers");
  const ArrowArray& words = *chunk.dictionary;
  const TextRows text(words, format_);
  ColumnReader indices(ArrowSchema{.format = index_format_.c_str(),
                                   .name = name.c_str(),
                                   .metadata = nullptr,
                                   .flags = 0,
                                   .n_children = 0,
                                   .children = nullptr,
                                   .dictionary = nullptr,
                                   .release = nullptr,
                                   .private_data = nullptr});
  indices.add_numbers_of_format(chunk);
  std::size_t next_null = 0;
  for (std::int64_t i = 0; i < chunk.length; ++i, ++rows) {
    const bool masked = next_null < indices.nulls.size() && indices.nulls[next_null] == i;
    next_null += masked ? 1 : 0;
    const std::int64_t word = indices.whole[static_cast<std::size_t>(i)];
    if (!masked && (word < 0 || word >= words.length)) refuse("a number has no word in its dictionary");
    if (masked || is_null(words, words.offset + word))
      nulls.push_back(rows);
    else
      add_label(text.at(words.offset + word));
  }
}

void ColumnReader::add(const ArrowArray& chunk) {
  if (chunk.length < 0 || chunk.offset < 0 || chunk.n_buffers < 0) refuse("a length is negative");
  try {
    if (kind == ColumnKind::kNulls)
      each_row(chunk, [&](std::int64_t, bool null) {
        if (!null) nulls.push_back(rows);
      });
    else if (!index_format_.empty())
      kind == ColumnKind::kText ? add_dictionary(chunk) : refuse("only dictionaries of texts are understood");
    else if (kind == ColumnKind::kText)
      add_text(chunk);
    else
      add_numbers_of_format(chunk);
  } catch (const std::invalid_argument& problem) {
    if (std::string_view(problem.what()).starts_with("data:")) throw;
    refuse(problem.what());
  }
}

void ColumnReader::finish() {
  if (kind != ColumnKind::kText) return;
  if (!table_.settle(codes)) refuse("it has more than 4294967294 labels");
  labels = table_.take();
  io::order_labels(labels, codes);
}

}  // namespace lacuna::python
