// SPDX-License-Identifier: MIT
// Tables that come as an Arrow C stream: the structs of the Arrow C data interface, which are an ABI and need no
// library, and columns of one as plain vectors.
#pragma once

#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <vector>

#include "io/text/labels.hpp"

namespace lacuna::python {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// What a column holds: whole numbers, other numbers, text, points in time, nothing but nulls, or what is of no use.
enum class ColumnKind { kWhole, kNumber, kText, kTime, kNulls, kOther };
[[nodiscard]] ColumnKind kind_of(const ArrowSchema& schema);
// Of a column of kind kTime: "D", "s", "ms", "us" or "ns", as NumPy names them.
[[nodiscard]] const char* time_unit(const ArrowSchema& schema);
[[nodiscard]] bool has_time_zone(const ArrowSchema& schema);

// One column, chunk after chunk.
class ColumnReader {
 public:
  explicit ColumnReader(const ArrowSchema& schema);

  // Takes a chunk up. Throws std::invalid_argument when what it says of itself cannot be.
  void add(const ArrowArray& chunk);
  // Text: sorts labels as the files' readers do and ends the numbering.
  void finish();

  ColumnKind kind;
  std::string name;
  std::string unit;                 // kTime
  bool utc = false;                 // kTime: moments, not what some clock shows
  std::vector<std::int64_t> whole;  // kWhole, kTime; 0 for null
  std::vector<double> numbers;      // kNumber; NaN for null
  std::vector<Index> codes;         // kText: the label of each row; nulls are left out
  std::vector<std::string> labels;  // kText, after finish()
  std::vector<std::int64_t> nulls;  // rows without a value
  std::int64_t rows = 0;

 private:
  template <class Cell>
  void each_row(const ArrowArray& chunk, Cell&& cell);
  template <class T>
  void add_whole(const ArrowArray& chunk);
  template <class T>
  void add_numbers(const ArrowArray& chunk);
  void add_numbers_of_format(const ArrowArray& chunk);
  void add_text(const ArrowArray& chunk);
  void add_dictionary(const ArrowArray& chunk);
  void add_label(std::string_view label);
  [[noreturn]] void refuse(const char* why) const;

  std::string format_;
  std::string index_format_;  // of a dictionary's numbers; empty: the column is none
  io::LabelTable table_;
};

}  // namespace lacuna::python
