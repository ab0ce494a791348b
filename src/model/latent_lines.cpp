// SPDX-License-Identifier: MIT
#include "model/latent_lines.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

constexpr double kMostBytes = 2e9;  // of fibers' vectors

using Row = Eigen::Map<const Eigen::RowVectorXd>;

// The rows of the factor of part p as its kernels weigh them.
Matrix<double> rows_of(const LatentPredictor& latent, std::size_t p) {
  const ModelPart& part = latent.latent().parts[p];
  if (part.right) return part.factor;
  const FactorTable<double>& table = latent.factor(p);
  Matrix<double> rows(table.rows(), table.columns());
  for (Count i = 0; i < table.rows(); ++i) rows.row(i) = Row(table.row(i), table.columns());
  return rows;
}

// v_c of all fibers: listed ones first, then single ones as they lie in the tensor.
Matrix<double> fiber_vectors(const LatentPredictor& latent, std::size_t p, const Matrix<double>& rows) {
  const ModelPart& part = latent.latent().parts[p];
  if (part.right) return part.lambda * *part.right;
  const PartKernels& kernels = latent.kernels(p);
  const FiberView& view = kernels.view();
  const std::span<const double> z = latent.latent().dual.values();
  Matrix<double> vectors = Matrix<double>::Zero(view.fibers(), rows.cols());
  parallel_blocks(
      view.listed_fibers(),
      [&](Count begin, Count end) {
        for (Count f = begin; f < end; ++f) {
          const FiberView::Span span = view.span(f);
          for (Count j = span.begin; j < span.end; ++j)
            vectors.row(f) += z[view.entry()[j]] * rows.row(view.row()[j]);
          vectors.row(f) *= part.lambda * kernels.fiber_scale(f);
        }
      },
      512);
  view.for_each_single(0, latent.latent().dual.size(), [&](Count e) {
    vectors.row(view.fiber_of_single(e)) =
        part.lambda * kernels.single_scale(e) * z[e] * rows.row(kernels.row_of_entry()[e]);
  });
  return vectors;
}

// The positions of each fiber along all modes, in the order of the vectors; along those that do not tell fibers
// apart they are those of some entry.
Cells fiber_positions(const LatentPredictor& latent, std::size_t p) {
  const FiberView& view = latent.kernels(p).view();
  const Cells& entries = latent.latent().dual.cells();
  Cells fibers(entries.order());
  fibers.reserve(view.fibers());
  for (Count f = 0; f < view.listed_fibers(); ++f) fibers.add(entries, view.entry()[view.span(f).begin]);
  view.for_each_single(0, entries.size(), [&](Count e) { fibers.add(entries, e); });
  return fibers;
}

bool contains(const std::vector<int>& list, int item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

bool LatentLines::possible(const LatentPredictor& latent) {
  double numbers = 0.0;
  for (std::size_t p = 0; p < latent.latent().parts.size(); ++p) {
    if (latent.kernels(p).near() != nullptr || latent.latent().parts[p].modes.side > 0.0) return false;
    numbers += static_cast<double>(latent.kernels(p).view().fibers()) *
               static_cast<double>(latent.latent().parts[p].factor.cols());
  }
  return numbers * sizeof(double) <= kMostBytes;
}

LatentLines::LatentLines(const LatentPredictor& latent, int mode, Index positions)
    : latent_(&latent), mode_(mode), positions_(positions) {
  for (std::size_t p = 0; p < latent.latent().parts.size(); ++p) parts_.push_back(make_part(p));
}

LatentLines::Part LatentLines::make_part(std::size_t p) const {
  const PartSpec& spec = latent_->latent().parts[p].modes;
  Part part;
  part.rows = rows_of(*latent_, p);
  part.vectors = fiber_vectors(*latent_, p, part.rows);
  if (spec.mode == mode_) part.kind = Part::Kind::kLearned;
  if (!contains(spec.agree, mode_)) return part;
  part.kind = Part::Kind::kTellsApart;
  for (const int k : spec.agree)
    if (k != mode_) part.others.push_back(k);
  std::vector<int> modes = part.others;
  modes.push_back(mode_);
  const Cells fibers = fiber_positions(*latent_, p);
  const std::vector<Index> order = lexicographic_order(fibers, modes);
  const Matrix<double> unordered = std::move(part.vectors);
  part.vectors.resize(unordered.rows(), unordered.cols());
  part.fibers = Cells(fibers.order());
  part.fibers.reserve(fibers.size());
  for (std::size_t f = 0; f < order.size(); ++f) {
    part.vectors.row(static_cast<Eigen::Index>(f)) = unordered.row(order[f]);
    part.fibers.add(fibers, order[f]);
    part.along.push_back(fibers[mode_][order[f]]);
  }
  return part;
}

Count LatentLines::fiber_of(std::size_t p, const Cells& cells, Count cell) const {
  const FiberLookup::Hit hit = latent_->lookup(p).find(cells, cell);
  if (hit.kind == FiberLookup::Kind::kNone) return -1;
  if (hit.kind == FiberLookup::Kind::kListed) return hit.which;
  return latent_->kernels(p).view().fiber_of_single(hit.which);
}

Count LatentLines::row_of(std::size_t p, const Cells& cells, Count cell) const {
  const PartSpec& spec = latent_->latent().parts[p].modes;
  const Count row = spec.learns() ? cells[spec.mode][cell] : 0;
  return row < parts_[p].rows.rows() ? row : -1;
}

void LatentLines::add_learned(std::size_t p, const Cells& cells, Count first, Count last,
                              Matrix<double>& out) const {
  const Part& part = parts_[p];
  Matrix<double> vectors = Matrix<double>::Zero(last - first, part.rows.cols());
  for (Count i = first; i < last; ++i)
    if (const Count fiber = fiber_of(p, cells, i); fiber >= 0)
      vectors.row(i - first) = part.vectors.row(fiber);
  const Eigen::Index count = std::min<Eigen::Index>(positions_, part.rows.rows());
  out.leftCols(count).noalias() += vectors * part.rows.topRows(count).transpose();
}

std::pair<Count, Count> LatentLines::fibers_of_line(const Part& part, const Cells& cells, Count cell) const {
  const auto compare = [&](Count fiber) {
    for (const int k : part.others)
      if (part.fibers[k][fiber] != cells[k][cell]) return part.fibers[k][fiber] < cells[k][cell] ? -1 : 1;
    return 0;
  };
  const auto border = [&](int below) {
    Count low = 0;
    Count high = part.fibers.size();
    while (low < high) {
      const Count middle = low + (high - low) / 2;
      if (compare(middle) < below)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  return {border(0), border(1)};
}

void LatentLines::add_telling(std::size_t p, const Cells& cells, Count first, Count last,
                              Matrix<double>& out) const {
  const Part& part = parts_[p];
  Eigen::VectorXd values;
  for (Count i = first; i < last; ++i) {
    const Count row = row_of(p, cells, i);
    if (row < 0) continue;
    const auto [begin, end] = fibers_of_line(part, cells, i);
    values.noalias() = part.vectors.middleRows(begin, end - begin) * part.rows.row(row).transpose();
    for (Count f = begin; f < end; ++f)
      if (part.along[f] < positions_) out(i - first, part.along[f]) += values[f - begin];
  }
}

void LatentLines::add_ignored(std::size_t p, const Cells& cells, Count first, Count last,
                              Matrix<double>& out) const {
  const Part& part = parts_[p];
  for (Count i = first; i < last; ++i) {
    const Count row = row_of(p, cells, i);
    const Count fiber = row < 0 ? -1 : fiber_of(p, cells, i);
    if (fiber >= 0) out.row(i - first).array() += part.rows.row(row).dot(part.vectors.row(fiber));
  }
}

LatentLines::Spoken LatentLines::spoken(const Cells& cells, Count first, Count last) const {
  Spoken found = Spoken::Constant(last - first, positions_, false);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    for (Count i = first; i < last; ++i) {
      const bool learned = part.kind == Part::Kind::kLearned;
      if (const Count row = learned ? 0 : row_of(p, cells, i);
          row < 0 || !(learned || latent_->lookup(p).knows_row(static_cast<Index>(row))))
        continue;
      if (part.kind == Part::Kind::kTellsApart) {
        const auto [begin, end] = fibers_of_line(part, cells, i);
        for (Count f = begin; f < end; ++f)
          if (part.along[f] < positions_) found(i - first, part.along[f]) = true;
        continue;
      }
      if (fiber_of(p, cells, i) < 0) continue;
      const auto count = static_cast<Index>(part.rows.rows());
      for (Index j = 0; j < positions_; ++j)
        if (!learned || (j < count && latent_->lookup(p).knows_row(j))) found(i - first, j) = true;
    }
  }
  return found;
}

void LatentLines::add_scores(const Cells& cells, Count first, Count last, Matrix<double>& out) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].kind == Part::Kind::kLearned) add_learned(p, cells, first, last, out);
    if (parts_[p].kind == Part::Kind::kTellsApart) add_telling(p, cells, first, last, out);
    if (parts_[p].kind == Part::Kind::kIgnored) add_ignored(p, cells, first, last, out);
  }
}

}  // namespace lacuna
