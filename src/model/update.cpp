// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <lacuna/model/update.hpp>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "model/body.hpp"
#include "model/fitted_on.hpp"
#include "model/update_effects.hpp"
#include "model/update_parts.hpp"

namespace lacuna {
namespace {

constexpr int kSweeps = 12;
constexpr double kEnough =
    1e-2;  // of what is left of the new entries: a sweep that changes them by less is the last
constexpr Count kFewestHeld = 10;
// Without a prior of the fit's. Factors are means of what they may be, so their covariance is too small by an unknown
// amount; held-out entries choose.
constexpr std::array<double, 5> kRidges = {0.25, 0.5, 1.0, 2.0, 4.0};

class Updating {
 public:
  // Of the joined entries the old ones have what the model leaves of them for a value, or, `whole`, their own value.
  Updating(const Model& model, JoinedEntries joined, bool whole)
      : joined_(std::move(joined)), mean_(model.offsets.mean) {
    const ObservedTensor& tensor = joined_.tensor;
    number_.assign(tensor.values().begin(), tensor.values().end());
    entries_.is_fresh = joined_.is_fresh;
    entries_.weight.reserve(number_.size());
    for (Count e = 0; e < tensor.size(); ++e) {
      entries_.weight.push_back(tensor.weight(e));
      if (entries_.is_fresh[e] != 0) entries_.fresh.push_back(static_cast<Index>(e));
    }
    entries_.held.assign(entries_.fresh.size(), 0);
    const double noise = noise_variance(model);
    parts_ = grown_parts(*model.latent(), joined_);
    for (UpdatePart& part : parts_) {
      if (part.spec.learns()) part.rows.choose(entries_);
      part.fibers.choose(entries_);
      if (model.method == "als") {  // which weighs how sure it is of what it multiplies
        part.rows.find_variances(entries_, part.fibers, noise);
        part.fibers.find_variances(entries_, part.rows, noise);
      }
      part.rows.anchor(entries_, part.fibers, noise);
      part.fibers.anchor(entries_, part.rows, noise);
    }
    for (const Effect& effect : model.offsets.effects) effects_.emplace_back(effect, tensor, entries_, noise);
    for (const Index e : entries_.fresh) entries_.residual.push_back(number_[e] - value(e));
    find_touched(whole);
  }

  [[nodiscard]] const UpdateEntries& entries() const { return entries_; }
  // Whether the fit says what to expect of what is new, so that no ridge is left to choose.
  [[nodiscard]] bool has_priors() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const UpdatePart& part) { return part.rows.prior(); });
  }

  // The root mean square of what is left of held-out entries; nothing without any.
  std::optional<double> held_out_rmse() const {
    double sum = 0.0;
    Count count = 0;
    for (std::size_t i = 0; i < entries_.held.size(); ++i)
      if (entries_.held[i] != 0) {
        sum += entries_.residual[i] * entries_.residual[i];
        ++count;
      }
    if (count == 0) return std::nullopt;
    return std::sqrt(sum / static_cast<double>(count));
  }

  // That share of the new entries, any of them as likely as any other.
  void hold_out(double share, Rng& rng) {
    auto wanted = std::floor(share * static_cast<double>(entries_.held.size()));
    auto left = static_cast<double>(entries_.held.size());
    for (char& held : entries_.held) {
      held = rng.uniform() * left < wanted ? 1 : 0;
      wanted -= held;
      left -= 1.0;
    }
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
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      double changed = 0.0;
      for (UpdateEffect& effect : effects_) changed += effect.solve(entries_);
      for (UpdatePart& part : parts_) {
        changed += part.rows.solve(part.fibers, ridge, entries_);
        changed += part.fibers.solve(part.rows, ridge, entries_);
      }
      double left = 0.0;
      for (const double residual : entries_.residual) left += residual * residual;
      if (changed <= kEnough * kEnough * left) break;
    }
  }

  // Into a copy of the old model.
  void write(Model& model, UpdateResult& result) {
    for (const Index e : entries_.fresh) number_[e] -= value(e);
    for (const Index e : touched_) number_[e] -= value(e);
    if (!model.fallback.empty()) refit_fallback(model);
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

  // The smallest and the largest new value.
  [[nodiscard]] Range fresh_range() const {
    Range range{.low = number_[entries_.fresh.front()], .high = number_[entries_.fresh.front()]};
    for (const Index e : entries_.fresh)
      range = {.low = std::min(range.low, number_[e]), .high = std::max(range.high, number_[e])};
    return range;
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

  // On the values of all entries, of which number_ has what is left.
  void refit_fallback(Model& model) {
    std::vector<double> values(number_);
    parallel_blocks(joined_.tensor.size(), [&](Count begin, Count end) {
      for (Count e = begin; e < end; ++e) values[e] += value(static_cast<Index>(e));
    });
    ObservedTensor whole = joined_.tensor;
    whole.replace_values(std::move(values));
    model.fallback = fit_offsets(whole, spec_of(model.fallback), 3);
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
  std::vector<double> number_;  // of each entry its value, or what is left of it
  UpdateEntries entries_;
  std::vector<UpdatePart> parts_;
  std::vector<UpdateEffect> effects_;
  std::vector<Index> touched_;
};

// The values that the model was fitted on: what it says plus what it leaves.
std::vector<double> fitted_values(const Model& model) {
  const Latent& latent = *model.latent();
  std::vector<double> values = Predictor(model).scores(latent.dual.cells());
  for (Count e = 0; e < latent.dual.size(); ++e) values[e] += left_of_entry(latent, e);
  return values;
}

std::vector<double> left_of_entries(const Latent& latent) {
  std::vector<double> left;
  for (Count e = 0; e < latent.dual.size(); ++e) left.push_back(left_of_entry(latent, e));
  return left;
}

Result<ObservedTensor> join(const Model& model, const std::vector<double>& old_value, std::vector<Mode> modes,
                            const Entries& entries, Duplicates duplicates, DuplicateCell* repeated) {
  Entries all;
  all.cells = model.latent()->dual.cells();
  all.value = old_value;
  const std::span<const double> weights = model.latent()->dual.weights();
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
  const Count known = model.latent()->dual.size();
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

}  // namespace

std::string why_not_updated(const Model& model) {
  if (std::holds_alternative<Blend>(*model.body))
    return "a blend of models cannot be updated; fit again, or fit one with blend 1";
  const Latent* latent = model.latent();
  if (latent == nullptr || (model.method != "als" && model.method != "tr-mm"))
    return "models of als and tr-mm can be updated, and this is one of " + model.method + "; fit again";
  for (const ModelPart& part : latent->parts)
    if (!part.modes.near.empty())
      return "this model has parts to which modes are near, which cannot be updated; fit again";
  return "";
}

std::string why_not_refitted(const Model& model) {
  if (keeper_of_entries(model) != nullptr) return "";
  return "a model of " + model.method +
         " does not keep the entries it was fitted on; fit again from all of them";
}

Result<ObservedTensor> joined_entries(const Model& model, std::vector<Mode> modes, const Entries& entries,
                                      Duplicates duplicates, DuplicateCell* repeated) {
  if (const std::string why = why_not_refitted(model); !why.empty()) throw std::invalid_argument(why);
  check(model, modes);
  const Model& keeper = *keeper_of_entries(model);
  return join(keeper, fitted_values(keeper), std::move(modes), entries, duplicates, repeated);
}

Result<UpdateResult> update(const Model& model, std::vector<Mode> modes, const Entries& entries,
                            const UpdateOptions& options, DuplicateCell* repeated) {
  if (const std::string why = why_not_updated(model); !why.empty()) throw std::invalid_argument(why);
  check(model, modes);
  UpdateResult result;
  for (int k = 0; k < model.order(); ++k) result.added.push_back(modes[k].size - model.modes[k].size);
  // What is left of the old entries is enough to know of them, unless some are to be merged with new ones.
  const bool whole = options.duplicates != Duplicates::kError;
  const std::vector<double> old_value = whole ? fitted_values(model) : left_of_entries(*model.latent());
  auto joined = join(model, old_value, std::move(modes), entries, options.duplicates, repeated);
  if (!joined) return joined.error();
  Updating updating(model, compared(std::move(*joined), model.latent()->dual, old_value), whole);
  result.entries = static_cast<Count>(updating.entries().fresh.size());
  const Range added = result.entries > 0 ? updating.fresh_range() : model.observed;
  Rng rng(options.seed);
  updating.hold_out(options.held_out, rng);
  updating.take(false);
  const auto& held = updating.entries().held;
  double ridge = 1.0;
  const std::span<const double> ridges =
      updating.has_priors() ? std::span<const double>(&ridge, 1) : std::span<const double>(kRidges);
  if (std::count(held.begin(), held.end(), 1) >= kFewestHeld)
    for (const double one : ridges) {
      updating.solve(one);
      const double rmse = *updating.held_out_rmse();
      if (result.held_out_rmse && rmse >= *result.held_out_rmse) break;
      result.held_out_rmse = rmse;
      ridge = one;
    }
  updating.take(true);
  updating.solve(ridge);

  result.model = model;
  Model& grown = result.model;
  updating.write(grown, result);
  const Range before = grown.observed;
  grown.observed = {.low = std::min(before.low, added.low), .high = std::max(before.high, added.high)};
  if (grown.clip && grown.clip->low == before.low && grown.clip->high == before.high)
    grown.clip = grown.observed;
  return result;
}

}  // namespace lacuna
