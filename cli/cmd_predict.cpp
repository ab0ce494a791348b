// SPDX-License-Identifier: MIT
// lacuna predict MODEL CELLS -o OUT
#include <fmt/format.h>

#include <lacuna/base/parallel.hpp>
#include <lacuna/io/model_file.hpp>
#include <memory>

#include "clip.hpp"
#include "command.hpp"
#include "input.hpp"

namespace lacuna::cli {
namespace {

struct PredictCommand {
  std::string model;
  std::string cells;
  std::string out;
  Output output;
  InputFlags input;
  ClipFlag clip;

  Result<int> run();
};

Result<int> PredictCommand::run() {
  set_thread_count(output.threads);
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  clip.apply_to(*fitted);
  auto file = read_cells(cells, input, fitted->modes, fitted->index_base);
  if (!file) return file.error();
  const Predictor predictor(*fitted);
  Predictor::Prediction prediction = predictor.predict(file->entries.index);
  file->entries.value = std::move(prediction.value);
  file->entries.weight.clear();  // they are about the values that were replaced
  file->missing = 0;
  if (auto written = write_tensor(out, *file); !written) return written.error();
  if (prediction.cold > 0)
    output.say(fmt::format("note: {} of {} cells lie on no observed fiber and got their offset",
                           grouped(prediction.cold), grouped(file->entries.size())));
  if (output.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"cells", file->entries.size()},
                                              {"cold", prediction.cold},
                                              {"offset", fitted->offsets.mean},
                                              {"output", out}}
                           .dump());
  else
    fmt::print("{} cells predicted, written to {}\n", grouped(file->entries.size()), out);
  return 0;
}

}  // namespace

Action add_predict(CLI::App& app) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App& verb = *app.add_subcommand("predict", "predict the cells a file lists, by index or label");
  verb.add_option("model", command->model, "a fitted model")->required();
  verb.add_option("cells", command->cells, "file that lists cells, with or without values")->required();
  verb.add_option("-o,--output", command->out, "where to write them with predicted values")->required();
  command->clip.add_flag(verb, "as the model was fitted");
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
