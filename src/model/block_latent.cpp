// SPDX-License-Identifier: MIT
// The scores of latent parts. Of a part (k, S) and a query with one mode open:
//
//   the open mode is k         the query is on one fiber: v_c times the rows of U
//   S is the open mode alone   each position is a fiber: the query's row of U times the v_c
//   S holds it among others    each position may be a fiber: sparse, FibersAlong
//   it is ignored              one number for all positions
//   near parts                 as the first where k is open; else cell by cell
#include <algorithm>
#include <memory>
#include <numeric>

#include "kernels/near_kernel.hpp"
#include "model/block_scorer.hpp"
#include "model/latent.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

using Vector = Eigen::Map<const Eigen::VectorXd>;

Eigen::Index columns_of(const OpenMode& open) { return static_cast<Eigen::Index>(open.positions.size()); }

Matrix<double> left_rows(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  Matrix<double> table = Matrix<double>::Zero(columns_of(open), latent.rank(p));
  for (Eigen::Index j = 0; j < table.rows(); ++j)
    if (const Index row = open.positions[static_cast<std::size_t>(j)]; row < latent.kernels(p).rows())
      std::copy_n(latent.left_row(p, row), latent.rank(p), table.row(j).data());
  return table;
}

// u of the query's row; false, and zeros, where the mode has no such position.
bool query_row(const LatentPredictor& latent, std::size_t p, const Cells& queries, Count q, double* vector) {
  const Index row = latent.row_of(p, queries, q);
  const bool there = row < latent.kernels(p).rows();
  if (there)
    std::copy_n(latent.left_row(p, row), latent.rank(p), vector);
  else
    std::fill_n(vector, latent.rank(p), 0.0);
  return there;
}

bool query_fiber(const LatentPredictor& latent, std::size_t p, const Cells& queries, Count q,
                 double* vector) {
  const FiberLookup::Hit hit = latent.lookup(p).find(queries, q);
  const bool there = hit.kind != FiberLookup::Kind::kNone;
  if (there)
    latent.fiber_vector(p, hit, vector);
  else
    std::fill_n(vector, latent.rank(p), 0.0);
  return there;
}

// Whether the part has something to learn a row from.
bool knows(const LatentPredictor& latent, std::size_t p, Index row) {
  return row < latent.kernels(p).rows() && latent.lookup(p).knows_row(row);
}
bool knows_query(const LatentPredictor& latent, std::size_t p, const Cells& queries, Count q) {
  return knows(latent, p, latent.row_of(p, queries, q));
}
bool on_fiber(const LatentPredictor& latent, std::size_t p, const Cells& queries, Count q) {
  return latent.lookup(p).find(queries, q).kind != FiberLookup::Kind::kNone;
}

std::vector<char> known_rows(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  std::vector<char> known;
  for (const Index position : open.positions) known.push_back(knows(latent, p, position) ? 1 : 0);
  return known;
}

void mark(const std::vector<char>& known, std::span<char> heard) {
  for (std::size_t j = 0; j < known.size(); ++j) heard[j] |= known[j];
}

ScoreTerm rows_open(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  return {.table = left_rows(latent, p, open),
          .vector = [&latent, p](const Cells& queries, Count q,
                                 double* vector) { query_fiber(latent, p, queries, q, vector); },
          .hear =
              [&latent, p, known = known_rows(latent, p, open)](const Cells& queries, Count q,
                                                                std::span<char> heard) {
                if (on_fiber(latent, p, queries, q)) mark(known, heard);
              }};
}

// The position along the open mode is all that tells fibers apart.
ScoreTerm fibers_open(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  Cells places(latent.latent().dual.order());
  std::vector<Index> place(static_cast<std::size_t>(places.order()), kUnseen);
  for (const Index position : open.positions) {
    place[static_cast<std::size_t>(open.mode)] = position;
    places.add(place);
  }
  Matrix<double> table(columns_of(open), latent.rank(p));
  std::vector<char> found;
  for (Eigen::Index j = 0; j < table.rows(); ++j)
    found.push_back(query_fiber(latent, p, places, j, table.row(j).data()) ? 1 : 0);
  return {.table = std::move(table),
          .vector = [&latent, p](const Cells& queries, Count q,
                                 double* vector) { query_row(latent, p, queries, q, vector); },
          .hear =
              [&latent, p, found = std::move(found)](const Cells& queries, Count q, std::span<char> heard) {
                if (knows_query(latent, p, queries, q)) mark(found, heard);
              }};
}

// The fibers of a part in groups that differ along the open mode only, with their vectors.
class FibersAlong {
 public:
  FibersAlong(const LatentPredictor& latent, std::size_t p, const OpenMode& open)
      : others_(latent.spec(p).agree) {
    others_.erase(std::find(others_.begin(), others_.end(), open.mode));
    std::vector<int> by = others_;
    by.push_back(open.mode);
    const FiberView& view = latent.kernels(p).view();
    const ObservedTensor& tensor = latent.latent().dual;
    Cells fibers(tensor.order());
    std::vector<FiberLookup::Hit> hits;
    const auto add = [&](FiberLookup::Kind kind, Index which, Index entry) {
      fibers.add(tensor.cells(), entry);
      hits.push_back({kind, which});
    };
    for (Count f = 0; f < view.listed_fibers(); ++f)
      add(FiberLookup::Kind::kListed, static_cast<Index>(f), view.entry()[view.span(f).begin]);
    view.for_each_single(0, tensor.size(), [&](Count e) {
      add(FiberLookup::Kind::kSingle, static_cast<Index>(e), static_cast<Index>(e));
    });
    const std::vector<Index> order = lexicographic_order(fibers, by);
    places_ = Cells(tensor.order());
    vectors_.resize(static_cast<Eigen::Index>(order.size()), latent.rank(p));
    for (const Index f : order) {
      const Index column = open.column(fibers[open.mode][f]);
      if (column == kUnseen) continue;
      latent.fiber_vector(p, hits[f], vectors_.row(static_cast<Eigen::Index>(column_.size())).data());
      column_.push_back(column);
      places_.add(fibers, f);
    }
  }

  void add(const Cells& queries, Count q, const double* row, std::span<double> scores) const {
    const Vector u(row, vectors_.cols());
    const auto [first, last] = equal_cells(places_, queries, q, others_);
    for (Count f = first; f < last; ++f) scores[column_[f]] += vectors_.row(f).dot(u);
  }
  void hear(const Cells& queries, Count q, std::span<char> heard) const {
    const auto [first, last] = equal_cells(places_, queries, q, others_);
    for (Count f = first; f < last; ++f) heard[column_[f]] = 1;
  }
  [[nodiscard]] int rank() const { return static_cast<int>(vectors_.cols()); }

 private:
  std::vector<int> others_;
  Cells places_;
  std::vector<Index> column_;
  Matrix<double> vectors_;
};

ScoreTerm some_fibers_open(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  const auto along = std::make_shared<FibersAlong>(latent, p, open);
  return {.add =
              [along, &latent, p](const Cells& queries, Count q, std::span<double> scores) {
                std::vector<double> row(static_cast<std::size_t>(along->rank()));
                if (query_row(latent, p, queries, q, row.data())) along->add(queries, q, row.data(), scores);
              },
          .hear =
              [along, &latent, p](const Cells& queries, Count q, std::span<char> heard) {
                if (knows_query(latent, p, queries, q)) along->hear(queries, q, heard);
              }};
}

ScoreTerm nothing_open(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  return {.table = Matrix<double>::Ones(columns_of(open), 1),
          .vector =
              [&latent, p](const Cells& queries, Count q, double* value) {
                std::vector<double> row(static_cast<std::size_t>(latent.rank(p)));
                std::vector<double> fiber(row.size());
                query_row(latent, p, queries, q, row.data());
                query_fiber(latent, p, queries, q, fiber.data());
                *value = std::inner_product(row.begin(), row.end(), fiber.begin(), 0.0);
              },
          .hear =
              [&latent, p](const Cells& queries, Count q, std::span<char> heard) {
                if (knows_query(latent, p, queries, q) && on_fiber(latent, p, queries, q))
                  std::fill(heard.begin(), heard.end(), 1);
              }};
}

// The query's cells, one for each column, or one alone with the position 0 along the open mode.
Cells cells_of(const Cells& queries, Count q, const OpenMode& open, bool all) {
  Cells cells(queries.order());
  std::vector<Index> cell(static_cast<std::size_t>(queries.order()));
  for (int k = 0; k < queries.order(); ++k) cell[static_cast<std::size_t>(k)] = queries[k][q];
  Index& moving = cell[static_cast<std::size_t>(open.mode)];
  moving = 0;
  if (!all) cells.add(cell);
  for (std::size_t j = 0; all && j < open.positions.size(); ++j) {
    moving = open.positions[j];
    cells.add(cell);
  }
  return cells;
}

ScoreTerm near_rows_open(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  const auto field = std::make_shared<std::vector<double>>(latent.near_field(p));
  return {.table = left_rows(latent, p, open),
          .vector =
              [field, &latent, p, &open](const Cells& queries, Count q, double* vector) {
                const NearKernel& near = *latent.kernels(p).near();
                std::fill_n(vector, latent.rank(p), 0.0);
                const NearCells found = near.find_cells(cells_of(queries, q, open, false), {});
                if (!found.cell.empty()) near.read_cell(found, 0, *field, latent.rank(p), vector);
              },
          .hear =
              [&latent, p, &open, known = known_rows(latent, p, open)](const Cells& queries, Count q,
                                                                       std::span<char> heard) {
                const NearKernel& near = *latent.kernels(p).near();
                if (!near.find_cells(cells_of(queries, q, open, false), {}).cell.empty()) mark(known, heard);
              }};
}

ScoreTerm near_cells_open(const LatentPredictor& latent, std::size_t p, const OpenMode& open) {
  const auto field = std::make_shared<std::vector<double>>(latent.near_field(p));
  return {.add =
              [field, &latent, p, &open](const Cells& queries, Count q, std::span<double> scores) {
                const NearKernel& near = *latent.kernels(p).near();
                const NearCells found = near.find_cells(cells_of(queries, q, open, true), {});
                std::vector<double> s(static_cast<std::size_t>(latent.rank(p)));
                for (std::size_t i = 0; i < found.cell.size(); ++i) {
                  std::fill(s.begin(), s.end(), 0.0);
                  near.read_cell(found, i, *field, latent.rank(p), s.data());
                  scores[found.cell[i]] += Vector(s.data(), latent.rank(p))
                                               .dot(Vector(latent.left_row(p, found.row[i]), latent.rank(p)));
                }
              },
          .hear =
              [&latent, p, &open](const Cells& queries, Count q, std::span<char> heard) {
                if (!knows_query(latent, p, queries, q)) return;
                for (const Index cell :
                     latent.kernels(p).near()->find_cells(cells_of(queries, q, open, true), {}).cell)
                  heard[cell] = 1;
              }};
}

}  // namespace

std::vector<ScoreTerm> latent_terms(const LatentPredictor& latent, const OpenMode& open) {
  std::vector<ScoreTerm> terms;
  for (std::size_t p = 0; p < latent.part_count(); ++p) {
    const PartSpec& spec = latent.spec(p);
    const bool agrees = std::find(spec.agree.begin(), spec.agree.end(), open.mode) != spec.agree.end();
    const bool rows = spec.learns() && spec.mode == open.mode;
    if (latent.kernels(p).near() != nullptr)
      terms.push_back(rows ? near_rows_open(latent, p, open) : near_cells_open(latent, p, open));
    else if (rows)
      terms.push_back(rows_open(latent, p, open));
    else if (agrees && spec.agree.size() == 1)
      terms.push_back(fibers_open(latent, p, open));
    else if (agrees)
      terms.push_back(some_fibers_open(latent, p, open));
    else
      terms.push_back(nothing_open(latent, p, open));
  }
  return terms;
}

}  // namespace lacuna
