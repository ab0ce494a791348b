// SPDX-License-Identifier: MIT
// lacuna convert IN OUT: the same entries in another format.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

#include "base/nearest.hpp"
#include "command.hpp"
#include "input.hpp"
#include "tensor/find_cell.hpp"
#include "tensor/keep_if.hpp"

namespace lacuna::cli {
namespace {

struct ConvertCommand {
  std::string in;
  std::string out;
  std::string to = "auto";
  std::string across;
  bool merges = false;  // --duplicates was given
  Output output;
  InputFlags input;

  // Entries of one cell become one, or are refused, as --duplicates says; all in the order of their positions, and cells that
  // are listed without a value behind them.
  Result<> merge(TensorFile& file, const ReadOptions& options) const {
    if (file.dense) return Nothing{};
    Entries missing{.cells = file.entries.cells, .value = file.entries.value};
    keep_if(missing, [&](Count e) { return std::isnan(missing.value[e]); });
    if (missing.size() == file.entries.size()) return Nothing{};
    TensorFile valued = file;
    auto tensor = observe(in, valued, options, input.duplicate_policy());
    if (!tensor) return tensor.error();
    const auto values = tensor->values();
    const auto weights = tensor->weights();
    file.entries = {.cells = tensor->cells(), .value = {values.begin(), values.end()}};
    file.entries.weight.assign(weights.begin(), weights.end());
    file.missing = 0;
    if (missing.size() == 0) return Nothing{};
    missing.value.assign(missing.value.size(), 0.0);
    const auto unvalued = ObservedTensor::create(file.modes, std::move(missing), Duplicates::kLast);
    for (Count e = 0; e < unvalued->size(); ++e) {
      std::vector<Index> cell;
      for (int k = 0; k < unvalued->order(); ++k) cell.push_back(unvalued->index(k)[e]);
      if (contains(*tensor, cell)) continue;  // another line has its value
      file.entries.cells.add(cell);
      file.entries.value.push_back(std::numeric_limits<double>::quiet_NaN());
      if (!weights.empty()) file.entries.weight.push_back(1.0);
      ++file.missing;
    }
    return Nothing{};
  }

  // Makes a table wide, or a line for each cell, where --across says so.
  Result<> lay_out(TensorFile& file) const {
    if (across.empty()) return Nothing{};
    int wide = -1;
    std::vector<std::string> names{"none"};
    for (std::size_t k = 0; k < file.modes.size(); ++k) {
      names.push_back(file.modes[k].name);
      if (file.modes[k].name == across) wide = static_cast<int>(k);
    }
    if (wide < 0 && across != "none") {
      const auto meant = nearest(across, names);
      return usage_error("--across", fmt::format("found '{}', expected a mode of {}, which has {}{}", across,
                                                 in, fmt::join(std::next(names.begin()), names.end(), ", "),
                                                 meant ? fmt::format("; did you mean {}?", *meant) : ""));
    }
    file.table = {};
    file.table.wide_mode = wide;
    return Nothing{};
  }

  Result<int> run() {
    auto options = input.read_options();
    if (!options) return options.error();
    auto file = read_tensor(in, *options);
    if (!file) return file.error();
    if (merges)
      if (auto merged = merge(*file, *options); !merged) return merged.error();
    if (auto laid = lay_out(*file); !laid) return laid.error();
    if (auto written = write_tensor(out, *file, format_called(to)); !written) return written.error();
    const Count written_entries = file->entries.size();
    if (output.json)
      print_json(nlohmann::ordered_json{{"shape", extents(file->modes)},
                                        {"entries", written_entries},
                                        {"missing", file->missing},
                                        {"output", out}});
    else
      fmt::print("{}: {}, {} entries, {} of them missing, written to {}\n", in,
                 shape_text(extents(file->modes)), grouped(written_entries), grouped(file->missing),
                 output_name(out));
    return 0;
  }
};

}  // namespace

Action add_convert(CLI::App& app) {
  auto command = std::make_shared<ConvertCommand>();
  CLI::App& verb = *app.add_subcommand("convert", "write a file's entries in the format of another name");
  verb.add_option("input", command->in, "file to read")->required();
  verb.add_option("-o,--output,output", command->out,
                  "file to write; its ending says the format, or --to does")
      ->required();
  verb.add_option("--to", command->to, "the format to write; auto: by the name's ending, to - as it was read")
      ->check(one_of(format_names()));
  verb.add_option("--across", command->across,
                  "write a wide table with this mode across its columns; none: a line for each cell");
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command, duplicates = verb.get_option("--duplicates")] {
    command->merges = duplicates->count() > 0;
    return command->run();
  };
}

}  // namespace lacuna::cli
