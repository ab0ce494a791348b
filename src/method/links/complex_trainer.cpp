// SPDX-License-Identifier: MIT
#include "method/links/complex_trainer.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/link_kernels.hpp"

namespace lacuna {
namespace {

// Found on the validation parts of kinship and FB15k-237. A start ten times smaller costs a pass, one three times
// larger a hundredth of the MRR; a rate half as large, twice the passes.
constexpr double kStart = 0.1;  // standard deviation of the first numbers
constexpr float kRate = 0.1F;
constexpr float kFirstSquare = 1e-10F;
constexpr Count kMostQueries = 256;  // of a batch
constexpr Count kLeastQueries = 64;
constexpr Count kLeastBatches = 50;  // of a pass, if that leaves enough queries for each
constexpr Count kCells = 1000;       // of a batch of the logistic loss

void fill(Matrix<float>& table, int columns, Rng& rng) {
  table.setZero();
  for (Eigen::Index i = 0; i < table.rows(); ++i)
    for (int j = 0; j < columns; ++j) table(i, j) = static_cast<float>(kStart * rng.normal());
}

std::vector<Index> shuffled(std::size_t count, Rng& rng) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

// Leading back is leading forth by the conjugate.
void make_symmetric(ComplEx& x) {
  const Index count = x.relation_count();
  x.relations.bottomRows(count) = x.relations.topRows(count);
  x.relations.block(count, x.rank, count, x.rank) *= -1.0F;
}

}  // namespace

ComplExTrainer::ComplExTrainer(ComplEx x, const ComplExOptions& options)
    : x_(std::move(x)), options_(options), rng_(options.seed) {
  fill(x_.entities, 2 * x_.rank, rng_);
  fill(x_.relations, 2 * x_.rank, rng_);
  entity_squares_ = Matrix<float>::Constant(x_.entities.rows(), x_.entities.cols(), kFirstSquare);
  relation_squares_ = Matrix<float>::Constant(x_.relations.rows(), x_.relations.cols(), kFirstSquare);
  if (options.softmax)
    softmax_.emplace(x_, options.sampled, options.penalty);
  else
    logistic_.emplace(x_, options.penalty);
  move_ = [this](bool entity, Index row, const float* gradient) {
    Matrix<float>& table = entity ? x_.entities : x_.relations;
    Matrix<float>& squares = entity ? entity_squares_ : relation_squares_;
    kernels::link_kernels().adagrad(table.row(row).data(), squares.row(row).data(), gradient, kRate,
                                    table.cols());
  };
}

void ComplExTrainer::take(LinkEntries entries) {
  entries_ = std::move(entries);
  if (!options_.softmax) return;
  for (const bool backward : {false, true})
    questions_[backward ? 1 : 0] = link_questions(entries_, backward, x_.relation_count());
}

bool ComplExTrainer::epoch(const Interrupted& interrupted) {
  sum_ = 0.0;
  weight_ = 0.0;
  bool stopped = false;
  const Interrupted asked = [&] { return stopped = stopped || (interrupted && interrupted()); };
  if (options_.softmax)
    softmax_batches(asked);
  else
    logistic_batches(asked);
  if (weight_ > 0.0) loss_ = sum_ / weight_;
  if (!options_.softmax) make_symmetric(x_);
  return !stopped;
}

void ComplExTrainer::softmax_batches(const Interrupted& interrupted) {
  struct Batch {
    bool backward;
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Index> order[2];
  std::vector<Batch> batches;
  const auto queries = static_cast<Count>(questions_[0].queries.size() + questions_[1].queries.size());
  const auto size =
      static_cast<std::size_t>(std::clamp(queries / kLeastBatches, kLeastQueries, kMostQueries));
  for (const bool backward : {false, true}) {
    std::vector<Index>& mine = order[backward ? 1 : 0];
    mine = shuffled(questions_[backward ? 1 : 0].queries.size(), rng_);
    for (std::size_t begin = 0; begin < mine.size(); begin += size)
      batches.push_back({.backward = backward, .begin = begin, .end = std::min(begin + size, mine.size())});
  }
  for (const Index at : shuffled(batches.size(), rng_)) {
    if (interrupted()) return;
    const Batch& batch = batches[at];
    const LinkQuestions& questions = questions_[batch.backward ? 1 : 0];
    const std::span<const Index> some =
        std::span<const Index>(order[batch.backward ? 1 : 0]).subspan(batch.begin, batch.end - batch.begin);
    sum_ += softmax_->batch(x_, questions, some, batch.backward, rng_, move_);
    for (const Index query : some)
      for (Count a = questions.queries[query].begin; a < questions.queries[query].end; ++a)
        weight_ += static_cast<double>(questions.weight[a]);
  }
}

void ComplExTrainer::logistic_batches(const Interrupted& interrupted) {
  const std::vector<Index> order = shuffled(static_cast<std::size_t>(entries_.size()), rng_);
  for (std::size_t begin = 0; begin < order.size(); begin += kCells) {
    if (interrupted()) return;
    const std::span<const Index> cells =
        std::span<const Index>(order).subspan(begin, std::min<std::size_t>(kCells, order.size() - begin));
    sum_ += logistic_->batch(x_, entries_, cells, move_);
    for (const Index cell : cells) weight_ += static_cast<double>(entries_.weight[cell]);
  }
}

}  // namespace lacuna
