// SPDX-License-Identifier: MIT
// A fit that begins where another one ended, on the same cells.
#include <algorithm>
#include <cmath>

#include "method/latent/als.hpp"
#include "method/latent/als_shared.hpp"

namespace lacuna {
namespace {

// The prior of which entries a row has is not kept in a model; so many steps of a few passes over the entries find most of
// it again. A sweep takes as long as five to ten of them.
constexpr int kSharedSteps = 10;

float& number(FactorTable<float>& table, Count i, int k) { return table.data()[i * table.columns() + k]; }

// Columns of the factor, and the effects of the rows: of the modes that tell them apart.
void set_side(AlsSide& side, const ObservedTensor& tensor, const Matrix<double>& factor, const Effect* effect,
              bool all_rows, double unit) {
  for (Count i = 0; i < side.lists.rows(); ++i) {
    for (int k = 0; k < side.rank(); ++k) number(side.mean, i, k) = static_cast<float>(factor(i, k) / unit);
    if (effect == nullptr || (!all_rows && side.lists.start[i] == side.lists.start[i + 1])) continue;
    const auto key = all_rows ? static_cast<std::uint64_t>(i)
                              : effect->key_of(tensor.cells(), side.lists.entry[side.lists.start[i]]);
    number(side.mean, i, side.effect) = static_cast<float>(effect->at(key) / unit);
  }
}

// var = 1 / (tau sum_e w_e E t_e^2 + lambda), the squares of t as they are in the mean over the entries.
void set_variances(AlsSide& side, const AlsSide& other, double tau) {
  const int width = side.width();
  std::vector<double> square(width, 0.0);
  double entries = 0.0;
  for (Count c = 0; c < other.lists.rows(); ++c) {
    const auto count = static_cast<double>(other.lists.start[c + 1] - other.lists.start[c]);
    entries += count;
    for (int k = 0; k < width; ++k) {
      const auto t = static_cast<double>(other.mean.row(c)[k]);
      square[k] += count * t * t;
    }
  }
  side.log_variance = 0.0;
  std::fill(side.deviation.begin(), side.deviation.end(), 0.0);
  std::fill(side.spread.begin(), side.spread.end(), 0.0);
  for (Count i = 0; i < side.lists.rows(); ++i) {
    const auto scale = static_cast<double>(side.scale[i]);
    if (scale == 0.0) continue;
    for (int k = 0; k < width; ++k) {
      if (!side.is_free(k)) continue;
      const double sure = tau * square[k] / (entries * scale * scale) + side.precision[k];
      number(side.variance, i, k) = static_cast<float>(1.0 / sure);
      side.spread[k] += 1.0 / sure;
      side.log_variance -= std::log(sure);
      const double away = static_cast<double>(number(side.mean, i, k) - number(side.prior, i, k));
      side.deviation[k] += away * away;
    }
  }
}

}  // namespace

void AlsPart::start_from(const ObservedTensor& tensor, const ModelPart& part, const Effect* of_rows,
                         const Effect* of_fibers, double unit) {
  set_side(sides_[0], tensor, part.factor, of_rows, knows_rows(), unit);
  set_side(sides_[1], tensor, *part.right, of_fibers, false, 1.0);
  if (of_fibers != nullptr)  // it is in the data's units, the factor is not
    for (Count c = 0; c < sides_[1].lists.rows(); ++c)
      number(sides_[1].mean, c, sides_[1].effect) /= static_cast<float>(unit);
  if (part.right->cols() > rank())  // a column that meets ones
    for (Count c = 0; c < sides_[1].lists.rows(); ++c)
      number(sides_[1].mean, c, sides_[1].effect) = static_cast<float>((*part.right)(c, rank()));
}

void AlsPart::settle(const AlsEntries& entries) {
  for (int turn = 0; turn < 2; ++turn)  // precisions and variances depend on each other
    for (int which : {0, 1}) {
      set_variances(sides_[which], sides_[1 - which], entries.tau);
      set_precisions(sides_[which]);
    }
  for (int which : {0, 1})
    for (int step = 0; implicit_ && step < kSharedSteps; ++step) {
      improve_shared(sides_[which], sides_[1 - which].lists, entries, difference_[which],
                     difference_[1 - which]);
      set_precisions(sides_[which]);
    }
}

bool Als::start_from(const Model& model) {
  const Latent* latent = model.latent();
  if (latent == nullptr || latent->parts.size() != parts_.size() || latent->dual.cells() != tensor_->cells())
    return false;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const ModelPart& part = latent->parts[p];
    const bool inside = !has_fiber_effect(parts_[p].spec()) && !parts_[p].spec().agree.empty();
    if (!part.right || part.modes.mode != parts_[p].spec().mode ||
        part.modes.agree != parts_[p].spec().agree || !part.modes.near.empty() ||
        part.factor.cols() != parts_[p].rank() + (inside ? 1 : 0))
      return false;
  }
  // Effects of equal mode sets have been added up: the first part that has them takes them over.
  std::vector<const Effect*> left;
  for (const Effect& effect : model.offsets.effects) left.push_back(&effect);
  const auto take = [&](const std::vector<int>& modes) -> const Effect* {
    const auto found =
        std::find_if(left.begin(), left.end(), [&](const Effect* effect) { return effect->modes == modes; });
    if (found == left.end()) return nullptr;
    const Effect* effect = *found;
    left.erase(found);
    return effect;
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const PartSpec& spec = parts_[p].spec();
    const Effect* const of_rows = take({spec.mode});
    const Effect* const of_fibers = has_fiber_effect(spec) ? take(spec.agree) : nullptr;
    parts_[p].start_from(*tensor_, latent->parts[p], of_rows, of_fibers, scale_);
  }
  refresh_residual();
  entries_.tau = 1.0 / std::max(square_ / total_weight_, kLeastNoise);
  for (AlsPart& part : parts_) part.settle(entries_);
  return true;
}

}  // namespace lacuna
