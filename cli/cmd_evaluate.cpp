// SPDX-License-Identifier: MIT
// lacuna evaluate MODEL TEST
#include <fmt/format.h>

#include <lacuna/base/parallel.hpp>
#include <lacuna/evaluate/metrics.hpp>
#include <lacuna/io/model_file.hpp>
#include <memory>

#include "clip.hpp"
#include "command.hpp"
#include "input.hpp"

namespace lacuna::cli {
namespace {

struct EvaluateCommand {
  std::string model;
  std::string test;
  Output output;
  InputFlags input;
  ClipFlag clip;

  Result<int> run();
};

Result<int> EvaluateCommand::run() {
  set_thread_count(output.threads);
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  clip.apply_to(*fitted);
  auto file = read_cells(test, input, fitted->dual.modes(), fitted->index_base);
  if (!file) return file.error();
  keep_valued(file->entries);
  if (file->entries.size() == 0)
    return input_error(test, "no cell has a value, expected at least one to compare with");

  const std::vector<double>& truth = file->entries.value;
  const Predictor::Prediction prediction = Predictor(*fitted).predict(file->entries.index);
  const auto area = auc(truth, prediction.value);
  const auto explained = r_squared(truth, prediction.value);
  if (output.json) {
    const auto or_null = [](const std::optional<double>& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
    };
    fmt::print("{}\n", nlohmann::ordered_json{{"cells", truth.size()},
                                              {"cold", prediction.cold},
                                              {"rmse", rmse(truth, prediction.value)},
                                              {"mae", mae(truth, prediction.value)},
                                              {"r2", or_null(explained)},
                                              {"auc", or_null(area)}}
                           .dump());
    return 0;
  }
  fmt::print("{} cells, {} of them on no observed fiber\n", grouped(file->entries.size()),
             grouped(prediction.cold));
  fmt::print("RMSE {:.6g}\nMAE  {:.6g}\n", rmse(truth, prediction.value), mae(truth, prediction.value));
  if (explained) fmt::print("R2   {:.6g}\n", *explained);
  if (area) fmt::print("AUC  {:.6g}  (negatives: the file's own cells of value 0)\n", *area);
  return 0;
}

}  // namespace

Action add_evaluate(CLI::App& app) {
  auto command = std::make_shared<EvaluateCommand>();
  CLI::App& verb = *app.add_subcommand("evaluate", "measure a model's error on a file of known entries");
  verb.add_option("model", command->model, "a fitted model")->required();
  verb.add_option("test", command->test, "file with entries to compare with")->required();
  command->clip.add_flag(verb, "as the model was fitted");
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
