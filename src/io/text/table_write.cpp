// SPDX-License-Identifier: MIT
// Writing tables. Columns that a table had besides its modes, its value and its weight are gone; a value
// column is added where there was none, unless every value is the 1 that such a table stands for, and a
// weight column where entries have weights.
#include "io/text/table_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/file/ending.hpp"
#include "io/text/number.hpp"
#include "io/text/position_text.hpp"
#include "io/text/wide_write.hpp"
#include "io/text/writer.hpp"

namespace lacuna::io {
namespace {

constexpr int kValue = -1;
constexpr int kWeight = -2;
constexpr int kAdded = -3;  // the first added column, the next one is kAdded - 1

struct Shape {
  std::string delimiter;
  std::vector<int> columns;         // a mode's number, kValue or kWeight
  std::vector<std::string> header;  // one for each column, or none
  char decimal = '.';
};

bool fits(const TableLayout& layout, std::size_t order) {
  return !layout.delimiter.empty() && layout.mode_columns.size() == order &&
         (layout.header.empty() || layout.header.size() == static_cast<std::size_t>(layout.columns));
}

bool all_ones(const Entries& entries) {
  return std::all_of(entries.value.begin(), entries.value.end(), [](double v) { return v == 1.0; });
}

// Adds a column that the layout does not have.
void append_column(Shape& shape, int column, const char* name, bool named) {
  shape.columns.push_back(column);
  if (named) shape.header.emplace_back(name);
}

Shape plan_own_columns(const std::string& path, const TensorFile& file, bool any_value) {
  const TableLayout& layout = file.table;
  const auto order = static_cast<int>(file.modes.size());
  Shape shape;
  shape.delimiter = output_delimiter(path, layout);
  if (shape.delimiter != ",") shape.decimal = layout.decimal;
  if (!fits(layout, file.modes.size())) {
    for (int k = 0; k < order; ++k) {
      shape.columns.push_back(k);
      shape.header.push_back(file.modes[static_cast<std::size_t>(k)].name);
    }
    append_column(shape, kValue, "value", true);
    if (!file.entries.weight.empty()) append_column(shape, kWeight, "weight", true);
    return shape;
  }
  const int weight_column = file.entries.weight.empty() ? -1 : layout.weight_column;
  for (int c = 0; c < layout.columns; ++c) {
    const auto mode = std::find(layout.mode_columns.begin(), layout.mode_columns.end(), c);
    if (c == layout.value_column)
      shape.columns.push_back(kValue);
    else if (c == weight_column)
      shape.columns.push_back(kWeight);
    else if (mode != layout.mode_columns.end())
      shape.columns.push_back(static_cast<int>(mode - layout.mode_columns.begin()));
    else
      continue;
    if (!layout.header.empty()) shape.header.push_back(layout.header[static_cast<std::size_t>(c)]);
  }
  const bool named = !layout.header.empty();
  if (layout.value_column < 0 && (any_value || !all_ones(file.entries)))
    append_column(shape, kValue, "value", named);
  if (weight_column < 0 && !file.entries.weight.empty()) append_column(shape, kWeight, "weight", named);
  return shape;
}

Shape plan_columns(const std::string& path, const TensorFile& file, const std::vector<AddedColumn>& added) {
  Shape shape = plan_own_columns(path, file, !added.empty());
  for (std::size_t i = 0; i < added.size(); ++i)
    append_column(shape, kAdded - static_cast<int>(i), added[i].name.c_str(), !shape.header.empty());
  return shape;
}

bool is_plain(std::string_view text, std::string_view delimiter) {
  const bool blanks = delimiter == " " && text.find_first_of(" \t") != std::string_view::npos;
  // A colon next to "::" would make it "::" one place too early.
  const bool colons = delimiter.size() > 1 && !text.empty() &&
                      (text.front() == delimiter.back() || text.back() == delimiter.front());
  return !text.empty() && !blanks && !colons && text.find_first_of("\"\r\n") == std::string_view::npos &&
         text.find(delimiter) == std::string_view::npos && !is_blank(text.front()) && !is_blank(text.back());
}

}  // namespace

// The ending decides between commas and tabs; the layout may ask for another CSV delimiter.
std::string output_delimiter(const std::string& path, const TableLayout& layout) {
  const std::string& asked = layout.delimiter;
  const std::string_view name = without_packing(path);
  if (has_ending(name, ".tsv")) return "\t";
  if (has_ending(name, ".csv")) return asked == ";" || asked == "|" ? asked : ",";
  return asked.empty() ? "," : asked;
}

void write_field(TextWriter& out, std::string_view text, const std::string& delimiter) {
  if (is_plain(text, delimiter))
    out.text(text);
  else
    out.text(table_field(text, delimiter));
}

// fields.hpp says why.
Result<> check_line_breaks(const std::string& path, const TensorFile& file, const std::string& delimiter) {
  if (delimiter == "," || delimiter == ";" || delimiter == "|") return Nothing{};
  for (const Mode& mode : file.modes) {
    for (const std::string& label : mode.labels) {
      if (label.find_first_of("\r\n") == std::string::npos) continue;
      return output_error(
          path, fmt::format("the label {} of mode '{}' holds a line break, which only CSV can", quoted(label),
                            mode.name));
    }
  }
  return Nothing{};
}

namespace {

void write_position(TextWriter& out, const PositionText& mode, Index position, const std::string& delimiter) {
  if (mode.is_number(position))
    out.integer(mode.number(position));
  else if (const std::string* const label = mode.label(position))
    write_field(out, *label, delimiter);
  else
    write_field(out, mode.text(position), delimiter);
}

}  // namespace

std::string table_field(std::string_view text, std::string_view delimiter) {
  if (is_plain(text, delimiter)) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    field += c;
    if (c == '"') field += c;
  }
  return field + "\"";
}

Result<> write_table(const std::string& path, const TensorFile& file, const std::vector<AddedColumn>& added) {
  if (auto fine = check_writable(path, file); !fine) return fine;
  if (file.table.wide_mode >= 0 && added.empty()) return write_wide_table(path, file);
  std::vector<PositionText> texts;
  for (const Mode& mode : file.modes) {
    auto text = PositionText::of(mode, file.index_base);
    if (!text) return text.error();
    texts.push_back(std::move(*text));
  }
  const Shape shape = plan_columns(path, file, added);
  if (auto fine = check_line_breaks(path, file, shape.delimiter); !fine) return fine;
  auto out = TextWriter::create(path);
  if (!out) return out.error();
  for (std::size_t c = 0; c < shape.header.size(); ++c) {
    if (c > 0) out->text(shape.delimiter);
    write_field(*out, shape.header[c], shape.delimiter);
  }
  if (!shape.header.empty()) out->text("\n");
  for (std::size_t e = 0; e < file.entries.value.size(); ++e) {
    for (std::size_t c = 0; c < shape.columns.size(); ++c) {
      if (c > 0) out->text(shape.delimiter);
      if (shape.columns[c] <= kAdded) {
        out->number(added[static_cast<std::size_t>(kAdded - shape.columns[c])].value[e], shape.decimal);
      } else if (shape.columns[c] == kWeight) {
        out->number(file.entries.weight[e], shape.decimal);
      } else if (shape.columns[c] != kValue) {
        const auto k = static_cast<std::size_t>(shape.columns[c]);
        write_position(*out, texts[k], file.entries.cells[k][e], shape.delimiter);
      } else if (!std::isnan(file.entries.value[e])) {
        out->number(file.entries.value[e], shape.decimal);
      } else if (shape.delimiter == " ") {
        out->text("nan");  // between blanks an empty field cannot be seen
      }
    }
    out->text("\n");
  }
  return out->commit();
}

}  // namespace lacuna::io
