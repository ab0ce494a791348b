// SPDX-License-Identifier: MIT
// The vectors of ComplEx while they are learned: batches of queries, or of cells, in random order, each followed by a
// step of Adagrad. The same bits at any number of threads.
#pragma once

#include <lacuna/base/base.hpp>
#include <optional>

#include "base/archive.hpp"
#include "method/links/logistic_loss.hpp"
#include "method/links/softmax_loss.hpp"

namespace lacuna {

// The numbers of a model whose sizes are given.
inline void fields_of(Archive& archive, ComplEx& x) {
  archive("entities", x.entities);
  archive("relations", x.relations);
  archive("constant", x.constant);
  archive("forward", x.forward);
  archive("backward", x.backward);
}

struct ComplExOptions {
  bool softmax = true;  // or logistic
  float penalty = 0.0F;
  Count sampled = 0;  // candidates of a batch's softmax; 0: all
  std::uint64_t seed = 1;
};

class ComplExTrainer {
 public:
  // Starts at small random numbers. x has its roles, rank and sizes.
  ComplExTrainer(ComplEx x, const ComplExOptions& options);
  ComplExTrainer(const ComplExTrainer&) = delete;
  ComplExTrainer& operator=(const ComplExTrainer&) = delete;

  // Learns from these entries from now on.
  void take(LinkEntries entries);
  // One pass over all of them. False when it was interrupted.
  bool epoch(const Interrupted& interrupted);
  [[nodiscard]] double mean_loss() const { return loss_; }  // of the pass, for each unit of weight

  [[nodiscard]] const ComplEx& model() const { return x_; }
  [[nodiscard]] ComplEx& model() { return x_; }

  // All that passes change, between two of them.
  template <class A>
  void fields(A& archive) {
    fields_of(archive, x_);
    archive("entity_squares", entity_squares_);
    archive("relation_squares", relation_squares_);
    archive("rng", rng_);
    archive("loss", loss_);
  }

 private:
  void softmax_batches(const Interrupted& interrupted);
  void logistic_batches(const Interrupted& interrupted);

  ComplEx x_;
  ComplExOptions options_;
  Matrix<float> entity_squares_;
  Matrix<float> relation_squares_;
  MoveRow move_;
  Rng rng_;
  LinkEntries entries_;
  LinkQuestions questions_[2];  // forward, backward
  std::optional<SoftmaxLoss> softmax_;
  std::optional<LogisticLoss> logistic_;
  double loss_ = 0.0;
  double sum_ = 0.0;
  double weight_ = 0.0;
};

}  // namespace lacuna
