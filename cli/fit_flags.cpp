// SPDX-License-Identifier: MIT
#include "fit_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/io/model_file.hpp>

#include "input.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace lacuna::cli {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& one : kMethods) names.emplace_back(one.name);
  return names;
}

void FitFlags::add_flags(CLI::App& command) {
  const char* group = "Fit";
  std::vector<std::string> names = method_names();
  names.emplace_back("auto");
  command.add_option("--method", method, "see lacuna methods; auto: the best of them by cross-validation")
      ->check(CLI::IsMember(names))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--rank", rank,
                  "one for each mode or part, such as 4,4,3; one for all; or auto: they grow from 1")
      ->delimiter(',')
      ->default_str("auto")
      ->group(group);
  command
      .add_option("--lambda", lambda,
                  "how closely to fit: lambda_k = lambda n_k; auto: by held-out error, from 10")
      ->default_str(choose_everything ? "auto" : "10")
      ->group(group);
  command.add_option("--lambdas", options.lambdas, "the lambda_k themselves, one for each part")
      ->delimiter(',')
      ->check(positive_number())
      ->group(group);
  command
      .add_option("--path", options.path,
                  "warm-started fits at smaller lambdas first; -1: as many as lie above 1")
      ->check(CLI::Range(-1, 12))
      ->capture_default_str()
      ->group(group);
  command.add_option("--max-iterations", options.max_iterations, "steps at most; unset: the method's")
      ->check(nonnegative_number())
      ->group(group);
  command
      .add_option("--tolerance", options.tolerance,
                  "stop when gradient norm / objective is below this; unset: the method's")
      ->check(nonnegative_number())
      ->group(group);
  command.add_option("--max-time", options.max_time, "seconds at most; the best model so far is kept")
      ->check(nonnegative_number())
      ->group(group);
  command
      .add_option("--early-stop", options.early_stop,
                  "share of the entries held out to find the number of steps; 0: none; -1: 0.1 for tr-ls")
      ->check(CLI::Range(-1.0, 0.9))
      ->capture_default_str()
      ->group(group);
  command.add_option("--init", init, "random, spectral, grow, or a model to start from")
      ->default_str("the method's")
      ->group(group);
  command
      .add_option("--parts", parts,
                  "full: the paper's; auto; pairs; or a list such as 'user|item,week ; user|item rank=20'")
      ->default_str(choose_everything ? "auto" : "full")
      ->group(group);
  command
      .add_option("--offsets", offsets,
                  "fitted first: none, mean, modes, auto, or a list such as user,item,item*week")
      ->default_str(choose_everything ? "auto" : "the method's")
      ->group(group);
  command.add_option("--tubes", tubes, "the mode that tsvd transforms along, by name or number")
      ->default_str("the smallest")
      ->group(group);
  command
      .add_option("--unshrunk", options.unshrunk,
                  "share of the singular values, the largest, that halrtc does not shrink")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str()
      ->group(group);
  command.add_option("--center", center, "mean: the same as --offsets mean")
      ->check(CLI::IsMember({"none", "mean"}))
      ->group(group);
  clip.add_flag(command, "no limits");
  command.add_option("--loss", loss, "squared, or huber, which does not trust entries far off")
      ->check(CLI::IsMember({"squared", "huber"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--optimizer", optimizer, "how to minimise")
      ->check(CLI::IsMember({"trust-region", "conjugate-gradients"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", options.seed, "of everything random")->capture_default_str()->group(group);
  command.add_option("--precision", precision, "of the arithmetic")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--intervals", intervals,
                "up to five more fits, each with a twentieth of the entries held out, so that predict "
                "--interval knows how sure it is")
      ->group(group);
  command.add_option("--report", report, "also write a page about the fit, to look at in a browser")
      ->group(group);
  command
      .add_flag("--no-record", no_record,
                "keep no command, times and history in the model: equal fits give equal files")
      ->group(group);
  command.add_flag("--strict", strict, "exit with 4 when the fit did not converge")->group(group);
}

namespace {

Result<std::vector<int>> parse_ranks(const std::vector<std::string>& given) {
  std::vector<int> ranks;
  for (const std::string& one : given) {
    int value = 0;
    if (!CLI::detail::lexical_cast(one, value) || value < 1)
      return usage_error("--rank",
                         fmt::format("found '{}', expected auto or numbers > 0 such as 4,4,3", one));
    ranks.push_back(value);
  }
  return ranks;
}

}  // namespace

Result<FitOptions> FitFlags::fit_options(std::unique_ptr<Model>& warm) const {
  FitOptions chosen = options;
  if (!open_method()) chosen.method = *parse_method(method);
  const bool open_rank = rank == std::vector<std::string>{"auto"};
  chosen.auto_rank =
      open_rank && (info(chosen.method).settings & kTakesRank) != 0 && !info(chosen.method).finds_rank;
  if (!open_rank) {
    auto ranks = parse_ranks(rank);
    if (!ranks) return ranks.error();
    chosen.ranks = std::move(*ranks);
  }
  const std::string closeness = !lambda.empty() ? lambda : choose_everything ? "auto" : "10";
  chosen.auto_lambda =
      closeness == "auto" && (info(chosen.method).settings & kTakesPath) != 0 && options.lambdas.empty();
  if (lambda == "auto" && chosen.method == Method::kFfw)
    return usage_error("--lambda", "method ffw cannot choose it by itself; lacuna tune can");
  if (lambda == "auto" && !options.lambdas.empty())
    return usage_error("--lambda", "auto and --lambdas exclude each other");
  if (closeness != "auto" && !(CLI::detail::lexical_cast(closeness, chosen.lambda) && chosen.lambda > 0.0 &&
                               std::isfinite(chosen.lambda)))
    return usage_error("--lambda", fmt::format("found '{}', expected auto or a number > 0", closeness));
  chosen.loss = loss == "squared" ? Loss::kSquared : Loss::kHuber;
  chosen.optimizer = optimizer == "trust-region" ? Optimizer::kTrustRegion : Optimizer::kNonlinearCg;
  chosen.precision = precision == "double" ? Precision::kDouble : Precision::kFloat;
  chosen.clip_observed = clip.is_auto();
  if (intervals) chosen.calibrate = kCalibrationShare;
  chosen.clip = clip.range();
  const auto starts = {Start::kAuto, Start::kRandom, Start::kSpectral, Start::kGrow};
  const auto* start =
      std::find_if(starts.begin(), starts.end(), [&](Start one) { return name(one) == init; });
  if (start != starts.end()) {
    chosen.start = *start;
  } else {
    auto model = load_model(init);
    if (!model)
      return usage_error("--init",
                         fmt::format("found '{}', expected random, spectral, grow or a model file ({})", init,
                                     model.error().what));
    warm = std::make_unique<Model>(std::move(*model));
    chosen.warm_start = warm.get();
    if (chosen.auto_rank) {  // the model's are what it can be taken over with
      chosen.auto_rank = false;
      chosen.ranks = ranks(*warm);
    }
  }
  return complete_options(std::move(chosen));
}

Result<> FitFlags::set_structure(const std::vector<Mode>& modes, FitOptions& chosen) const {
  const bool open_parts =
      choose_everything && options.lambdas.empty() && (info(chosen.method).settings & kTakesParts) != 0;
  chosen.auto_parts = parts == "auto" || (parts.empty() && open_parts);
  chosen.auto_offsets = offsets == "auto" || (offsets.empty() && center.empty() && choose_everything &&
                                              chosen.method != Method::kMean);
  if (!chosen.auto_parts && (!parts.empty() || (info(chosen.method).settings & kTakesParts) != 0)) {
    auto list = parse_parts(parts.empty() ? "full" : parts, modes);
    if (!list) return usage_error("--parts", list.error().what);
    chosen.parts = std::move(*list);
    for (const PartOptions& part : chosen.parts) chosen.auto_rank = chosen.auto_rank && part.rank == 0;
  }
  if (!chosen.auto_offsets) {
    const std::string_view unset = center.empty() ? info(chosen.method).offsets : center;
    auto spec = parse_offsets(offsets.empty() ? unset : offsets, modes);
    if (!spec) return usage_error("--offsets", spec.error().what);
    chosen.offsets = std::move(*spec);
  }
  if (!tubes.empty()) {
    auto list = parse_mode_list(tubes, modes);
    if (!list) return usage_error("--tubes", list.error().what);
    if (list->size() != 1) return usage_error("--tubes", fmt::format("found '{}', expected one mode", tubes));
    chosen.tubes = list->front();
  }
  return Nothing{};
}

FitResult run_fit(ObservedTensor tensor, const FitOptions& options, const Entries* test, const Output& output,
                  const std::function<void(const FitProgress&)>& also) {
  catch_signals();
  ProgressView view(output, options, test != nullptr);
  FitCallbacks callbacks;
  callbacks.interrupted = [] { return signal_seen() != 0; };
  callbacks.notice = [&](const std::string& sentence) { output.say("note: " + sentence); };
  callbacks.progress = [&](const FitProgress& progress) {
    view.show(progress);
    if (also) also(progress);
    return Flow::kContinue;
  };
  FitResult result = fit(std::move(tensor), options, callbacks, test);
  view.finish();
  return result;
}

double fit_memory(Count entries, const std::vector<Mode>& modes, const FitOptions& options) {
  const std::string_view model = info(options.method).model;
  if (model == "dense") return dense_fit_bytes(entries, modes);
  if (model == "tucker") return tucker_fit_bytes(entries, modes, options.ranks);
  if (options.method == Method::kFfw) return ffw_fit_bytes(entries, modes);
  if (model == "cp") return cp_fit_bytes(entries, modes, options.ranks);
  return fit_bytes(entries, modes, options.ranks,
                   options.auto_parts ? modes.size() * modes.size() : options.parts.size());
}

Result<> check_fit_memory(const ObservedTensor& tensor, const FitOptions& options) {
  return check_memory(fit_memory(tensor.size(), tensor.modes(), options), "this fit");
}

int exit_code(const FitResult& result, bool strict) {
  if (signal_seen() != 0) return 128 + signal_seen();
  return strict && !result.converged ? kNotConverged : 0;
}

}  // namespace lacuna::cli
