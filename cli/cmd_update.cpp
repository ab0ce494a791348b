// SPDX-License-Identifier: MIT
// lacuna update MODEL NEW -o MODEL2
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/model/update.hpp>
#include <memory>

#include "base/machine.hpp"
#include "base/stopwatch.hpp"
#include "command.hpp"
#include "input.hpp"
#include "method/refit.hpp"
#include "model/body.hpp"
#include "new_labels.hpp"

namespace lacuna::cli {
namespace {

struct UpdateCommand {
  std::string model;
  std::string fresh;
  std::string out;
  bool refit = false;
  double held_out = 0.2;
  Output output;
  InputFlags input;

  Result<int> run();
  Result<UpdateResult> updated(const Model& fitted, const TensorFile& file, DuplicateCell& twice,
                               double& solving) const;
  // Of a model that can only be fitted again.
  Result<UpdateResult> refitted(const Model& fitted, const TensorFile& file, DuplicateCell& twice) const;
  // With the lines of a cell that is there twice.
  [[nodiscard]] Error located(Error error, const Model& fitted, const DuplicateCell& twice) const;
  void tell(const Model& fitted, const UpdateResult& result, double seconds, double solving) const;
};

// What stands against taking the entries up, or against a refit; empty: nothing.
std::string why_not(const Model& fitted, bool refit) {
  std::string why = refit ? why_not_refitted(fitted) : why_not_updated(fitted);
  if (!why.empty() && !refit && why_not_refitted(fitted).empty())
    why += "; --refit fits it again from the entries it keeps and the new ones";
  else if (!why.empty())
    why += "; fit again from a file of all entries, with --method als for a model that can be updated";
  return why;
}

// New positions of which something has to be known that new entries do not say.
Result<> check_new_positions(const std::string& fresh, const Model& fitted, const std::vector<Mode>& modes) {
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (modes[k].size == fitted.modes[k].size) continue;
    if (modes[k].side)
      return input_error(fresh, fmt::format("found new positions of mode {}, which has side information that "
                                            "they lack; fit again with theirs",
                                            modes[k].name));
    const std::vector<double>& along = modes[k].positions;
    if (why_not_updated(fitted).empty() ||
        std::none_of(along.begin(), along.end(), [](double x) { return std::isnan(x); }))
      continue;
    return input_error(
        fresh, fmt::format("found new positions of mode {}, and not where along the mode they lie; fit "
                           "again with their coordinates",
                           modes[k].name));
  }
  return Nothing{};
}

Result<UpdateResult> UpdateCommand::refitted(const Model& fitted, const TensorFile& file,
                                             DuplicateCell& twice) const {
  UpdateResult result;
  for (std::size_t k = 0; k < file.modes.size(); ++k)
    result.added.push_back(file.modes[k].size - fitted.modes[k].size);
  result.entries = file.entries.size();
  auto joined = joined_entries(fitted, file.modes, file.entries, input.duplicate_policy(), &twice);
  if (!joined) return joined.error();
  auto again = fitted_again(fitted, nullptr, std::move(*joined));
  if (!again) return again.error();
  result.model = std::move(*again);
  return result;
}

Result<UpdateResult> UpdateCommand::updated(const Model& fitted, const TensorFile& file, DuplicateCell& twice,
                                            double& solving) const {
  const std::clock_t before = std::clock();
  auto result = update(fitted, file.modes, file.entries,
                       {.duplicates = input.duplicate_policy(), .held_out = held_out}, &twice);
  solving = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;  // of the processor
  if (!result || !refit) return result;
  auto joined = joined_entries(fitted, file.modes, file.entries, input.duplicate_policy());
  if (!joined) return joined.error();
  auto again = fitted_again(fitted, &result->model, std::move(*joined));
  if (!again) return again.error();
  result->model = std::move(*again);
  return result;
}

Error UpdateCommand::located(Error error, const Model& fitted, const DuplicateCell& twice) const {
  error.where = fresh;
  if (twice.second == twice.first) return error;
  const auto options = cell_options(input, fitted.modes, fitted.index_base);
  if (!options) return error;
  error.where = locate_entry(fresh, *options, twice.second);
  error.what += twice.first < 0 ? "; --duplicates last takes the new value"
                                : listed_twice(locate_entry(fresh, *options, twice.first));
  return error;
}

// Where values, and with them predictions, reach now, if not where they did; empty: they do.
std::string reach_text(const Model& fitted, const Model& updated) {
  const Range& before = fitted.observed;
  const Range& now = updated.observed;
  if (before == now) return "";
  const std::optional<Range> kept_before = prediction_range(fitted);
  const std::optional<Range> kept = prediction_range(updated);
  std::string text = fmt::format("values from {:.6g} to {:.6g}, the model had {:.6g} to {:.6g}", now.low,
                                 now.high, before.low, before.high);
  if (kept && kept_before && *kept != *kept_before)
    text +=
        fmt::format(": predictions of all cells are kept to {:.6g} to {:.6g} now, not to {:.6g} to {:.6g}",
                    kept->low, kept->high, kept_before->low, kept_before->high);
  return text;
}

nlohmann::ordered_json range_json(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return {or_null(range->low), or_null(range->high)};
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
    print_json(nlohmann::ordered_json{{"entries", result.entries},
                                      {"added", added},
                                      {"solved", result.solved},
                                      {"moved", result.moved},
                                      {"held_out_rmse", or_null(result.held_out_rmse)},
                                      {"fit_held_out_rmse", or_null(expected)},
                                      {"seconds", seconds},
                                      {"solving_seconds", solving},
                                      {"range", range_json(prediction_range(result.model))},
                                      {"range_before", range_json(prediction_range(fitted))},
                                      {"refitted", refit},
                                      {"output", out}});
    return;
  }
  fmt::print("{} new entries; new positions: {}\n", grouped(result.entries), grown.empty() ? "none" : grown);
  if (result.solved > 0)
    fmt::print("{} rows, fibers and effects solved for, {} of which the model had\n", grouped(result.solved),
               grouped(result.moved));
  if (result.held_out_rmse)
    fmt::print("RMSE {:.5g} on new entries held out while the others were taken up{}\n",
               *result.held_out_rmse,
               expected ? fmt::format("; the fit expected {:.5g} on unseen cells", *expected) : "");
  else if (held_out > 0.0 && why_not_updated(fitted).empty())
    fmt::print("too few new entries to hold some out, so nothing is known of the error on what is new\n");
  if (const std::string reach = reach_text(fitted, result.model); !reach.empty()) fmt::print("{}\n", reach);
  fmt::print("{} written to {}\n", refit ? "model fitted again from all entries and" : "model",
             output_name(out));
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
    if (const auto* cp = std::get_if<Cp>(&*fitted.body)) {
      const auto rank = static_cast<double>(cp->factors[k].cols());
      columns += rank * (rank + 1.0);
    }
    const double added = static_cast<double>(modes[k].size) - static_cast<double>(fitted.modes[k].size);
    bytes += added * (kCopies * sizeof(double) * columns + kOtherBytes);
  }
  return bytes;
}

// An update makes and drops lists of all entries, one after the other. Given back to the system each time, their pages
// would be cleared again for the next one: a quarter of the time.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);  // the largest there is
  mallopt(M_TRIM_THRESHOLD, 2047 * kMegabyte);
  mallopt(M_TOP_PAD, 64 * kMegabyte);
#endif
}

Result<int> UpdateCommand::run() {
  keep_freed_memory();
  set_thread_count(output.threads);
  const Stopwatch watch;
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  if (const std::string why = why_not(*fitted, refit); !why.empty()) return input_error(model, why);
  if (auto fine = check_writable(out); !fine) return fine.error();
  auto file = read_cells(fresh, input, fitted->modes, fitted->index_base);
  if (!file) return file.error();
  std::vector<Count> place;  // in the file, of each entry that has a value
  for (Count e = 0; e < file->entries.size(); ++e)
    if (!std::isnan(file->entries.value[e])) place.push_back(e);
  keep_valued(file->entries);
  if (file->entries.size() == 0) return input_error(fresh, "found no entry with a value");
  if (auto fine = check_new_positions(fresh, *fitted, file->modes); !fine) return fine.error();
  if (auto fine = check_not_mixed_up(fresh, *fitted, file->modes, file->entries.cells); !fine)
    return fine.error();
  for (const std::string& note : nearly_known(*fitted, file->modes)) output.say("note: " + note);
  if (auto fits = check_memory(bytes_for(*fitted, file->modes), "this update"); !fits) return fits.error();
  double solving = 0.0;
  DuplicateCell twice;
  auto result = why_not_updated(*fitted).empty() ? updated(*fitted, *file, twice, solving)
                                                 : refitted(*fitted, *file, twice);
  if (!result) {
    for (Count* const entry : {&twice.first, &twice.second})
      if (*entry >= 0) *entry = place[static_cast<std::size_t>(*entry)];
    return located(result.error(), *fitted, twice);
  }
  if (refit) result->model.calibration = fitted->calibration;
  if (auto saved = save_model(out, result->model); !saved) return saved.error();
  tell(*fitted, *result, watch.seconds(), solving);
  return 0;
}

}  // namespace

Action add_update(CLI::App& app) {
  auto command = std::make_shared<UpdateCommand>();
  CLI::App& verb = *app.add_subcommand(
      "update", "take new entries up into a model, also with new labels, without refitting");
  verb.add_option("model", command->model,
                  "a fitted model, of als or tr-mm; with --refit any that keeps its entries")
      ->required();
  verb.add_option("new", command->fresh, "file of new entries")->required();
  verb.add_option("-o,--output", command->out, "where to write the model")->required();
  verb.add_flag("--refit", command->refit, "fit again from all entries, with the settings of the model");
  verb.add_option("--held-out", command->held_out,
                  "share of the new entries held out, before they too are taken up, to judge")
      ->check([](const std::string& text) {
        double share = 0.0;
        if (CLI::detail::lexical_cast(text, share) && share >= 0.0 && share <= 0.9) return std::string();
        return fmt::format("found '{}', expected a share from 0 to 0.9", text);
      });
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
