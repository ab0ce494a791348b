// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/method/settings.hpp>
#include <stdexcept>

namespace lacuna {
namespace {

OffsetSpec default_offsets(std::string_view words, int order) {
  return words == "modes" ? main_effects(order) : OffsetSpec{.mean = words != "none", .effects = {}};
}

void check_ranges(const Settings& settings) {
  for (const SettingField& field : setting_fields())
    if (field.fits != nullptr && !field.fits(settings))
      throw std::invalid_argument(std::string(field.name) + " must be " + std::string(field.values));
  if (!(settings.search.calibrate >= 0.0 && settings.search.calibrate < 1.0))
    throw std::invalid_argument("calibrate must be a share >= 0 and below 1");
  if (settings.links.negatives.value_or(0) < 0)
    throw std::invalid_argument("negatives must be a whole number >= 0, got " +
                                std::to_string(*settings.links.negatives));
  if (settings.lambda.given() && settings.latent.lambdas.given())
    throw std::invalid_argument("lambda and lambdas exclude each other");
}

// The modes that settings name are the tensor's.
void check_modes(const Settings& settings, int order) {
  const auto refuse = [order](const std::string& name, int found) {
    throw std::invalid_argument(name + " from 0 to " + std::to_string(order - 1) + ", got " +
                                std::to_string(found));
  };
  const auto exists = [order](int mode) { return mode >= 0 && mode < order; };
  if (settings.dense.tubes.given() && !exists(*settings.dense.tubes))
    refuse("tubes must be a mode", *settings.dense.tubes);
  const std::vector<int>& corrupted = settings.links.corrupted;
  for (auto mode = corrupted.begin(); mode != corrupted.end(); ++mode)
    if (!exists(*mode) || std::find(corrupted.begin(), mode, *mode) != mode)
      refuse("corrupted must be modes, each once,", *mode);
  if (settings.latent.parts.given())
    for (const PartOptions& part : *settings.latent.parts) check_part(part.spec, order);
  if (settings.offsets.open()) return;
  for (const std::vector<int>& effect : settings.offsets->effects)
    if (effect.empty() || effect.size() > 2 || !std::all_of(effect.begin(), effect.end(), exists) ||
        (effect.size() == 2 && effect[0] >= effect[1]))
      throw std::invalid_argument("an offset belongs to one mode or to two ascending modes of the tensor");
}

}  // namespace

std::string_view name(Optimizer optimizer) {
  return optimizer == Optimizer::kTrustRegion ? "trust-region" : "conjugate-gradients";
}
std::string_view name(Precision precision) { return precision == Precision::kDouble ? "double" : "float"; }
std::string_view name(Loss loss) {
  constexpr std::string_view kNames[] = {"squared", "huber", "logistic", "softmax"};
  return kNames[static_cast<int>(loss)];
}
std::string_view name(Start start) {
  constexpr std::string_view kNames[] = {"random", "spectral", "grow"};
  return kNames[static_cast<int>(start)];
}
std::string_view name(Effort effort) {
  constexpr std::string_view kNames[] = {"low", "medium", "high"};
  return kNames[static_cast<int>(effort)];
}

bool has_loss(Method method, Loss loss) {
  const bool of_links = loss == Loss::kLogistic || loss == Loss::kSoftmax;
  return takes(method, kTakesLoss) && of_links == (method == Method::kComplEx);
}

void check_values(const Settings& settings, int order) {
  check_ranges(settings);
  check_modes(settings, order);
  if (settings.ranks.given() && settings.latent.certified_gap.given())
    throw std::invalid_argument("rank and gap exclude each other: ranks grow until the gap is reached");
  if (settings.method.given() && info(*settings.method).model == "offsets" && settings.offsets.given() &&
      !settings.offsets->mean)
    throw std::invalid_argument("method " + std::string(name(*settings.method)) +
                                " always has a mean: offsets none is not for it");
  if (settings.search.blend.given() && *settings.search.blend > 1 && settings.method.given())
    throw std::invalid_argument("blend is for a method that is left open, as " +
                                std::string(name(*settings.method)) + " is not");
}

void check_taken(const Settings& settings) {
  const Method method = settings.method.value_or(Method::kTrMm);
  for (const SettingField& field : setting_fields())
    if (field.taken != 0 && !takes(method, field.taken) && field.given(settings))
      throw std::invalid_argument("method " + std::string(name(method)) + " does not take " +
                                  std::string(field.name));
  if (method == Method::kMean && settings.offsets.given() && !settings.offsets->effects.empty())
    throw std::invalid_argument("method mean has no effects; method offsets has");
  if (settings.loss.given() && !has_loss(method, *settings.loss))
    throw std::invalid_argument("method " + std::string(name(method)) + " has no loss " +
                                std::string(name(*settings.loss)));
  if (settings.start.given() && *settings.start == Start::kGrow && info(method).start != Start::kGrow)
    throw std::invalid_argument("method " + std::string(name(method)) + " cannot start by growing its rank");
}

Settings settled(Settings settings, int order) {
  settings.method.settle(Method::kTrMm);
  check_taken(settings);
  check_ranges(settings);
  check_modes(settings, order);
  const MethodInfo& method = info(*settings.method);
  const auto settle = [&](unsigned setting, auto& choice, auto value) {
    if (takes(method.method, setting)) choice.settle(std::move(value));
  };
  settle(kTakesOptimizer, settings.latent.optimizer, Optimizer::kTrustRegion);
  settle(kTakesPrecision, settings.latent.precision, Precision::kDouble);
  if (method.method != Method::kComplEx) settle(kTakesLoss, settings.loss, Loss::kSquared);
  settle(kTakesInit, settings.start, method.start);
  if (method.model == "latent") settle(kTakesParts, settings.latent.parts, full_structure(order));
  if (settings.latent.parts.given()) settings.latent.parts = closed(*settings.latent.parts);
  settle(kTakesUnshrunk, settings.dense.unshrunk, 0.0);
  if (settings.latent.lambdas.open()) settle(kTakesLambda, settings.lambda, Settings::kDefaultLambda);
  settle(kTakesSteps, settings.max_iterations, method.max_iterations);
  settle(kTakesSteps, settings.tolerance, method.tolerance);
  settings.offsets.settle(default_offsets(method.offsets, order));
  if (method.method == Method::kMean || method.method == Method::kOffsets) settings.offsets->mean = true;
  return settings;
}

std::vector<int> ranks_or_default(const Settings& settings) {
  return settings.ranks.value_or({info(settings.method.value_or(Method::kTrMm)).rank});
}

Settings paper_preset(Settings settings, int order) {
  settings.method.settle(Method::kTrMm);
  if (info(*settings.method).model == "latent" && takes(*settings.method, kTakesParts))
    settings.latent.parts.settle(full_structure(order));
  settings.offsets.settle(default_offsets(info(*settings.method).offsets, order));
  if (takes(*settings.method, kTakesLambda) && settings.latent.lambdas.open())
    settings.lambda.settle(Settings::kDefaultLambda);
  return settings;
}

}  // namespace lacuna
