// SPDX-License-Identifier: MIT
// The scores of offsets, of Tucker, CP and dense tensors.
#include <algorithm>
#include <memory>

#include "model/block_scorer.hpp"
#include "model/body.hpp"

namespace lacuna {
namespace {

// A number for each query, the same for all positions.
ScoreTerm same_for_all(const OpenMode& open, std::function<double(const Cells&, Count)> value) {
  return {.table = Matrix<double>::Ones(static_cast<Eigen::Index>(open.positions.size()), 1),
          .vector = [value = std::move(value)](const Cells& queries, Count q, double* vector) {
            *vector = value(queries, q);
          }};
}

// An effect of a pair of modes, one of them open: the values of a query lie together.
struct PairRow {
  int fixed = 0;                     // the other mode
  std::vector<std::uint64_t> key{};  // position along `fixed` << 32 | position along the open mode, ascending
  std::vector<double> value{};
};

PairRow pair_row(const Effect& effect, int open) {
  PairRow row{
      .fixed = effect.modes[effect.modes[0] == open ? 1 : 0], .key = effect.key, .value = effect.value};
  if (effect.modes[1] == open) return row;
  std::vector<std::pair<std::uint64_t, double>> turned;
  turned.reserve(row.key.size());
  for (std::size_t i = 0; i < row.key.size(); ++i)
    turned.emplace_back(row.key[i] << 32 | row.key[i] >> 32, row.value[i]);
  std::sort(turned.begin(), turned.end());
  for (std::size_t i = 0; i < turned.size(); ++i) std::tie(row.key[i], row.value[i]) = turned[i];
  return row;
}

ScoreTerm pair_term(const Effect& effect, const OpenMode& open) {
  const auto row = std::make_shared<PairRow>(pair_row(effect, open.mode));
  return {.add = [row, &open](const Cells& queries, Count q, std::span<double> scores) {
    const std::uint64_t from = queries[row->fixed][q];
    auto at = std::lower_bound(row->key.begin(), row->key.end(), from << 32);
    for (; at != row->key.end() && *at >> 32 == from; ++at) {
      const Index column = open.column(static_cast<Index>(*at));
      if (column != kUnseen) scores[column] += row->value[static_cast<std::size_t>(at - row->key.begin())];
    }
  }};
}

// The rows of a factor at the scored positions; zeros beyond its end.
Matrix<double> rows_at(const Matrix<double>& factor, const OpenMode& open) {
  Matrix<double> rows = Matrix<double>::Zero(static_cast<Eigen::Index>(open.positions.size()), factor.cols());
  for (std::size_t j = 0; j < open.positions.size(); ++j)
    if (open.positions[j] < factor.rows())
      rows.row(static_cast<Eigen::Index>(j)) = factor.row(open.positions[j]);
  return rows;
}

// The core, contracted with the query's row along each mode but the open one, the last mode first.
void contract(const Tucker& x, int open, const Cells& queries, Count q, double* vector) {
  for (int k = 0; k < x.order(); ++k)
    if (k != open && queries[k][q] >= x.factors[k].rows()) {
      std::fill_n(vector, x.rank(open), 0.0);
      return;
    }
  Eigen::VectorXd left = x.core;  // first index fastest
  std::vector<int> ranks = x.ranks();
  for (int k = x.order() - 1; k >= 0; --k) {
    if (k == open) continue;
    left = mode_product(left, ranks, k, x.factors[k].row(queries[k][q]));
    ranks[k] = 1;
  }
  std::copy(left.begin(), left.end(), vector);
}

ScoreTerm tucker_term(const Tucker& x, const OpenMode& open) {
  return {.table = rows_at(x.factors[open.mode], open),
          .vector = [&x, mode = open.mode](const Cells& queries, Count q, double* vector) {
            contract(x, mode, queries, q, vector);
          }};
}

ScoreTerm cp_term(const Cp& x, const OpenMode& open) {
  return {.table = rows_at(x.factors[open.mode], open),
          .vector = [&x, mode = open.mode](const Cells& queries, Count q, double* vector) {
            Eigen::Map<Eigen::RowVectorXd> product(vector, x.factors[mode].cols());
            product.setOnes();
            for (int k = 0; k < static_cast<int>(x.factors.size()); ++k) {
              if (k == mode) continue;
              if (queries[k][q] < x.factors[k].rows())
                product.array() *= x.factors[k].row(queries[k][q]).array();
              else
                product.setZero();
            }
          }};
}

ScoreTerm dense_term(const Dense& x, const std::vector<Index>& sizes, const OpenMode& open) {
  return {.add = [&x, sizes, &open](const Cells& queries, Count q, std::span<double> scores) {
    std::size_t begin = 0;
    std::size_t step = 1;
    std::size_t stride = 1;
    for (std::size_t k = 0; k < sizes.size(); stride *= sizes[k++]) {
      if (static_cast<int>(k) == open.mode) {
        step = stride;
        continue;
      }
      if (queries[k][q] >= sizes[k]) return;
      begin += stride * queries[k][q];
    }
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (open.positions[j] < sizes[static_cast<std::size_t>(open.mode)])
        scores[j] += x.value[begin + step * open.positions[j]];
  }};
}

}  // namespace

std::vector<ScoreTerm> offset_terms(const Offsets& offsets, const OpenMode& open) {
  std::vector<ScoreTerm> terms;
  terms.push_back(same_for_all(open, [&offsets, mode = open.mode](const Cells& queries, Count q) {
    double sum = offsets.mean;
    for (const Effect& effect : offsets.effects)
      if (std::find(effect.modes.begin(), effect.modes.end(), mode) == effect.modes.end())
        sum += effect.at(effect.key_of(queries, q));
    return sum;
  }));
  for (const Effect& effect : offsets.effects) {
    if (std::find(effect.modes.begin(), effect.modes.end(), open.mode) == effect.modes.end()) continue;
    if (effect.modes.size() == 2) {
      terms.push_back(pair_term(effect, open));
      continue;
    }
    Matrix<double> table(static_cast<Eigen::Index>(open.positions.size()), 1);
    for (std::size_t j = 0; j < open.positions.size(); ++j)
      table(static_cast<Eigen::Index>(j), 0) = effect.at(open.positions[j]);
    terms.push_back(
        {.table = std::move(table), .vector = [](const Cells&, Count, double* vector) { *vector = 1.0; }});
  }
  return terms;
}

std::vector<ScoreTerm> body_terms(const Model& model, const OpenMode& open, LinksBy by) {
  std::vector<ScoreTerm> terms;
  if (const auto* tucker = std::get_if<Tucker>(&*model.body)) terms.push_back(tucker_term(*tucker, open));
  if (const auto* cp = std::get_if<Cp>(&*model.body)) terms.push_back(cp_term(*cp, open));
  if (const auto* dense = std::get_if<Dense>(&*model.body))
    terms.push_back(dense_term(*dense, extents(model.modes), open));
  if (const auto* links = std::get_if<ComplEx>(&*model.body)) terms.push_back(link_term(*links, open, by));
  return terms;
}

}  // namespace lacuna
