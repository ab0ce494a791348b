// SPDX-License-Identifier: MIT
// lacuna tune TRAIN -o MODEL: settings by cross-validation, then the best one fitted on everything.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/search/fit.hpp>
#include <memory>

#include "base/machine.hpp"
#include "cluster.hpp"
#include "command.hpp"
#include "fit_flags.hpp"
#include "input.hpp"
#include "io/file/fit_record_json.hpp"
#include "method/costs.hpp"
#include "method/saved_fit.hpp"
#include "method/together.hpp"
#include "progress.hpp"
#include "run_record.hpp"
#include "search/tune_memory.hpp"
#include "signals.hpp"
#include "tune_state.hpp"

namespace lacuna::cli {
namespace {

struct TuneCommand {
  std::string train;
  std::string model;
  std::string test;
  std::string metric;
  std::string state;
  std::string table;
  std::vector<double> lambdas;
  std::vector<std::string> methods;
  std::vector<std::string> ranks;
  std::vector<std::string> parts;
  std::vector<std::string> offsets;
  TuneOptions tuning;
  std::vector<std::unique_ptr<Model>> starts;  // those that --init named, which the candidates point to
  Output output;
  InputFlags input;
  FitFlags fit;

  Result<int> run();
  [[nodiscard]] Result<> check_flags() const;
  Result<> list_candidates(const TrainingData& data);
  [[nodiscard]] std::vector<std::string> method_list(const TrainingData& data);
  [[nodiscard]] TuneCandidate candidate(const FitFlags& flags, Settings settings) const;
  Result<> choose_metric(const ObservedTensor& tensor);
  Result<> check_candidates(TrainingData& data);
  [[nodiscard]] TuneResult tune_on(const TrainingData& data, TuneState& known, Checkpoint* checkpoint);
  Result<int> leave(Checkpoint* checkpoint) const;
  Result<int> fit_best(TrainingData& data, const TuneResult& found, Checkpoint* checkpoint);
  [[nodiscard]] double shown(double error) const {
    return tuning.metric == Metric::kAuc ? 1.0 - error : error;
  }
  [[nodiscard]] std::string metric_name() const {
    std::string text(name(tuning.metric));
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
  }
  [[nodiscard]] std::string csv(const TuneResult& found) const;
  [[nodiscard]] TuningRecord tuning_record(const TuneResult& found) const;
  [[nodiscard]] nlohmann::ordered_json report(const TuneResult& found, const FitResult& result) const;
  void tell(const TuneResult& found, const FitResult& result) const;
};

// What is tried, with the one lambda that is given where none are listed. Where the method is open only lambdas that are
// listed are tried: without them each fit finds its own. The time is that of all fits.
TuneCandidate TuneCommand::candidate(const FitFlags& flags, Settings settings) const {
  TuneCandidate one;
  const auto given = flags.given.find("lambda");
  const bool says_lambda = given != flags.given.end() && !given->second.empty() && settings.lambda.given();
  if (lambdas.empty() && says_lambda) one.lambdas = {*settings.lambda};
  if (!lambdas.empty() && settings.method.open()) one.lambdas = tuning.lambdas;
  settings.max_time.reset();
  one.options = std::move(settings);
  return one;
}

// Every combination of the lists; a list not given is what the fit flags say.
Result<> TuneCommand::list_candidates(const TrainingData& data) {
  const ObservedTensor& tensor = data.tensor;
  const auto or_one = [](const std::vector<std::string>& list, const std::string& one) {
    return list.empty() ? std::vector<std::string>{one} : list;
  };
  const auto listed = [&](const std::string& name) {
    return std::any_of(tuning.candidates.begin(), tuning.candidates.end(),
                       [&](const TuneCandidate& one) { return one.name == name; });
  };
  for (const std::string& method : method_list(data))
    for (const std::string& rank : or_one(ranks, fit.given["rank"]))
      for (const std::string& part : or_one(parts, fit.given["parts"]))
        for (const std::string& offset : or_one(offsets, fit.given["offsets"])) {
          FitFlags flags = fit;
          flags.given["rank"] = rank;
          flags.given["parts"] = part;
          flags.given["offsets"] = offset;
          if (flags.given["lambda"] == "auto") flags.given["lambda"].clear();
          if (method != "auto") flags = flags.without_what_it_does_not_take(*parse_method(method));
          auto settings = flags.settings(tensor.modes(), starts.emplace_back());
          if (!settings) return settings.error();
          tuning.max_time = settings->max_time;
          TuneCandidate one = candidate(flags, std::move(*settings));
          one.name = one.options.method.given() ? lacuna::name(*one.options.method) : method;
          std::string& name = one.name;
          if (!flags.given["rank"].empty()) name += " rank " + rank;
          if (!parts.empty() && flags.given["parts"] == part) name += " parts " + part;
          if (!offsets.empty() && flags.given["offsets"] == offset) name += " offsets " + offset;
          if (!listed(name)) tuning.candidates.push_back(std::move(one));
        }
  return Nothing{};
}

// Entries of a fit on one process.
Count entries_of_a_fit(const TrainingData& data) {
  return data.spread ? data.entries / everyone().size() : data.entries;
}

// Those of --method-grid; auto there: all that can take the data. Where nothing is listed the method is as open as that of
// `fit`: tr-mm is whose lambdas, ranks, parts and offsets are compared.
std::vector<std::string> TuneCommand::method_list(const TrainingData& data) {
  const bool compares = !(lambdas.empty() && ranks.empty() && parts.empty() && offsets.empty());
  if (methods.empty() && !fit.given["method"].empty()) return {fit.given["method"]};
  if (methods.empty()) return {compares ? "tr-mm" : "auto"};
  if (methods != std::vector<std::string>{"auto"}) return methods;
  const ObservedTensor& tensor = data.tensor;
  const bool binary = are_binary(tensor.values(), everyone());
  std::vector<std::string> names;
  for (const MethodInfo& one : lacuna::methods())
    if ((one.order == 0 || one.order == tensor.order()) && (one.method != Method::kComplEx || binary) &&
        (one.shares || everyone().alone()) &&
        memory_holds(one.method, entries_of_a_fit(data), tensor.modes(), {}))
      names.emplace_back(one.name);
  return names;
}

Result<> TuneCommand::choose_metric(const ObservedTensor& tensor) {
  const bool binary = are_binary(tensor.values(), everyone());
  if (metric == "auc" && !binary)
    return usage_error("--metric",
                       fmt::format("auc needs values that are 0 or 1, both present; {} has others", train));
  tuning.metric = metric == "mae"                                 ? Metric::kMae
                  : metric == "auc" || (metric.empty() && binary) ? Metric::kAuc
                                                                  : Metric::kRmse;
  return Nothing{};
}

// A field of CSV, which says a quote by two.
std::string in_quotes(const std::string& field) {
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

std::string TuneCommand::csv(const TuneResult& found) const {
  std::string text = fmt::format("candidate,lambda,{},standard_error,folds\n", name(tuning.metric));
  for (const TuneRow& row : found.rows) {
    const auto folds =
        std::count_if(row.errors.begin(), row.errors.end(), [](const auto& e) { return e.has_value(); });
    text += fmt::format("{},{},{},{},{}\n", in_quotes(tuning.candidates[row.candidate].name),
                        row.lambda ? fmt::format("{}", *row.lambda) : "",
                        folds > 0 ? fmt::format("{}", shown(row.mean())) : "", row.spread(), folds);
  }
  return text;
}

TuningRecord TuneCommand::tuning_record(const TuneResult& found) const {
  TuningRecord record{.metric = metric_name(), .folds = tuning.folds};
  for (const TuneRow& row : found.rows) {
    TuningRecord::Row& kept = record.rows.emplace_back();
    kept.candidate = tuning.candidates[row.candidate].name;
    kept.lambda = row.lambda;
    kept.complete = row.complete();
    if (std::isfinite(row.mean())) kept.mean = shown(row.mean());
    kept.standard_error = row.spread();
    for (const auto& error : row.errors)
      kept.folds.push_back(error ? std::optional(shown(*error)) : std::nullopt);
  }
  return record;
}

nlohmann::ordered_json TuneCommand::report(const TuneResult& found, const FitResult& result) const {
  const TuneRow& best = found.rows[found.best];
  nlohmann::ordered_json all = io::to_json(tuning_record(found));
  all.update({{"best",
               {{"candidate", tuning.candidates[best.candidate].name},
                {"lambda", or_null(best.lambda)},
                {"rank", lacuna::ranks(result.model)},
                {"mean", shown(best.mean())},
                {"standard_error", best.spread()}}},
              {"test_rmse", or_null(result.last.test_rmse)},
              {"test_auc", or_null(result.last.test_auc)},
              {"test_mrr", or_null(result.last.test_mrr)},
              {"seconds", result.seconds},
              {"model", model},
              {"version", version()}});
  return all;
}

void TuneCommand::tell(const TuneResult& found, const FitResult& result) const {
  fmt::print("{:<40} {:>10} {:>12} {:>10}\n", "setting", "lambda", metric_name(), "+-");
  for (std::size_t r = 0; r < found.rows.size(); ++r) {
    const TuneRow& row = found.rows[r];
    if (!std::isfinite(row.mean())) continue;
    fmt::print("{:<40} {:>10} {:>12.5g} {:>10.2g}{}\n", tuning.candidates[row.candidate].name,
               row.lambda ? fmt::format("{:.4g}", *row.lambda) : "-", shown(row.mean()), row.spread(),
               r == found.best   ? "  <- best"
               : !row.complete() ? found.out_of_time ? "  unfinished" : "  abandoned"
                                 : "");
  }
  if (found.rows.size() == 1)
    fmt::print(
        "{}: on unseen cells expect an {} of {:.5g} +- {:.2g}; give --method-grid or --rank-grid to compare "
        "settings\n",
        tuning.candidates[found.rows[0].candidate].name, metric_name(), shown(found.rows[0].mean()),
        found.rows[0].spread());
  if (result.last.test_mrr)
    fmt::print("test MRR {:.4f}, filtered\n", *result.last.test_mrr);
  else if (result.last.test_rmse)
    fmt::print("test RMSE {}\n", error_text(*result.last.test_rmse));
  if (result.last.test_auc) fmt::print("test AUC {:.4f}\n", *result.last.test_auc);
  fmt::print("the best one, fitted on everything, is in {}\n", model);
}

Result<> TuneCommand::check_flags() const {
  if (auto fine = fit.check(); !fine) return fine.error();
  if (!state.empty() && !(fit.checkpoint.file.empty() && fit.checkpoint.resume.empty()))
    return usage_error("--state", "a checkpoint keeps all that it keeps, and more; give one of them");
  for (const std::string& path : {model, table, fit.report})
    if (auto fine = path.empty() ? Nothing{} : check_writable(path); !fine) return fine.error();
  return Nothing{};
}

// Where one of them needs all entries on every process, all have them from here on.
Result<> TuneCommand::check_candidates(TrainingData& data) {
  bool all = false;
  for (const TuneCandidate& one : tuning.candidates) {
    if (auto can = check_shared(one.options); !can) return can.error();
    all = holds_all(data, one.options) || all;
  }
  if (all && data.spread) {
    data.tensor = take_entries(data, true);
    data.spread = false;
  }
  const auto largest = [&](const std::vector<TuneCandidate>& candidates) {
    return largest_fit(entries_of_a_fit(data), data.tensor.modes(), candidates) * neighbours();
  };
  tuning.side_by_side = fits_side_by_side(largest(tuning.candidates), tuning.folds);
  std::vector<TuneCandidate> bound = tuning.candidates;  // to a method: the others try what memory can hold
  std::erase_if(bound, [](const TuneCandidate& one) { return one.options.method.open(); });
  return agreed(check_memory(largest(bound), "one of these fits"));
}

TuneResult TuneCommand::tune_on(const TrainingData& data, TuneState& known, Checkpoint* checkpoint) {
  TuneCallbacks callbacks;
  callbacks.checkpoint = checkpoint;
  callbacks.test = data.test ? &*data.test : nullptr;
  callbacks.everyone = &everyone();
  callbacks.shared = data.spread;
  callbacks.interrupted = [&] { return signal_seen() != 0 || known.failed(); };
  callbacks.known = [&](const TuneCandidate& candidate, std::optional<double> lambda, int fold) {
    return known.find(candidate, lambda, fold);
  };
  callbacks.found = [&](const TuneCandidate& candidate, std::optional<double> lambda, int fold,
                        double error) {
    const std::string strength = lambda ? fmt::format("  lambda {:<8.4g}", *lambda) : "";
    output.say(fmt::format("{}{}  fold {}  {} {:.5g}", candidate.name, strength, fold + 1, metric_name(),
                           shown(error)));
    known.add(candidate, lambda, fold, error);
  };
  return tune(data.tensor, tuning, callbacks);
}

std::string time_note(const TuneResult& found) {
  std::ptrdiff_t fits = 0;
  for (const TuneRow& row : found.rows)
    fits += std::count_if(row.errors.begin(), row.errors.end(), [](const auto& e) { return e.has_value(); });
  return fmt::format("note: time limit reached after {} {}; the best by these is fitted in what is left",
                     fits, fits == 1 ? "fit" : "fits");
}

// Interrupted, on whichever process.
Result<int> TuneCommand::leave(Checkpoint* checkpoint) const {
  if (auto kept = fit.checkpoint.kept(checkpoint, output); !kept) return kept.error();
  if (fit.checkpoint.file.empty())
    output.say(state.empty() ? "interrupted; with --checkpoint FILE a later run could go on"
                             : fmt::format("interrupted; the same command goes on from {}", state));
  return 128 + static_cast<int>(everyone().max(signal_seen()));
}

Result<int> TuneCommand::fit_best(TrainingData& data, const TuneResult& found, Checkpoint* checkpoint) {
  const Run run(train, test, data, fit);
  History steps;
  const Settings best = settings_of(tuning, found);
  const Entries* unseen = data.test ? &*data.test : nullptr;
  FitResult result = run_fit(data, unseen, best, output, checkpoint,
                             [&](const FitProgress& progress) { steps.add(progress); });
  if (!everyone().first()) return exit_code(result, fit.strict);
  result.model.index_base = data.index_base;
  if (auto kept = run.keep_record(result, steps, fit, tuning_record(found)); !kept) return kept.error();
  if (auto saved = save_model(model, result.model); !saved) return saved.error();
  if (auto written = run.write_page(result.model, unseen, fit); !written) return written.error();
  if (output.json)
    print_json(report(found, result));
  else
    tell(found, result);
  if (auto kept = fit.checkpoint.kept(checkpoint, output); !kept) return kept.error();
  return exit_code(result, fit.strict);
}

Result<int> TuneCommand::run() {
  use_threads(output.threads);
  const bool first = everyone().first();
  if (auto fine = agreed(first ? check_flags() : Nothing{}); !fine) return fine.error();
  auto data = read_training(train, test, input, fit.side);
  if (auto fine = agreed(data); !fine) return fine.error();
  if (auto fine = choose_metric(data->tensor); !fine) return fine.error();
  if (!lambdas.empty()) tuning.lambdas = lambdas;
  std::sort(tuning.lambdas.begin(), tuning.lambdas.end());
  if (auto fine = list_candidates(*data); !fine) return fine.error();
  announce(output, train, *data);
  tuning.seed = tuning.candidates.front().options.seed;
  if (auto fine = check_candidates(*data); !fine) return fine.error();

  catch_signals();
  const std::string about = checksum_text(data->tensor, data->spread ? everyone() : serial_communicator());
  auto known = TuneState::open(first ? state : "", about, data->tensor.modes(), tuning);
  if (auto fine = agreed(known); !fine) return fine.error();
  auto checkpoint = fit.checkpoint.open(output, train, test);
  if (!checkpoint) return checkpoint.error();
  const TuneResult found = tune_on(*data, *known, checkpoint->get());
  if (auto kept = agreed(known->finish()); !kept) return kept.error();
  if (auto saved = agreed(first && !table.empty() ? write_whole(table, csv(found)) : Nothing{}); !saved)
    return saved.error();
  if (found.out_of_time && !found.interrupted) output.say(time_note(found));
  return found.interrupted ? leave(checkpoint->get()) : fit_best(*data, found, checkpoint->get());
}

}  // namespace

Action add_tune(CLI::App& app) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App& verb = *app.add_subcommand("tune", "compare settings by cross-validation and fit the best");
  verb.add_option("train", command->train, "file with the observed entries")->required();
  verb.add_option("-o,--output", command->model, "where to write the best model, fitted on everything")
      ->required();
  verb.add_option("--test", command->test, "file with entries to measure the final model's error on");
  const char* group = "Tuning";
  verb.add_option("--folds", command->tuning.folds, "how many, each held out once")
      ->capture_default_str()
      ->group(group);
  verb.add_option("--lambda-grid", command->lambdas, "lambdas to try; later also some between the best")
      ->delimiter(',')
      ->check(positive_number())
      ->default_str("0.001,0.01,...,1000")
      ->group(group);
  verb.add_option("--refine", command->tuning.refinements, "rounds of trying lambdas beside the best")
      ->check(whole_number_in(0, 10))
      ->capture_default_str()
      ->group(group);
  std::vector<std::string> names = method_names();
  names.emplace_back("auto");
  verb.add_option("--method-grid", command->methods, "methods to try; auto: all that can take the data")
      ->delimiter(',')
      ->check(one_of(names))
      ->group(group);
  verb.add_option("--rank-grid", command->ranks, "ranks to try, such as 4,4,3 10 auto")->group(group);
  verb.add_option("--parts-grid", command->parts, "values of --parts to try")->group(group);
  verb.add_option("--offsets-grid", command->offsets, "values of --offsets to try")->group(group);
  verb.add_option("--metric", command->metric,
                  "rmse, mae, or auc for values of 0 and 1, where it is the default")
      ->check(one_of({"rmse", "mae", "auc"}))
      ->group(group);
  verb.add_option("--abandon", command->tuning.abandon,
                  "give a setting up when its first fold is this many times worse")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str()
      ->group(group);
  verb.add_option("--state", command->state,
                  "file to note results in as they come; a later run goes on from it")
      ->group(group);
  verb.add_option("--table", command->table, "CSV file for the table of settings")->group(group);
  command->fit.add_flags(verb);
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
