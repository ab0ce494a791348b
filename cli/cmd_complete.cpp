// SPDX-License-Identifier: MIT
// lacuna complete IN -o OUT: a file with holes in, the same kind of file without them out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <limits>
#include <memory>

#include "base/machine.hpp"
#include "clip.hpp"
#include "cluster.hpp"
#include "command.hpp"
#include "fact_flags.hpp"
#include "fit_flags.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "run_record.hpp"
#include "tensor/count_cells.hpp"

namespace lacuna::cli {
namespace {

struct CompleteCommand {
  std::string in;
  std::string out;
  std::string model;
  bool denoise = false;
  Output output;
  InputFlags input;
  FitFlags fit;
  FactFlags facts;
  RoundFlag round;

  struct Holed {
    TrainingData data;
    TensorFile file;
  };

  Result<int> run();
  [[nodiscard]] Result<> check_outputs() const;
  Result<Holed> read() const;
  Result<int> copy(const TensorFile& file) const;
  [[nodiscard]] Predictor::Prediction predict(const Model& fitted, const TensorFile& file) const;
  [[nodiscard]] nlohmann::ordered_json report(const FitResult& result,
                                              const Predictor::Prediction& prediction, Count holes) const;
  void tell(const FitResult& result, const Predictor::Prediction& prediction, Count holes, Count cells) const;
};

// Adds the cells a sparse file does not list, with no value, so that it lists all.
Result<> list_every_cell(TensorFile& file) {
  const double cells = count_cells(file.modes);
  const auto order = file.modes.size();
  const double bytes = cells * (8.0 + 4.0 * static_cast<double>(order)) * 2.0;
  if (auto fits = check_memory(bytes, fmt::format("listing all {:.4g} cells", cells)); !fits)
    return Error{ErrorKind::kMemory, fits.error().where,
                 fits.error().what + "; list the cells you want in a file and use fit and predict"};

  const auto total = static_cast<std::size_t>(cells);
  std::vector<bool> listed(total, false);
  for (Count e = 0; e < file.entries.size(); ++e) {
    std::size_t position = 0;
    for (std::size_t k = 0; k < order; ++k)
      position = position * file.modes[k].size + file.entries.cells[k][e];
    listed[position] = true;
  }
  std::vector<Index> cell(order);
  for (std::size_t position = 0; position < total; ++position) {
    if (listed[position]) continue;
    std::size_t rest = position;
    for (std::size_t k = order; k-- > 0; rest /= file.modes[k].size)
      cell[k] = static_cast<Index>(rest % file.modes[k].size);
    file.entries.cells.add(cell);
    file.entries.value.push_back(std::numeric_limits<double>::quiet_NaN());
    ++file.missing;
  }
  return Nothing{};
}

// What is filled in is no fact of the file's: a table that lists facts gets a column for how likely each cell is, also where
// all numbers happen to be 1.
void add_value_column(TableLayout& table) {
  if (table.columns == 0 || table.value_column >= 0) return;
  if (!table.header.empty()) table.header.emplace_back("value");
  table.value_column = table.columns++;
}

// Nothing is missing: no fit is needed to write the same again.
Result<int> CompleteCommand::copy(const TensorFile& file) const {
  if (auto written = write_tensor(out, file); !written) return written.error();
  const Count cells = file.entries.size();
  output.say(fmt::format("note: nothing is missing in {}, so nothing is fitted", in));
  FitResult nothing;
  nothing.model.modes = file.modes;
  nothing.model.entries = cells;
  nothing.last.train_rmse = std::nan("");  // null
  nothing.stop_reason = "nothing is missing";
  nothing.converged = true;
  if (output.json)
    print_json(report(nothing, {}, 0));
  else
    fmt::print("0 of {} cells filled, written to {}\n", grouped(cells), out);
  return 0;
}

Result<> CompleteCommand::check_outputs() const {
  for (const std::string& path : {out, model, fit.report})
    if (auto fine = path.empty() ? Nothing{} : check_writable(path); !fine) return fine.error();
  return Nothing{};
}

// The observed entries, and the file with its holes, to be filled. Every process has all of them.
Result<CompleteCommand::Holed> CompleteCommand::read() const {
  auto options = input.read_options();
  if (!options) return options.error();
  auto file = read_tensor(in, *options);
  if (!file) return file.error();
  Holed holed;
  holed.data.notes = file->notes;
  if (auto attached = fit.side.attach(*file, holed.data.notes); !attached) return attached.error();
  holed.data.index_base = file->index_base;
  holed.data.format = file->format;
  holed.data.picture = shows_a_picture(*file);
  TensorFile observed = *file;
  auto tensor = observe(in, observed, *options, input.duplicate_policy());
  if (!tensor) return tensor.error();
  holed.data.take(std::move(*tensor));
  holed.data.facts = tells_facts_alone(*file, holed.data);
  file->entries.weight.clear();  // what is filled in has none
  if (auto fine = check_output_name(out, *file); !fine) return fine.error();
  holed.file = std::move(*file);
  return holed;
}

// Every cell of the file, kept where its values are and rounded where that is asked for.
Predictor::Prediction CompleteCommand::predict(const Model& fitted, const TensorFile& file) const {
  Predictor::Prediction prediction = Predictor(fitted).predict(file.entries.cells);
  round.apply_to(fitted, prediction.value);
  return prediction;
}

Result<int> CompleteCommand::run() {
  use_threads(output.threads);
  if (auto fine = agreed(fit.check()); !fine) return fine.error();
  if (auto fine = agreed(everyone().first() ? check_outputs() : Nothing{}); !fine) return fine.error();
  auto holed = read();
  if (auto fine = agreed(holed); !fine) return fine.error();
  auto& [data, file] = *holed;
  announce(output, in, data);
  std::unique_ptr<Model> warm;
  auto settings = fit.settings(data.tensor.modes(), warm);
  if (!settings) return settings.error();
  if (auto taken = facts.take(data, output, *settings); !taken) return taken.error();
  if (!file.dense && file.missing == 0)
    if (auto listed = list_every_cell(file); !listed) return listed.error();
  if (file.missing == 0 && !denoise && model.empty() && fit.report.empty())
    return everyone().first() ? copy(file) : Result<int>(0);
  if (auto can = check_shared(*settings); !can) return can.error();
  if (auto fits = agreed(check_fit_memory(data, *settings, output, !fit.checkpoint.file.empty())); !fits)
    return fits.error();
  if (auto fine = round.check(value_step(value_kind(data.tensor.values()))); !fine) return fine.error();
  const Count holes = file.missing;

  auto checkpoint = fit.checkpoint.open(output, in, "");
  if (!checkpoint) return checkpoint.error();
  const Run run(in, "", data, fit);
  History steps;
  FitResult result = run_fit(data, nullptr, *settings, output, checkpoint->get(),
                             [&](const FitProgress& progress) { steps.add(progress); });
  if (!everyone().first()) return exit_code(result, fit.strict);
  result.model.index_base = data.index_base;
  if (auto kept = run.keep_record(result, steps, fit); !kept) return kept.error();
  const Predictor::Prediction prediction = predict(result.model, file);
  for (Count e = 0; e < file.entries.size(); ++e)
    if (denoise || std::isnan(file.entries.value[e])) file.entries.value[e] = prediction.value[e];
  file.missing = 0;
  add_value_column(file.table);
  if (auto written = write_tensor(out, file); !written) return written.error();
  if (auto page = run.write_page(result.model, nullptr, fit); !page) return page.error();
  if (!model.empty())
    if (auto saved = save_model(model, result.model); !saved) return saved.error();
  if (const std::string note = cold_note(prediction, file); !note.empty()) output.say("note: " + note);
  tell(result, prediction, holes, file.entries.size());
  if (auto kept = fit.checkpoint.kept(checkpoint->get(), output); !kept) return kept.error();
  return exit_code(result, fit.strict);
}

nlohmann::ordered_json CompleteCommand::report(const FitResult& result,
                                               const Predictor::Prediction& prediction, Count holes) const {
  return {{"shape", extents(result.model.modes)},
          {"observed", result.model.entries},
          {"filled", holes},
          {"cold", prediction.cold},
          {"unseen", prediction.unseen},
          {"denoised", denoise},
          {"train_rmse", result.last.train_rmse},
          {"held_out_rmse", or_null(result.held_out_rmse)},
          {"held_out_auc", or_null(result.held_out_auc)},
          {"held_out_mrr", or_null(result.held_out_mrr)},
          {"seconds", result.seconds},
          {"choosing_seconds", result.choosing_seconds},
          {"choosing_applications", result.choosing_applications},
          {"operator_applications", result.last.operator_applications},
          {"stop_reason", result.stop_reason},
          {"converged", result.converged},
          {"output", out}};
}

void CompleteCommand::tell(const FitResult& result, const Predictor::Prediction& prediction, Count holes,
                           Count cells) const {
  if (output.json) {
    print_json(report(result, prediction, holes));
    return;
  }
  fmt::print("{} of {} cells filled, written to {}\n", grouped(holes), grouped(cells), out);
  fmt::print("{}\n", expectation_text(result));
  if (const std::string applied = applications_text(result); !applied.empty() && output.verbose > 0)
    fmt::print("{}\n", applied);
}

}  // namespace

Action add_complete(CLI::App& app) {
  auto command = std::make_shared<CompleteCommand>();
  CLI::App& verb = *app.add_subcommand("complete", "fill in what is missing: array, picture or sparse file");
  verb.add_option("input", command->in, "file with holes")->required();
  verb.add_option("-o,--output", command->out, "where to write the completed file")->required();
  verb.add_option("--model", command->model, "also write the fitted model here");
  verb.add_flag("--denoise", command->denoise, "replace observed cells, too, by what the model says");
  command->round.add_flag(verb);
  command->facts.add_flags(verb);
  command->fit.add_flags(verb);
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
