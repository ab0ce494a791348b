// SPDX-License-Identifier: MIT
// The multi-class logarithmic loss of facts among all candidates, with the penalty N3:
//
//   L = sum_i sum_{a in A_i} w_ia (log Z_i - s_ia) + penalty (|e_i|^3 + |w_i|^3 + |e_a|^3),   s_ij = q_i . e_j
//   Z_i = sum_j exp(s_ij) over all candidates j
//
// with q_i = e_i * w_i the query i, A_i its answers. All facts that share a query share Z_i: no fact costs a sum of its
// own, so the loss of FB15k-237 is had for 3.6 times less than fact by fact.
//
// Where candidates are too many, Z_i is estimated from a set S of them, drawn anew for every batch and shared by its
// queries, and the answers:
//
//   Z_i = sum_{a in A_i} exp(s_ia) + omega_i sum_{j in S, not in A_i} exp(s_ij),   omega_i = (n - |A_i|) / |S \ A_i|
//
// which is exact where S is all of them. With b queries and c candidates in float: 6 b c r' multiply-adds for rows of
// r' numbers, in three products of matrices, over fixed chunks of candidates.
#pragma once

#include "method/links/complex_gradients.hpp"
#include "method/links/link_data.hpp"
#include "method/links/row_updates.hpp"

namespace lacuna {

class SoftmaxLoss {
 public:
  // sampled: how many candidates to draw for a batch; 0, or as many as there are: all of them.
  SoftmaxLoss(const ComplEx& shape, Count sampled, float penalty);

  // The loss of these queries, all of one direction, without the penalty; its gradient, with the penalty, goes to
  // `move`, which is called once for each row, from several threads.
  double batch(const ComplEx& x, const LinkQuestions& questions, std::span<const Index> queries,
               bool backward, Rng& rng, const MoveRow& move);

 private:
  struct Chunk {  // of candidates
    Count begin = 0;
    Count size = 0;
  };

  void choose_candidates(const ComplEx& x, bool backward, Rng& rng);
  void make_queries(const ComplEx& x, const LinkQuestions& questions, std::span<const Index> queries);
  void score_chunks();
  double weigh(const ComplEx& x, const LinkQuestions& questions, std::span<const Index> queries);
  double weigh_query(const ComplEx& x, const LinkQuestions& questions, const LinkQuery& query, Count line);
  [[nodiscard]] bool is_candidate(Index answer) const { return all_ || entities_.has(answer); }
  void differentiate_chunks();
  void differentiate_queries(const ComplEx& x, const LinkQuestions& questions,
                             std::span<const Index> queries);
  void move_rows(const ComplEx& x, const LinkQuestions& questions, std::span<const Index> queries,
                 const MoveRow& move);
  [[nodiscard]] Chunk chunk(int number) const;
  [[nodiscard]] int chunks() const;

  Count sampled_;
  float penalty_;
  int rank_;
  Count width_;
  RowUpdates entities_;
  RowUpdates relations_;

  // Of the batch at hand: b lines (queries, padded to whole vectors), c candidates.
  Count lines_ = 0;
  bool all_ = true;             // every candidate of the direction
  Index candidates_begin_ = 0;  // their rows, where all are taken
  Count candidates_ = 0;
  Count population_ = 0;          // how many candidates the direction has
  const float* table_ = nullptr;  // the candidates' rows
  std::vector<Index> drawn_;
  std::vector<float> gathered_;      // their rows
  std::vector<float> query_;         // b x r'
  std::vector<float> transposed_;    // r' x b
  std::vector<float> weight_;        // of each query: of its answers, summed
  std::vector<float> score_;         // c x b: exp(s - largest of the chunk)
  std::vector<float> largest_;       // chunks x b
  std::vector<float> total_;         // chunks x b
  std::vector<float> share_;         // chunks x b: what exp(...) is to be multiplied by to be dL/ds
  std::vector<Count> answers_from_;  // where each query's answers begin among those of the batch
  std::vector<float> answer_;        // dL/ds of each answer, beyond what it has as a candidate
  std::vector<float> partial_;       // chunks x b x r': of dL/dq, to be multiplied by share
  std::vector<float> direction_;     // b x r': dL/dq
};

}  // namespace lacuna
