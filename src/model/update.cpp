// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <lacuna/model/update.hpp>
#include <stdexcept>

#include "base/rng.hpp"
#include "model/body.hpp"
#include "model/fitted_on.hpp"
#include "model/update_cp.hpp"
#include "model/update_effects.hpp"
#include "model/update_parts.hpp"

namespace lacuna {
namespace {

constexpr Count kFewestHeld = 10;
// Without a prior of the fit's. Factors are means of what they may be, so their covariance is too small by an unknown
// amount; held-out entries choose.
constexpr std::array<double, 5> kRidges = {0.25, 0.5, 1.0, 2.0, 4.0};

class LatentUpdate {
 public:
  // Of the joined entries the old ones have what the model leaves of them for a value, or, `whole`, their own value.
  LatentUpdate(const Model& model, JoinedEntries joined, bool whole)
      : joined_(std::move(joined)), mean_(model.offsets.mean), noise_(noise_variance(model)) {
    const ObservedTensor& tensor = joined_.tensor;
    number_.assign(tensor.values().begin(), tensor.values().end());
    entries_ = UpdateEntries(joined_);
    parts_ = grown_parts(*model.latent(), joined_);
    for (UpdatePart& part : parts_) {
      if (part.spec.learns()) part.rows.choose(entries_);
      part.fibers.choose(entries_);
      if (model.method == "als") {  // which weighs how sure it is of what it multiplies
        part.rows.find_variances(entries_, part.fibers, noise_);
        part.fibers.find_variances(entries_, part.rows, noise_);
      }
      part.rows.anchor(entries_, part.fibers, noise_);
      part.fibers.anchor(entries_, part.rows, noise_);
    }
    for (const Effect& effect : model.offsets.effects)
      effects_.emplace_back(effect, tensor, entries_, noise_);
    for (const Index e : entries_.fresh) entries_.residual.push_back(number_[e] - value(e));
    find_touched(whole);
  }

  [[nodiscard]] UpdateEntries& entries() { return entries_; }
  // Whether the fit says what to expect of what is new, so that no ridge is left to choose.
  [[nodiscard]] bool has_priors() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const UpdatePart& part) { return part.rows.prior(); });
  }

  // The new entries that are held out, or those that are not, count from now on.
  void take(bool held) {
    for (UpdatePart& part : parts_) {
      part.rows.take(entries_, part.fibers, held);
      part.fibers.take(entries_, part.rows, held);
    }
    expect_effects();
    if (held) std::fill(entries_.held.begin(), entries_.held.end(), 0);
  }

  // From where the last one ended.
  void solve(double ridge) {
    for (int sweep = 0; sweep < kUpdateSweeps; ++sweep) {
      double changed = 0.0;
      for (UpdateEffect& effect : effects_) changed += effect.solve(entries_);
      for (UpdatePart& part : parts_) {
        changed += part.rows.solve(part.fibers, ridge, entries_);
        changed += part.fibers.solve(part.rows, ridge, entries_);
      }
      double left = 0.0;
      for (const double residual : entries_.residual) left += residual * residual;
      if (changed <= kEnoughOfUpdate * kEnoughOfUpdate * left) break;
    }
  }

  // Into a copy of the old model.
  void write(Model& model, UpdateResult& result) {
    model.fallback = updated_offsets(model.fallback, joined_.tensor, number_, entries_, noise_);
    for (const Index e : entries_.fresh) number_[e] -= value(e);
    for (const Index e : touched_) number_[e] -= value(e);
    const bool weighted = !joined_.tensor.weights().empty();
    for (std::size_t e = 0; weighted && e < number_.size(); ++e) number_[e] *= entries_.weight[e];
    Latent latent;
    for (const UpdatePart& part : parts_) {
      result.solved += part.rows.solved() + part.fibers.solved();
      result.moved += part.rows.moved() + part.fibers.moved();
      latent.parts.push_back(
          {.modes = part.spec, .lambda = 1.0, .factor = part.rows.rows(), .right = part.fibers.rows()});
      if (part.rows.prior())
        latent.parts.back().prior = PartPrior{.rows = *part.rows.prior(), .fibers = *part.fibers.prior()};
    }
    model.offsets.effects.clear();
    for (const UpdateEffect& effect : effects_) {
      model.offsets.effects.push_back(effect.effect());
      result.solved += effect.solved();
      result.moved += effect.moved();
    }
    latent.dual = std::move(joined_.tensor);
    model.modes = latent.dual.take_labels();
    model.entries = latent.dual.size();
    latent.dual.replace_values(std::move(number_));
    model.body = ModelBody(std::move(latent));
  }

 private:
  // Of what is new, from the priors of the parts.
  void expect_effects() {
    for (UpdateEffect& effect : effects_) {
      effect.forget_expected();
      for (const UpdatePart& part : parts_) {
        const Cells& cells = joined_.tensor.cells();
        part.rows.for_expected_effects(
            entries_, [&](Index e, double value) { effect.expect({part.spec.mode}, cells, e, value); });
        part.fibers.for_expected_effects(
            entries_, [&](Index e, double value) { effect.expect(part.spec.agree, cells, e, value); });
      }
    }
  }

  // The old entries whose rows, fibers or effects are solved for: their numbers become their values. All others keep
  // what was left of them.
  void find_touched(bool whole) {
    for (Count i = 0; i < joined_.tensor.size(); ++i) {
      const auto e = static_cast<Index>(i);
      if (entries_.is_fresh[e] != 0) continue;
      const auto moves = [&](const UpdatePart& part) { return part.rows.moves(e) || part.fibers.moves(e); };
      bool touched = std::any_of(parts_.begin(), parts_.end(), moves);
      for (const UpdateEffect& effect : effects_)
        touched = touched || effect.moves(joined_.tensor.cells(), e);
      if (touched) touched_.push_back(e);
      if (touched != whole) number_[e] += whole ? -value(e) : value(e);
    }
  }

  [[nodiscard]] double value(Index e) const {
    double sum = mean_;
    for (const UpdateEffect& effect : effects_)
      sum += effect.effect().at(effect.effect().key_of(joined_.tensor.cells(), e));
    for (const UpdatePart& part : parts_) sum += part.rows.product(part.fibers, e);
    return sum;
  }

  JoinedEntries joined_;
  double mean_ = 0.0;
  double noise_ = 0.0;
  std::vector<double> number_;  // of each entry its value, or what is left of it
  UpdateEntries entries_;
  std::vector<UpdatePart> parts_;
  std::vector<UpdateEffect> effects_;
  std::vector<Index> touched_;
};

std::vector<double> left_of_entries(const Latent& latent) {
  std::vector<double> left;
  for (Count e = 0; e < latent.dual.size(); ++e) left.push_back(left_of_entry(latent, e));
  return left;
}

// `old`: the entries that the model was fitted on, `old_value`: the numbers that stand for their values.
Result<ObservedTensor> join(const Model& model, const ObservedTensor& old,
                            const std::vector<double>& old_value, std::vector<Mode> modes,
                            const Entries& entries, Duplicates duplicates, DuplicateCell* repeated) {
  Entries all;
  all.cells = old.cells();
  all.value = old_value;
  const std::span<const double> weights = old.weights();
  if (!weights.empty() || !entries.weight.empty()) {
    all.weight.assign(all.value.size(), 1.0);
    std::copy(weights.begin(), weights.end(), all.weight.begin());
    if (entries.weight.empty()) all.weight.resize(all.value.size() + entries.value.size(), 1.0);
    all.weight.insert(all.weight.end(), entries.weight.begin(), entries.weight.end());
  }
  all.cells.append(entries.cells);
  all.value.insert(all.value.end(), entries.value.begin(), entries.value.end());
  DuplicateCell twice;
  auto joined = ObservedTensor::create(std::move(modes), std::move(all), duplicates, &twice);
  if (joined || twice.second == twice.first) return joined;
  const Count known = old.size();
  const bool was_fitted = twice.first < known;
  const DuplicateCell fresh{.first = was_fitted ? -1 : twice.first - known, .second = twice.second - known};
  if (repeated != nullptr) *repeated = fresh;
  if (!was_fitted) return joined;
  return input_error("", "the model was fitted on cell " +
                             describe_cell(model.modes, entries.cells, fresh.second, model.index_base));
}

void check(const Model& model, const std::vector<Mode>& modes) {
  if (static_cast<int>(modes.size()) != model.order())
    throw std::invalid_argument("an update has the modes of its model");
  for (int k = 0; k < model.order(); ++k) {
    if (modes[k].size < model.modes[k].size) throw std::invalid_argument("modes of an update only grow");
    if (modes[k].side && modes[k].size > model.modes[k].size)
      throw std::invalid_argument("mode " + modes[k].name +
                                  " has side information, which new positions lack; fit again with theirs");
  }
}

// The model updated, and what is left of the new entries that were held out.
struct Updated {
  UpdateResult result;
  std::vector<double> left_of_held;
};

// `Solver`: takes entries up, held out ones last, and writes what it solved for into a copy of the model.
template <class Solver>
Updated solve(const Model& model, Solver solver, const UpdateOptions& options) {
  Updated updated;
  UpdateResult& result = updated.result;
  result.entries = static_cast<Count>(solver.entries().fresh.size());
  Rng rng(options.seed);
  solver.entries().hold_out(options.held_out, rng);
  solver.take(false);
  double ridge = 1.0;
  const std::span<const double> ridges =
      solver.has_priors() ? std::span<const double>(&ridge, 1) : std::span<const double>(kRidges);
  if (solver.entries().held_out() >= kFewestHeld)
    for (const double one : ridges) {
      solver.solve(one);
      std::vector<double> left = solver.entries().left_of_held();
      const double rmse = *root_mean_square(left);
      if (result.held_out_rmse && rmse >= *result.held_out_rmse) break;
      result.held_out_rmse = rmse;
      updated.left_of_held = std::move(left);
      ridge = one;
    }
  solver.take(true);
  solver.solve(ridge);
  result.model = model;
  solver.write(result.model, result);
  return updated;
}

// The smallest and the largest new value, and those of before.
Range widened(Range range, const JoinedEntries& joined) {
  for (Count e = 0; e < joined.tensor.size(); ++e)
    if (joined.is_fresh[e] != 0)
      range = {.low = std::min(range.low, joined.tensor.values()[e]),
               .high = std::max(range.high, joined.tensor.values()[e])};
  return range;
}

// Predictions that were kept to the values observed still are.
void widen(const Range& observed, Model& model) {
  if (model.clip && *model.clip == model.observed) model.clip = observed;
  model.observed = observed;
}

// `keeper`: the model itself or one that was fitted on the same and keeps the entries, or tells them.
Result<Updated> update_one(const Model& model, const Model& keeper, std::vector<Mode> modes,
                           const Entries& entries, const UpdateOptions& options, DuplicateCell* repeated) {
  const bool is_latent = model.latent() != nullptr;
  const ObservedTensor& old = is_latent ? model.latent()->dual : entries_of(keeper);
  // What is left of the old entries is enough to know of them in latent parts, unless some are to be merged with new ones.
  const bool whole = !is_latent || options.duplicates != Duplicates::kError;
  const std::vector<double> old_value = whole ? fitted_values(keeper) : left_of_entries(*model.latent());
  auto tensor = join(model, old, old_value, std::move(modes), entries, options.duplicates, repeated);
  if (!tensor) return tensor.error();
  JoinedEntries joined = compared(std::move(*tensor), old, old_value);
  const Range observed = widened(model.observed, joined);
  Updated updated = is_latent ? solve(model, LatentUpdate(model, std::move(joined), whole), options)
                              : solve(model, CpUpdate(model, old, std::move(joined)), options);
  widen(observed, updated.result.model);
  return updated;
}

// `kept`: whether there are the entries it was fitted on, besides what a latent body tells.
std::string why_not_one(const Model& model, bool kept) {
  constexpr const char* kAgain = "cannot be updated without fitting again";
  if (const auto* cp = std::get_if<Cp>(&*model.body); cp != nullptr && !cp->covariance.empty())
    return kept ? ""
                : fmt::format("this model of {} does not keep the entries it was fitted on", model.method);
  const Latent* latent = model.latent();
  if (latent == nullptr || (model.method != "als" && model.method != "tr-mm"))
    return fmt::format("a model of {} {}, as those of als, tr-mm and bayescp can", model.method, kAgain);
  for (const ModelPart& part : latent->parts)
    if (!part.modes.near.empty())
      return fmt::format("a model of {} with parts to which modes are near {}", model.method, kAgain);
  return "";
}

// Every member by itself, with the weight that it has.
Result<Updated> update_members(const Model& model, const std::vector<Mode>& modes, const Entries& entries,
                               const UpdateOptions& options, DuplicateCell* repeated) {
  const auto& blend = std::get<Blend>(*model.body);
  const Model& keeper = *keeper_of_entries(model);
  Updated whole;
  Blend again{.members = {}, .weights = blend.weights};
  for (std::size_t m = 0; m < blend.members.size(); ++m) {
    auto one = update_one(blend.members[m], keeper, modes, entries, options, repeated);
    if (!one) return one.error();
    whole.left_of_held.resize(one->left_of_held.size(), 0.0);  // all hold out the same
    for (std::size_t i = 0; i < one->left_of_held.size(); ++i)
      whole.left_of_held[i] += blend.weights[m] * one->left_of_held[i];
    whole.result.entries = one->result.entries;
    whole.result.solved += one->result.solved;
    whole.result.moved += one->result.moved;
    again.members.push_back(std::move(one->result.model));
  }
  whole.result.held_out_rmse = root_mean_square(whole.left_of_held);
  const Model& first = again.members.front();
  Model& grown = whole.result.model;
  grown = model;
  widen(first.observed, grown);
  grown.modes = first.modes;
  grown.entries = first.entries;
  Model joined = blended(std::move(again));
  grown.kept = std::move(joined.kept);
  grown.body = std::move(joined.body);
  return whole;
}

}  // namespace

std::string why_not_updated(const Model& model) {
  const auto* const blend = std::get_if<Blend>(&*model.body);
  if (blend == nullptr) return why_not_one(model, model.kept != nullptr);
  for (const Model& member : blend->members)
    if (const std::string why = why_not_one(member, model.kept != nullptr); !why.empty())
      return "a blend is updated with all its members, and " + why;
  return "";
}

std::string why_not_refitted(const Model& model) {
  if (keeper_of_entries(model) != nullptr) return "";
  return "this model of " + model.method + " does not keep the entries it was fitted on";
}

Result<ObservedTensor> joined_entries(const Model& model, std::vector<Mode> modes, const Entries& entries,
                                      Duplicates duplicates, DuplicateCell* repeated) {
  if (const std::string why = why_not_refitted(model); !why.empty()) throw std::invalid_argument(why);
  check(model, modes);
  const Model& keeper = *keeper_of_entries(model);
  return join(keeper, entries_of(keeper), fitted_values(keeper), std::move(modes), entries, duplicates,
              repeated);
}

Result<UpdateResult> update(const Model& model, std::vector<Mode> modes, const Entries& entries,
                            const UpdateOptions& options, DuplicateCell* repeated) {
  if (const std::string why = why_not_updated(model); !why.empty()) throw std::invalid_argument(why);
  check(model, modes);
  std::vector<Index> added;
  for (int k = 0; k < model.order(); ++k) added.push_back(modes[k].size - model.modes[k].size);
  const bool is_blend = std::holds_alternative<Blend>(*model.body);
  auto updated = is_blend ? update_members(model, modes, entries, options, repeated)
                          : update_one(model, model, std::move(modes), entries, options, repeated);
  if (!updated) return updated.error();
  updated->result.added = std::move(added);
  return std::move(updated->result);
}

}  // namespace lacuna
