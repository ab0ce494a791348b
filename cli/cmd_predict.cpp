// SPDX-License-Identifier: MIT
// lacuna predict MODEL CELLS -o OUT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <memory>

#include "clip.hpp"
#include "cluster.hpp"
#include "command.hpp"
#include "file_flags.hpp"
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
  RoundFlag round;
  double interval = 0.0;

  Result<int> run();
  Result<> write_interval(const Model& fitted, const Predictor& predictor, TensorFile& file) const;
};

// The ends of every cell's interval, in two files like the one of the values.
Result<> PredictCommand::write_interval(const Model& fitted, const Predictor& predictor,
                                        TensorFile& file) const {
  const std::vector<double> middle = file.entries.value;
  const std::vector<Count> support = predictor.support(file.entries.cells, file.entries.coordinates);
  for (const auto& [name, sign] : {std::pair{"low", -1.0}, std::pair{"high", 1.0}}) {
    for (std::size_t e = 0; e < middle.size(); ++e) {
      double end = middle[e] + sign * fitted.calibration.half_width(support[e], interval);
      if (fitted.clip) end = std::clamp(end, fitted.clip->low, fitted.clip->high);
      if (!std::isfinite(end))
        return usage_error(
            "--interval",
            fmt::format("{} asks for more than the entries held out for it can tell", interval));
      file.entries.value[e] = end;
    }
    if (auto written = write_tensor(beside(out, name), file); !written) return written.error();
  }
  return Nothing{};
}

Result<int> PredictCommand::run() {
  use_threads(output.threads);
  if (interval > 0.0 && out == "-")
    return usage_error("--interval",
                       "the ends of intervals go to files beside the output, expected a name for it, not -");
  auto fitted = load_model(model);
  if (auto fine = agreed(fitted); !fine) return fine.error();
  clip.apply_to(*fitted);
  if (auto fine = round.check(value_step(*fitted)); !fine) return fine.error();
  if (interval > 0.0 && fitted->calibration.groups.empty())
    return usage_error("--interval", fmt::format("{} was fitted without --intervals", model));
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
  if (auto written = write_tensor(out, *file); !written) return written.error();
  if (interval > 0.0)
    if (auto written = write_interval(*fitted, predictor, *file); !written) return written.error();
  if (const std::string note = cold_note(prediction, *file); !note.empty()) output.say("note: " + note);
  if (output.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"cells", file->entries.size()},
                                              {"cold", prediction.cold},
                                              {"unseen", prediction.unseen},
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
  verb.add_option(
          "--interval", command->interval,
          "also write the ends of intervals that hold with this probability, such as 0.9, beside the output")
      ->check(CLI::Range(0.0, 1.0));
  command->clip.add_flag(verb);
  command->round.add_flag(verb);
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
