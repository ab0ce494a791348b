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
#include "model/update_side.hpp"

namespace lacuna {
namespace {

constexpr int kSweeps = 12;
constexpr double kEnough =
    1e-3;  // of what is left of the new entries: a sweep that changes them by less is the last
constexpr Count kFewestHeld = 10;
// Factors are means of what they may be, so their covariance is too small by an unknown amount; held-out entries choose.
constexpr std::array<double, 5> kRidges = {0.25, 0.5, 1.0, 2.0, 4.0};

struct Part {
  PartSpec spec;
  UpdateSide rows;
  UpdateSide fibers;
};

std::vector<Index> fibers_of(const FiberView& view, Count entries) {
  std::vector<Index> fiber(static_cast<std::size_t>(entries));
  for (Count f = 0; f < view.listed_fibers(); ++f)
    for (Count j = view.span(f).begin; j < view.span(f).end; ++j)
      fiber[view.entry()[j]] = static_cast<Index>(f);
  view.for_each_single(0, entries, [&](Count e) { fiber[e] = static_cast<Index>(view.fiber_of_single(e)); });
  return fiber;
}

// The part of the old model, with room for the rows and fibers that the joined entries have. Its rows and fibers
// are as predictions use them, so nothing but the modes is left of the specification.
Part grown_part(const LatentPredictor& latent, std::size_t p, const ObservedTensor& tensor) {
  const PartSpec& old = latent.spec(p);
  const PartSpec spec{.mode = old.mode, .agree = old.agree};
  const FiberView view(tensor, spec);
  const int rank = latent.rank(p);
  Matrix<double> rows = Matrix<double>::Zero(view.rows(), rank);
  std::vector<char> known_rows(static_cast<std::size_t>(view.rows()), 0);
  for (Index i = 0; i < latent.kernels(p).rows(); ++i) {
    if (!latent.lookup(p).knows_row(i)) continue;
    known_rows[i] = 1;
    std::copy_n(latent.left_row(p, i), rank, rows.row(i).data());
  }
  std::vector<Index> fiber_of = fibers_of(view, tensor.size());
  Matrix<double> fibers = Matrix<double>::Zero(view.fibers(), rank);
  std::vector<char> known_fibers(static_cast<std::size_t>(view.fibers()), 0);
  std::vector<char> looked(known_fibers.size(), 0);
  for (Count e = 0; e < tensor.size(); ++e) {
    const Index f = fiber_of[e];
    if (looked[f] != 0) continue;
    looked[f] = 1;
    const FiberLookup::Hit hit = latent.lookup(p).find(tensor.cells(), e);
    if (hit.kind == FiberLookup::Kind::kNone) continue;
    known_fibers[f] = 1;
    latent.fiber_vector(p, hit, fibers.row(f).data());
  }
  std::vector<Index> row_of(fiber_of.size(), 0);
  if (spec.learns()) row_of.assign(tensor.index(spec.mode).begin(), tensor.index(spec.mode).end());
  return {.spec = spec,
          .rows = UpdateSide(std::move(rows), std::move(known_rows), std::move(row_of)),
          .fibers = UpdateSide(std::move(fibers), std::move(known_fibers), std::move(fiber_of))};
}

// Which of the joined entries are not, with this value, among those fitted on. Both are in canonical order.
std::vector<char> fresh_entries(const ObservedTensor& joined, const ObservedTensor& old,
                                const std::vector<double>& old_value) {
  std::vector<char> fresh(static_cast<std::size_t>(joined.size()), 1);
  Count o = 0;
  for (Count e = 0; e < joined.size() && o < old.size(); ++e) {
    bool same = true;
    for (int k = 0; k < joined.order(); ++k) same = same && joined.index(k)[e] == old.index(k)[o];
    if (!same) continue;
    fresh[e] = joined.values()[e] == old_value[o] ? 0 : 1;
    ++o;
  }
  return fresh;
}

class Updating {
 public:
  Updating(const Model& model, const ObservedTensor& joined, const std::vector<double>& old_value)
      : tensor_(&joined), mean_(model.offsets.mean) {
    const ObservedTensor& old = model.latent()->dual;
    entries_.is_fresh = fresh_entries(joined, old, old_value);
    for (Count e = 0; e < joined.size(); ++e) {
      entries_.weight.push_back(joined.weight(e));
      if (entries_.is_fresh[e] != 0) entries_.fresh.push_back(static_cast<Index>(e));
    }
    entries_.held.assign(entries_.fresh.size(), 0);
    const double noise = noise_variance(model);
    const LatentPredictor latent(*model.latent());
    for (std::size_t p = 0; p < latent.part_count(); ++p) {
      parts_.push_back(grown_part(latent, p, joined));
      if (parts_[p].spec.learns()) parts_[p].rows.choose(entries_);
      parts_[p].fibers.choose(entries_);
      parts_[p].rows.anchor(entries_, parts_[p].fibers, noise);
      parts_[p].fibers.anchor(entries_, parts_[p].rows, noise);
    }
    for (const Effect& effect : model.offsets.effects) effects_.emplace_back(effect, joined, entries_, noise);
  }

  [[nodiscard]] const UpdateEntries& entries() const { return entries_; }

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
  void hold_nothing_out() { std::fill(entries_.held.begin(), entries_.held.end(), 0); }

  void solve(double ridge) {
    for (UpdateEffect& effect : effects_) effect.reset();
    for (Part& part : parts_) {
      part.rows.reset();
      part.fibers.reset();
    }
    entries_.residual.clear();
    for (const Index e : entries_.fresh) entries_.residual.push_back(tensor_->values()[e] - value(e));
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      double changed = 0.0;
      for (UpdateEffect& effect : effects_) changed += effect.solve(entries_);
      for (Part& part : parts_) {
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
    Latent latent;
    std::vector<double> left(static_cast<std::size_t>(tensor_->size()));
    parallel_blocks(tensor_->size(), [&](Count begin, Count end) {
      for (Count e = begin; e < end; ++e)
        left[e] = entries_.weight[e] * (tensor_->values()[e] - value(static_cast<Index>(e)));
    });
    for (const Part& part : parts_) {
      result.solved += part.rows.solved() + part.fibers.solved();
      result.moved += part.rows.moved() + part.fibers.moved();
      latent.parts.push_back(
          {.modes = part.spec, .lambda = 1.0, .factor = part.rows.rows(), .right = part.fibers.rows()});
    }
    model.offsets.effects.clear();
    for (const UpdateEffect& effect : effects_) {
      model.offsets.effects.push_back(effect.effect());
      result.solved += effect.solved();
      result.moved += effect.moved();
    }
    ObservedTensor dual = *tensor_;
    model.modes = dual.take_labels();
    dual.replace_values(std::move(left));
    latent.dual = std::move(dual);
    model.entries = tensor_->size();
    model.body = ModelBody(std::move(latent));
  }

 private:
  [[nodiscard]] double value(Index e) const {
    double sum = mean_;
    for (const UpdateEffect& effect : effects_)
      sum += effect.effect().at(effect.effect().key_of(tensor_->cells(), e));
    for (const Part& part : parts_) sum += part.rows.product(part.fibers, e);
    return sum;
  }

  const ObservedTensor* tensor_;
  double mean_ = 0.0;
  UpdateEntries entries_;
  std::vector<Part> parts_;
  std::vector<UpdateEffect> effects_;
};

// The values that the model was fitted on: what it says plus what it leaves.
std::vector<double> fitted_values(const Model& model) {
  const Latent& latent = *model.latent();
  std::vector<double> values = Predictor(model).scores(latent.dual.cells());
  for (Count e = 0; e < latent.dual.size(); ++e) values[e] += left_of_entry(latent, e);
  return values;
}

Result<ObservedTensor> join(const Model& model, const std::vector<double>& old_value, std::vector<Mode> modes,
                            const Entries& entries, Duplicates duplicates) {
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
  return ObservedTensor::create(std::move(modes), std::move(all), duplicates);
}

void check(const Model& model, const std::vector<Mode>& modes) {
  if (const std::string why = why_not_updated(model); !why.empty()) throw std::invalid_argument(why);
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
  const Latent* latent = model.latent();
  if (latent == nullptr || (model.method != "als" && model.method != "tr-mm"))
    return "models of als and tr-mm can be updated, and this is one of " + model.method + "; fit again";
  for (const ModelPart& part : latent->parts)
    if (!part.modes.near.empty())
      return "this model has parts to which modes are near, which cannot be updated; fit again";
  return "";
}

Result<ObservedTensor> joined_entries(const Model& model, std::vector<Mode> modes, const Entries& entries,
                                      Duplicates duplicates) {
  check(model, modes);
  return join(model, fitted_values(model), std::move(modes), entries, duplicates);
}

Result<UpdateResult> update(const Model& model, std::vector<Mode> modes, const Entries& entries,
                            const UpdateOptions& options) {
  check(model, modes);
  UpdateResult result;
  for (int k = 0; k < model.order(); ++k) result.added.push_back(modes[k].size - model.modes[k].size);
  const std::vector<double> old_value = fitted_values(model);
  auto joined = join(model, old_value, std::move(modes), entries, options.duplicates);
  if (!joined) return joined.error();
  Updating updating(model, *joined, old_value);
  result.entries = static_cast<Count>(updating.entries().fresh.size());
  double ridge = 1.0;
  Rng rng(options.seed);
  updating.hold_out(options.held_out, rng);
  const auto& held = updating.entries().held;
  if (std::count(held.begin(), held.end(), 1) >= kFewestHeld)
    for (const double one : kRidges) {
      updating.solve(one);
      const double rmse = *updating.held_out_rmse();
      if (result.held_out_rmse && rmse >= *result.held_out_rmse) continue;
      result.held_out_rmse = rmse;
      ridge = one;
    }
  updating.hold_nothing_out();
  updating.solve(ridge);

  result.model = model;
  Model& grown = result.model;
  updating.write(grown, result);
  const auto [low, high] = std::minmax_element(joined->values().begin(), joined->values().end());
  const Range before = grown.observed;
  grown.observed = {.low = std::min(before.low, *low), .high = std::max(before.high, *high)};
  if (grown.clip && grown.clip->low == before.low && grown.clip->high == before.high)
    grown.clip = grown.observed;
  if (!grown.fallback.empty()) grown.fallback = fit_offsets(*joined, spec_of(grown.fallback), 3);
  return result;
}

}  // namespace lacuna
