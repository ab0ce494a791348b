// SPDX-License-Identifier: MIT
// Method edges: a near part whose field may break where values jump, by re-weighted least squares. Each round
//
//   solve    V for the present U and W                                   (edge_field.hpp)
//   learn    Theta = (X'KX)^(1/2) / tr,  U U' = Theta,  X = V U'         the optimum of the part's trace norm
//   weigh    W = 1 / (1 + g / (contrast mean g)),  g the squared steps between neighbours of the mean of all X so far
//
// The first round has W = 1 and the Theta that pairs of entries of one cell suggest. The mean over the rounds is the
// answer, which the model holds at every cell: single rounds make edges of whatever the one before it had steeper
// than the rest, and err in different ways. With `contrast` 0 all W stay 1, the rounds lead to the near part of
// tr-mm, and the last one is the answer.
#include <cmath>

#include "linalg/decompose.hpp"
#include "method/dense/dense.hpp"
#include "method/field/edge_field.hpp"
#include "method/field/edge_part.hpp"

namespace lacuna {
namespace {

constexpr double kLeastColumn = 1e-4;  // of the largest eigenvalue of Theta: smaller ones are dropped
constexpr double kGoal = 2e-4;  // of a round's solve, of its objective; the next one begins where it ends
constexpr int kMostSolveSteps = 400;

// U with U U' = S^(1/2) / tr in the basis q, by the largest eigenvalues of S; `turn` takes what stands in q there.
struct Learned {
  Matrix<double> u{};
  Eigen::MatrixXd vectors;  // of S in q
  Eigen::VectorXd weight;   // the roots of Theta's eigenvalues
};
Learned learn(const Eigen::MatrixXd& q, const Eigen::MatrixXd& s, int most) {
  const SymmetricEigen eigen = symmetric_eigen(s);  // ascending
  const Eigen::VectorXd root = eigen.values.cwiseMax(0.0).cwiseSqrt();
  const Eigen::Index all = root.size();
  const double total = root.sum();
  if (!(total > 0.0)) {  // nothing to learn from: every row alike
    const auto first = std::min<Eigen::Index>(all, most);
    Learned plain{.vectors = Eigen::MatrixXd::Identity(all, first),
                  .weight = Eigen::VectorXd::Constant(first, std::sqrt(1.0 / static_cast<double>(first)))};
    plain.u = q * plain.vectors * plain.weight.asDiagonal();
    return plain;
  }
  Eigen::Index kept = 1;
  while (kept < std::min<Eigen::Index>(all, most) && root[all - 1 - kept] > kLeastColumn * root[all - 1])
    ++kept;
  Learned learned{.vectors = eigen.vectors.rightCols(kept), .weight = (root.tail(kept) / total).cwiseSqrt()};
  learned.u = q * learned.vectors * learned.weight.asDiagonal();
  return learned;
}

class Edges {
 public:
  Edges(const ObservedTensor& tensor, const Settings& options, FitRun& run);
  Solved solve();

 private:
  void learn_rows();
  void state(Archive& archive);
  void take_mean(int round);
  void write_answer();
  [[nodiscard]] double train_error() const;
  [[nodiscard]] double objective(double train_rmse);

  const ObservedTensor* tensor_;
  const Settings* options_;
  FitRun* run_;
  PartOptions part_;
  EdgeField field_;
  double lambda_;
  double contrast_;
  Matrix<double> u_;
  std::vector<double> v_;
  std::vector<double> mean_;  // of V over the rounds
  Dense answer_;
  // What steps change beside these.
  Summary summary_{.reason = StopReason::kMaxIterations};
  BestStep best_;
  Count applied_ = 0;
};

Edges::Edges(const ObservedTensor& tensor, const Settings& options, FitRun& run)
    : tensor_(&tensor),
      options_(&options),
      run_(&run),
      part_(edge_part(tensor.modes(), options)),
      field_(tensor, part_.spec),
      lambda_(*options.lambda * static_cast<double>(field_.rows())),
      contrast_(options.field.contrast.value_or(usual_contrast(part_.spec, tensor.modes()))),
      best_(options, run) {
  const auto n = static_cast<Eigen::Index>(field_.rows());
  const Eigen::MatrixXd covariance = field_.row_covariance(tensor.values());
  u_ = learn(Eigen::MatrixXd::Identity(n, n), covariance, part_.rank).u;
  answer_.value.resize(static_cast<std::size_t>(cell_count(shape_of(tensor))));
  for (const NearMode& near : part_.spec.near) answer_.spanned.push_back(near.mode);
}

// Behind a round: there and back.
void Edges::state(Archive& archive) {
  std::vector<double> edges = field_.edges();
  const std::size_t steps = edges.size();
  std::vector<double> u(u_.data(), u_.data() + u_.size());
  archive("u", u);
  archive("v", v_);
  archive("mean", mean_);
  archive("edges", edges);
  archive("answer", answer_.value);
  archive("summary", summary_);
  archive("best", best_);
  archive("applied", applied_);
  const auto columns = static_cast<Eigen::Index>(u.size()) / field_.rows();
  const auto fields = static_cast<std::size_t>(field_.cells() * columns);
  const auto cells = static_cast<std::size_t>(cell_count(shape_of(*tensor_)));
  if (columns < 1 || columns * field_.rows() != static_cast<Eigen::Index>(u.size()) || v_.size() != fields ||
      mean_.size() != fields || edges.size() != steps || answer_.value.size() != cells ||
      !best_.fits(cells) || summary_.iterations < 0 || summary_.iterations > *options_->max_iterations)
    Archive::refuse("field", "one of this fit");
  u_ = Eigen::Map<const Matrix<double>>(u.data(), field_.rows(), columns);
  field_.set_edges(edges);
  field_.set_factor(u_, lambda_);
}

// V T is the same X in the columns of the new U, and so is the mean.
void Edges::learn_rows() {
  const ThinQr qr = thin_qr(u_);
  const Learned learned = learn(qr.q, qr.r * field_.precision_gram(v_) * qr.r.transpose(), part_.rank);
  const Eigen::MatrixXd turn =
      qr.r.transpose() * learned.vectors * learned.weight.cwiseInverse().asDiagonal();
  for (std::vector<double>* field : {&v_, &mean_}) {
    const Eigen::Map<const Eigen::MatrixXd> before(field->data(), field_.cells(), u_.cols());
    const Eigen::MatrixXd after = before * turn;
    field->assign(after.data(), after.data() + after.size());
  }
  u_ = learned.u;
  field_.set_factor(u_, lambda_);
}

void Edges::take_mean(int round) {
  mean_.resize(v_.size(), 0.0);
  const double share = contrast_ > 0.0 ? 1.0 / round : 1.0;
  for (std::size_t i = 0; i < v_.size(); ++i) mean_[i] += share * (v_[i] - mean_[i]);
}

void Edges::write_answer() {
  const std::vector<Index> sizes = extents(tensor_->modes());
  std::vector<Index> index(sizes.size(), 0);
  for (double& value : answer_.value) {
    value = field_.value(mean_, field_.cell_of(index), field_.row_of(index));
    for (std::size_t k = 0; k < sizes.size() && ++index[k] == sizes[k]; ++k) index[k] = 0;
  }
}

double Edges::train_error() const {
  const std::vector<std::size_t> cells = observed_cells(*tensor_);
  double sum = 0.0;
  for (std::size_t e = 0; e < cells.size(); ++e)
    sum +=
        tensor_->weight(static_cast<Count>(e)) * std::pow(answer_.value[cells[e]] - tensor_->values()[e], 2);
  return std::sqrt(sum / tensor_->total_weight());
}

double Edges::objective(double train_rmse) {
  return train_rmse * train_rmse * tensor_->total_weight() +
         0.5 / lambda_ * field_.precision_gram(v_).trace();
}

Solved Edges::solve() {
  const std::vector<Index> sizes = extents(tensor_->modes());
  const auto add_test = [&](std::span<double> out) { add_values(answer_, sizes, run_->test()->cells, out); };
  const auto fields = [this](Archive& archive) { state(archive); };
  run_->guess_unseen(answer_.spanned);
  field_.set_factor(u_, lambda_);
  run_->go_on_from(fields);
  while (summary_.iterations < *options_->max_iterations && !run_->stop_before_step()) {
    const int round = ++summary_.iterations;
    if (round > 1) {
      learn_rows();
      if (contrast_ > 0.0) field_.find_edges(mean_, contrast_);
    }
    applied_ += field_.solve(tensor_->values(), kGoal, kMostSolveSteps, run_->poll_unless_kept(), v_);
    take_mean(round);
    const std::vector<double> before = answer_.value;
    write_answer();
    const double rmse = train_error();
    summary_.objective = objective(rmse);
    const auto cells = static_cast<Eigen::Index>(before.size());
    const Eigen::Map<const Eigen::VectorXd> then(before.data(), cells);
    const Eigen::Map<const Eigen::VectorXd> now(answer_.value.data(), cells);
    const bool again =
        end_step((now - then).norm(), now.norm(), {.train_rmse = rmse, .operator_applications = applied_},
                 *options_, *run_, add_test, summary_);
    best_.note(answer_.value);
    if (summary_.reason != StopReason::kSmallChange && run_->keep_wanted()) run_->keep(fields);
    if (!again) break;
  }
  best_.put_back(answer_.value);
  if (run_->stopped()) summary_.reason = StopReason::kStopped;
  return {.body = std::move(answer_), .summary = summary_};
}

}  // namespace

Solved solve_edges(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  if (options.latent.parts.given() && options.latent.parts->size() != 1)
    throw std::invalid_argument("method edges takes one part, " +
                                std::to_string(options.latent.parts->size()) + " are given");
  return Edges(tensor, options, run).solve();
}

}  // namespace lacuna
