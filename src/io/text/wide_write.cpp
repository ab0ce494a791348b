// SPDX-License-Identifier: MIT
// A wide table is written in lines of fields: of modes, of values, and blank ones that belong to other columns of the
// table that was read. Its own lines are kept where its entries are still where they were.
#include "io/text/wide_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "io/text/decimal.hpp"
#include "io/text/fields.hpp"
#include "io/text/position_text.hpp"
#include "io/text/table_rows.hpp"
#include "io/text/table_write.hpp"
#include "io/text/writer.hpp"

namespace lacuna::io {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostFields = 2e9;  // in a file of at least as many bytes

// What stands in a column of the lines.
struct Column {
  int mode = -1;   // >= 0: the position along this mode
  int value = -1;  // >= 0: the value at this place of `across`; neither: nothing
};

class WideWriter {
 public:
  WideWriter(const std::string& path, const TensorFile& file)
      : path_(path),
        file_(file),
        cells_(file.entries.cells),
        rows_(file.table.rows.get()),
        wide_(file.table.wide_mode),
        delimiter_(output_delimiter(path, file.table)),
        decimal_(delimiter_ == "," && file.table.delimiter != "," ? '.' : file.table.decimal) {}

  Result<> write();

 private:
  [[nodiscard]] bool row_is_kept(Count row) const;
  [[nodiscard]] bool rows_are_kept() const;
  void lay_out_as_read();
  void lay_out_anew();
  Result<> sort_others();
  [[nodiscard]] bool on_one_line(Count a, Count b) const;
  [[nodiscard]] bool is_unchanged(std::string_view text, double value) const;
  [[nodiscard]] std::string number_text(double value) const;
  void write_header(TextWriter& out) const;
  void write_kept_row(TextWriter& out, FieldSplitter& splitter, Count row) const;
  void write_others(TextWriter& out) const;
  void write_line(TextWriter& out, Count of, const std::vector<double>& values) const;

  const std::string& path_;
  const TensorFile& file_;
  const Cells& cells_;
  const TableRows* rows_;  // null: it was not read from a wide table
  int wide_;
  std::string delimiter_;
  char decimal_;
  std::vector<PositionText> texts_;  // of each mode
  bool kept_ = false;                // the rows that were read are as they were
  std::vector<Column> columns_;
  std::vector<Index> across_;              // positions along the wide mode, in the order of their columns
  std::unordered_map<Index, int> column_;  // from position to place in `across_`
  std::vector<Count> others_;              // entries of other rows than those, line after line
};

bool WideWriter::row_is_kept(Count row) const {
  const std::size_t width = rows_->across.size();
  for (int k = 0; k < cells_.order(); ++k) {
    const auto positions = cells_.mode(k).subspan(static_cast<std::size_t>(row) * width, width);
    const Index along = rows_->cells.mode(k)[static_cast<std::size_t>(row)];
    const auto is_there = [&](Index position) { return position == along; };
    const bool kept = k == wide_ ? std::equal(positions.begin(), positions.end(), rows_->across.begin())
                                 : std::all_of(positions.begin(), positions.end(), is_there);
    if (!kept) return false;
  }
  return true;
}

// All of them, or none: entries that were dealt elsewhere make a new table, and so does one without a column.
bool WideWriter::rows_are_kept() const {
  if (rows_ == nullptr || rows_->cells.order() != cells_.order()) return false;
  const Count read = rows_->rows() * static_cast<Count>(rows_->across.size());
  if (cells_.size() < read) return false;
  for (Count row = 0; row < rows_->rows(); ++row)
    if (!row_is_kept(row)) return false;
  const auto others = cells_.mode(wide_).subspan(static_cast<std::size_t>(read));
  return std::all_of(others.begin(), others.end(), [&](Index position) {
    return std::find(rows_->across.begin(), rows_->across.end(), position) != rows_->across.end();
  });
}

void WideWriter::lay_out_as_read() {
  const TableLayout& layout = file_.table;
  across_ = rows_->across;
  columns_.resize(static_cast<std::size_t>(layout.columns));
  for (std::size_t k = 0; k < layout.mode_columns.size(); ++k)
    if (layout.mode_columns[k] >= 0)
      columns_[static_cast<std::size_t>(layout.mode_columns[k])].mode = static_cast<int>(k);
  for (std::size_t c = 0; c < layout.value_columns.size(); ++c)
    columns_[static_cast<std::size_t>(layout.value_columns[c])].value = static_cast<int>(c);
}

// The columns of the table that was read, then what else the entries have.
void WideWriter::lay_out_anew() {
  if (rows_ != nullptr) across_ = rows_->across;
  std::vector<Index> had = across_;
  std::vector<Index> seen(cells_.mode(wide_).begin(), cells_.mode(wide_).end());
  for (std::vector<Index>* const list : {&had, &seen}) std::sort(list->begin(), list->end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  std::set_difference(seen.begin(), seen.end(), had.begin(), had.end(), std::back_inserter(across_));
  for (int k = 0; k < cells_.order(); ++k)
    if (k != wide_) columns_.push_back({.mode = k, .value = -1});
  for (std::size_t c = 0; c < across_.size(); ++c)
    columns_.push_back({.mode = -1, .value = static_cast<int>(c)});
}

bool WideWriter::on_one_line(Count a, Count b) const {
  for (int k = 0; k < cells_.order(); ++k)
    if (k != wide_ && cells_.mode(k)[a] != cells_.mode(k)[b]) return false;
  return true;
}

// By their lines and then by their columns.
Result<> WideWriter::sort_others() {
  const Count first = kept_ ? rows_->rows() * static_cast<Count>(across_.size()) : 0;
  others_.resize(static_cast<std::size_t>(cells_.size() - first));
  std::iota(others_.begin(), others_.end(), first);
  std::sort(others_.begin(), others_.end(), [&](Count a, Count b) {
    for (int k = 0; k < cells_.order(); ++k)
      if (k != wide_ && cells_.mode(k)[a] != cells_.mode(k)[b]) return cells_.mode(k)[a] < cells_.mode(k)[b];
    const Index along_a = cells_.mode(wide_)[a];
    const Index along_b = cells_.mode(wide_)[b];
    return along_a != along_b ? along_a < along_b : a < b;
  });
  double lines = 0.0;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (i == 0 || !on_one_line(others_[i - 1], others_[i])) {
      lines += 1.0;
    } else if (cells_.mode(wide_)[others_[i - 1]] == cells_.mode(wide_)[others_[i]]) {
      return output_error(path_,
                          fmt::format("the cell {} is listed twice, which a wide table cannot hold",
                                      describe_cell(file_.modes, cells_, others_[i], file_.index_base)));
    }
  }
  if (lines * static_cast<double>(columns_.size()) > kMostFields)
    return output_error(
        path_, fmt::format("a wide table of {:.4g} lines and {} columns would be too large, expected "
                           "a line for each cell",
                           lines, columns_.size()));
  return Nothing{};
}

bool WideWriter::is_unchanged(std::string_view text, double value) const {
  double had = 0;
  if (!parse_table_value(text, file_.table.decimal, had)) return false;
  if (rows_->missing_value && had == *rows_->missing_value) had = kNothing;
  return std::isnan(had) ? std::isnan(value) : had == value;
}

std::string WideWriter::number_text(double value) const {
  if (std::isnan(value)) return delimiter_ == " " ? "nan" : "";
  std::string text = fmt::format("{}", value);
  if (decimal_ != '.') std::replace(text.begin(), text.end(), '.', decimal_);
  return table_field(text, delimiter_);
}

void WideWriter::write_header(TextWriter& out) const {
  const std::vector<std::string>& header = file_.table.header;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) out.text(delimiter_);
    if (kept_)
      write_field(out, header[c], delimiter_);
    else if (columns_[c].mode >= 0)
      write_field(out, file_.modes[static_cast<std::size_t>(columns_[c].mode)].name, delimiter_);
    else
      write_field(
          out,
          texts_[static_cast<std::size_t>(wide_)].text(across_[static_cast<std::size_t>(columns_[c].value)]),
          delimiter_);
  }
}

// With another delimiter all fields are written anew, otherwise only those of values that have changed.
void WideWriter::write_kept_row(TextWriter& out, FieldSplitter& splitter, Count row) const {
  const std::string_view record = rows_->row(row);
  splitter.split(record);
  const auto fields = splitter.fields();
  const bool anew = delimiter_ != file_.table.delimiter;
  std::string scratch;
  std::size_t done = 0;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    const Field& field = fields[c];
    const Count entry = row * static_cast<Count>(across_.size()) + columns_[c].value;
    const bool changed = columns_[c].value >= 0 && !is_unchanged(field.text, file_.entries.value[entry]);
    if (anew) {
      if (c > 0) out.text(delimiter_);
      if (columns_[c].value >= 0 && (changed || decimal_ != file_.table.decimal))
        out.text(number_text(file_.entries.value[entry]));
      else
        write_field(out, field_text(field, scratch), delimiter_);
    } else if (changed) {
      const bool quoted = field.text.data() != record.data() + field.offset;
      out.text(record.substr(done, field.offset - done));
      out.text(number_text(file_.entries.value[entry]));
      done = field.offset + field.text.size() + (quoted ? 2 : 0);
    }
  }
  if (!anew) out.text(record.substr(done));
}

void WideWriter::write_line(TextWriter& out, Count of, const std::vector<double>& values) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) out.text(delimiter_);
    if (columns_[c].value >= 0) {
      out.text(number_text(values[static_cast<std::size_t>(columns_[c].value)]));
    } else if (columns_[c].mode >= 0) {
      const auto k = static_cast<std::size_t>(columns_[c].mode);
      write_field(out, texts_[k].text(cells_[k][of]), delimiter_);
    }
  }
}

void WideWriter::write_others(TextWriter& out) const {
  const std::string line_break = rows_ != nullptr ? rows_->line_break : "\n";
  std::vector<double> values(across_.size());
  for (std::size_t begin = 0; begin < others_.size();) {
    std::fill(values.begin(), values.end(), kNothing);
    std::size_t end = begin;
    for (; end < others_.size() && on_one_line(others_[begin], others_[end]); ++end)
      values[static_cast<std::size_t>(column_.at(cells_.mode(wide_)[others_[end]]))] =
          file_.entries.value[static_cast<std::size_t>(others_[end])];
    write_line(out, others_[begin], values);
    out.text(line_break);
    begin = end;
  }
}

Result<> WideWriter::write() {
  if (!file_.entries.weight.empty())
    return output_error(path_, "the entries have weights, which a wide table cannot hold");
  if (auto fine = check_line_breaks(path_, file_, delimiter_); !fine) return fine;
  for (const Mode& mode : file_.modes) {
    auto text = PositionText::of(mode, file_.index_base);
    if (!text) return text.error();
    texts_.push_back(std::move(*text));
  }
  kept_ = rows_are_kept();
  kept_ ? lay_out_as_read() : lay_out_anew();
  for (std::size_t c = across_.size(); c-- > 0;) column_[across_[c]] = static_cast<int>(c);
  if (auto sorted = sort_others(); !sorted) return sorted;
  auto out = TextWriter::create(path_);
  if (!out) return out.error();
  const std::string line_break = rows_ != nullptr ? rows_->line_break : "\n";
  if (kept_ && delimiter_ == file_.table.delimiter)
    out->text(rows_->header());
  else
    write_header(*out);
  out->text(line_break);
  if (kept_) {
    FieldSplitter splitter(rows_->split_at);
    for (Count row = 0; row < rows_->rows(); ++row) {
      write_kept_row(*out, splitter, row);
      out->text(line_break);
    }
  }
  write_others(*out);
  return out->commit();
}

}  // namespace

Result<> write_wide_table(const std::string& path, const TensorFile& file) {
  return WideWriter(path, file).write();
}

}  // namespace lacuna::io
