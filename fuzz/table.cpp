// SPDX-License-Identifier: MIT
// Tables in every dialect, with every flag about them: what is read and written again reads the same, labels included.
#include "support.hpp"

using namespace lacuna;

namespace {

using Words = std::vector<std::string>;

ReadOptions table_options(FuzzedDataProvider& input) {
  ReadOptions options{.format = Format::kTable};
  if (const int header = input.ConsumeIntegralInRange(0, 2); header > 0) options.header = header == 1;
  options.delimiter = input.PickValueInArray({"", "", ",", "\t", "::", " ", ";", "|"});
  if (const int mark = input.ConsumeIntegralInRange(0, 2); mark > 0) options.decimal = mark == 1 ? ',' : '.';
  options.table_indices = input.ConsumeBool();
  options.value_column = input.PickValueInArray({"", "", "none", "value", "1", "4"});
  options.weight_column = input.PickValueInArray({"", "", "weight", "2"});
  const int modes = input.ConsumeIntegralInRange(0, 3);
  if (modes == 1) options.columns = {"1", "2"};
  if (modes == 2) options.columns = {"user", "item"};
  if (modes == 3) options.columns = {"3", "1", "2"};
  const int bin = input.ConsumeIntegralInRange(0, 3);
  if (bin == 1) options.bins = {{.column = "time", .width = 86400}};
  if (bin == 2) options.bins = {{.column = "3", .width = 7}};
  return options;
}

// Wide tables, calendars and zones; chosen last, so that older inputs read the same but for their last bytes.
void add_newer_options(FuzzedDataProvider& input, ReadOptions& options) {
  const int wide = input.ConsumeIntegralInRange(0, 3);
  if (wide == 1) options.wide = "column";
  if (wide == 2) options.value_columns = {"3", "4"};
  if (wide == 3) options.value_columns = {"value", "weight"};
  const int bin = input.ConsumeIntegralInRange(0, 4);
  if (bin == 1) options.bins = {{.column = "time", .width = 1, .unit = BinUnit::kMonth}};
  if (bin == 2) options.bins = {{.column = "", .width = 7, .unit = BinUnit::kDay}};
  if (bin == 3) options.bins = {{.column = "column", .width = 3, .unit = BinUnit::kMonth}};
  options.time_zone = input.PickValueInArray({"", "", "-03:30", "Europe/Berlin"});
  if (input.ConsumeBool()) options.missing_value = 0.0;
}

// The same columns, said outright: nothing of the way it was read is left to be guessed.
ReadOptions as_it_was(const TensorFile& file, const ReadOptions& options) {
  ReadOptions again{.format = Format::kTable, .index_base = file.index_base};
  if (file.table.wide_mode >= 0) again = options;  // its own lines are written
  again.index_base = file.index_base;
  again.delimiter = file.table.delimiter;
  again.decimal = file.table.decimal;
  again.header = !file.table.header.empty();
  again.table_indices = options.table_indices;
  again.time_zone = options.time_zone;
  if (file.table.wide_mode >= 0) return again;
  for (const int column : file.table.mode_columns) again.columns.push_back(std::to_string(column + 1));
  again.value_column = file.table.value_column < 0 ? "none" : std::to_string(file.table.value_column + 1);
  if (file.table.weight_column >= 0) again.weight_column = std::to_string(file.table.weight_column + 1);
  return again;
}

bool has_bins(const TensorFile& file) {
  for (const Mode& mode : file.modes)
    if (mode.binning) return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  ReadOptions options = table_options(input);
  // The modes of a model that has seen some of it.
  const std::vector<Mode> known = {
      {.name = "user", .size = 2, .labels = {"a", "b"}},
      {.name = "item", .size = 3},
      {.name = "time", .size = 9, .binning = Binning{.origin = 0, .width = 86400}}};
  if (input.ConsumeBool()) {
    options.known_modes = &known;
    options.index_base = 1;
  }
  add_newer_options(input, options);
  const auto file = fuzz::read_and_check(input, memory, options);
  if (!file || has_bins(*file) || options.known_modes != nullptr) return 0;
  fuzz::write_and_read(*file, memory, as_it_was(*file, options));
  return 0;
}
