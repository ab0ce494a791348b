// SPDX-License-Identifier: MIT
#include "model/explain_part.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "kernels/near_kernel.hpp"
#include "model/fitted_on.hpp"
#include "model/value_kind.hpp"

namespace lacuna {
namespace {

using Row = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

ExplainedOthers keep_strongest(std::vector<Doing>& doings, int count) {
  const auto kept = std::min(doings.size(), static_cast<std::size_t>(std::max(count, 0)));
  const auto end = doings.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(doings.begin(), end, doings.end(), [](const Doing& a, const Doing& b) {
    const double left = std::abs(a.adds());
    const double right = std::abs(b.adds());
    return left != right ? left > right : a.of < b.of;
  });
  // In their own order again, so that the sum does not depend on how sorting leaves them.
  std::sort(end, doings.end(), [](const Doing& a, const Doing& b) { return a.of < b.of; });
  ExplainedOthers others{.count = static_cast<Count>(doings.size() - kept)};
  for (auto doing = end; doing != doings.end(); ++doing) others.adds += doing->adds();
  doings.erase(end, doings.end());
  return others;
}

PartExplainer::PartExplainer(const Model& model) : model_(&model), latent_(*model.latent()) {
  if (latent_.latent().factored()) noise_ = noise_variance(model);
}

std::vector<Index> PartExplainer::entries_on(std::size_t p, const FiberLookup::Hit& hit) const {
  if (hit.kind == FiberLookup::Kind::kNone) return {};
  if (hit.kind == FiberLookup::Kind::kSingle) return {hit.which};
  const FiberView& view = latent_.kernels(p).view();
  const FiberView::Span span = view.span(hit.which);
  return {view.entry().begin() + span.begin, view.entry().begin() + span.end};
}

std::vector<Doing> PartExplainer::dual_doings(std::size_t p, const FiberLookup::Hit& hit, Index row) const {
  const PartKernels& kernels = latent_.kernels(p);
  const Row own(latent_.left_row(p, row), latent_.rank(p));
  const bool single = hit.kind == FiberLookup::Kind::kSingle;
  const double scale =
      latent_.latent().parts[p].lambda *
      static_cast<double>(single ? kernels.single_scale(hit.which) : kernels.fiber_scale(hit.which));
  std::vector<Doing> doings;
  for (const Index e : entries_on(p, hit)) {
    const Row other(latent_.left_row(p, kernels.row_of_entry()[e]), latent_.rank(p));
    doings.push_back({.of = e, .weight = scale * own.dot(other), .left = latent_.latent().dual.values()[e]});
  }
  return doings;
}

std::vector<Doing> PartExplainer::near_doings(std::size_t p, const Cells& cells, Count cell) const {
  const PartKernels& kernels = latent_.kernels(p);
  Cells one(cells.order());
  one.add(cells, cell);
  const NearCells found = kernels.near()->find_cells(one, {});
  std::vector<Doing> doings;
  if (found.cell.empty()) return doings;
  const std::vector<double> kappa = kernels.near()->cell_kernel(found, 0);
  const Row own(latent_.left_row(p, found.row[0]), latent_.rank(p));
  const double lambda = latent_.latent().parts[p].lambda;
  kernels.near()->for_each_entry([&](Index e, Count slot) {
    if (kappa[slot] == 0.0) return;
    const Row other(latent_.left_row(p, kernels.row_of_entry()[e]), latent_.rank(p));
    doings.push_back({.of = e,
                      .weight = lambda * kappa[slot] * own.dot(other),
                      .left = latent_.latent().dual.values()[e]});
  });
  std::sort(doings.begin(), doings.end(), [](const Doing& a, const Doing& b) { return a.of < b.of; });
  return doings;
}

// P: of the fibers' vectors, or of the rows.
const Eigen::MatrixXd& PartExplainer::ridge(std::size_t p, bool of_rows) {
  const auto made = ridges_.find({p, of_rows});
  if (made != ridges_.end()) return made->second;
  const ModelPart& part = latent_.latent().parts[p];
  std::vector<char> known;
  if (of_rows)
    for (Index i = 0; i < part.factor.rows(); ++i) known.push_back(latent_.lookup(p).knows_row(i) ? 1 : 0);
  const Matrix<double> rows = of_rows ? part.factor : Matrix<double>(part.lambda * *part.right);
  return ridges_.emplace(std::pair(p, of_rows), noise_ * row_prior(rows, known).precision).first->second;
}

// x . A^-1 w_e o_e r_e for the entries e that the side in question, a fiber or a row at `at`, is regressed on; o_e are
// the vectors of the other side, and x is that of the cell.
std::vector<Doing> PartExplainer::ridge_doings(std::size_t p, const FiberLookup::Hit& hit, Index row,
                                               bool by_rows) {
  const ObservedTensor& dual = latent_.latent().dual;
  const PartKernels& kernels = latent_.kernels(p);
  const int rank = latent_.rank(p);
  Eigen::VectorXd fiber(rank);
  latent_.fiber_vector(p, hit, fiber.data());
  const Eigen::VectorXd own = Row(latent_.left_row(p, row), rank);
  const Eigen::VectorXd& at = by_rows ? own : fiber;
  const Eigen::VectorXd& x = by_rows ? fiber : own;
  std::vector<Index> entries;
  if (by_rows) {
    for (Count e = 0; e < dual.size(); ++e)
      if (kernels.row_of_entry()[e] == row) entries.push_back(static_cast<Index>(e));
  } else {
    entries = entries_on(p, hit);
  }
  Eigen::MatrixXd others(rank, static_cast<Eigen::Index>(entries.size()));
  Eigen::MatrixXd system = ridge(p, by_rows);
  for (std::size_t j = 0; j < entries.size(); ++j) {
    auto other = others.col(static_cast<Eigen::Index>(j));
    if (by_rows)
      latent_.fiber_vector(p, latent_.lookup(p).find(dual.cells(), entries[j]), other.data());
    else
      other = Row(latent_.left_row(p, kernels.row_of_entry()[entries[j]]), rank);
    system.selfadjointView<Eigen::Lower>().rankUpdate(other, dual.weight(entries[j]));
  }
  const Eigen::VectorXd y = system.selfadjointView<Eigen::Lower>().llt().solve(x);
  std::vector<Doing> doings;
  for (std::size_t j = 0; j < entries.size(); ++j) {
    const auto other = others.col(static_cast<Eigen::Index>(j));
    doings.push_back({.of = entries[j],
                      .weight = dual.weight(entries[j]) * y.dot(other),
                      .left = left_of_entry(latent_.latent(), entries[j]) + at.dot(other)});
  }
  return doings;
}

// The vector of the cell's fiber, also where modes are near; 0 where it has none.
Eigen::VectorXd PartExplainer::vector_of(std::size_t p, const Cells& cells, Count cell) const {
  Eigen::VectorXd vector = Eigen::VectorXd::Zero(latent_.rank(p));
  if (const NearKernel* near = latent_.kernels(p).near()) {
    Cells one(cells.order());
    one.add(cells, cell);
    const NearCells found = near->find_cells(one, {});
    if (!found.cell.empty()) near->read_cell(found, 0, latent_.near_field(p), latent_.rank(p), vector.data());
    return vector;
  }
  const FiberLookup::Hit hit = latent_.lookup(p).find(cells, cell);
  if (hit.kind != FiberLookup::Kind::kNone) latent_.fiber_vector(p, hit, vector.data());
  return vector;
}

void PartExplainer::add_components(std::size_t p, const double* row, const Eigen::VectorXd& fiber, int count,
                                   ExplainedTerm& term) {
  auto made = components_.find(p);
  if (made == components_.end()) made = components_.emplace(p, latent_.components(p)).first;
  const Eigen::VectorXd left = made->second.left.transpose() * Row(row, latent_.rank(p));
  const Eigen::VectorXd right = made->second.right.transpose() * fiber;
  std::vector<Doing> doings;
  for (Eigen::Index j = 0; j < left.size(); ++j)
    doings.push_back({.of = static_cast<Index>(j), .weight = left[j], .left = right[j]});
  term.other_components = keep_strongest(doings, count);
  for (const Doing& doing : doings)
    term.components.push_back({.number = {static_cast<int>(doing.of)}, .adds = doing.adds()});
}

ExplainedTerm PartExplainer::explain(std::size_t p, const Cells& cells, Count cell, double value,
                                     const ExplainOptions& options) {
  const PartSpec& spec = latent_.spec(p);
  const bool near = latent_.kernels(p).near() != nullptr;
  const bool factored = latent_.latent().parts[p].right.has_value();
  ExplainedTerm term{.kind = ExplainedTerm::Kind::kPart, .modes = spec.fiber_modes(), .adds = value};
  term.part = part_text(spec, model_->modes);
  term.near = near;
  term.factored = factored;
  term.by_rows = factored && options.by == ExplainOptions::By::kRows;
  const Index row = latent_.row_of(p, cells, cell);
  const bool has_row = row < latent_.kernels(p).rows();
  const FiberLookup::Hit hit = near || !has_row ? FiberLookup::Hit{} : latent_.lookup(p).find(cells, cell);
  term.known = has_row && (near || hit.kind != FiberLookup::Kind::kNone);
  if (!term.known) return term;
  std::vector<Doing> doings;
  if (options.by == ExplainOptions::By::kComponents) {
    add_components(p, latent_.left_row(p, row), vector_of(p, cells, cell), options.count, term);
    term.support = static_cast<Count>(entries_on(p, hit).size());
    return term;
  }
  if (near)
    doings = near_doings(p, cells, cell);
  else
    doings = factored ? ridge_doings(p, hit, row, term.by_rows) : dual_doings(p, hit, row);
  term.known = !doings.empty();
  term.support = static_cast<Count>(doings.size());
  term.prior = value;
  for (const Doing& doing : doings) term.prior -= doing.adds();
  term.other_entries = keep_strongest(doings, options.count);
  for (const Doing& doing : doings) {
    ExplainedEntry& entry = term.entries.emplace_back();
    for (int k = 0; k < model_->order(); ++k) entry.cell.push_back(latent_.latent().dual.index(k)[doing.of]);
    if (tells_values(*model_)) entry.value = left_of_entry(latent_.latent(), doing.of);
    entry.weight = doing.weight;
    entry.left = doing.left;
    entry.adds = doing.adds();
  }
  return term;
}

void PartExplainer::tell_values(std::vector<ExplainedTerm>& terms) const {
  Cells listed(model_->order());
  std::vector<ExplainedEntry*> entries;
  for (ExplainedTerm& term : terms)
    for (ExplainedEntry& entry : term.entries)
      if (entry.value) {
        listed.add(entry.cell);
        entries.push_back(&entry);
      }
  if (entries.empty()) return;
  std::vector<double> said = model_->offsets.at(listed);
  latent_.add_values(listed, said);
  // A fit that stopped early leaves a little that its Z does not tell; values that are multiples of something are.
  constexpr double kOff = 0.1;
  const std::optional<double> step = value_step(*model_);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    double& value = *entries[i]->value;
    value += said[i];
    if (!step) continue;
    const double whole = *step * std::round(value / *step);
    if (std::abs(value - whole) < kOff * *step) value = whole;
  }
}

}  // namespace lacuna
