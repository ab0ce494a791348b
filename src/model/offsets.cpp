// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/model/structure.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "base/parallel.hpp"
#include "model/shared_values.hpp"
#include "model/side_regression.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

constexpr double kEnough = 1e-4;       // relative change of the values at which the sweeps end
constexpr double kLargestRidge = 1e9;  // an effect that has no variance is held at 0 by this
constexpr int kPriorTurns = 3;

// What side information says of the effect of a mode: a + phi_i . c, c ~ N(0, variance), in place of 0.
struct EffectPrior {
  SideRegression regression;
  SideRegression::Line line;
  double variance = 0.0;
};

// An effect while it is fitted.
struct Fitting {
  Effect effect;
  std::vector<Index> group;    // of each entry, a position in effect.key
  std::vector<double> weight;  // of each group, summed
  double variance = 0.0;       // of the effect about its prior
  std::optional<EffectPrior> prior{};
  std::vector<double> prior_mean{};  // of each group; empty: 0

  [[nodiscard]] double expected(std::size_t g) const { return prior_mean.empty() ? 0.0 : prior_mean[g]; }
};

// The keys of all processes, ascending; the groups and weights move with them.
void share_keys(const Communicator& everyone, Fitting& fitting) {
  if (everyone.alone()) return;
  const std::vector<std::uint64_t> mine = std::move(fitting.effect.key);
  std::vector<std::uint64_t>& key = fitting.effect.key;
  key = everyone.gather(std::span<const std::uint64_t>(mine));
  std::sort(key.begin(), key.end());
  key.erase(std::unique(key.begin(), key.end()), key.end());
  std::vector<Index> moved;
  for (const std::uint64_t one : mine)
    moved.push_back(static_cast<Index>(std::lower_bound(key.begin(), key.end(), one) - key.begin()));
  for (Index& group : fitting.group) group = moved[group];
  std::vector<double> weight(key.size(), 0.0);
  for (std::size_t g = 0; g < mine.size(); ++g) weight[moved[g]] = fitting.weight[g];
  everyone.sum(weight);
  fitting.weight = std::move(weight);
}

Fitting make_fitting(const ObservedTensor& tensor, const std::vector<int>& modes,
                     const Communicator& everyone) {
  Fitting fitting;
  fitting.effect.modes = modes;
  fitting.group.resize(static_cast<std::size_t>(tensor.size()));
  const std::vector<Index> order = lexicographic_order(tensor.cells(), modes);
  for (const Index e : order) {
    const std::uint64_t key = fitting.effect.key_of(tensor.cells(), e);
    if (fitting.effect.key.empty() || fitting.effect.key.back() != key) {
      fitting.effect.key.push_back(key);
      fitting.weight.push_back(0.0);
    }
    fitting.group[e] = static_cast<Index>(fitting.effect.key.size() - 1);
    fitting.weight.back() += tensor.weight(e);
  }
  share_keys(everyone, fitting);
  fitting.effect.value.assign(fitting.effect.key.size(), 0.0);
  if (const auto& side = tensor.modes()[modes[0]].side; side && modes.size() == 1) {
    fitting.prior = EffectPrior{
        .regression = SideRegression(side, {fitting.effect.key.begin(), fitting.effect.key.end()}),
        .line = {}};
    fitting.prior_mean.assign(fitting.effect.key.size(), 0.0);
  }
  return fitting;
}

// The regression of the effect's values on side information, and what it says of them.
void move_prior(Fitting& fitting) {
  EffectPrior& prior = *fitting.prior;
  const double ridge = fitting.variance / prior.variance;
  prior.line = prior.regression.fit([&](std::size_t g) { return fitting.effect.value[g]; }, ridge);
  const double squares =
      prior.line.slope.squaredNorm() + fitting.variance * prior.regression.inverse_trace(ridge);
  prior.variance =
      std::max(squares / static_cast<double>(prior.line.slope.size()), fitting.variance / kLargestRidge);
  for (std::size_t g = 0; g < fitting.prior_mean.size(); ++g)
    fitting.prior_mean[g] = prior.regression.at(static_cast<std::int64_t>(fitting.effect.key[g]), prior.line);
}

// Positions without entries have what side information says of them.
void fill_unobserved(Fitting& fitting) {
  Effect whole{.modes = fitting.effect.modes, .ridge = fitting.effect.ridge};
  std::size_t g = 0;
  for (std::int64_t i = 0; i < fitting.prior->regression.positions(); ++i) {
    const auto key = static_cast<std::uint64_t>(i);
    const bool observed = g < fitting.effect.key.size() && fitting.effect.key[g] == key;
    whole.key.push_back(key);
    whole.value.push_back(observed ? fitting.effect.value[g]
                                   : fitting.prior->regression.at(i, fitting.prior->line));
    g += observed ? 1 : 0;
  }
  fitting.effect = std::move(whole);
}

double weighted_squares(const ObservedTensor& tensor, std::span<const double> residual,
                        const Communicator& everyone) {
  return everyone.sum(parallel_sum(tensor.size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) sum += tensor.weight(e) * residual[e] * residual[e];
    return sum;
  }));
}

// The values given the sums of what they are to explain, and their variance given the noise.
void shrink(double noise, const std::vector<double>& sum, Fitting& fitting) {
  Effect& effect = fitting.effect;
  effect.ridge = std::min(noise / fitting.variance, kLargestRidge);
  double variance = 0.0;
  for (std::size_t g = 0; g < sum.size(); ++g) {
    const double precision = fitting.weight[g] + effect.ridge;
    effect.value[g] = (sum[g] + effect.ridge * fitting.expected(g)) / precision;
    const double away = effect.value[g] - fitting.expected(g);
    variance += away * away + noise / precision;
  }
  fitting.variance = variance / static_cast<double>(sum.size());
}

// Ridge regression of the residual on one effect, then that effect's variance given the noise. Returns the
// squared change of the values.
double sweep(const ObservedTensor& tensor, double noise, const Communicator& everyone, Fitting& fitting,
             std::vector<double>& residual) {
  const Effect& effect = fitting.effect;
  const std::vector<double> before = effect.value;
  std::vector<double> sum(before.size(), 0.0);
  for (Count e = 0; e < tensor.size(); ++e) sum[fitting.group[e]] += tensor.weight(e) * residual[e];
  everyone.sum(sum);
  for (std::size_t g = 0; g < sum.size(); ++g) sum[g] += fitting.weight[g] * before[g];
  shrink(noise, sum, fitting);
  // What is known of groups with few entries comes in slowly: a few turns for each sweep over the entries.
  for (int turn = 0; turn < kPriorTurns && fitting.prior; ++turn) {
    move_prior(fitting);
    shrink(noise, sum, fitting);
  }
  double changed = 0.0;
  for (std::size_t g = 0; g < sum.size(); ++g) {
    sum[g] = effect.value[g] - before[g];
    changed += fitting.weight[g] * sum[g] * sum[g];
  }
  parallel_blocks(tensor.size(), [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e) residual[e] -= sum[fitting.group[e]];
  });
  return changed;
}

void check(const ObservedTensor& tensor, const OffsetSpec& spec) {
  for (const std::vector<int>& modes : spec.effects) {
    const bool ascending = modes.size() == 1 || (modes.size() == 2 && modes[0] < modes[1]);
    if (!ascending || modes.front() < 0 || modes.back() >= tensor.order())
      throw std::invalid_argument("an offset belongs to one mode or to two ascending modes of the tensor");
  }
}

}  // namespace

std::size_t Effect::place(std::uint64_t wanted) const {
  // Where every position was seen, position i is the i-th key.
  if (wanted < key.size() && key[wanted] == wanted) return wanted;
  const auto found = std::lower_bound(key.begin(), key.end(), wanted);
  return found != key.end() && *found == wanted ? static_cast<std::size_t>(found - key.begin()) : key.size();
}

double Effect::at(std::uint64_t wanted) const {
  const std::size_t i = place(wanted);
  return i < key.size() ? value[i] : 0.0;
}

bool Effect::knows(std::uint64_t wanted) const { return place(wanted) < key.size(); }

const Effect* Offsets::main_effect(int mode) const {
  for (const Effect& effect : effects)
    if (effect.modes.size() == 1 && effect.modes.front() == mode) return &effect;
  return nullptr;
}

void Offsets::add(Effect effect) {
  const auto same = std::find_if(effects.begin(), effects.end(),
                                 [&](const Effect& known) { return known.modes == effect.modes; });
  if (same == effects.end()) {
    effects.push_back(std::move(effect));
    return;
  }
  // Both are ascending: merged like two sorted lists.
  // The variances add up.
  const double ridges = same->ridge + effect.ridge;
  Effect merged{.modes = same->modes, .ridge = ridges > 0.0 ? same->ridge * effect.ridge / ridges : 0.0};
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < same->key.size() || j < effect.key.size()) {
    const bool left = j == effect.key.size() || (i < same->key.size() && same->key[i] <= effect.key[j]);
    const bool right = i == same->key.size() || (j < effect.key.size() && effect.key[j] <= same->key[i]);
    merged.key.push_back(left ? same->key[i] : effect.key[j]);
    merged.value.push_back((left ? same->value[i] : 0.0) + (right ? effect.value[j] : 0.0));
    i += left ? 1 : 0;
    j += right ? 1 : 0;
  }
  *same = std::move(merged);
}

std::vector<double> Offsets::at(const Cells& cells) const {
  std::vector<double> offset(static_cast<std::size_t>(cells.size()), mean);
  parallel_blocks(static_cast<Count>(offset.size()), [&](Count begin, Count end) {
    for (const Effect& effect : effects)
      for (Count i = begin; i < end; ++i) offset[i] += effect.at(effect.key_of(cells, i));
  });
  return offset;
}

std::vector<double> Offsets::taken_off(const ObservedTensor& tensor) const {
  std::vector<double> left = at(tensor.cells());
  for (std::size_t e = 0; e < left.size(); ++e) left[e] = tensor.values()[e] - left[e];
  return left;
}

OffsetSpec spec_of(const Offsets& offsets) {
  OffsetSpec spec{.mean = !offsets.empty()};
  for (const Effect& effect : offsets.effects) spec.effects.push_back(effect.modes);
  return spec;
}

OffsetSpec main_effects(int order) {
  OffsetSpec spec{.mean = true};
  for (int k = 0; k < order; ++k) spec.effects.push_back({k});
  return spec;
}

Offsets fit_offsets(const ObservedTensor& tensor, const OffsetSpec& spec, int sweeps) {
  return fit_shared_offsets(tensor, spec, sweeps, serial_communicator());
}

Offsets fit_shared_offsets(const ObservedTensor& tensor, const OffsetSpec& spec, int sweeps,
                           const Communicator& everyone) {
  check(tensor, spec);
  Offsets offsets;
  if (!spec.mean) return offsets;
  const double total = everyone.sum(tensor.total_weight());
  offsets.mean = everyone.sum(parallel_sum(tensor.size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) sum += tensor.weight(e) * tensor.values()[e];
    return sum;
  })) / total;
  std::vector<double> residual(tensor.values().begin(), tensor.values().end());
  for (double& value : residual) value -= offsets.mean;
  double noise = weighted_squares(tensor, residual, everyone) / total;
  if (!(noise > 0.0)) return offsets;  // constant data has nothing but its mean

  std::vector<Fitting> fittings;
  for (const std::vector<int>& modes : spec.effects) {
    fittings.push_back(make_fitting(tensor, modes, everyone));
    fittings.back().variance = noise / static_cast<double>(spec.effects.size() + 1);
    if (fittings.back().prior) fittings.back().prior->variance = fittings.back().variance;
  }
  for (int i = 0; i < sweeps && !fittings.empty(); ++i) {
    double changed = 0.0;
    double explained = 0.0;  // what the uncertainty of the effects adds to the expected residual
    for (Fitting& fitting : fittings) {
      changed += sweep(tensor, noise, everyone, fitting, residual);
      for (const double weight : fitting.weight) explained += weight / (weight + fitting.effect.ridge);
    }
    const double squares = weighted_squares(tensor, residual, everyone);
    noise = std::max((squares + noise * explained) / total, std::numeric_limits<double>::min());
    if (changed <= kEnough * kEnough * squares) break;
  }
  for (Fitting& fitting : fittings) {
    if (fitting.prior) fill_unobserved(fitting);
    offsets.effects.push_back(std::move(fitting.effect));
  }
  return offsets;
}

}  // namespace lacuna
