// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <lacuna/base/base.hpp>
#include <lacuna/method/fit_once.hpp>
#include <lacuna/method/settings.hpp>
#include <stdexcept>

#include "kernels/layouts.hpp"
#include "method/fit_units.hpp"
#include "method/solve.hpp"
#include "method/together.hpp"
#include "model/shared_values.hpp"

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
    if (callbacks.shared) return;
    whole_ = true;
    const std::vector<PartSpec> parts = parts_of(settings, tensor.order());
    const Latent* const warm = settings.warm_start != nullptr ? settings.warm_start->latent() : nullptr;
    if (warm != nullptr && warm->dual.cells() == tensor.cells()) {
      warm_ = *settings.warm_start;
      ObservedTensor& dual = std::get<Latent>(*warm_.body).dual;
      dual = take_share_of_whole(dual, parts, *everyone_);
      settings.warm_start = &warm_;
    }
    tensor = take_share_of_whole(tensor, parts, *everyone_);
  }

  [[nodiscard]] const Communicator& everyone() const { return *everyone_; }
  // Whoever had all entries gets all of the model.
  void restore(Model& model) const {
    if (whole_) gather_dual(*everyone_, model, GatherTo::kEveryone);
  }

 private:
  const Communicator* everyone_ = &serial_communicator();
  bool whole_ = false;
  Model warm_;
};

}  // namespace

FitResult fit_once(ObservedTensor tensor, const Settings& given, const FitCallbacks& callbacks,
                   const Entries* test) {
  Settings settings = settled(given, tensor.order());
  const Sharing sharing(callbacks, settings, tensor);
  const Communicator& everyone = sharing.everyone();
  const Count entries = everyone.sum(tensor.size());
  if (entries == 0) throw std::invalid_argument("there is nothing to fit: the tensor has no observed entry");

  FitResult result;
  Model& model = result.model;
  model.method = name(*settings.method);
  model.version = version();
  model.modes = tensor.take_labels();
  model.entries = entries;
  model.observed = shared_range(tensor.values(), everyone);
  model.clip = settings.clip.range(model.observed);
  const ValueKind kind = shared_value_kind(tensor.values(), everyone);
  const UnitScale unit(tensor, everyone);
  unit.scale(tensor);
  model.offsets = fit_shared_offsets(tensor, *settings.offsets, kOffsetSweeps, everyone);
  if (needs_fallback(settings, model.order()))
    model.fallback = fit_shared_offsets(tensor, main_effects(model.order()), kFallbackSweeps, everyone);
  if (!model.offsets.empty()) tensor.replace_values(model.offsets.taken_off(tensor));

  const WarmStart warm(settings, unit);
  FitRun run(warm.options(), callbacks, test, model, unit, everyone);
  run.record() = written(settings, model.modes);
  run.record().set("values", std::string(name(kind)));
  Solved solved = info(*settings.method).solve(tensor, warm.options(), run);
  run.finish(solved.summary, result);
  if (!solved.effects.empty() && settings.offsets->mean) model.fallback = {};  // these are better
  for (Effect& effect : solved.effects) model.offsets.add(std::move(effect));
  result.mixture = std::move(solved.mixture);
  result.certificate = std::move(solved.certificate);
  model.record = std::move(run.record());
  model.body = std::move(solved.body);
  sharing.restore(model);
  restore_units(unit, result);
  return result;
}

}  // namespace lacuna
