// SPDX-License-Identifier: MIT
#include "method/links/logistic_loss.hpp"

#include <cmath>

namespace lacuna {
namespace {

constexpr Count kCellsInABlock = 64;
enum PieceKind { kHead, kTail };

// log(1 + exp(f))
double log_one_plus_exp(double f) { return f > 0.0 ? f + std::log1p(std::exp(-f)) : std::log1p(std::exp(f)); }

}  // namespace

LogisticLoss::LogisticLoss(const ComplEx& shape, float penalty)
    : penalty_(penalty),
      rank_(shape.rank),
      width_(shape.entities.cols()),
      entities_(shape.entity_count(), width_),
      relations_(static_cast<Index>(shape.relations.rows()), width_) {}

// With g = dL/df: for the tail g e_h * w_r, for the head g e_t * conj w_r.
void LogisticLoss::add_to_entity(const ComplEx& x, const LinkEntries& entries, Index cell, Count item,
                                 bool head, float* gradient) const {
  const float* const w = x.relations.row(entries.relation[cell]).data();
  const float* const own = x.entities.row(head ? entries.head[cell] : entries.tail[cell]).data();
  const float* const other = x.entities.row(head ? entries.tail[cell] : entries.head[cell]).data();
  const float g = slope_[item];
  const float sign = head ? -1.0F : 1.0F;  // of the imaginary part of w
  for (int j = 0; j < rank_; ++j) {
    const float real = w[j];
    const float imaginary = sign * w[rank_ + j];
    gradient[j] += g * (other[j] * real - other[rank_ + j] * imaginary);
    gradient[rank_ + j] += g * (other[j] * imaginary + other[rank_ + j] * real);
  }
  gradient[head ? x.head_bias() : x.tail_bias()] += g;
  add_penalty_gradient(own, penalty_ * entries.weight[cell], rank_, gradient);
}

double LogisticLoss::batch(const ComplEx& x, const LinkEntries& entries, std::span<const Index> cells,
                           const MoveRow& move) {
  slope_.resize(cells.size());
  const double loss = parallel_sum(
      static_cast<Count>(cells.size()),
      [&](Count begin, Count end) {
        double sum = 0.0;
        for (Count i = begin; i < end; ++i) {
          const Index cell = cells[i];
          const double f =
              link_score(x, entries.head[cell], entries.relation[cell], entries.tail[cell] - x.tails_from)
                  .forward;
          const double y = entries.label[cell];
          const double weight = entries.weight[cell];
          sum += weight * (log_one_plus_exp(f) - y * f);
          slope_[i] = static_cast<float>(weight * (1.0 / (1.0 + std::exp(-f)) - y));
        }
        return sum;
      },
      kCellsInABlock);
  entities_.begin_with({});
  relations_.begin_with({});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto item = static_cast<Index>(i);
    entities_.note(entries.head[cells[i]], item, kHead);
    entities_.note(entries.tail[cells[i]], item, kTail);
    relations_.note(entries.relation[cells[i]], item, 0);
  }
  // Nothing moves before all gradients are known: each looks at rows of the others.
  entities_.add_up([&](const RowUpdates::Piece& piece, float* gradient) {
    add_to_entity(x, entries, cells[piece.item], piece.item, piece.kind == kHead, gradient);
  });
  relations_.add_up([&](const RowUpdates::Piece& piece, float* gradient) {
    const Index cell = cells[piece.item];
    const float* const h = x.entities.row(entries.head[cell]).data();
    const float* const t = x.entities.row(entries.tail[cell]).data();
    const float g = slope_[piece.item];  // dL/dw = g e_t * conj e_h
    for (int j = 0; j < rank_; ++j) {
      gradient[j] += g * (t[j] * h[j] + t[rank_ + j] * h[rank_ + j]);
      gradient[rank_ + j] += g * (t[rank_ + j] * h[j] - t[j] * h[rank_ + j]);
    }
    gradient[x.relation_bias()] += g;
    add_penalty_gradient(x.relations.row(entries.relation[cell]).data(), penalty_ * entries.weight[cell],
                         rank_, gradient);
  });
  entities_.move_rows([&](Index row, const float* gradient) { move(true, row, gradient); });
  relations_.move_rows([&](Index row, const float* gradient) { move(false, row, gradient); });
  return loss;
}

}  // namespace lacuna
