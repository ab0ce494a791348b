// SPDX-License-Identifier: MIT
// lacuna predict MODEL CELLS -o OUT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <limits>
#include <memory>

#include "clip.hpp"
#include "cluster.hpp"
#include "command.hpp"
#include "file_flags.hpp"
#include "input.hpp"
#include "interval_flag.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/standard_streams.hpp"
#include "io/text/table_write.hpp"

namespace lacuna::cli {
namespace {

struct PredictCommand {
  std::string model;
  std::string cells;
  std::string out;
  Output output;
  InputFlags input;
  ClipFlag clip;
  RoundFlag round;
  double interval = 0.0;

  Result<int> run();
  [[nodiscard]] std::vector<io::AddedColumn> interval_ends(const Model& fitted, const Predictor& predictor,
                                                           const Entries& entries) const;
  Result<> write(TensorFile& file, std::vector<io::AddedColumn> ends) const;
};

// Low and high of every cell; nothing where no intervals are asked for.
std::vector<io::AddedColumn> PredictCommand::interval_ends(const Model& fitted, const Predictor& predictor,
                                                           const Entries& entries) const {
  if (!(interval > 0.0)) return {};
  const std::vector<Count> support = predictor.support(entries.cells, entries.coordinates);
  std::vector<io::AddedColumn> ends = {{.name = "low", .value = entries.value},
                                       {.name = "high", .value = entries.value}};
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    const IntervalEnds found =
        cli::interval_ends(fitted.calibration, predictor.range(), entries.value[e], support[e], interval);
    ends[0].value[e] = found.low.value_or(-std::numeric_limits<double>::infinity());
    ends[1].value[e] = found.high.value_or(std::numeric_limits<double>::infinity());
  }
  return ends;
}

// The ends of intervals in two files like the one of the values, or in two more columns of what goes to a stream.
Result<> PredictCommand::write(TensorFile& file, std::vector<io::AddedColumn> ends) const {
  if (!ends.empty() && io::is_standard_stream(out)) {
    if (file.table.wide_mode >= 0) file.table = {};  // a line for each cell
    return io::write_table(out, file, ends);
  }
  OutputsTogether all;
  if (auto written = write_tensor(out, file); !written) return written.error();
  for (io::AddedColumn& end : ends) {
    file.entries.value = std::move(end.value);
    if (auto written = write_tensor(beside(out, end.name), file); !written) return written.error();
  }
  return all.commit();
}

Result<int> PredictCommand::run() {
  use_threads(output.threads);
  auto fitted = load_model(model);
  if (auto fine = agreed(fitted); !fine) return fine.error();
  clip.apply_to(*fitted);
  if (auto fine = round.check(value_step(*fitted)); !fine) return fine.error();
  if (auto fine = check_interval(interval, *fitted, model); !fine) return fine.error();
  auto file = read_cells(cells, input, fitted->modes, fitted->index_base);
  if (auto fine = agreed(file); !fine) return fine.error();
  if (auto fine = check_output_name(out, *file); !fine) return fine.error();
  const Predictor predictor(*fitted);
  Predictor::Prediction prediction = predict_together(predictor, file->entries);
  if (!everyone().first()) return 0;
  round.apply_to(*fitted, prediction.value);
  file->entries.value = std::move(prediction.value);
  file->entries.weight.clear();  // they are about the values that were replaced
  file->missing = 0;
  if (auto written = write(*file, interval_ends(*fitted, predictor, file->entries)); !written)
    return written.error();
  if (const std::string note = cold_note(prediction, *file); !note.empty()) output.say("note: " + note);
  if (output.json)
    print_json(nlohmann::ordered_json{{"cells", file->entries.size()},
                                      {"cold", prediction.cold},
                                      {"unseen", prediction.unseen},
                                      {"offset", fitted->offsets.mean},
                                      {"output", out}});
  else
    fmt::print("{} {} predicted, written to {}\n", grouped(file->entries.size()),
               file->entries.size() == 1 ? "cell" : "cells", output_name(out));
  return 0;
}

}  // namespace

Action add_predict(CLI::App& app) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App& verb = *app.add_subcommand("predict", "predict the cells a file lists, by index or label");
  verb.add_option("model", command->model, "a fitted model")->required();
  verb.add_option("cells", command->cells, "file that lists cells, with or without values")->required();
  verb.add_option("-o,--output", command->out, "where to write them with predicted values")->required();
  verb.add_option("--interval", command->interval,
                  "also write the ends of intervals that hold with this probability, such as 0.9, beside the "
                  "output; to - "
                  "as columns low and high of a table")
      ->check(probability());
  command->clip.add_flag(verb);
  command->round.add_flag(verb);
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
