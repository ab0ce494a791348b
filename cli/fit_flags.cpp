// SPDX-License-Identifier: MIT
#include "fit_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <lacuna/io/files.hpp>
#include <limits>
#include <numeric>
#include <utility>

#include "base/machine.hpp"
#include "base/nearest.hpp"
#include "cluster.hpp"
#include "input.hpp"
#include "kernels/observe_together.hpp"
#include "kernels/share_plan.hpp"
#include "method/costs.hpp"
#include "method/together.hpp"
#include "model/body.hpp"
#include "model/shared_values.hpp"
#include "progress.hpp"
#include "search/choose.hpp"
#include "signals.hpp"

namespace lacuna::cli {
namespace {

bool is_about_modes(std::string_view setting) {
  return setting == "parts" || setting == "offsets" || setting == "tubes";
}

// --init names a file unless it is one of the words of the table.
bool names_a_file(const std::string& setting, const std::string& text) {
  Settings scratch;
  return setting == "init" && !read_setting(setting, text, {}, scratch);
}

// The flags that would place a mode's labels, where that is what a list of parts lacks: the setting is then refused for
// another reason, or not at all.
std::string placing_flags(const std::string& setting, const std::string& text, const std::vector<Mode>& modes,
                          const Error& refused) {
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (modes[k].labels.empty() || !modes[k].positions.empty()) continue;
    std::vector<Mode> placed = modes;
    placed[k].positions.assign(placed[k].size, 0.0);
    Settings scratch;
    const auto read = read_setting(setting, text, placed, scratch);
    if (!read && read.error().what == refused.what) continue;
    return fmt::format("; give --coordinates {0}=FILE or --positions {0}", modes[k].name);
  }
  return "";
}

Result<> read_flag(const std::string& setting, const std::string& text, const std::vector<Mode>& modes,
                   Settings& into) {
  auto read = read_setting(setting, text, modes, into);
  if (!read)
    return usage_error("--" + setting, read.error().what + placing_flags(setting, text, modes, read.error()));
  return Nothing{};
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& one : methods()) names.emplace_back(one.name);
  return names;
}

void FitFlags::add_flags(CLI::App& command) {
  const char* group = "Fit (what is not given is chosen on held-out entries)";
  const auto some_text = [](const std::string& text) {
    return std::string(text.empty() ? "found nothing, expected a value" : "");
  };
  for (const SettingField& field : setting_fields()) {
    const std::string setting(field.name);
    const std::string flags = "--" + setting + (setting == "offsets" ? ",--center" : "");
    const std::string what = fmt::format("{} ({})", field.what, field.values);
    // A list may come as several words, from a configuration file.
    const std::function<void(const std::vector<std::string>&)> join = [this, setting](const auto& words) {
      given[setting] = fmt::format("{}", fmt::join(words, ","));
    };
    if (setting == "rank" || setting == "lambdas")
      command.add_option_function(flags, join, what)->delimiter(',')->group(group);
    else
      command.add_option(flags, given[setting], what)->check(some_text)->group(group);
  }
  command
      .add_option("--preset", preset,
                  "paper: the paper's own model, its parts and no offsets, unless given; another method "
                  "keeps its own offsets")
      ->check([](const std::string& text) {
        if (text == "paper") return std::string();
        return fmt::format("found '{}', expected paper{}", text,
                           nearest(text, {"paper"}) ? "; did you mean paper?" : "");
      })
      ->group(group);
  command
      .add_flag("--intervals", intervals,
                "up to five more fits, each with a twentieth of the entries held out, so that "
                "predict --interval knows how sure it is")
      ->group(group);
  side.add_flags(command);
  checkpoint.add_flags(command);
  command.add_option("--report", report, "also write a page about the fit, to look at in a browser")
      ->group(group);
  command
      .add_flag("--no-record", no_record,
                "keep no command, times and history in the model: equal fits give equal files")
      ->group(group);
  command.add_flag("--strict", strict, "exit with 4 when the fit did not converge")->group(group);
}

Result<> FitFlags::check() const {
  if (auto fine = checkpoint.check(); !fine) return fine.error();
  Settings scratch;
  for (const auto& [setting, text] : given)
    if (!text.empty() && !is_about_modes(setting) && !names_a_file(setting, text))
      if (auto read = read_flag(setting, text, {}, scratch); !read) return read.error();
  return Nothing{};
}

Result<Settings> FitFlags::settings(const std::vector<Mode>& modes, std::unique_ptr<Model>& warm) const {
  Settings settings;
  for (const auto& [setting, text] : given) {
    if (text.empty()) continue;
    if (!names_a_file(setting, text)) {
      if (auto read = read_flag(setting, text, modes, settings); !read) return read.error();
      continue;
    }
    auto model = load_model(text);
    std::error_code none;
    if (!model && std::filesystem::exists(text, none))
      return model.error();  // a damaged file, not a misspelt word
    if (!model)
      return usage_error("--init",
                         fmt::format("found '{}', expected random, spectral, grow or a model file ({})", text,
                                     model.error().what));
    warm = std::make_unique<Model>(std::move(*model));
    settings.warm_start = warm.get();
  }
  if (warm) {  // it goes on with its own kind of model, unless told otherwise
    const auto method = parse_method(warm->method);
    settings.method.settle(method && takes(*method, kTakesInit) ? *method : Method::kTrMm);
    if (takes(*settings.method, kTakesRank) && settings.latent.certified_gap.open())
      settings.ranks.settle(ranks(*warm));
  }
  if (intervals) settings.search.calibrate = kCalibrationShare;
  if (preset == "paper") {
    settings = paper_preset(std::move(settings), static_cast<int>(modes.size()));
    for (const auto& [setting, text] : given)  // what is said to be open stays so
      if (text == "auto" && setting != "method" && setting != "clip")
        if (auto read = read_flag(setting, text, modes, settings); !read) return read.error();
  }
  if (!report.empty()) settings.latent.certify = Certify::kEveryStep;
  check_values(settings, static_cast<int>(modes.size()));
  if (settings.method.given()) (void)settled(settings, static_cast<int>(modes.size()));  // throws
  return settings;
}

FitFlags FitFlags::without_what_it_does_not_take(Method method) const {
  FitFlags flags = *this;
  for (const SettingField& field : setting_fields())
    if (field.taken != 0 && !takes(method, field.taken)) flags.given[std::string(field.name)].clear();
  // These always have a mean.
  if (method == Method::kMean || (method == Method::kOffsets && flags.given["offsets"] == "none"))
    flags.given["offsets"].clear();
  flags.given["blend"].clear();  // of fits whose method is open
  flags.given["method"] = name(method);
  return flags;
}

namespace {

// While something is chosen: the entries as they are, those that are kept, and a model over them.
double bytes_while_choosing(Count entries, int order) {
  return 3.0 * (4.0 * order + 8.0) * static_cast<double>(entries);
}

}  // namespace

bool holds_all(const TrainingData& data, const Settings& settings) {
  if (everyone().alone()) return true;
  if (needs_all_entries(settings)) return true;
  // A quarter of the memory, so that there is room for what methods make of the entries.
  const double bytes = 4.0 * neighbours() * bytes_while_choosing(data.entries, data.tensor.order());
  return settings.method.open() && everyone().all(bytes < memory_limit().bytes);
}

ObservedTensor take_entries(TrainingData& data, bool all) {
  ObservedTensor tensor = std::exchange(data.tensor, {});
  if (data.spread) return all ? gather_entries(tensor, everyone()) : tensor;
  return all ? tensor : portion_of_whole(tensor, everyone());
}

namespace {

// The model with some of its entries, as a fit that is shared expects one to start from.
Model portion_of(const Model& whole) {
  Model model = whole;
  if (auto* const latent = std::get_if<Latent>(&*model.body))
    latent->dual = portion_of_whole(latent->dual, everyone());
  return model;
}

}  // namespace

FitResult run_fit(TrainingData& data, const Entries* test, const Settings& settings, const Output& output,
                  Checkpoint* checkpoint, const std::function<void(const FitProgress&)>& also) {
  catch_signals();
  ProgressView view(output, settings, test != nullptr);
  FitCallbacks callbacks;
  callbacks.checkpoint = checkpoint;
  callbacks.interrupted = [] { return signal_seen() != 0; };
  callbacks.everyone = &everyone();
  if (output.verbose > 0) callbacks.detail = [&](const std::string& sentence) { output.say(sentence); };
  callbacks.notice = [&](const std::string& sentence) { output.say("note: " + sentence); };
  callbacks.progress = [&](const FitProgress& progress) {
    view.show(progress);
    if (also) also(progress);
    return Flow::kContinue;
  };
  callbacks.shared = !everyone().alone() && !holds_all(data, settings);
  Settings own = settings;
  Model start;
  if (callbacks.shared && settings.warm_start != nullptr) {
    start = portion_of(*settings.warm_start);
    own.warm_start = &start;
  }
  FitResult result = fit(take_entries(data, !callbacks.shared), own, callbacks, test);
  view.finish();
  if (callbacks.shared) gather_dual(everyone(), result.model, GatherTo::kFirst);
  tell_peak(output);
  return result;
}

Result<> check_shared(const Settings& settings) {
  if (everyone().alone() || settings.method.open() || info(*settings.method).shares) return Nothing{};
  std::vector<std::string_view> able;
  for (const MethodInfo& one : methods())
    if (one.shares) able.push_back(one.name);
  return usage_error("--method",
                     fmt::format("{} does not run on several processes, found {}; these do: {}",
                                 name(*settings.method), everyone().size(), fmt::join(able, ", ")));
}

namespace {

// What each of the processes needs for a fit by the method given.
std::vector<double> needed_by_each(const TrainingData& data, const Settings& settings, bool checkpoint) {
  const ObservedTensor portion = data.spread ? ObservedTensor() : portion_of_whole(data.tensor, everyone());
  const Latent* const start = settings.warm_start != nullptr ? settings.warm_start->latent() : nullptr;
  const Sharing sharing{.plan = plan_shares(data.spread ? data.tensor : portion,
                                            parts_of(settings, data.tensor.order()), everyone()),
                        .entries = data.entries,
                        .test = data.test ? data.test->size() : 0,
                        .start = start != nullptr ? start->dual.size() : 0,
                        .checkpoint = checkpoint};
  std::vector<double> needed;
  for (int process = 0; process < everyone().size(); ++process)
    needed.push_back(shared_bytes(sharing, data.tensor.modes(), settings, process));
  return needed;
}

Result<> check_shared_memory(const TrainingData& data, const Settings& asked, const Output& output,
                             bool checkpoint) {
  const bool all = holds_all(data, asked);
  const bool chooses = all || leaves_several_fits(asked) || asked.search.calibrate > 0.0;
  const double choosing =
      chooses
          ? bytes_while_choosing(all ? data.entries : data.entries / everyone().size(), data.tensor.order())
          : 0.0;
  Settings settings = asked;
  if (asked.method.open())
    settings.method.settle(Method::kTrMm);  // of those that share, what asks for the most
  std::vector<double> needed = needed_by_each(data, settings, checkpoint);
  if (output.verbose > 0)
    output.say(fmt::format("{}the first process needs about {}, each other at most {}{}",
                           asked.method.open() ? "for tr-mm, if that is tried, " : "",
                           bytes_text(needed.front()),
                           bytes_text(*std::max_element(needed.begin() + 1, needed.end())),
                           choosing > 0.0 ? ", and " + bytes_text(choosing) + " while it chooses" : ""));
  // What memory does not hold is not tried.
  if (asked.method.open())
    return check_memory(neighbours() * choosing,
                        fmt::format("choosing a method, with {} processes on one machine,", neighbours()));
  // Which processes have this machine's memory is not known where there are more: those that need the most.
  std::sort(needed.begin(), needed.end(), std::greater<>());
  return check_memory(
      std::accumulate(needed.begin(), needed.begin() + neighbours(), neighbours() * choosing),
      fmt::format("this fit, with {} processes on one machine, each with all factors ({}),", neighbours(),
                  bytes_text(shared_factor_bytes(data.tensor.modes(), settings))));
}

}  // namespace

Result<> check_fit_memory(const TrainingData& data, const Settings& settings, const Output& output,
                          bool checkpoint) {
  if (everyone().alone()) {
    if (settings.method.open()) return Nothing{};
    return check_memory(info(*settings.method).bytes(data.entries, data.tensor.modes(), settings),
                        "this fit");
  }
  constexpr Count kMostInAModel = std::numeric_limits<Index>::max() - 1;
  if (data.entries > kMostInAModel)
    return Error{ErrorKind::kMemory, "",
                 fmt::format("found {} entries, expected at most {}: the model is gathered on one process, "
                             "which numbers them with 32 bits",
                             grouped(data.entries), grouped(kMostInAModel))};
  return check_shared_memory(data, settings, output, checkpoint);
}

void tell_peak(const Output& output) {
  if (everyone().alone() || output.verbose == 0) return;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const std::vector<std::int64_t> all =
      everyone().gather(std::span<const std::int64_t>(std::vector<std::int64_t>{used.ru_maxrss}));
  const std::int64_t others = *std::max_element(all.begin() + 1, all.end());
  output.say(fmt::format("the first process took {}, each other at most {}",
                         bytes_text(1024.0 * static_cast<double>(all[0])),
                         bytes_text(1024.0 * static_cast<double>(others))));
}

int exit_code(const FitResult& result, bool strict) {
  if (signal_seen() != 0) return 128 + signal_seen();
  return strict && !result.converged ? kNotConverged : 0;
}

}  // namespace lacuna::cli
