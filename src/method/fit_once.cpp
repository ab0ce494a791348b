// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/base/memory_error.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/method/fit_once.hpp>
#include <lacuna/method/settings.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/machine.hpp"
#include "kernels/share_plan.hpp"
#include "method/fit_units.hpp"
#include "method/solve.hpp"
#include "method/together.hpp"
#include "model/shared_values.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/weighted_square.hpp"

namespace lacuna {
namespace {

FitRecord::Value number_or_text(std::string text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, number);
  if (problem == std::errc() && at == end) return number;
  return text;
}

// What the fit was told, in the words of the table of settings.
FitRecord written(const Settings& settings, const std::vector<Mode>& modes) {
  FitRecord record;
  record.seed = settings.seed;
  if (settings.latent.parts.given()) record.parts = describe(*settings.latent.parts, modes);
  if (takes(*settings.method, kTakesRank)) record.ranks = ranks_or_default(settings);
  if (settings.lambda.given()) record.lambda = *settings.lambda;
  record.lambdas = settings.latent.lambdas.value_or({});
  constexpr std::string_view kTyped[] = {"method", "parts", "rank", "lambda", "lambdas", "seed"};
  for (const SettingField& field : setting_fields()) {
    if (std::find(std::begin(kTyped), std::end(kTyped), field.name) != std::end(kTyped)) continue;
    std::string text = field.write(settings, modes);
    if (text.empty() || (field.taken != 0 && !takes(*settings.method, field.taken))) continue;
    std::string key(field.name);
    std::replace(key.begin(), key.end(), '-', '_');
    record.set(key, number_or_text(std::move(text)));
  }
  return record;
}

constexpr int kFallbackSweeps = 3;  // it is a guess, and every trial of a search makes one

// Whether the offsets say less of a cell than main effects of all modes would. Links have effects of their own,
// and facts alone, every value 1, would make a link of every cell that nothing is known of.
bool needs_fallback(const Settings& settings, int order) {
  const auto& effects = settings.offsets->effects;
  for (int k = 0; k < order; ++k)
    if (std::find(effects.begin(), effects.end(), std::vector<int>{k}) == effects.end())
      return info(*settings.method).model != "offsets" && info(*settings.method).model != "complex";
  return false;
}

// Whether the model is given what it is fitted on: where its body does not tell it, nor some processes have a share of it
// each. Every cell's value says nearly all there is, unless there are far more cells than entries.
bool keeps_entries(const Settings& settings, const FitCallbacks& callbacks, const ObservedTensor& tensor) {
  if (callbacks.shared) return false;
  const std::string_view body = info(*settings.method).model;
  if (body == "latent") return settings.method == Method::kTrLs;
  const double bytes_of_entry = static_cast<double>(tensor.order() * sizeof(Index) + sizeof(double));
  return body != "dense" ||
         bytes_of_entry * static_cast<double>(tensor.size()) <= sizeof(double) * count_cells(tensor.modes());
}

}  // namespace

namespace {

// Who shares the entries while the method runs, and this process's share of them. A method that cannot share runs
// alike on every process that has all entries.
class Sharing {
 public:
  Sharing(const FitCallbacks& callbacks, Settings& settings, ObservedTensor& tensor) {
    if (callbacks.everyone == nullptr || callbacks.everyone->alone()) return;
    if (!info(*settings.method).shares) {
      if (callbacks.shared)
        throw std::invalid_argument(std::string(name(*settings.method)) +
                                    " does not run on several processes");
      return;
    }
    everyone_ = callbacks.everyone;
    whole_ = !callbacks.shared;
    const std::vector<PartSpec> parts = parts_of(settings, tensor.order());
    take_over_dual(settings, tensor, parts);
    tensor = share_of(tensor, parts);
  }

  [[nodiscard]] const Communicator& everyone() const { return *everyone_; }
  // Whoever had all entries gets all of the model.
  void restore(Model& model) const {
    if (whole_) gather_dual(*everyone_, model, GatherTo::kEveryone);
  }

 private:
  // The dual of a model to start from goes where its entries go; one of other entries, which is of no use, goes nowhere.
  void take_over_dual(Settings& settings, const ObservedTensor& tensor, const std::vector<PartSpec>& parts) {
    const Latent* const warm = settings.warm_start != nullptr ? settings.warm_start->latent() : nullptr;
    if (warm == nullptr) return;
    const bool same = whole_ ? warm->dual.cells() == tensor.cells()
                             : extents(warm->dual.modes()) == extents(tensor.modes()) &&
                                   everyone_->sum(warm->dual.size()) == everyone_->sum(tensor.size());
    if (!same) return;
    warm_ = *settings.warm_start;
    ObservedTensor& dual = std::get<Latent>(*warm_.body).dual;
    dual = share_of(dual, parts);
    settings.warm_start = &warm_;
  }
  [[nodiscard]] ObservedTensor share_of(const ObservedTensor& tensor,
                                        const std::vector<PartSpec>& parts) const {
    return whole_ ? take_share_of_whole(tensor, parts, *everyone_) : take_share(tensor, parts, *everyone_);
  }

  const Communicator* everyone_ = &serial_communicator();
  bool whole_ = false;  // every process has all entries
  Model warm_;
};

// Throws where this machine cannot hold the fit. What the entries take they take already. Processes that share a fit each
// need a part of it, which whoever starts them knows.
void check_fit_memory(const Settings& settings, const ObservedTensor& tensor, const Communicator& everyone) {
  constexpr double kSmall = 64e6;  // bytes; less is not worth asking the system about in every trial
  if (!everyone.alone()) return;
  Settings known = settings;
  if (takes(*known.method, kTakesRank)) known.ranks.settle(ranks_or_default(known));
  const double held = (4.0 * tensor.order() + 8.0) * static_cast<double>(tensor.size());
  const double needed = info(*known.method).bytes(tensor.size(), tensor.modes(), known) - held;
  if (needed < kSmall) return;
  if (const auto fits = check_memory(needed, "this fit"); !fits) throw MemoryError(fits.error().what);
}

double shared_rmse(const ObservedTensor& tensor, std::span<const double> missed,
                   const Communicator& everyone) {
  return std::sqrt(everyone.sum(weighted_square(tensor, missed)) / everyone.sum(tensor.total_weight()));
}

// Whether the method was stopped while its body still said nothing of the data: before its first step, unless that
// was to go on from a model. A dual of 0 says nothing either. Links have nothing but their body.
bool says_nothing(const Solved& solved, const Settings& settings, int steps, const Communicator& everyone) {
  if (solved.summary.reason != StopReason::kStopped || steps > 0) return false;
  if (std::holds_alternative<ComplEx>(solved.body)) return false;
  const auto* const latent = std::get_if<Latent>(&solved.body);
  if (latent == nullptr || latent->factored()) return settings.warm_start == nullptr;
  const auto z = latent->dual.values();
  const bool zero = everyone.all(std::all_of(z.begin(), z.end(), [](double value) { return value == 0.0; }));
  return zero || settings.warm_start == nullptr;
}

// A body that says nothing is left out: what is known without it, main effects or whatever else the offsets are, is the
// model, and of a kind of its own.
void keep_effects_alone(FitResult& result, const Entries* test, double train_rmse) {
  Model& model = result.model;
  model.method = name(Method::kOffsets);
  if (!model.fallback.empty()) model.offsets = std::exchange(model.fallback, {});
  model.body = {};
  result.certificate.reset();
  result.mixture.clear();
  FitProgress last;
  last.train_rmse = train_rmse;
  last.seconds = result.last.seconds;
  last.operator_applications = result.last.operator_applications;
  if (test != nullptr && test->size() > 0) {
    const std::vector<double> said = Predictor(model).predict_as_told(test->cells, test->coordinates).value;
    last.test_rmse = rmse(test->value, said);
    last.test_auc = auc(test->value, said);
  }
  result.last = last;
}

}  // namespace

FitResult fit_once(ObservedTensor tensor, const Settings& given, const FitCallbacks& callbacks,
                   const Entries* test) {
  Settings settings = settled(given, tensor.order());
  FitResult result;
  Model& model = result.model;
  model.modes = tensor.take_labels();
  if (keeps_entries(settings, callbacks, tensor)) model.kept = std::make_shared<const ObservedTensor>(tensor);
  const Sharing sharing(callbacks, settings, tensor);
  const Communicator& everyone = sharing.everyone();
  const Count entries = everyone.sum(tensor.size());
  if (entries == 0) throw std::invalid_argument("there is nothing to fit: the tensor has no observed entry");
  check_fit_memory(settings, tensor, everyone);

  model.method = name(*settings.method);
  model.version = version();
  model.entries = entries;
  model.observed = shared_range(tensor.values(), everyone);
  if (settings.clip.given()) model.clip = settings.clip->range(model.observed);
  const ValueKind kind = shared_value_kind(tensor.values(), everyone);
  const UnitScale unit(tensor, everyone);
  unit.scale(tensor);
  model.offsets = fit_shared_offsets(tensor, *settings.offsets, kOffsetSweeps, everyone);
  if (needs_fallback(settings, model.order()))
    model.fallback = fit_shared_offsets(tensor, main_effects(model.order()), kFallbackSweeps, everyone);
  std::optional<double> without_body;  // the training error of the fallback, else of the offsets
  if (!model.fallback.empty()) without_body = shared_rmse(tensor, model.fallback.taken_off(tensor), everyone);
  if (!model.offsets.empty()) tensor.replace_values(model.offsets.taken_off(tensor));
  if (!without_body) without_body = shared_rmse(tensor, tensor.values(), everyone);

  const WarmStart warm(settings, unit);
  FitRun run(warm.options(), callbacks, test, model, unit, everyone);
  run.record() = written(settings, model.modes);
  run.record().set("values", std::string(name(kind)));
  Solved solved = info(*settings.method).solver->solve(tensor, warm.options(), run);
  run.finish(solved.summary, result);
  const bool silent = says_nothing(solved, warm.options(),
                                   std::max(result.last.iteration, solved.summary.iterations), everyone);
  if (silent) solved.effects.clear();
  if (!solved.effects.empty() && settings.offsets->mean) model.fallback = {};  // these are better
  for (Effect& effect : solved.effects) model.offsets.add(std::move(effect));
  result.mixture = std::move(solved.mixture);
  result.certificate = std::move(solved.certificate);
  model.record = std::move(run.record());
  model.body = std::move(solved.body);
  sharing.restore(model);
  restore_units(unit, result);
  if (silent) {
    run.notice("stopped before the first step: the model is its main effects alone");
    keep_effects_alone(result, test, unit.restored(*without_body));
  }
  return result;
}

}  // namespace lacuna
