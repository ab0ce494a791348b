// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/evaluate/top.hpp>
#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"
#include "evaluate/top_select.hpp"
#include "model/blend.hpp"
#include "model/block_scorer.hpp"
#include "model/latent.hpp"

namespace lacuna {
namespace {

constexpr Count kRows = 16;     // scored at a time by one thread
constexpr Count kTasks = 1024;  // between two looks at `interrupted`
// Numbers a block of rows may take: fewer rows where the mode is long.
constexpr Count kScores = Count{1} << 21;

// Throws unless each mode is one of the model's and named once.
void check_modes(const TopOptions& options, int order) {
  std::vector<bool> named(static_cast<std::size_t>(order), false);
  for (const auto* list : {&options.open, &options.either})
    for (const int mode : *list) {
      if (mode < 0 || mode >= order)
        throw std::invalid_argument("a top list asks about mode " + std::to_string(mode + 1) +
                                    ", the model has " + std::to_string(order));
      if (named[static_cast<std::size_t>(mode)])
        throw std::invalid_argument("a top list names mode " + std::to_string(mode + 1) + " twice");
      named[static_cast<std::size_t>(mode)] = true;
    }
}

void check(const TopOptions& options, const Model& model) {
  if (options.open.empty()) throw std::invalid_argument("a top list needs an open mode");
  if (options.count < 1)
    throw std::invalid_argument("a top list has at least one cell, not " + std::to_string(options.count));
  check_modes(options, model.order());
  if (!options.candidates.empty() && options.candidates.size() != options.open.size())
    throw std::invalid_argument("a top list needs one list of candidates for each open mode");
  if (options.excluded.size() > 0 && options.excluded.order() != model.order())
    throw std::invalid_argument("excluded cells have " + std::to_string(options.excluded.order()) +
                                " indices, the model has " + std::to_string(model.order()) + " modes");
}

// The open modes ascending, with their candidates.
TopOptions in_order(TopOptions options) {
  std::vector<std::size_t> order(options.open.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return options.open[a] < options.open[b]; });
  const TopOptions given = options;
  for (std::size_t o = 0; o < order.size(); ++o) {
    options.open[o] = given.open[order[o]];
    if (!given.candidates.empty()) options.candidates[o] = given.candidates[order[o]];
  }
  return options;
}

// The positions to choose among, ascending, for each open mode.
std::vector<std::vector<Index>> choices(const TopOptions& options, const Model& model) {
  std::vector<std::vector<Index>> positions;
  for (std::size_t o = 0; o < options.open.size(); ++o) {
    const Index size = model.modes[static_cast<std::size_t>(options.open[o])].size;
    std::vector<Index> list = options.candidates.empty() ? std::vector<Index>{} : options.candidates[o];
    if (list.empty()) {
      list.resize(size);
      std::iota(list.begin(), list.end(), Index{0});
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.back() >= size) throw std::invalid_argument("a candidate's position is beyond its mode's size");
    positions.push_back(std::move(list));
  }
  return positions;
}

}  // namespace

double top_bytes(const Model& model, const TopOptions& options) {
  double all = 0.0;
  double longest = 0.0;
  for (std::size_t o = 0; o < options.open.size(); ++o) {
    const bool listed = o < options.candidates.size() && !options.candidates[o].empty();
    const double size = listed ? static_cast<double>(options.candidates[o].size())
                               : model.modes.at(static_cast<std::size_t>(options.open[o])).size;
    all += size;
    longest = std::max(longest, size);
  }
  constexpr double kColumns = 3.0 * sizeof(Index);  // a position's column, in a vector that grows
  constexpr double kScore = 4.0 * sizeof(double);   // queries are scored by four
  double each = kColumns + sizeof(Index) + kScore;
  for (const Model* member : members(model)) {  // two tables while the one is made of the other
    const std::vector<int> depths = ranks(*member);
    each += 2.0 * sizeof(double) * std::accumulate(depths.begin(), depths.end(), 0.0);
  }
  return sizeof(Index) * all + each * longest;
}

// Of the open modes the one with the most positions is scored by table; the others are filled in one combination
// after the other, each of which makes a row to score.
struct TopFinder::State {
  State(const Predictor& from, TopOptions given)
      : predictor(&from),
        options((check(given, from.model()), in_order(std::move(given)))),
        positions(choices(options, from.model())) {
    const auto longest = std::max_element(positions.begin(), positions.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    inner = static_cast<std::size_t>(longest - positions.begin());
    for (std::size_t o = 0; o < positions.size(); ++o) {
      if (o != inner) combinations *= static_cast<Count>(positions[o].size());
      if (o > inner) within *= static_cast<Count>(positions[o].size());
    }
    scorer = std::make_unique<BlockScorer>(from, options.open[inner], positions[inner]);
    std::vector<int> fixed;
    for (int mode = 0; mode < from.model().order(); ++mode)
      if (mode != options.open[inner] &&
          std::find(options.either.begin(), options.either.end(), mode) == options.either.end())
        fixed.push_back(mode);
    excluded = ExcludedAlong(options.excluded, std::move(fixed), options.open[inner]);
    options.excluded = {};
  }

  // Row r is query r / combinations with one combination of the outer open modes.
  [[nodiscard]] Cells rows_of(const Cells& queries, Count first, Count last) const {
    Cells rows(queries.order());
    rows.reserve(last - first);
    std::vector<Index> cell(static_cast<std::size_t>(queries.order()));
    for (Count r = first; r < last; ++r) {
      for (int k = 0; k < queries.order(); ++k)
        cell[static_cast<std::size_t>(k)] = queries[k][r / combinations];
      for (const int mode : options.either) cell[static_cast<std::size_t>(mode)] = kUnseen;
      Count rest = r % combinations;
      for (std::size_t o = positions.size(); o-- > 0;) {
        if (o == inner) continue;
        const auto size = static_cast<Count>(positions[o].size());
        cell[static_cast<std::size_t>(options.open[o])] = positions[o][static_cast<std::size_t>(rest % size)];
        rest /= size;
      }
      rows.add(cell);
    }
    return rows;
  }

  // The best of rows [first, last), kept by query.
  void select(const Cells& queries, Count first, Count last, std::vector<BestCells>& best) const {
    const Cells rows = rows_of(queries, first, last);
    std::vector<double> scores(static_cast<std::size_t>(scorer->room(last - first)));
    scorer->score(rows, 0, last - first, scores);
    std::vector<bool> left_out(static_cast<std::size_t>(scorer->width()), false);
    std::vector<Index> columns;
    for (Count r = first; r < last; ++r) {
      if (best.empty() || best.back().query != r / combinations)
        best.emplace_back(r / combinations, options.count, options.lowest, within);
      excluded.columns(rows, r - first, scorer->open(), columns);
      for (const Index column : columns) left_out[column] = true;
      best.back().take(
          {scores.data() + (r - first) * scorer->stride(), static_cast<std::size_t>(scorer->width())},
          r % combinations, left_out);
      for (const Index column : columns) left_out[column] = false;
    }
  }

  // The cells of one query's list, in their final order: by the values that predictions have, then by position.
  void append(const Cells& queries, BestCells& best, TopLists& lists) const {
    Cells found(queries.order());
    for (const BestCells::Item& item : best.items()) {
      Cells row =
          rows_of(queries, best.query * combinations + item.row, best.query * combinations + item.row + 1);
      row[static_cast<std::size_t>(options.open[inner])][0] = positions[inner][item.column];
      found.append(row);
    }
    lists.cells.append(found);
    lists.start.push_back(lists.cells.size());
  }

  const Predictor* predictor;
  TopOptions options;
  std::vector<std::vector<Index>> positions;  // of each open mode
  std::size_t inner = 0;                      // which of them is scored by table
  Count combinations = 1;                     // of the others' positions
  Count within = 1;                           // of those of modes behind the inner one
  std::unique_ptr<BlockScorer> scorer;
  ExcludedAlong excluded;
};

TopFinder::TopFinder(const Predictor& predictor, TopOptions options)
    : state_(std::make_unique<const State>(predictor, std::move(options))) {}
TopFinder::TopFinder(TopFinder&&) noexcept = default;
TopFinder& TopFinder::operator=(TopFinder&&) noexcept = default;
TopFinder::~TopFinder() = default;

TopLists TopFinder::find(const Cells& queries, const Interrupted& interrupted) const {
  const State& s = *state_;
  if (queries.order() != s.predictor->model().order())
    throw std::invalid_argument("queries have " + std::to_string(queries.order()) +
                                " indices, the model has " + std::to_string(s.predictor->model().order()) +
                                " modes");
  const Count rows = queries.size() * s.combinations;
  const Count block = std::clamp<Count>(kScores / std::max<Count>(1, s.scorer->stride()), 1, kRows);
  const Count tasks = (rows + block - 1) / block;
  std::vector<BestCells> best;
  for (Count first = 0; first < tasks; first += kTasks) {
    if (interrupted && interrupted()) break;
    const auto here = static_cast<int>(std::min(kTasks, tasks - first));
    std::vector<std::vector<BestCells>> found(static_cast<std::size_t>(here));
    parallel_tasks(here, [&](int task) {
      const Count from = (first + task) * block;
      s.select(queries, from, std::min(from + block, rows), found[static_cast<std::size_t>(task)]);
    });
    for (std::vector<BestCells>& part : found) merge_into(best, std::move(part));
  }
  TopLists lists;
  lists.cells = Cells(queries.order());
  for (BestCells& one : best) s.append(queries, one, lists);
  order_lists(*s.predictor, s.options.lowest, lists);
  return lists;
}

Cells observed_cells(const Model& model) {
  if (model.kept != nullptr) return model.kept->cells();
  for (const Model* member : members(model))
    if (const Latent* latent = member->latent()) return latent->dual.cells();
  return Cells(model.order());
}

}  // namespace lacuna
