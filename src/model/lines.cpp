// SPDX-License-Identifier: MIT
#include "model/lines.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/base/result.hpp>

#include "model/body.hpp"
#include "model/cold_guess.hpp"
#include "model/latent_lines.hpp"

namespace lacuna {
namespace {

bool within(const std::vector<Index>& sizes, const Cells& cells, Count cell, int but) {
  for (int k = 0; k < cells.order(); ++k)
    if (k != but && cells[k][cell] >= sizes[k]) return false;
  return true;
}

// The core contracted with the rows of all modes but one.
Eigen::VectorXd line_vector(const Tucker& x, const Cells& cells, Count cell, int mode) {
  Eigen::VectorXd core = x.core;
  std::vector<int> ranks = x.ranks();
  for (int k = 0; k < x.order(); ++k) {
    if (k == mode) continue;
    core = mode_product(core, ranks, k, x.factors[k].row(cells[k][cell]));
    ranks[k] = 1;
  }
  return core;
}

Eigen::VectorXd line_vector(const Cp& x, const Cells& cells, Count cell, int mode) {
  Eigen::VectorXd product = Eigen::VectorXd::Ones(x.factors[0].cols());
  for (int k = 0; k < cells.order(); ++k)
    if (k != mode) product.array() *= x.factors[k].row(cells[k][cell]).transpose().array();
  return product;
}

// Bodies whose lines are the products of a factor's rows with one vector for each line.
template <class Body>
void add_products(const Body& x, const std::vector<Index>& sizes, const Cells& cells, Count first, Count last,
                  int mode, Matrix<double>& out) {
  const Matrix<double>& factor = x.factors[mode];
  Matrix<double> vectors = Matrix<double>::Zero(last - first, factor.cols());
  for (Count i = first; i < last; ++i)
    if (within(sizes, cells, i, mode)) vectors.row(i - first) = line_vector(x, cells, i, mode).transpose();
  const Eigen::Index count = std::min(out.cols(), factor.rows());
  out.leftCols(count).noalias() += vectors * factor.topRows(count).transpose();
}

void add_cells(const Dense& x, const std::vector<Index>& sizes, const Cells& cells, Count first, Count last,
               int mode, Matrix<double>& out) {
  const Eigen::Index count = std::min<Eigen::Index>(out.cols(), sizes[mode]);
  for (Count i = first; i < last; ++i) {
    if (!within(sizes, cells, i, mode)) continue;
    std::size_t at = 0;
    std::size_t step = 1;  // between neighbours along the mode
    for (int k = cells.order() - 1; k >= 0; --k) at = at * sizes[k] + (k == mode ? 0 : cells[k][i]);
    for (int k = 0; k < mode; ++k) step *= sizes[k];
    for (Eigen::Index j = 0; j < count; ++j)
      out(i - first, j) += x.value[at + static_cast<std::size_t>(j) * step];
  }
}

}  // namespace

LineScores::LineScores(const Predictor& predictor, int mode, Index positions)
    : predictor_(&predictor), model_(&predictor.model()), mode_(mode), positions_(positions) {
  const ColdGuess guess(*model_);
  for (Index j = 0; j < positions && !model_->fallback.empty(); ++j) unseen_.push_back(guess.unseen(mode, j));
  const LatentPredictor* latent = predictor.latent();
  if (latent != nullptr && LatentLines::possible(*latent))
    latent_ = std::make_unique<LatentLines>(*latent, mode, positions);
  else
    by_cells_ = latent != nullptr;
}

LineScores::LineScores(LineScores&&) noexcept = default;
LineScores& LineScores::operator=(LineScores&&) noexcept = default;
LineScores::~LineScores() = default;

void LineScores::add_offsets(const Offsets& offsets, const Cells& cells, Count first, Count last,
                             Matrix<double>& out) const {
  Eigen::RowVectorXd along = Eigen::RowVectorXd::Constant(positions_, offsets.mean);
  for (const Effect& effect : offsets.effects)
    for (Index j = 0; j < positions_ && effect.modes == std::vector<int>{mode_}; ++j)
      along[j] += effect.at(j);
  for (Count i = first; i < last; ++i) {
    auto row = out.row(i - first);
    row += along;
    for (const Effect& effect : offsets.effects) {
      if (effect.modes == std::vector<int>{mode_}) continue;
      if (std::find(effect.modes.begin(), effect.modes.end(), mode_) == effect.modes.end()) {
        row.array() += effect.at(effect.key_of(cells, i));
        continue;
      }
      const int other = effect.modes[0] == mode_ ? effect.modes[1] : effect.modes[0];
      const std::uint64_t fixed = cells[other][i];
      for (Index j = 0; j < positions_; ++j)
        row[j] += effect.at(effect.modes[0] == mode_ ? std::uint64_t{j} << 32 | fixed : fixed << 32 | j);
    }
  }
}

void LineScores::add_body(const Cells& cells, Count first, Count last, Matrix<double>& out) const {
  if (latent_) return latent_->add_scores(cells, first, last, out);
  const std::vector<Index> sizes = extents(model_->modes);
  if (const auto* tucker = std::get_if<Tucker>(&*model_->body))
    add_products(*tucker, sizes, cells, first, last, mode_, out);
  if (const auto* cp = std::get_if<Cp>(&*model_->body))
    add_products(*cp, sizes, cells, first, last, mode_, out);
  if (const auto* dense = std::get_if<Dense>(&*model_->body))
    add_cells(*dense, sizes, cells, first, last, mode_, out);
  if (const auto* complex = std::get_if<ComplEx>(&*model_->body))
    add_line_scores(*complex, cells, first, last, mode_, out);
}

void LineScores::guess_silent(const Cells& cells, Count first, Count last, Matrix<double>& out) const {
  const ColdGuess guess(*model_);
  LatentLines::Spoken spoken;
  if (latent_) spoken = latent_->spoken(cells, first, last);
  Matrix<double> guessed = Matrix<double>::Zero(last - first, positions_);
  add_offsets(model_->fallback, cells, first, last, guessed);
  for (Count i = first; i < last; ++i) {
    bool cold = false;  // the whole line
    for (int k = 0; k < cells.order(); ++k) cold = cold || (k != mode_ && guess.unseen(k, cells[k][i]));
    for (Index j = 0; j < positions_; ++j) {
      const bool unseen = cold || unseen_[j];
      const bool silent = latent_ ? !spoken(i - first, j) : unseen;
      if (silent || (model_->offsets.empty() && unseen)) out(i - first, j) = guessed(i - first, j);
    }
  }
}

void LineScores::score_by_cells(const Cells& cells, Count first, Count last, Matrix<double>& out) const {
  Cells line(cells.order());
  line.reserve((last - first) * positions_);
  std::vector<Index> cell(static_cast<std::size_t>(cells.order()));
  for (Count i = first; i < last; ++i) {
    for (int k = 0; k < cells.order(); ++k) cell[k] = cells[k][i];
    for (Index j = 0; j < positions_; ++j) {
      cell[mode_] = j;
      line.add(cell);
    }
  }
  const std::vector<double> value = predictor_->predict(line).value;
  std::copy(value.begin(), value.end(), out.data());
}

void LineScores::score(const Cells& cells, Count first, Count last, Matrix<double>& out) const {
  out.setZero(last - first, positions_);
  if (by_cells_) return score_by_cells(cells, first, last, out);
  add_offsets(model_->offsets, cells, first, last, out);
  add_body(cells, first, last, out);
  if (!model_->fallback.empty()) guess_silent(cells, first, last, out);
  // Scores of links are no probabilities yet, so a range of those says nothing of them.
  if (model_->clip && !std::holds_alternative<ComplEx>(*model_->body))
    out = out.cwiseMax(model_->clip->low).cwiseMin(model_->clip->high);
  if (!out.allFinite())
    throw ValueRangeError("the model's numbers are too large: a score along mode " +
                          model_->modes[mode_].name + " is not finite");
}

}  // namespace lacuna
