// SPDX-License-Identifier: MIT
#include "model/block_scorer.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "model/body.hpp"
#include "model/cold_guess.hpp"

namespace lacuna {
namespace {

OpenMode open_mode(const Predictor& predictor, int mode, std::vector<Index> positions) {
  if (mode < 0 || mode >= predictor.model().order())
    throw std::invalid_argument("the open mode must be one of the model's " +
                                std::to_string(predictor.model().order()) + ", not number " +
                                std::to_string(mode + 1));
  OpenMode open{.mode = mode, .positions = std::move(positions)};
  for (std::size_t j = 0; j < open.positions.size(); ++j) {
    const Index position = open.positions[j];
    if (position == kUnseen) continue;
    if (position >= open.column_of.size()) open.column_of.resize(position + std::size_t{1}, kUnseen);
    open.column_of[position] = static_cast<Index>(j);
  }
  return open;
}

std::vector<Index> all_below(Index extent) {
  std::vector<Index> positions(extent);
  std::iota(positions.begin(), positions.end(), Index{0});
  return positions;
}

// Which columns' positions were seen, whatever the other modes' are.
std::vector<char> seen_columns(const Model& model, const OpenMode& open) {
  const ColdGuess guess(model);
  std::vector<char> seen;
  seen.reserve(open.positions.size());
  for (const Index position : open.positions) seen.push_back(guess.seen(open.mode, position) ? 1 : 0);
  return seen;
}

// What an effect adds at a query with this position along the open mode.
double effect_at(const Effect& effect, const Cells& queries, Count q, int open, Index position) {
  const auto at = [&](int mode) { return std::uint64_t{mode == open ? position : queries[mode][q]}; };
  const std::uint64_t first = at(effect.modes[0]);
  return effect.at(effect.modes.size() == 1 ? first : first << 32 | at(effect.modes[1]));
}

}  // namespace

BlockScorer::BlockScorer(const Predictor& predictor, int open, Index extent, LinksBy by)
    : BlockScorer(predictor, open, all_below(extent), by) {}

BlockScorer::BlockScorer(const Predictor& predictor, int open, std::vector<Index> positions, LinksBy by)
    : model_(&predictor.model()), open_(open_mode(predictor, open, std::move(positions))) {
  for (const Predictor& member : predictor.members_)
    members_.push_back(std::make_unique<BlockScorer>(member, open, open_.positions, by));
  if (!model_->fallback.empty() && !std::holds_alternative<ComplEx>(*model_->body))
    seen_ = seen_columns(*model_, open_);
  const auto take = [&](std::vector<ScoreTerm> more) {
    for (ScoreTerm& term : more) terms_.push_back(std::move(term));
  };
  take(offset_terms(predictor.model().offsets, open_));
  take(predictor.latent_ ? latent_terms(*predictor.latent_, open_)
                         : body_terms(predictor.model(), open_, by));
  Eigen::Index depth = 0;
  for (const ScoreTerm& term : terms_) depth += term.table.cols();
  Matrix<double> all(width(), depth);
  depth = 0;
  for (ScoreTerm& term : terms_) {
    if (term.table.cols() == 0) continue;
    all.middleCols(depth, term.table.cols()) = term.table;
    depth += term.table.cols();
    term.table = Matrix<double>(0, term.table.cols());  // its columns are counted, its rows lie in `all`
  }
  table_ = PanelTable(all);
}

void BlockScorer::score(const Cells& queries, Count first, Count last, std::span<double> out) const {
  const Count rows = last - first;
  std::vector<double> vectors(static_cast<std::size_t>(PanelTable::padded_queries(rows) * table_.depth()),
                              0.0);
  for (Count q = 0; q < rows; ++q) {
    double* vector = vectors.data() + q * table_.depth();
    for (const ScoreTerm& term : terms_) {
      if (term.vector) term.vector(queries, first + q, vector);
      vector += term.table.cols();
    }
  }
  table_.multiply(vectors.data(), rows, out.data());
  if (!members_.empty()) add_members(queries, first, last, out);
  for (Count q = 0; q < rows; ++q) {
    const auto scores =
        out.subspan(static_cast<std::size_t>(q * stride()), static_cast<std::size_t>(width()));
    for (const ScoreTerm& term : terms_)
      if (term.add) term.add(queries, first + q, scores);
    if (!seen_.empty()) guess_cold(queries, first + q, scores);
  }
}

// The scores of all have as many columns and the same stride.
void BlockScorer::add_members(const Cells& queries, Count first, Count last, std::span<double> out) const {
  const std::vector<double>& weights = std::get<Blend>(*model_->body).weights;
  std::vector<double> one(static_cast<std::size_t>(room(last - first)));
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m]->score(queries, first, last, one);
    for (Count q = 0; q < last - first; ++q)
      for (Count j = q * stride(); j < q * stride() + width(); ++j) out[j] += weights[m] * one[j];
  }
}

// As Predictor does cell by cell.
void BlockScorer::guess_cold(const Cells& queries, Count q, std::span<double> scores) const {
  const ColdGuess guess(*model_);
  bool query_seen = true;
  for (int k = 0; k < model_->order(); ++k)
    if (k != open_.mode) query_seen = query_seen && guess.seen(k, queries[k][q]);
  const bool latent = model_->latent() != nullptr;
  std::vector<char> heard(scores.size(), latent ? 0 : 1);
  for (const ScoreTerm& term : terms_)
    if (term.hear) term.hear(queries, q, heard);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const bool seen = query_seen && seen_[j] != 0;
    if (latent && heard[j] != 0 && (seen || !model_->offsets.empty())) continue;
    if (!latent && seen) continue;
    scores[j] = model_->fallback.mean;
    for (const Effect& effect : model_->fallback.effects)
      scores[j] += effect_at(effect, queries, q, open_.mode, open_.positions[j]);
  }
}

}  // namespace lacuna
