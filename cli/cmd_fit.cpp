// SPDX-License-Identifier: MIT
// lacuna fit TRAIN -o MODEL
#include <fmt/format.h>

#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <optional>

#include "certificate.hpp"
#include "cluster.hpp"
#include "command.hpp"
#include "fact_flags.hpp"
#include "fit_flags.hpp"
#include "input.hpp"
#include "io/file/fit_record_json.hpp"
#include "model/body.hpp"
#include "progress.hpp"
#include "run_record.hpp"

namespace lacuna::cli {
namespace {

struct FitCommand {
  std::string train;
  std::string model;
  std::string test;
  std::string metric;
  std::string history;
  Output output;
  InputFlags input;
  FitFlags fit;
  FactFlags facts;

  Result<int> run();
  [[nodiscard]] Result<> check_outputs() const;
  Result<> check_metric(const TrainingData& data) const;
  [[nodiscard]] nlohmann::ordered_json report(const FitResult& result, Count missing) const;
  void tell(const FitResult& result) const;
};

Result<> FitCommand::check_outputs() const {
  for (const std::string& path : {model, history, fit.report})
    if (auto fine = path.empty() ? Nothing{} : check_writable(path); !fine) return fine.error();
  return Nothing{};
}

Result<> FitCommand::check_metric(const TrainingData& data) const {
  if (metric.empty()) return Nothing{};
  if (!data.test) return usage_error("--metric", "needs --test FILE to be measured on");
  if (metric == "auc" && !is_binary(data.test->value))
    return usage_error(
        "--metric", fmt::format("auc needs test values that are 0 or 1, both present; {} has others", test));
  return Nothing{};
}

// All that the fit was told and settled on, by the names of the table of settings.
nlohmann::ordered_json settings_json(const Model& model) {
  nlohmann::ordered_json all = io::to_json(model.record);
  all.erase("run");
  return all;
}

// Of each member its weight, method, ranks and settings; null where the model is one.
nlohmann::ordered_json blend_json(const Model& model) {
  const auto* blend = std::get_if<Blend>(&*model.body);
  if (blend == nullptr) return nullptr;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t m = 0; m < blend->members.size(); ++m)
    list.push_back({{"weight", blend->weights[m]},
                    {"method", blend->members[m].method},
                    {"rank", ranks(blend->members[m])},
                    {"parts", blend->members[m].record.parts},
                    {"settings", settings_json(blend->members[m])}});
  return list;
}

nlohmann::ordered_json FitCommand::report(const FitResult& result, Count missing) const {
  std::vector<double> lambdas;
  std::vector<std::string> parts;
  if (const Latent* latent = result.model.latent())
    for (const ModelPart& part : latent->parts) {
      if (!part.right) lambdas.push_back(part.lambda);
      parts.push_back(describe(PartOptions{.spec = part.modes}, result.model.modes));
    }
  return {{"method", result.model.method},
          {"shape", extents(result.model.modes)},
          {"observed", result.model.entries},
          {"missing", missing},
          {"blend", blend_json(result.model)},
          {"rank", ranks(result.model)},
          {"lambda", or_null(result.model.record.lambda)},
          {"lambdas", lambdas},
          {"iterations", result.last.iteration},
          {"seconds", result.seconds},
          {"choosing_seconds", result.choosing_seconds},
          {"choosing_applications", result.choosing_applications},
          {"objective", result.last.objective},
          {"gradient_norm", result.last.gradient_norm},
          {"relative_gradient", result.last.relative_gradient},
          {"operator_applications", result.last.operator_applications},
          {"stop_reason", result.stop_reason},
          {"converged", result.converged},
          {"train_rmse", result.last.train_rmse},
          {"test_rmse", or_null(result.last.test_rmse)},
          {"test_auc", or_null(result.last.test_auc)},
          {"test_mrr", or_null(result.last.test_mrr)},
          {"metric", metric.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(metric)},
          {"held_out_rmse", or_null(result.held_out_rmse)},
          {"held_out_auc", or_null(result.held_out_auc)},
          {"held_out_mrr", or_null(result.held_out_mrr)},
          {"mixture", result.mixture},
          {"gap", or_null(result.certificate ? std::optional(result.certificate->gap()) : result.last.gap)},
          {"certificate", result.certificate ? certificate_json(*result.certificate, result.model)
                                             : nlohmann::ordered_json(nullptr)},
          {"offset", result.model.offsets.mean},
          {"parts", parts},
          {"offsets", describe(spec_of(result.model.offsets), result.model.modes)},
          {"settings", settings_json(result.model)},
          {"index_base", result.model.index_base},
          {"seed", result.model.record.seed},
          {"threads", thread_count()},
          {"model", model},
          {"version", version()}};
}

void FitCommand::tell(const FitResult& result) const {
  fmt::print("{} after {} steps, {:.2f} s: {}\n", result.model.method, result.last.iteration, result.seconds,
             result.stop_reason);
  fmt::print("objective {:.8g}, train RMSE {}\n", result.last.objective, error_text(result.last.train_rmse));
  if (result.last.test_mrr) fmt::print("test MRR {:.4f}, filtered\n", *result.last.test_mrr);
  if (result.last.test_rmse && metric != "auc" && !result.last.test_mrr)
    fmt::print("test RMSE {}\n", error_text(*result.last.test_rmse));
  if (result.last.test_auc && metric != "rmse") fmt::print("test AUC {:.4f}\n", *result.last.test_auc);
  if (result.certificate)
    fmt::print("at most {:.3g} of the objective above the best over all ranks (gap; see lacuna certify)\n",
               result.certificate->gap());
  else if (result.last.gap)
    fmt::print("at most {:.3g} of the objective above the optimum (gap)\n", *result.last.gap);
  if (!result.mixture.empty()) fmt::print("mixture of the parts: {:.3f}\n", fmt::join(result.mixture, ", "));
  fmt::print("{}\n", expectation_text(result));
  fmt::print("model written to {}\n", model);
  if (const std::string applied = applications_text(result); !applied.empty() && output.verbose > 0)
    fmt::print("{}\n", applied);
}

Result<int> FitCommand::run() {
  use_threads(output.threads);
  if (auto fine = agreed(fit.check()); !fine) return fine.error();
  if (auto fine = agreed(everyone().first() ? check_outputs() : Nothing{}); !fine) return fine.error();
  auto data = read_training(train, test, input, fit.side);
  if (auto fine = agreed(data); !fine) return fine.error();
  if (auto fits = check_metric(*data); !fits) return fits.error();
  std::unique_ptr<Model> warm;
  auto settings = fit.settings(data->tensor.modes(), warm);
  if (!settings) return settings.error();
  if (auto taken = facts.take(*data, output, *settings); !taken) return taken.error();
  announce(output, train, *data);
  if (auto can = check_shared(*settings); !can) return can.error();
  if (auto fits = agreed(check_fit_memory(*data, *settings, output, !fit.checkpoint.file.empty())); !fits)
    return fits.error();
  if (!history.empty()) settings->latent.certify = Certify::kEveryStep;
  auto checkpoint = fit.checkpoint.open(output, train, test);
  if (!checkpoint) return checkpoint.error();
  const Run run(train, test, *data, fit);
  History steps;
  FitResult result = run_fit(*data, data->test ? &*data->test : nullptr, *settings, output, checkpoint->get(),
                             [&](const FitProgress& progress) { steps.add(progress); });
  if (!everyone().first()) return exit_code(result, fit.strict);
  result.model.index_base = data->index_base;
  if (auto kept = run.keep_record(result, steps, fit); !kept) return kept.error();
  if (auto saved = save_model(model, result.model); !saved) return saved.error();
  if (auto written = run.write_page(result.model, data->test ? &*data->test : nullptr, fit); !written)
    return written.error();
  if (!history.empty())
    if (auto saved = steps.save(history); !saved) return saved.error();

  if (output.json)
    print_json(report(result, data->missing));
  else
    tell(result);
  if (!result.converged && !output.quiet)
    output.say(
        fmt::format("note: {}; the model is valid and holds the best point so far", result.stop_reason));
  if (auto kept = fit.checkpoint.kept(checkpoint->get(), output); !kept) return kept.error();
  return exit_code(result, fit.strict);
}

}  // namespace

Action add_fit(CLI::App& app) {
  auto command = std::make_shared<FitCommand>();
  CLI::App& verb = *app.add_subcommand("fit", "fit a model to the observed entries of a file");
  verb.add_option("train", command->train, "file with the observed entries")->required();
  verb.add_option("-o,--output", command->model, "where to write the model")->required();
  verb.add_option("--test", command->test, "file with entries to measure the error on at every step");
  verb.add_option("--metric", command->metric, "which test error to print; the model is the same")
      ->check(one_of({"rmse", "auc"}));
  verb.add_option("--history", command->history, "CSV file to write a line per step to");
  command->facts.add_flags(verb);
  command->fit.add_flags(verb);
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
