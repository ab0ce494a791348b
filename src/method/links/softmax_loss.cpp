// SPDX-License-Identifier: MIT
#include "method/links/softmax_loss.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/link_kernels.hpp"

namespace lacuna {
namespace {

constexpr Count kChunk = 512;  // candidates whose scores stay in the second cache
constexpr Count kQueriesInABlock = 16;
enum PieceKind { kKnown, kAnswer };

template <class Number>
void resize_for(std::vector<Number>& list, Count size) {
  list.resize(static_cast<std::size_t>(size));
}

float product(const float* a, const float* b, Count width) {
  float sum = 0.0F;
  for (Count c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}

void add_scaled(float factor, const float* from, Count width, float* to) {
  for (Count c = 0; c < width; ++c) to[c] += factor * from[c];
}

}  // namespace

SoftmaxLoss::SoftmaxLoss(const ComplEx& shape, Count sampled, float penalty)
    : sampled_(sampled),
      penalty_(penalty),
      rank_(shape.rank),
      width_(shape.entities.cols()),
      entities_(shape.entity_count(), width_),
      relations_(static_cast<Index>(shape.relations.rows()), width_) {}

int SoftmaxLoss::chunks() const { return static_cast<int>((candidates_ + kChunk - 1) / kChunk); }

SoftmaxLoss::Chunk SoftmaxLoss::chunk(int number) const {
  const Count begin = number * kChunk;
  return {.begin = begin, .size = std::min(kChunk, candidates_ - begin)};
}

void SoftmaxLoss::choose_candidates(const ComplEx& x, bool backward, Rng& rng) {
  candidates_begin_ = backward ? 0 : x.tails_from;
  population_ = backward ? x.head_count() : x.tail_count();
  all_ = sampled_ == 0 || sampled_ >= population_;
  if (all_) {
    candidates_ = population_;
    table_ = x.entities.row(candidates_begin_).data();
    entities_.begin_with_all(candidates_begin_, candidates_begin_ + static_cast<Index>(candidates_));
    return;
  }
  drawn_.clear();
  for (Count i = 0; i < sampled_; ++i)
    drawn_.push_back(candidates_begin_ +
                     static_cast<Index>(rng.below(static_cast<std::uint64_t>(population_))));
  std::sort(drawn_.begin(), drawn_.end());
  drawn_.erase(std::unique(drawn_.begin(), drawn_.end()), drawn_.end());
  candidates_ = static_cast<Count>(drawn_.size());
  resize_for(gathered_, candidates_ * width_);
  for (Count j = 0; j < candidates_; ++j)
    std::copy_n(x.entities.row(drawn_[j]).data(), width_, gathered_.data() + j * width_);
  table_ = gathered_.data();
  entities_.begin_with(drawn_);
}

void SoftmaxLoss::make_queries(const ComplEx& x, const LinkQuestions& questions,
                               std::span<const Index> queries) {
  const auto count = static_cast<Count>(queries.size());
  lines_ = kernels::padded(count);
  query_.assign(static_cast<std::size_t>(lines_ * width_), 0.0F);
  resize_for(transposed_, lines_ * width_);
  weight_.assign(static_cast<std::size_t>(lines_), 0.0F);
  answers_from_.assign(1, 0);
  for (Count i = 0; i < count; ++i) {
    const LinkQuery& query = questions.queries[queries[i]];
    multiply(x.entities.row(query.known).data(), x.relations.row(query.relation).data(), rank_,
             query_.data() + i * width_);
    for (Count a = query.begin; a < query.end; ++a) weight_[i] += questions.weight[a];
    answers_from_.push_back(answers_from_.back() + query.end - query.begin);
  }
  for (Count i = 0; i < lines_; ++i)
    for (Count c = 0; c < width_; ++c) transposed_[c * lines_ + i] = query_[i * width_ + c];
}

void SoftmaxLoss::score_chunks() {
  resize_for(score_, candidates_ * lines_);
  resize_for(largest_, chunks() * lines_);
  resize_for(total_, chunks() * lines_);
  parallel_tasks(chunks(), [&](int number) {
    const auto [begin, size] = chunk(number);
    float* const score = score_.data() + begin * lines_;
    std::fill_n(score, size * lines_, 0.0F);
    const kernels::LinkKernels& run = kernels::link_kernels();
    run.add_product({.data = table_ + begin * width_, .row = width_, .column = 1}, transposed_.data(), lines_,
                    score, lines_, size, width_, lines_);
    run.softmax(score, size, lines_, largest_.data() + number * lines_, total_.data() + number * lines_);
  });
}

// Z_i, from it the loss, and the derivatives of the loss with respect to the scores.
double SoftmaxLoss::weigh(const ComplEx& x, const LinkQuestions& questions, std::span<const Index> queries) {
  share_.assign(static_cast<std::size_t>(chunks() * lines_), 0.0F);
  resize_for(answer_, answers_from_.back());
  return parallel_sum(
      static_cast<Count>(queries.size()),
      [&](Count first, Count last) {
        double loss = 0.0;
        for (Count i = first; i < last; ++i)
          loss += weigh_query(x, questions, questions.queries[queries[i]], i);
        return loss;
      },
      kQueriesInABlock);
}

double SoftmaxLoss::weigh_query(const ComplEx& x, const LinkQuestions& questions, const LinkQuery& query,
                                Count i) {
  const Count answers = query.end - query.begin;
  const Index* const answer = questions.answers.data() + query.begin;
  const float* const weight = questions.weight.data() + query.begin;
  float* const slope = answer_.data() + answers_from_[i];  // their scores, at first
  float most = largest_[i];
  for (int number = 1; number < chunks(); ++number) most = std::max(most, largest_[number * lines_ + i]);
  Count drawn = 0;  // answers among the candidates
  for (Count a = 0; a < answers; ++a) {
    slope[a] = product(query_.data() + i * width_, x.entities.row(answer[a]).data(), width_);
    most = std::max(most, slope[a]);
    drawn += is_candidate(answer[a]) ? 1 : 0;
  }
  double omega = 1.0;
  if (!all_)
    omega = candidates_ > drawn
                ? static_cast<double>(population_ - answers) / static_cast<double>(candidates_ - drawn)
                : 0.0;
  // What an answer counts in Z beyond its place among the candidates.
  const auto beyond = [&](Count a) { return is_candidate(answer[a]) ? 1.0 - omega : 1.0; };
  const auto exponential = [&](float score) { return std::exp(static_cast<double>(score - most)); };
  double z = 0.0;  // times exp(-most)
  for (int number = 0; number < chunks(); ++number)
    z +=
        omega * static_cast<double>(total_[number * lines_ + i]) * exponential(largest_[number * lines_ + i]);
  if (!all_)
    for (Count a = 0; a < answers; ++a) z += beyond(a) * exponential(slope[a]);
  const double scale = static_cast<double>(weight_[i]) / z;
  for (int number = 0; number < chunks(); ++number)
    share_[number * lines_ + i] =
        static_cast<float>(scale * omega * exponential(largest_[number * lines_ + i]));
  double loss = 0.0;
  for (Count a = 0; a < answers; ++a) {
    const float score = slope[a];
    loss += static_cast<double>(weight[a]) * (std::log(z) - static_cast<double>(score - most));
    slope[a] = -weight[a];
    if (!all_) slope[a] += static_cast<float>(scale * beyond(a) * exponential(score));
  }
  return loss;
}

// dL/de of the candidates, and the pieces of dL/dq.
void SoftmaxLoss::differentiate_chunks() {
  partial_.assign(static_cast<std::size_t>(chunks() * lines_ * width_), 0.0F);
  parallel_tasks(chunks(), [&](int number) {
    const auto [begin, size] = chunk(number);
    const kernels::LinkKernels& run = kernels::link_kernels();
    std::vector<float> weighted(query_);
    for (Count i = 0; i < lines_; ++i)
      for (Count c = 0; c < width_; ++c) weighted[i * width_ + c] *= share_[number * lines_ + i];
    const float* const score = score_.data() + begin * lines_;
    float* const gradient = entities_.gradient((all_ ? candidates_begin_ : 0) + static_cast<Index>(begin));
    std::fill_n(gradient, size * width_, 0.0F);
    run.add_product({.data = score, .row = lines_, .column = 1}, weighted.data(), width_, gradient, width_,
                    size, lines_, width_);
    run.add_product({.data = score, .row = 1, .column = lines_}, table_ + begin * width_, width_,
                    partial_.data() + number * lines_ * width_, width_, lines_, size, width_);
  });
}

void SoftmaxLoss::differentiate_queries(const ComplEx& x, const LinkQuestions& questions,
                                        std::span<const Index> queries) {
  direction_.assign(static_cast<std::size_t>(lines_ * width_), 0.0F);
  parallel_blocks(
      static_cast<Count>(queries.size()),
      [&](Count first, Count last) {
        for (Count i = first; i < last; ++i) {
          float* const to = direction_.data() + i * width_;
          for (int number = 0; number < chunks(); ++number)
            add_scaled(share_[number * lines_ + i], partial_.data() + (number * lines_ + i) * width_, width_,
                       to);
          const LinkQuery& query = questions.queries[queries[i]];
          for (Count a = query.begin; a < query.end; ++a)
            add_scaled(answer_[answers_from_[i] + a - query.begin],
                       x.entities.row(questions.answers[a]).data(), width_, to);
        }
      },
      kQueriesInABlock);
}

void SoftmaxLoss::move_rows(const ComplEx& x, const LinkQuestions& questions, std::span<const Index> queries,
                            const MoveRow& move) {
  relations_.begin_with({});
  std::vector<Index> line_of_answer;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const LinkQuery& query = questions.queries[queries[i]];
    const auto line = static_cast<Index>(i);
    entities_.note(query.known, line, kKnown);
    relations_.note(query.relation, line, kKnown);
    for (Count a = query.begin; a < query.end; ++a) {
      entities_.note(questions.answers[a], static_cast<Index>(line_of_answer.size()), kAnswer);
      line_of_answer.push_back(line);
    }
  }
  const auto query_of = [&](Index line) -> const LinkQuery& { return questions.queries[queries[line]]; };
  // Those of relations look at entities, which must not have moved yet.
  relations_.add_up([&](const RowUpdates::Piece& piece, float* gradient) {
    const LinkQuery& query = query_of(piece.item);
    add_factor_gradient(direction_.data() + piece.item * width_, x.entities.row(query.known).data(), rank_,
                        gradient);
    add_penalty_gradient(x.relations.row(query.relation).data(), penalty_ * weight_[piece.item], rank_,
                         gradient);
  });
  entities_.add_up_and_move(
      [&](const RowUpdates::Piece& piece, float* gradient) {
        if (piece.kind == kKnown) {
          const LinkQuery& query = query_of(piece.item);
          add_factor_gradient(direction_.data() + piece.item * width_, x.relations.row(query.relation).data(),
                              rank_, gradient);
          add_penalty_gradient(x.entities.row(query.known).data(), penalty_ * weight_[piece.item], rank_,
                               gradient);
          return;
        }
        const Index line = line_of_answer[piece.item];
        const Count a = query_of(line).begin + piece.item - answers_from_[line];
        add_scaled(answer_[piece.item], query_.data() + line * width_, width_, gradient);
        add_penalty_gradient(x.entities.row(questions.answers[a]).data(), penalty_ * questions.weight[a],
                             rank_, gradient);
      },
      [&](Index row, const float* gradient) { move(true, row, gradient); });
  relations_.move_rows([&](Index row, const float* gradient) { move(false, row, gradient); });
}

double SoftmaxLoss::batch(const ComplEx& x, const LinkQuestions& questions, std::span<const Index> queries,
                          bool backward, Rng& rng, const MoveRow& move) {
  choose_candidates(x, backward, rng);
  make_queries(x, questions, queries);
  score_chunks();
  const double loss = weigh(x, questions, queries);
  differentiate_chunks();
  differentiate_queries(x, questions, queries);
  move_rows(x, questions, queries, move);
  return loss;
}

}  // namespace lacuna
