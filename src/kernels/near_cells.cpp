// SPDX-License-Identifier: MIT
// A part with near modes, read at cells: seen or not, at positions or between them.
#include "kernels/near_cells.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "kernels/near_kernel.hpp"

namespace lacuna {

// Groups lie in the order of their agreeing indices: binary search. -1 where the group has no entry.
Count NearKernel::find_group(const Cells& index, Count cell) const {
  const auto agreeing = static_cast<Count>(part_.agree.size());
  const auto compare = [&](Count group) {  // < 0: the group lies before the cell's
    for (Count c = 0; c < agreeing; ++c) {
      const Index here = group_key_[group * agreeing + c];
      const Index wanted = index[part_.agree[c]][cell];
      if (here != wanted) return here < wanted ? -1 : 1;
    }
    return 0;
  };
  Count low = 0;
  Count high = groups_;
  while (low < high) {
    const Count middle = std::midpoint(low, high);
    if (compare(middle) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < groups_ && compare(low) == 0 ? low : -1;
}

void NearKernel::read_chain(Count group, double x, NearCells& found) const {
  const Count last = chain_.last_before(group, x);
  if (last >= chain_.group_begin(group)) {
    found.slot.push_back(last);
    found.weight.push_back(std::exp(-(x - chain_.position(last)) / chain_.length()));
  }
  if (last + 1 < chain_.group_end(group)) {
    found.slot.push_back(slots_ + last + 1);  // of the backward sweep
    found.weight.push_back(std::exp(-(chain_.position(last + 1) - x) / chain_.length()));
  }
}

void NearKernel::read_grid(Count group, std::span<const NearAxis::Between> at, NearCells& found) const {
  const std::size_t corners = std::size_t{1} << at.size();
  for (std::size_t corner = 0; corner < corners; ++corner) {
    Count slot = group * grid_->cells();
    double weight = 1.0;
    for (std::size_t s = 0; s < at.size(); ++s) {
      const bool next = (corner >> s & 1U) != 0;
      weight *= next ? at[s].share : 1.0 - at[s].share;
      slot += grid_->stride(s) * (at[s].place + (next ? 1 : 0));
    }
    if (weight == 0.0) continue;
    found.slot.push_back(slot);
    found.weight.push_back(weight);
  }
}

bool NearKernel::find_readings(const Cells& index, const std::vector<std::vector<double>>& coordinates,
                               Count cell, NearCells& found) const {
  std::vector<NearAxis::Between> at;
  double x = 0.0;
  for (const NearAxis& axis : axes_) {
    const auto mode = static_cast<std::size_t>(axis.mode);
    if (mode < coordinates.size() && !coordinates[mode].empty()) {
      x = coordinates[mode][cell];
      if (!std::isfinite(x)) return false;
      at.push_back(axis.locate(x));
      at.back().place = std::max<Count>(at.back().place, 0);
    } else {
      const Index i = index[mode][cell];
      if (i >= axis.place.size()) return false;
      at.push_back({.place = axis.place[i]});
      x = axis.position[axis.place[i]];
    }
  }
  const Count group = find_group(index, cell);
  if (group < 0) return false;
  if (grid_)
    read_grid(group, at, found);
  else
    read_chain(group, x, found);
  return true;
}

NearCells NearKernel::find_cells(const Cells& index,
                                 const std::vector<std::vector<double>>& coordinates) const {
  NearCells found;
  const auto cells = index.size();
  for (Count i = 0; i < cells; ++i) {
    const Index row = part_.learns() ? index[part_.mode][i] : 0;
    if (row >= rows_ || !find_readings(index, coordinates, i, found)) continue;
    found.cell.push_back(static_cast<Index>(i));
    found.row.push_back(row);
    found.start.push_back(static_cast<Count>(found.slot.size()));
  }
  return found;
}

template <class Real>
void NearKernel::prepare(std::vector<Real>& field, int columns) const {
  if (grid_) {
    GridWorkspace<Real> work;
    smooth(field, columns, work);
    return;
  }
  const std::size_t size = field.size();
  field.resize(2 * size);
  chain_.sweep(field.data(), field.data() + size, columns);
}

template <class Real>
void NearKernel::add_cells(const NearCells& cells, const FactorTable<Real>& u, double scale,
                           std::span<const Real> z, std::span<double> out) const {
  const int columns = u.columns();
  std::vector<Real> field;
  collect(u, z, field);
  prepare(field, columns);
  const Count slot_step = slot_stride(columns);
  const Count column_step = column_stride();
  parallel_blocks(static_cast<Count>(cells.cell.size()), [&](Count begin, Count end) {
    for (Count i = begin; i < end; ++i) {
      const Real* row = u.row(cells.row[i]);
      double sum = 0.0;
      for (Count j = cells.start[i]; j < cells.start[i + 1]; ++j) {
        const Real* from = field.data() + cells.slot[j] * slot_step;
        double product = 0.0;
        for (int c = 0; c < columns; ++c)
          product += static_cast<double>(row[c]) * static_cast<double>(from[c * column_step]);
        sum += cells.weight[j] * product;
      }
      out[cells.cell[i]] += scale * sum;
    }
  });
}

std::vector<double> NearKernel::cell_field(const FactorTable<double>& u, std::span<const double> z) const {
  std::vector<double> field;
  collect(u, z, field);
  prepare(field, u.columns());
  return field;
}

void NearKernel::read_cell(const NearCells& cells, std::size_t i, const std::vector<double>& field,
                           int columns, double* out) const {
  for (Count j = cells.start[i]; j < cells.start[i + 1]; ++j) {
    const double* from = field.data() + cells.slot[j] * slot_stride(columns);
    for (int c = 0; c < columns; ++c) out[c] += cells.weight[j] * from[c * column_stride()];
  }
}

// kappa is symmetric: on a grid it is applied to the weights with which the cell reads the slots. A chain is
// read at the ends of its two sweeps, from which the kernel falls off on either side.
std::vector<double> NearKernel::cell_kernel(const NearCells& cells, std::size_t i) const {
  std::vector<double> kernel(static_cast<std::size_t>(slots_), 0.0);
  for (Count j = cells.start[i]; j < cells.start[i + 1]; ++j) {
    if (grid_) {
      kernel[cells.slot[j]] += cells.weight[j];
      continue;
    }
    const bool forward = cells.slot[j] < slots_;
    const Count end = forward ? cells.slot[j] : cells.slot[j] - slots_;
    const Count group = chain_.group_of(end);
    for (Count f = forward ? chain_.group_begin(group) : end;
         f < (forward ? end + 1 : chain_.group_end(group)); ++f)
      kernel[f] =
          cells.weight[j] * std::exp(-std::abs(chain_.position(end) - chain_.position(f)) / chain_.length());
  }
  if (grid_) {
    GridWorkspace<double> work;
    smooth(kernel, 1, work);
  }
  return kernel;
}

void NearKernel::add_support(const NearCells& cells, std::span<double> out) const {
  std::vector<double> field(static_cast<std::size_t>(slots_), 0.0);
  for (Count f = 0; f < fibers(); ++f) field[slot_[f]] = static_cast<double>(start_[f + 1] - start_[f]);
  prepare(field, 1);
  for (std::size_t i = 0; i < cells.cell.size(); ++i)
    for (Count j = cells.start[i]; j < cells.start[i + 1]; ++j)
      out[cells.cell[i]] += cells.weight[j] * field[cells.slot[j]];
}

Eigen::MatrixXd NearKernel::fiber_gram(const FactorTable<double>& u, std::span<const double> z) const {
  const int columns = u.columns();
  const std::vector<double> field = cell_field(u, z);
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns, columns);
  Eigen::VectorXd s(columns);
  Count places = 1;
  for (const NearAxis& axis : axes_) places *= static_cast<Count>(axis.position.size());
  NearCells read;
  read.start = {0, 0};
  std::vector<NearAxis::Between> at(axes_.size());
  for (Count i = 0; i < groups_ * places; ++i) {
    read.slot.clear();
    read.weight.clear();
    Count rest = i % places;
    for (std::size_t a = axes_.size(); a-- > 0;) {
      const auto size = static_cast<Count>(axes_[a].position.size());
      at[a].place = rest % size;
      rest /= size;
    }
    if (grid_)
      read_grid(i / places, at, read);
    else
      read_chain(i / places, axes_[0].position[at[0].place], read);
    s.setZero();
    read.start[1] = static_cast<Count>(read.slot.size());
    read_cell(read, 0, field, columns, s.data());
    gram.noalias() += s * s.transpose();
  }
  return gram;
}

template void NearKernel::add_cells(const NearCells&, const FactorTable<double>&, double,
                                    std::span<const double>, std::span<double>) const;
template void NearKernel::add_cells(const NearCells&, const FactorTable<float>&, double,
                                    std::span<const float>, std::span<double>) const;

}  // namespace lacuna
