// SPDX-License-Identifier: MIT
#include "method/latent/als.hpp"

#include <cmath>

#include "tensor/fiber_lookup.hpp"
#include "tensor/weighted_square.hpp"

namespace lacuna {
namespace {

// The effect of a side's rows: of the modes that tell the rows apart. Those without entries have one only where
// all rows are positions of a mode.
Effect effect_of(const ObservedTensor& tensor, const AlsSide& side, const std::vector<int>& modes,
                 bool all_rows, double tau, double scale) {
  std::vector<std::pair<std::uint64_t, double>> values;
  Effect effect{.modes = modes, .ridge = side.precision[side.effect] / tau};
  for (Count i = 0; i < side.lists.rows(); ++i) {
    if (side.lists.start[i] == side.lists.start[i + 1] && !all_rows) continue;
    const auto key = all_rows ? static_cast<std::uint64_t>(i)
                              : effect.key_of(tensor.cells(), side.lists.entry[side.lists.start[i]]);
    values.emplace_back(key, scale * static_cast<double>(side.mean.row(i)[side.effect]));
  }
  std::sort(values.begin(), values.end());
  for (const auto& [key, value] : values) {
    effect.key.push_back(key);
    effect.value.push_back(value);
  }
  return effect;
}

}  // namespace

Als::Als(const ObservedTensor& tensor, const std::vector<PartSpec>& parts, const std::vector<int>& ranks,
         std::uint64_t seed)
    : tensor_(&tensor), total_weight_(tensor.total_weight()) {
  const double square = weighted_square(tensor, tensor.values());
  if (square > 0.0) scale_ = std::sqrt(square / total_weight_);
  entries_.weight.assign(tensor.weights().begin(), tensor.weights().end());
  Rng rng(seed);
  for (std::size_t p = 0; p < parts.size(); ++p)
    parts_.emplace_back(tensor, parts[p], ranks[p], entries_, rng);
  entries_.residual.resize(static_cast<std::size_t>(tensor.size()));
  refresh_residual();
}

void Als::refresh_residual() {
  parallel_blocks(tensor_->size(), [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e)
      entries_.residual[e] = static_cast<float>(tensor_->values()[e] / scale_);
  });
  for (const AlsPart& part : parts_) part.take_off(entries_.residual);
  square_ = parallel_sum(tensor_->size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const auto left = static_cast<double>(entries_.residual[e]);
      sum += tensor_->weight(e) * left * left;
    }
    return sum;
  });
}

bool Als::sweep(const Interrupted& interrupted) {
  bool whole = true;
  for (AlsPart& part : parts_) whole = whole && part.sweep(entries_, interrupted);
  refresh_residual();
  if (!whole) return false;
  double expected = square_;
  for (const AlsPart& part : parts_) expected += part.expected_variance();
  entries_.tau = 1.0 / std::max(expected / total_weight_, kLeastNoise);
  return true;
}

double Als::objective() const {
  double expected = square_;
  double sum = -0.5 * total_weight_ * std::log(entries_.tau);
  for (const AlsPart& part : parts_) {
    expected += part.expected_variance();
    sum += part.divergence();
  }
  return sum + 0.5 * entries_.tau * expected;
}

double Als::train_rmse() const { return scale_ * std::sqrt(square_ / total_weight_); }
double Als::noise_deviation() const { return scale_ / std::sqrt(entries_.tau); }

// Of the columns that part() has, numbers times `factor`; behind the factors there may be the column `last`.
SidePrior Als::prior_of(const AlsSide& side, int columns, int last, double factor) const {
  SidePrior prior;
  const double unit = scale_ / factor;  // of the other side
  for (int k = 0; k < columns; ++k) {
    const int from = k < side.rank() ? k : last;
    prior.ridge.push_back(side.is_free(from) ? unit * unit * side.precision[from] / entries_.tau : 0.0);
  }
  if (side.shared.rows() == 0) return prior;
  prior.shared = Matrix<float>::Zero(side.shared.rows(), columns + 1);
  for (Count c = 0; c < side.shared.rows(); ++c) {
    const float* row = side.shared.row(c);
    for (int k = 0; k < columns; ++k)
      if (const int from = k < side.rank() ? k : last; side.is_free(from))
        prior.shared(c, k) = static_cast<float>(factor) * row[from];
    if (last != side.effect) prior.shared(c, columns) = static_cast<float>(scale_) * row[side.effect];
  }
  return prior;
}

ModelPart Als::part(std::size_t p) const {
  const AlsPart& part = parts_[p];
  const bool effect_inside = !has_fiber_effect(part.spec()) && !part.spec().agree.empty();
  const int inside = effect_inside ? part.fibers().effect : -1;
  const int columns = part.rank() + (effect_inside ? 1 : 0);
  const auto matrix = [&](const AlsSide& side, double factor) {
    Matrix<double> out(side.lists.rows(), columns);
    for (Count i = 0; i < side.lists.rows(); ++i)
      for (int k = 0; k < columns; ++k) {
        // Behind the factors: a column of ones, and the fibers' effects that meet it.
        const int from = k < part.rank() ? k : part.fibers().effect;
        out(i, k) = factor * static_cast<double>(side.mean.row(i)[from]);
      }
    return out;
  };
  return {.modes = part.spec(),
          .lambda = 1.0,
          .factor = matrix(part.rows(), scale_),
          .right = matrix(part.fibers(), 1.0),
          .prior = PartPrior{.rows = prior_of(part.rows(), columns, inside, scale_),
                             .fibers = prior_of(part.fibers(), columns, inside, 1.0)}};
}

std::vector<Effect> Als::effects() const {
  Offsets gathered;  // adds up those of equal mode sets
  for (const AlsPart& part : parts_) {
    Effect of_rows =
        effect_of(*tensor_, part.rows(), {part.spec().mode}, part.knows_rows(), entries_.tau, scale_);
    if (part.spec().agree.empty())  // one fiber: its effect is a number for all
      for (double& value : of_rows.value)
        value += scale_ * static_cast<double>(part.fibers().mean.row(0)[part.fibers().effect]);
    gathered.add(std::move(of_rows));
    if (has_fiber_effect(part.spec()))
      gathered.add(effect_of(*tensor_, part.fibers(), part.spec().agree, false, entries_.tau, scale_));
  }
  return std::move(gathered.effects);
}

std::vector<double> Als::mixture() const {
  std::vector<double> norms;
  for (const AlsPart& part : parts_) norms.push_back(std::sqrt(part.interaction_square()));
  return shares(std::move(norms));
}

std::vector<double> Als::weighted_residual() const {
  std::vector<double> left(entries_.residual.size());
  for (std::size_t e = 0; e < left.size(); ++e)
    left[e] = tensor_->weight(static_cast<Count>(e)) * scale_ * static_cast<double>(entries_.residual[e]);
  return left;
}

void Als::keep(Kept& kept) const {
  kept.means.resize(2 * parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto copy = [](const FactorTable<float>& table, std::vector<float>& to) {
      to.assign(table.data(), table.data() + table.size());
    };
    copy(parts_[p].rows().mean, kept.means[2 * p]);
    copy(parts_[p].fibers().mean, kept.means[2 * p + 1]);
  }
}

void Als::restore(const Kept& kept) {
  for (std::size_t p = 0; p < parts_.size(); ++p)
    parts_[p].set_means(kept.means[2 * p], kept.means[2 * p + 1]);
  refresh_residual();
}

void Als::fields(Archive& archive) {
  for (std::size_t p = 0; p < parts_.size(); ++p) archive("part" + std::to_string(p), parts_[p]);
  archive("tau", entries_.tau);
  if (archive.loading()) refresh_residual();
}

AlsCells::AlsCells(const ObservedTensor& tensor, const std::vector<AlsPart>& parts, const Cells& index) {
  silent_.assign(static_cast<std::size_t>(index.size()), true);
  for (const AlsPart& part : parts) {
    const FiberView view(tensor, part.spec());
    const FiberLookup lookup(tensor, view);
    std::vector<Cell>& cells = parts_.emplace_back(static_cast<std::size_t>(index.size()));
    parallel_blocks(static_cast<Count>(cells.size()), [&](Count begin, Count end) {
      for (Count i = begin; i < end; ++i) {
        const Index row = index[part.spec().mode][i];
        const RowLists& rows = part.rows().lists;
        if (row < rows.rows()) cells[i].row = row;
        const FiberLookup::Hit hit = lookup.find(index, i);
        if (hit.kind == FiberLookup::Kind::kListed) cells[i].fiber = hit.which;
        if (hit.kind == FiberLookup::Kind::kSingle)
          cells[i].fiber = static_cast<Index>(view.fiber_of_single(hit.which));
      }
    });
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i].row != kNone && cells[i].fiber != kNone && lookup.knows_row(cells[i].row))
        silent_[i] = false;
  }
}

void AlsCells::add_values(const Als& als, std::span<double> out) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const AlsPart& part = als.parts()[p];
    const AlsSide& rows = part.rows();
    const AlsSide& fibers = part.fibers();
    const int factors = part.rank() + (has_fiber_effect(part.spec()) ? 0 : 1);
    parallel_blocks(static_cast<Count>(out.size()), [&](Count begin, Count end) {
      for (Count i = begin; i < end; ++i) {
        const Cell cell = parts_[p][i];
        double sum = 0.0;
        if (cell.row != kNone) sum += static_cast<double>(rows.mean.row(cell.row)[rows.effect]);
        if (cell.fiber != kNone && has_fiber_effect(part.spec()))
          sum += static_cast<double>(fibers.mean.row(cell.fiber)[fibers.effect]);
        if (cell.row != kNone && cell.fiber != kNone)
          for (int k = 0; k < factors; ++k) {
            const int from = k < part.rank() ? k : fibers.effect;
            sum += static_cast<double>(rows.mean.row(cell.row)[from]) *
                   static_cast<double>(fibers.mean.row(cell.fiber)[from]);
          }
        out[i] += als.scale() * sum;
      }
    });
  }
}

}  // namespace lacuna
