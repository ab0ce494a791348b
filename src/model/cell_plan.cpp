// SPDX-License-Identifier: MIT
#include "model/cell_plan.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"
#include "kernels/near_kernel.hpp"

namespace lacuna {

CellPlan::CellPlan(std::span<const PartKernels> parts, const std::vector<FiberLookup>& lookups,
                   const Cells& index, const std::vector<std::vector<double>>& coordinates) {
  if (lookups.size() != parts.size())
    throw std::invalid_argument("a cell plan needs one lookup for each part");
  cells_ = index.size();
  silent_.assign(static_cast<std::size_t>(cells_), true);
  std::vector<FiberLookup::Hit> hits(static_cast<std::size_t>(cells_));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const PartKernels& part = parts[p];
    const auto row = [&](Count i) { return part.part().learns() ? index[part.part().mode][i] : Index{0}; };
    const auto speaks_of = [&](Count i) { silent_[i] = silent_[i] && !lookups[p].knows_row(row(i)); };
    if (part.near() != nullptr) {
      parts_.emplace_back();
      parts_.back().near = part.near()->find_cells(index, coordinates);
      for (const Index cell : parts_.back().near->cell) speaks_of(cell);
      continue;
    }
    parallel_blocks(cells_, [&](Count begin, Count end) {
      for (Count i = begin; i < end; ++i) {
        hits[i] = {};
        if (row(i) < part.rows()) hits[i] = lookups[p].find(index, i);  // kUnseen is beyond every size
      }
    });
    PartPlan plan;
    for (Count i = 0; i < cells_; ++i) {
      if (hits[i].kind == FiberLookup::Kind::kNone) continue;
      speaks_of(i);
      auto& list = hits[i].kind == FiberLookup::Kind::kListed ? plan.listed : plan.single;
      list.push_back({.fiber = hits[i].which, .cell = static_cast<Index>(i), .row = row(i)});
    }
    std::sort(plan.listed.begin(), plan.listed.end(), [](const Visit& a, const Visit& b) {
      return a.fiber != b.fiber ? a.fiber < b.fiber : a.cell < b.cell;
    });
    parts_.push_back(std::move(plan));
  }
}

std::vector<Count> CellPlan::support(std::span<const PartKernels> parts) const {
  std::vector<Count> entries(static_cast<std::size_t>(cells_), 0);
  std::vector<double> near(static_cast<std::size_t>(cells_), 0.0);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].near) parts[p].near()->add_support(*parts_[p].near, near);
    for (const Visit& visit : parts_[p].single) ++entries[visit.cell];
    for (const Visit& visit : parts_[p].listed) {
      const FiberView::Span span = parts[p].view().span(visit.fiber);
      entries[visit.cell] += span.end - span.begin;
    }
  }
  for (Count i = 0; i < cells_; ++i) entries[i] += std::llround(std::max(0.0, near[i]));
  return entries;
}

template <class Real>
void CellPlan::add_part(const PartKernels& part, std::size_t which, const FactorTable<Real>& u, double lambda,
                        std::span<const Real> z, std::span<double> out) const {
  const PartPlan& plan = parts_[which];
  if (plan.near) return part.near()->add_cells(*plan.near, u, lambda, z, out);
  const int columns = u.columns();
  const auto product = [&](const auto* a, const auto* b) {
    double sum = 0.0;
    for (int j = 0; j < columns; ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    return sum;
  };
  parallel_blocks(static_cast<Count>(plan.single.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i) {
      const Visit& visit = plan.single[i];
      out[visit.cell] += lambda * part.single_scale(visit.fiber) * static_cast<double>(z[visit.fiber]) *
                         product(u.row(visit.row), u.row(part.row_of_entry()[visit.fiber]));
    }
  });
  constexpr Count kVisits = 512;  // a block recomputes t_c at its first fiber, so blocks must not be tiny
  parallel_blocks(
      static_cast<Count>(plan.listed.size()),
      [&](Count begin, Count end) {
        std::vector<double> t(static_cast<std::size_t>(columns));
        Index fiber = kUnseen;
        for (Count i = begin; i < end; ++i) {
          const Visit& visit = plan.listed[i];
          if (visit.fiber != fiber) {
            fiber = visit.fiber;
            std::fill(t.begin(), t.end(), 0.0);
            const FiberView::Span span = part.view().span(fiber);
            for (Count j = span.begin; j < span.end; ++j) {
              const auto weight = static_cast<double>(z[part.view().entry()[j]]);
              const Real* row = u.row(part.view().row()[j]);
              for (int column = 0; column < columns; ++column)
                t[column] += weight * static_cast<double>(row[column]);
            }
          }
          out[visit.cell] += lambda * part.fiber_scale(fiber) * product(u.row(visit.row), t.data());
        }
      },
      kVisits);
}

void CellPlan::add_factored(const PartKernels& part, std::size_t which, const Matrix<double>& left,
                            const Matrix<double>& right, double lambda, std::span<double> out) const {
  const PartPlan& plan = parts_[which];
  parallel_blocks(static_cast<Count>(plan.single.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i) {
      const Visit& visit = plan.single[i];
      const Count fiber = part.view().fiber_of_single(visit.fiber);
      out[visit.cell] += lambda * left.row(visit.row).dot(right.row(fiber));
    }
  });
  parallel_blocks(static_cast<Count>(plan.listed.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i) {
      const Visit& visit = plan.listed[i];
      out[visit.cell] += lambda * left.row(visit.row).dot(right.row(visit.fiber));
    }
  });
}

template void CellPlan::add_part(const PartKernels&, std::size_t, const FactorTable<double>&, double,
                                 std::span<const double>, std::span<double>) const;
template void CellPlan::add_part(const PartKernels&, std::size_t, const FactorTable<float>&, double,
                                 std::span<const float>, std::span<double>) const;

}  // namespace lacuna
