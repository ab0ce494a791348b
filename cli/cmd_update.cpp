// SPDX-License-Identifier: MIT
// lacuna update MODEL NEW -o MODEL2
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/fit_once.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/model/update.hpp>
#include <memory>

#include "base/machine.hpp"
#include "base/stopwatch.hpp"
#include "command.hpp"
#include "input.hpp"
#include "model/body.hpp"

namespace lacuna::cli {
namespace {

// Of a fit's steps, that a refit from updated factors takes. movielens-1m with a tenth of the users new, 68 steps: RMSE 0.8262,
// 0.8246, 0.8240 after 4, 11 and 21 of them, 0.8257 from afar.
constexpr double kShareOfSteps = 0.2;
constexpr int kFewestSteps = 3;

struct UpdateCommand {
  std::string model;
  std::string fresh;
  std::string out;
  bool refit = false;
  double held_out = 0.2;
  Output output;
  InputFlags input;

  Result<int> run();
  Result<Model> fitted_again(const Model& fitted, const Model& updated, const TensorFile& file) const;
  void tell(const Model& fitted, const UpdateResult& result, double seconds, double solving) const;
};

// The settings that a model's fit settled on, from its record.
Result<Settings> settings_of(const Model& fitted) {
  Settings settings;
  const auto take = [&](std::string_view name, const std::string& text) {
    return text.empty() ? Result<>(Nothing{}) : read_setting(name, text, fitted.modes, settings);
  };
  std::string ranks_text;
  for (const int rank : fitted.record.ranks)
    ranks_text += (ranks_text.empty() ? "" : ",") + std::to_string(rank);
  std::string lambdas;
  for (const double lambda : fitted.record.lambdas)
    lambdas += fmt::format("{}{}", lambdas.empty() ? "" : ",", lambda);
  std::vector<std::pair<std::string, std::string>> texts = {
      {"method", fitted.method},
      {"parts", fitted.record.parts},
      {"rank", ranks_text},
      {"lambda", fitted.record.lambda ? fmt::format("{}", *fitted.record.lambda) : ""},
      {"seed", std::to_string(fitted.record.seed)}};
  if (!fitted.record.lambda) texts.emplace_back("lambdas", lambdas);
  for (const std::string name :
       {"offsets", "loss", "max_iterations", "clip", "init", "optimizer", "precision"}) {
    const FitRecord::Value* value = fitted.record.find(name);
    if (value == nullptr) continue;
    std::string flag = name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (const auto* text = std::get_if<std::string>(value)) texts.emplace_back(flag, *text);
    if (const auto* number = std::get_if<double>(value)) texts.emplace_back(flag, fmt::format("{}", *number));
  }
  for (const auto& [name, text] : texts)
    if (auto taken = take(name, text); !taken) return taken.error();
  return settings;
}

// From the updated factors, which are near: a part of the steps that brought the fit there from afar. More would go
// beyond where held-out entries told it to stop.
Result<Model> UpdateCommand::fitted_again(const Model& fitted, const Model& updated,
                                          const TensorFile& file) const {
  auto settings = settings_of(fitted);
  if (!settings) return settings.error();
  settings->warm_start = &updated;
  const FitRecord::Value* const steps = fitted.record.find("max_iterations");
  if (const double* number = steps != nullptr ? std::get_if<double>(steps) : nullptr)
    settings->max_iterations = std::max(kFewestSteps, static_cast<int>(std::ceil(kShareOfSteps * *number)));
  auto joined = joined_entries(fitted, file.modes, file.entries, input.duplicate_policy());
  if (!joined) return joined.error();
  FitResult result = fit_once(std::move(*joined), *settings);
  result.model.index_base = fitted.index_base;
  if (steps != nullptr) result.model.record.set("max_iterations", *steps);  // of a fit from afar
  return std::move(result.model);
}

void UpdateCommand::tell(const Model& fitted, const UpdateResult& result, double seconds,
                         double solving) const {
  std::string grown;
  for (std::size_t k = 0; k < result.added.size(); ++k)
    if (result.added[k] > 0)
      grown += fmt::format("{}{} of mode {}", grown.empty() ? "" : ", ", grouped(result.added[k]),
                           fitted.modes[k].name);
  const std::optional<double> expected =
      fitted.record.run ? fitted.record.run->held_out_rmse : std::optional<double>();
  if (output.json) {
    nlohmann::ordered_json added = nlohmann::ordered_json::object();
    for (std::size_t k = 0; k < result.added.size(); ++k) added[fitted.modes[k].name] = result.added[k];
    fmt::print("{}\n", nlohmann::ordered_json{{"entries", result.entries},
                                              {"added", added},
                                              {"solved", result.solved},
                                              {"moved", result.moved},
                                              {"held_out_rmse", or_null(result.held_out_rmse)},
                                              {"fit_held_out_rmse", or_null(expected)},
                                              {"seconds", seconds},
                                              {"solving_seconds", solving},
                                              {"refitted", refit},
                                              {"output", out}}
                           .dump());
    return;
  }
  fmt::print("{} new entries; new positions: {}\n", grouped(result.entries), grown.empty() ? "none" : grown);
  fmt::print("{} rows, fibers and effects solved for, {} of which the model had\n", grouped(result.solved),
             grouped(result.moved));
  if (result.held_out_rmse)
    fmt::print("RMSE {:.5g} on new entries held out while the others were taken up{}\n",
               *result.held_out_rmse,
               expected ? fmt::format("; the fit expected {:.5g} on unseen cells", *expected) : "");
  fmt::print("{} written to {}\n", refit ? "model fitted again from all entries and" : "model", out);
}

// Of the rows that new positions get: in the model, while they are solved for, and again on the kept entries.
double bytes_for(const Model& fitted, const std::vector<Mode>& modes) {
  constexpr double kCopies = 4.0;
  constexpr double kOtherBytes = 64.0;
  double bytes = 0.0;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    double columns = 0.0;
    if (const Latent* latent = fitted.latent())
      for (const ModelPart& part : latent->parts)
        if (part.modes.mode == static_cast<int>(k)) columns += static_cast<double>(part.factor.cols());
    const double added = static_cast<double>(modes[k].size) - static_cast<double>(fitted.modes[k].size);
    bytes += added * (kCopies * sizeof(double) * columns + kOtherBytes);
  }
  return bytes;
}

Result<int> UpdateCommand::run() {
  set_thread_count(output.threads);
  const Stopwatch watch;
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  if (const std::string why = why_not_updated(*fitted); !why.empty()) return input_error(model, why);
  if (auto fine = check_writable(out); !fine) return fine.error();
  auto file = read_cells(fresh, input, fitted->modes, fitted->index_base);
  if (!file) return file.error();
  keep_valued(file->entries);
  if (file->entries.size() == 0) return input_error(fresh, "found no entry with a value");
  for (std::size_t k = 0; k < file->modes.size(); ++k)
    if (file->modes[k].side && file->modes[k].size > fitted->modes[k].size)
      return input_error(fresh, fmt::format("found new positions of mode {}, which has side information that "
                                            "they lack; fit again with theirs",
                                            file->modes[k].name));
  if (auto fits = check_memory(bytes_for(*fitted, file->modes), "this update"); !fits) return fits.error();
  const std::clock_t before = std::clock();
  auto result = update(*fitted, file->modes, file->entries,
                       {.duplicates = input.duplicate_policy(), .held_out = held_out});
  const double solving = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;  // of the processor
  if (!result) {
    Error error = result.error();
    error.where = fresh;
    error.what += ", or was fitted on; --duplicates last takes the new value";
    return error;
  }
  if (refit) {
    auto again = fitted_again(*fitted, result->model, *file);
    if (!again) return again.error();
    again->calibration = fitted->calibration;
    result->model = std::move(*again);
  }
  if (auto saved = save_model(out, result->model); !saved) return saved.error();
  tell(*fitted, *result, watch.seconds(), solving);
  return 0;
}

}  // namespace

Action add_update(CLI::App& app) {
  auto command = std::make_shared<UpdateCommand>();
  CLI::App& verb = *app.add_subcommand(
      "update", "take new entries up into a model, also with new labels, without refitting");
  verb.add_option("model", command->model, "a fitted model, of als or tr-mm")->required();
  verb.add_option("new", command->fresh, "file of new entries")->required();
  verb.add_option("-o,--output", command->out, "where to write the model")->required();
  verb.add_flag("--refit", command->refit, "fit again from all entries, with the settings of the model");
  verb.add_option("--held-out", command->held_out,
                  "share of the new entries held out, before they too are taken up, to judge")
      ->check(CLI::Range(0.0, 0.9));
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
