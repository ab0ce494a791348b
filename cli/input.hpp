// SPDX-License-Identifier: MIT
// Reading a user's files: the flags, and from a path to observed entries.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "side_flags.hpp"

namespace lacuna::cli {

// What --format takes, and what it means.
[[nodiscard]] std::vector<std::string> format_names();
[[nodiscard]] Format format_called(const std::string& name);

struct InputFlags {
  int index_base = -1;
  std::vector<Index> shape;
  std::optional<double> missing_value;
  std::string variable;
  std::string format = "auto";
  std::string mask;
  bool invert_mask = false;
  std::string delimiter;
  std::string decimal = "auto";
  std::string header = "auto";
  std::vector<std::string> columns;
  std::string value_column;
  std::string weight_column;
  std::string wide;  // the name of the mode across the columns; empty: the table is not wide
  std::vector<std::string> values;
  std::string time_zone;
  std::vector<std::string> bins;
  std::vector<std::string> positions;
  std::vector<std::string> coordinates;
  bool indices = false;
  std::vector<std::string> same;
  std::string duplicates = "error";

  void add_flags(CLI::App& command);
  [[nodiscard]] Result<ReadOptions> read_options() const;
  [[nodiscard]] Duplicates duplicate_policy() const { return *parse_duplicates(duplicates); }

 private:
  void add_table_flags(CLI::App& command);
};

// Everything a fit wants to know about its input.
struct TrainingData {
  ObservedTensor tensor;
  bool spread = false;  // its entries are those that this process has, and the counts are of all
  Count entries = 0;
  Count missing = 0;
  Count duplicates = 0;
  double weight = 0.0;
  int index_base = 1;
  Format format = Format::kTns;
  bool facts = false;    // every line says that something is so: a table without values, or with ones alone
  bool picture = false;  // rows and columns of one, or a dense array that looks like a stack of them
  std::vector<std::string> notes;  // about side information and positions
  std::optional<Entries>
      test;  // cells with a value; labels and positions the training data lacks are kUnseen

  // All entries, here.
  void take(ObservedTensor whole);
};

// Reads the training file, what is known of its modes and, if named, the test file, with one index base for all. Of
// several processes each gets some of the entries, and all the same error.
Result<TrainingData> read_training(const std::string& path, const std::string& test_path,
                                   const InputFlags& flags, const SideFlags& side);

// Whether every entry says that something is so. By all processes.
[[nodiscard]] bool tells_facts_alone(const TensorFile& file, const TrainingData& data);

[[nodiscard]] bool shows_a_picture(const TensorFile& file);

// Observed entries of a file already read. Names file and line of a repeated cell.
Result<ObservedTensor> observe(const std::string& path, TensorFile& file, const ReadOptions& options,
                               Duplicates duplicates);

// What the error about a repeated cell adds: where it is listed first, and what can be done.
[[nodiscard]] std::string listed_twice(const std::string& first);

// How the next function reads. The modes must outlive the options.
Result<ReadOptions> cell_options(const InputFlags& flags, const std::vector<Mode>& modes, int index_base);
// Cells about a fitted model's modes; values are NaN where the file has none.
Result<TensorFile> read_cells(const std::string& path, const InputFlags& flags,
                              const std::vector<Mode>& modes, int index_base);

// Drops entries without a value.
void keep_valued(Entries& entries);

// Says format, shape, index base, counts on stderr.
void announce(const Output& output, const std::string& path, const TrainingData& data);

// What to tell of cells that the model knows little of, and of the first position of the file at which it saw
// nothing; empty when there are none.
[[nodiscard]] std::string cold_note(const Predictor::Prediction& prediction, const TensorFile& file);

}  // namespace lacuna::cli
