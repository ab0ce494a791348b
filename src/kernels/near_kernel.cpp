// SPDX-License-Identifier: MIT
#include "kernels/near_kernel.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

constexpr Count kFibersAtOnce = 1024;
constexpr int kColumnsAtOnce = 64;  // of a field, so that a row of them fits on the stack
// Sums that collide in rows are made in at most this many groups of fibers, each with a buffer of its own.
constexpr Count kMostBuffers = 16;
constexpr Count kEntriesPerRow = 8;

}  // namespace

NearKernel::NearKernel(const ObservedTensor& tensor, const PartSpec& part,
                       std::span<const Index> row_of_entry)
    : part_(part), rows_(part.learns() ? tensor.extent(part.mode) : 1) {
  for (const NearMode& near : part.near) axes_.push_back(make_axis(tensor.modes()[near.mode], near));
  const bool chain = axes_.size() == 1 && part.smoothness == 1.0;
  if (!chain) grid_.emplace(axes_, part.smoothness);
  sort_entries(tensor, axes_);
  row_.resize(entry_.size());
  for (std::size_t j = 0; j < entry_.size(); ++j) row_[j] = row_of_entry[entry_[j]];
}

void NearKernel::check_grids() const {
  if (static_cast<double>(groups_) * static_cast<double>(grid_->cells()) >
      static_cast<double>(NearGrid::kMostCells))
    throw std::invalid_argument("a part has " + std::to_string(groups_) + " grids of near modes with " +
                                std::to_string(grid_->cells()) + " cells each, more than " +
                                std::to_string(NearGrid::kMostCells) +
                                " in all; ask fewer modes to be near or to agree");
}

// Entries ordered by the agreeing indices, then by their places along the near modes.
void NearKernel::sort_entries(const ObservedTensor& tensor, const std::vector<NearAxis>& axes) {
  const Count size = tensor.size();
  std::vector<int> modes = part_.agree;
  for (const NearAxis& axis : axes) modes.push_back(axis.mode);
  Cells key = tensor.cells().reordered(modes);
  for (std::size_t s = 0; s < axes.size(); ++s)
    for (Index& i : key[part_.agree.size() + s]) i = axes[s].place[i];
  std::iota(modes.begin(), modes.end(), 0);
  entry_ = lexicographic_order(key, modes);

  const std::size_t agreeing = part_.agree.size();
  const auto differ = [&](Count j, std::size_t from, std::size_t to) {
    for (std::size_t c = from; c < to; ++c)
      if (key[c][entry_[j]] != key[c][entry_[j - 1]]) return true;
    return false;
  };
  std::vector<double> position;
  std::vector<Count> group_start;
  for (Count j = 0; j < size; ++j) {
    const bool new_group = j == 0 || differ(j, 0, agreeing);
    if (!new_group && !differ(j, agreeing, modes.size())) continue;
    if (new_group) {
      group_start.push_back(static_cast<Count>(start_.size()));
      for (std::size_t c = 0; c < agreeing; ++c) group_key_.push_back(key[c][entry_[j]]);
    }
    start_.push_back(j);
    if (!grid_) {
      position.push_back(axes[0].position[key[agreeing][entry_[j]]]);
      continue;
    }
    Count cell = 0;
    for (std::size_t s = 0; s < axes.size(); ++s) cell += grid_->stride(s) * key[agreeing + s][entry_[j]];
    slot_.push_back((static_cast<Count>(group_start.size()) - 1) * grid_->cells() + cell);
  }
  start_.push_back(size);
  groups_ = static_cast<Count>(group_start.size());
  if (grid_) {
    check_grids();
    slots_ = groups_ * grid_->cells();
    return;
  }
  slots_ = fibers();
  slot_.resize(static_cast<std::size_t>(slots_));
  std::iota(slot_.begin(), slot_.end(), Count{0});
  group_start.push_back(slots_);
  chain_ = NearChain(std::move(position), std::move(group_start), axes[0].length);
}

template <class Real>
void NearKernel::collect(const FactorTable<Real>& u, std::span<const Real> z,
                         std::vector<Real>& field) const {
  const int columns = u.columns();
  field.resize(static_cast<std::size_t>(slots_ * columns));
  if (grid_)
    parallel_blocks(slots_ * columns, [&](Count begin, Count end) {
      std::fill(field.begin() + begin, field.begin() + end, Real{0});
    });
  const Count slot_step = slot_stride(columns);
  const Count column_step = column_stride();
  parallel_blocks(
      fibers(),
      [&](Count begin, Count end) {
        for (int first = 0; first < columns; first += kColumnsAtOnce) {
          const int count = std::min(kColumnsAtOnce, columns - first);
          for (Count f = begin; f < end; ++f) {
            std::array<Real, kColumnsAtOnce> t{};
            for (Count j = start_[f]; j < start_[f + 1]; ++j) {
              const Real weight = z[entry_[j]];
              const Real* row = u.row(row_[j]) + first;
              for (int c = 0; c < count; ++c) t[c] += weight * row[c];
            }
            Real* to = field.data() + slot_[f] * slot_step + first * column_step;
            for (int c = 0; c < count; ++c) to[c * column_step] = t[c];
          }
        }
      },
      kFibersAtOnce);
}

template <class Real>
void NearKernel::add_values(const FactorTable<Real>& u, const std::vector<Real>& field, double scale,
                            std::span<Real> y) const {
  const int columns = u.columns();
  const Count slot_step = slot_stride(columns);
  const Count column_step = column_stride();
  parallel_blocks(
      fibers(),
      [&](Count begin, Count end) {
        for (int first = 0; first < columns; first += kColumnsAtOnce) {
          const int count = std::min(kColumnsAtOnce, columns - first);
          std::array<Real, kColumnsAtOnce> s;
          for (Count f = begin; f < end; ++f) {
            const Real* from = field.data() + slot_[f] * slot_step + first * column_step;
            for (int c = 0; c < count; ++c) s[c] = static_cast<Real>(scale) * from[c * column_step];
            for (Count j = start_[f]; j < start_[f + 1]; ++j) {
              const Real* row = u.row(row_[j]) + first;
              Real sum = 0;
              for (int c = 0; c < count; ++c) sum += row[c] * s[c];
              y[entry_[j]] += sum;
            }
          }
        }
      },
      kFibersAtOnce);
}

template <class Real>
void NearKernel::smooth(std::vector<Real>& field, int columns, GridWorkspace<Real>& work) const {
  if (grid_)
    grid_->smooth(field.data(), groups_ * columns, work);
  else
    chain_.smooth(field.data(), columns);
}

// G_i += scale sum_e z_e field at e's slot, over the entries of row i.
template <class Real>
void NearKernel::add_rows(int columns, double scale, std::span<const Real> z,
                          std::span<const double> row_scale, Matrix<Real>& g,
                          PartWorkspace<Real>& work) const {
  const std::vector<Real>& field = work.field;
  const Count buffers =
      std::clamp<Count>(static_cast<Count>(entry_.size()) / (kEntriesPerRow * rows_), 1, kMostBuffers);
  const Count slot_step = slot_stride(columns);
  const Count column_step = column_stride();
  std::vector<Matrix<double>>& partial = work.field_sums;
  if (partial.size() < static_cast<std::size_t>(buffers)) partial.resize(static_cast<std::size_t>(buffers));
  parallel_tasks(static_cast<int>(buffers), [&](int which) {
    Matrix<double>& sum = partial[which];
    sum.setZero(rows_, columns);
    for (Count f = fibers() * which / buffers; f < fibers() * (which + 1) / buffers; ++f) {
      const Real* from = field.data() + slot_[f] * slot_step;
      for (Count j = start_[f]; j < start_[f + 1]; ++j) {
        const auto weight = static_cast<double>(z[entry_[j]]);
        double* to = sum.data() + static_cast<Count>(row_[j]) * columns;
        for (int c = 0; c < columns; ++c) to[c] += weight * static_cast<double>(from[c * column_step]);
      }
    }
  });
  for (Count which = 1; which < buffers; ++which) partial[0] += partial[which];
  for (Count i = 0; i < rows_; ++i) {
    const double weight = scale * (row_scale.empty() ? 1.0 : row_scale[i]);
    for (int c = 0; c < columns; ++c) g(i, c) += static_cast<Real>(weight * partial[0](i, c));
  }
}

template <class Real>
void NearKernel::add_product(const FactorTable<Real>& u, double scale, std::span<const Real> z,
                             std::span<Real> y, PartWorkspace<Real>& work) const {
  collect(u, z, work.field);
  smooth(work.field, u.columns(), work.grid);
  add_values(u, work.field, scale, y);
}

template <class Real>
void NearKernel::add_directional(const FactorTable<Real>& u, const FactorTable<Real>& v, double scale,
                                 std::span<const Real> z, std::span<Real> y,
                                 PartWorkspace<Real>& work) const {
  collect(v, z, work.field);
  smooth(work.field, v.columns(), work.grid);
  add_values(u, work.field, scale, y);
  collect(u, z, work.field);
  smooth(work.field, u.columns(), work.grid);
  add_values(v, work.field, scale, y);
}

template <class Real>
void NearKernel::add_gram(const FactorTable<Real>& u, double scale, std::span<const Real> z,
                          std::span<const double> row_scale, Matrix<Real>& g,
                          PartWorkspace<Real>& work) const {
  collect(u, z, work.field);
  smooth(work.field, u.columns(), work.grid);
  add_rows(u.columns(), scale, z, row_scale, g, work);
}

template <class Real>
void NearKernel::add_cross(const FactorTable<Real>& u, double scale, std::span<const Real> x,
                           std::span<const Real> w, std::span<const double> row_scale, Matrix<Real>& g,
                           PartWorkspace<Real>& work) const {
  collect(u, w, work.field);
  smooth(work.field, u.columns(), work.grid);
  add_rows(u.columns(), scale, x, row_scale, g, work);
  collect(u, x, work.field);
  smooth(work.field, u.columns(), work.grid);
  add_rows(u.columns(), scale, w, row_scale, g, work);
}

template void NearKernel::collect(const FactorTable<double>&, std::span<const double>,
                                  std::vector<double>&) const;
template void NearKernel::add_values(const FactorTable<double>&, const std::vector<double>&, double,
                                     std::span<double>) const;
template void NearKernel::smooth(std::vector<double>&, int, GridWorkspace<double>&) const;
template void NearKernel::add_product(const FactorTable<double>&, double, std::span<const double>,
                                      std::span<double>, PartWorkspace<double>&) const;
template void NearKernel::add_directional(const FactorTable<double>&, const FactorTable<double>&, double,
                                          std::span<const double>, std::span<double>,
                                          PartWorkspace<double>&) const;
template void NearKernel::add_gram(const FactorTable<double>&, double, std::span<const double>,
                                   std::span<const double>, Matrix<double>&, PartWorkspace<double>&) const;
template void NearKernel::add_cross(const FactorTable<double>&, double, std::span<const double>,
                                    std::span<const double>, std::span<const double>, Matrix<double>&,
                                    PartWorkspace<double>&) const;
template void NearKernel::collect(const FactorTable<float>&, std::span<const float>,
                                  std::vector<float>&) const;
template void NearKernel::add_values(const FactorTable<float>&, const std::vector<float>&, double,
                                     std::span<float>) const;
template void NearKernel::smooth(std::vector<float>&, int, GridWorkspace<float>&) const;
template void NearKernel::add_product(const FactorTable<float>&, double, std::span<const float>,
                                      std::span<float>, PartWorkspace<float>&) const;
template void NearKernel::add_directional(const FactorTable<float>&, const FactorTable<float>&, double,
                                          std::span<const float>, std::span<float>,
                                          PartWorkspace<float>&) const;
template void NearKernel::add_gram(const FactorTable<float>&, double, std::span<const float>,
                                   std::span<const double>, Matrix<float>&, PartWorkspace<float>&) const;
template void NearKernel::add_cross(const FactorTable<float>&, double, std::span<const float>,
                                    std::span<const float>, std::span<const double>, Matrix<float>&,
                                    PartWorkspace<float>&) const;

}  // namespace lacuna
