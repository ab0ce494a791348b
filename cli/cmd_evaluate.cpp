// SPDX-License-Identifier: MIT
// lacuna evaluate MODEL TEST
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/model/structure.hpp>
#include <memory>

#include "clip.hpp"
#include "cluster.hpp"
#include "command.hpp"
#include "evaluate/held_facts.hpp"
#include "evaluate/intervals.hpp"
#include "input.hpp"
#include "interval_flag.hpp"
#include "signals.hpp"
#include "tensor/keep_if.hpp"

namespace lacuna::cli {
namespace {

struct EvaluateCommand {
  std::string model;
  std::string test;
  Output output;
  InputFlags input;
  ClipFlag clip;
  std::string ranking;
  std::vector<std::string> filter;
  double interval = 0.0;
  int bins = 0;  // of the table of reliability; 0: none

  Result<int> run();
  Result<int> rank(const Model& fitted, TensorFile& facts) const;
};

nlohmann::ordered_json as_json(const std::vector<ReliabilityBin>& table) {
  if (table.empty()) return nullptr;
  auto rows = nlohmann::ordered_json::array();
  for (const ReliabilityBin& bin : table)
    rows.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"cells", bin.cells},
                    {"predicted", bin.predicted},
                    {"observed", bin.observed}});
  return {{"error", calibration_error(table)}, {"bins", rows}};
}

void tell(const std::vector<ReliabilityBin>& table) {
  fmt::print("\nsaid to be 1 with probability        cells  mean said  share of 1\n");
  for (const ReliabilityBin& bin : table)
    if (bin.cells > 0)
      fmt::print("{:.2f} to {:.2f} {:29}  {:9.4f}  {:10.4f}\n", bin.low, bin.high, grouped(bin.cells),
                 bin.predicted, bin.observed);
  fmt::print("mean difference {:.4f}\n", calibration_error(table));
}

// Facts are the test file's cells of value other than 0; those of the filter files are known beforehand.
Result<int> EvaluateCommand::rank(const Model& fitted, TensorFile& facts) const {
  const auto modes = parse_mode_list(ranking, fitted.modes);
  if (!modes) return usage_error("--ranking", modes.error().what);
  const auto keep_facts = [](Entries& entries) {
    keep_if(entries, [&](Count e) { return entries.value[e] != 0.0; });
  };
  keep_facts(facts.entries);
  if (facts.entries.size() == 0) return input_error(test, "no cell of value other than 0 to rank");

  // Each file is read with the modes the last one has grown to: labels the model lacks keep one position.
  Cells known(static_cast<int>(facts.modes.size()));
  std::vector<Mode> seen = facts.modes;
  for (const std::string& path : filter) {
    auto file = read_cells(path, input, seen, fitted.index_base);
    if (auto fine = agreed(file); !fine) return fine.error();
    keep_facts(file->entries);
    known.append(file->entries.cells);
    seen = std::move(file->modes);
  }
  catch_signals();
  const Ranking found = rank_together(Predictor(fitted), extents(seen), facts.entries.cells, known, *modes,
                                      [] { return signal_seen() != 0; });
  if (output.json)
    print_json(nlohmann::ordered_json{{"queries", found.queries},
                                      {"mrr", found.mrr},
                                      {"hits1", found.hits1},
                                      {"hits3", found.hits3},
                                      {"hits10", found.hits10}});
  else
    fmt::print(
        "{} rankings, filtered, ties at their mean place\nMRR     {:.4f}\nHits@1  {:.4f}\nHits@3  {:.4f}\n"
        "Hits@10 {:.4f}\n",
        grouped(found.queries), found.mrr, found.hits1, found.hits3, found.hits10);
  return signal_seen() != 0 ? 128 + signal_seen() : 0;
}

// Squares of what is far from what was predicted may be too large for any number.
std::string figure(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "not finite";
}

// For a table without values, whose lines are facts.
std::string how_to_rank(const TensorFile& file, const std::vector<Mode>& modes) {
  if (file.format != Format::kTable || file.table.value_column >= 0) return "";
  std::vector<std::string> names;
  for (const int k : ranked_modes(modes)) names.push_back(modes[static_cast<std::size_t>(k)].name);
  return fmt::format("; facts are ranked: --ranking {}", fmt::join(names, ","));
}

Result<int> EvaluateCommand::run() {
  use_threads(output.threads);
  auto fitted = load_model(model);
  if (auto fine = agreed(fitted); !fine) return fine.error();
  clip.apply_to(*fitted);
  auto file = read_cells(test, input, fitted->modes, fitted->index_base);
  if (auto fine = agreed(file); !fine) return fine.error();
  if (!ranking.empty()) return rank(*fitted, *file);
  keep_valued(file->entries);
  if (file->entries.size() == 0)
    return input_error(test, "no cell has a value, expected at least one to compare with" +
                                 how_to_rank(*file, fitted->modes));

  const std::vector<double>& truth = file->entries.value;
  const Predictor predictor(*fitted);
  const Predictor::Prediction prediction = predict_together(predictor, file->entries);
  std::optional<Coverage> covered;
  if (interval > 0.0) {
    if (auto fine = check_interval(interval, *fitted, model); !fine) return fine.error();
    covered = coverage(fitted->calibration, truth, prediction.value,
                       predictor.support(file->entries.cells, file->entries.coordinates), interval);
  }
  if (const std::string note = cold_note(prediction, *file); !note.empty()) output.say("note: " + note);
  std::vector<ReliabilityBin> table;
  if (bins > 0) {
    if (!is_binary(truth))
      return usage_error("--reliability",
                         fmt::format("needs values that are 0 or 1, both present; {} has others", test));
    table = reliability(truth, prediction.value, bins);
  }
  const auto area = auc(truth, prediction.value);
  const auto explained = r_squared(truth, prediction.value);
  if (output.json) {
    print_json(
        nlohmann::ordered_json{{"cells", truth.size()},
                               {"reliability", as_json(table)},
                               {"cold", prediction.cold},
                               {"unseen", prediction.unseen},
                               {"rmse", rmse(truth, prediction.value)},
                               {"mae", mae(truth, prediction.value)},
                               {"r2", or_null(explained)},
                               {"auc", or_null(area)},
                               {"coverage", or_null(covered ? std::optional(covered->share) : std::nullopt)},
                               {"width", or_null(covered ? std::optional(covered->width) : std::nullopt)}});
    return 0;
  }
  fmt::print("{} cells, {} of them on no observed fiber\n", grouped(file->entries.size()),
             grouped(prediction.cold));
  fmt::print("RMSE {}\nMAE  {}\n", figure(rmse(truth, prediction.value)),
             figure(mae(truth, prediction.value)));
  if (explained) fmt::print("R2   {}\n", figure(*explained));
  if (covered)
    fmt::print("intervals of {:.3g} hold {:.3f} of the values; mean width {:.4g}\n", interval, covered->share,
               covered->width);
  if (area) fmt::print("AUC  {:.6g}  (negatives: the file's own cells of value 0)\n", *area);
  if (!table.empty()) tell(table);
  return 0;
}

}  // namespace

Action add_evaluate(CLI::App& app) {
  auto command = std::make_shared<EvaluateCommand>();
  CLI::App& verb = *app.add_subcommand("evaluate", "measure a model's error on a file of known entries");
  verb.add_option("model", command->model, "a fitted model")->required();
  verb.add_option("test", command->test, "file with entries to compare with")->required();
  verb.add_option("--ranking", command->ranking,
                  "rank each fact among all positions of these modes, such as subject,object: MRR and hits");
  verb.add_option("--filter", command->filter, "files of facts known beforehand, left out of the rankings")
      ->delimiter(',')
      ->needs("--ranking");
  verb.add_option("--interval", command->interval,
                  "how often intervals of this probability hold, and how wide they are")
      ->check(probability());
  verb.add_option("--reliability", command->bins,
                  "of values 0 and 1: whether probabilities keep what they promise, in so many bins")
      ->check(whole_number_in(1, 1000));
  command->clip.add_flag(verb);
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
