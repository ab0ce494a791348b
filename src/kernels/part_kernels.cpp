// SPDX-License-Identifier: MIT
#include "kernels/part_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"
#include "kernels/column_blocks.hpp"
#include "kernels/fiber_kernels.hpp"
#include "kernels/near_kernel.hpp"

namespace lacuna {
namespace {

using kernels::FiberRange;

// A piece is large enough to hide the scheduling, and small enough to balance a small tensor's too.
constexpr Count kPieceEntries = 8192;
constexpr Count kLeastPieceEntries = 1024;
constexpr Count kPiecesWanted = 16;

// Sums that collide in rows are made in at most this many groups, each with a buffer of n_k x r_k that is
// added to the result in group order; a group has several times more entries than the buffer has rows.
constexpr Count kMostGroups = 16;
constexpr Count kEntriesPerRow = 8;

std::vector<FiberRange> cut(const FiberView& view) {
  std::vector<FiberRange> pieces;
  const Count piece_entries =
      std::clamp(static_cast<Count>(view.entry().size()) / kPiecesWanted, kLeastPieceEntries, kPieceEntries);
  const Index* entry = view.entry().data();
  const Index* row = view.row().data();
  for (int length = 2; length <= FiberView::kShort; ++length) {
    const Count step = piece_entries / length;
    for (Count f = 0; f < view.short_fibers(length); f += step) {
      const Count offset = view.short_begin(length) + f * length;
      pieces.push_back({.entry = entry + offset,
                        .row = row + offset,
                        .start = nullptr,
                        .length = length,
                        .fibers = std::min(step, view.short_fibers(length) - f)});
    }
  }
  const std::vector<Count>& start = view.long_start();
  for (Count f = 0; f < view.long_fibers();) {
    const auto beyond = std::lower_bound(start.begin() + f + 1, start.end() - 1, start[f] + piece_entries);
    const Count last = beyond - start.begin();
    pieces.push_back(
        {.entry = entry, .row = row, .start = start.data() + f, .length = 0, .fibers = last - f});
    f = last;
  }
  return pieces;
}

}  // namespace

PartKernels::PartKernels(const ObservedTensor& tensor, PartSpec part, const Communicator& everyone)
    : view_(tensor, std::move(part)),
      same_row_(view_.part().learns() ? 0 : static_cast<std::size_t>(tensor.size()), Index{0}),
      row_of_entry_(view_.part().learns() ? tensor.index(view_.part().mode) : same_row_),
      entry_weight_(tensor.weights()) {
  if (view_.part().near.empty())
    pieces_ = cut(view_);
  else
    near_ = std::make_unique<const NearKernel>(tensor, view_.part(), row_of_entry_);
  weigh(everyone);
  if (view_.part().side > 0.0) take_side(tensor.modes()[view_.part().mode]);
}

void PartKernels::take_side(const Mode& mode) {
  if (!mode.side)
    throw std::invalid_argument("a part has side=" + std::to_string(part().side) + ", but mode " + mode.name +
                                " has no side information");
  basis_.emplace(mode.side, part().side, std::move(row_scale_));
  row_scale_.clear();
}

// Counts are sums of weights, so that an entry of weight 2 counts as two.
void PartKernels::weigh(const Communicator& everyone) {
  const double row_power = part().row_power;
  const double fiber_power = part().fiber_power;
  const auto weight = [&](Count e) { return entry_weight_.empty() ? 1.0 : entry_weight_[e]; };
  double total = 0.0;
  if (row_power != 0.0 || fiber_power != 0.0) {
    for (Count e = 0; e < static_cast<Count>(row_of_entry_.size()); ++e) total += weight(e);
    total = everyone.sum(total);
  }
  if (row_power != 0.0) {
    std::vector<double> count(static_cast<std::size_t>(rows()), 0.0);
    for (Count e = 0; e < static_cast<Count>(row_of_entry_.size()); ++e) count[row_of_entry_[e]] += weight(e);
    everyone.sum(count);
    const auto seen =
        static_cast<double>(std::count_if(count.begin(), count.end(), [](double c) { return c > 0.0; }));
    row_scale_.assign(count.size(), 1.0);
    for (std::size_t i = 0; i < count.size(); ++i)
      if (count[i] > 0.0) row_scale_[i] = std::pow(count[i] * seen / total, -0.5 * row_power);
  }
  if (fiber_power != 0.0) {
    const double mean = total / static_cast<double>(everyone.sum(view_.fibers()));
    single_scale_ = std::pow(1.0 / mean, -fiber_power);
    fiber_scale_.resize(static_cast<std::size_t>(view_.listed_fibers()));
    for (Count f = 0; f < view_.listed_fibers(); ++f) {
      double count = 0.0;
      const FiberView::Span span = view_.span(f);
      for (Count j = span.begin; j < span.end; ++j) count += weight(view_.entry()[j]);
      fiber_scale_[f] = static_cast<float>(std::pow(count / mean, -fiber_power));
    }
    Count first = 0;
    for (FiberRange& piece : pieces_) {
      piece.weight = fiber_scale_.data() + first;
      first += piece.fibers;
    }
  }
}

float PartKernels::single_scale(Count entry) const {
  if (part().fiber_power == 0.0 || entry_weight_.empty()) return static_cast<float>(single_scale_);
  return static_cast<float>(single_scale_ * std::pow(entry_weight_[entry], -part().fiber_power));
}
PartKernels::PartKernels(PartKernels&&) noexcept = default;
PartKernels& PartKernels::operator=(PartKernels&&) noexcept = default;
PartKernels::~PartKernels() = default;

template <class Real>
void PartKernels::add_directional(const FactorTable<Real>& u, const FactorTable<Real>& v, double scale,
                                  std::span<const Real> z, std::span<Real> y,
                                  PartWorkspace<Real>& work) const {
  if (near_) return near_->add_directional(u, v, scale, z, y, work);
  // Alone in its fiber: y_e += 2 scale (u_e . v_e) z_e
  if (view_.single_fibers() > 0) {
    std::vector<Real>& twice = work.row_numbers;
    twice.resize(static_cast<std::size_t>(rows()));
    for (Count i = 0; i < rows(); ++i) twice[i] = static_cast<Real>(2 * scale) * row_product(u, v, i);
    parallel_blocks(static_cast<Count>(z.size()), [&](Count begin, Count end) {
      view_.for_each_single(begin, end, [&](Count e) {
        y[e] += static_cast<Real>(single_scale(e)) * twice[row_of_entry_[e]] * z[e];
      });
    });
  }
  const auto& set = kernels::fiber_kernels<Real>();
  const Count count = static_cast<Count>(pieces_.size());
#pragma omp parallel for num_threads(threads_for_blocks(count)) schedule(dynamic)
  for (Count p = 0; p < count; ++p)
    kernels::for_column_blocks<Real>(u.columns(), [&](int vectors, int column) {
      set.directional[vectors](pieces_[p], u.data() + column, v.data() + column, u.stride(),
                               static_cast<Real>(scale), z.data(), y.data());
    });
}

Count PartKernels::groups_for(Count entries, Count most) const {
  return std::clamp<Count>(entries / (kEntriesPerRow * rows()), 1, most);
}

// g += the sum over groups of pieces of what body(piece, buffer) adds to a zeroed buffer laid out like a
// factor.
template <class Real, class Body>
void PartKernels::scatter_rows(int columns, Matrix<Real>& g, std::vector<FactorTable<Real>>& buffers,
                               Body&& body) const {
  const Count count = static_cast<Count>(pieces_.size());
  if (count == 0) return;
  const Count groups = groups_for(static_cast<Count>(view_.entry().size()), std::min(kMostGroups, count));
  const int threads = static_cast<int>(std::min<Count>(threads_for_blocks(count), groups));
  if (buffers.size() < static_cast<std::size_t>(threads)) buffers.resize(static_cast<std::size_t>(threads));
  LoopFailure failure;  // of the buffer, which may not fit
#pragma omp parallel num_threads(threads)
  {
    FactorTable<Real>& buffer = buffers[omp_get_thread_num()];
#pragma omp for ordered schedule(static, 1)
    for (Count group = 0; group < groups; ++group) {
      failure.run([&] {
        buffer.resize_zero(rows(), columns);
        for (Count p = count * group / groups; p < count * (group + 1) / groups; ++p)
          body(pieces_[p], buffer);
      });
#pragma omp ordered
      for (Count i = 0; i < rows() && !failure.any(); ++i) {
        const Real scale = row_scale_.empty() ? Real{1} : static_cast<Real>(row_scale_[i]);
        for (int j = 0; j < columns; ++j) g(i, j) += scale * buffer.row(i)[j];
      }
    }
  }
  failure.rethrow();
}

template <class Real>
const std::vector<double>& PartKernels::single_row_sums(std::span<const Real> x, std::span<const Real> w,
                                                        std::vector<std::vector<double>>& sums) const {
  const auto entries = static_cast<Count>(x.size());
  const Count groups = groups_for(entries, kMostGroups);
  const bool one_scale = part().fiber_power == 0.0 || entry_weight_.empty();
  const auto common = static_cast<double>(static_cast<float>(single_scale_));
  if (sums.size() < static_cast<std::size_t>(groups)) sums.resize(static_cast<std::size_t>(groups));
  parallel_tasks(static_cast<int>(groups), [&](int group) {
    std::vector<double>& sum = sums[group];
    sum.assign(static_cast<std::size_t>(rows()), 0.0);
    view_.for_each_single(entries * group / groups, entries * (group + 1) / groups, [&](Count e) {
      const double scale = one_scale ? common : static_cast<double>(single_scale(e));
      sum[row_of_entry_[e]] += scale * static_cast<double>(x[e]) * static_cast<double>(w[e]);
    });
  });
  std::vector<double>& total = sums.front();
  for (Count group = 1; group < groups; ++group)
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += sums[group][i];
  for (std::size_t i = 0; i < row_scale_.size(); ++i) total[i] *= row_scale_[i];
  return total;
}

namespace {

// g += diag(weight) u
template <class Real>
void add_weighted_rows(const FactorTable<Real>& u, double scale, const std::vector<double>& weight,
                       Matrix<Real>& g) {
  for (Count i = 0; i < u.rows(); ++i) {
    const Real w = static_cast<Real>(scale * weight[i]);
    for (int j = 0; j < u.columns(); ++j) g(i, j) += w * u.row(i)[j];
  }
}

}  // namespace

template <class Real>
void PartKernels::add_gram_of_rows(const FactorTable<Real>& u, double scale, std::span<const Real> z,
                                   Matrix<Real>& g, PartWorkspace<Real>& work) const {
  if (near_) return near_->add_gram(u, scale, z, row_scale_, g, work);
  if (view_.single_fibers() > 0) add_weighted_rows(u, scale, single_row_sums(z, z, work.row_sums), g);
  const auto& set = kernels::fiber_kernels<Real>();
  scatter_rows(u.columns(), g, work.row_buffers, [&](const FiberRange& piece, FactorTable<Real>& buffer) {
    kernels::for_column_blocks<Real>(u.columns(), [&](int vectors, int column) {
      set.gram[vectors](piece, u.data() + column, u.stride(), static_cast<Real>(scale), z.data(),
                        buffer.data() + column);
    });
  });
}

template <class Real>
void PartKernels::add_cross_of_rows(const FactorTable<Real>& u, double scale, std::span<const Real> x,
                                    std::span<const Real> w, Matrix<Real>& g,
                                    PartWorkspace<Real>& work) const {
  if (near_) return near_->add_cross(u, scale, x, w, row_scale_, g, work);
  if (view_.single_fibers() > 0) add_weighted_rows(u, 2 * scale, single_row_sums(x, w, work.row_sums), g);
  const auto& set = kernels::fiber_kernels<Real>();
  scatter_rows(u.columns(), g, work.row_buffers, [&](const FiberRange& piece, FactorTable<Real>& buffer) {
    kernels::for_column_blocks<Real>(u.columns(), [&](int vectors, int column) {
      set.cross[vectors](piece, u.data() + column, u.stride(), static_cast<Real>(scale), x.data(), w.data(),
                         buffer.data() + column);
    });
  });
}

template <class Real, class Add>
void PartKernels::through_basis(int columns, Matrix<Real>& g, PartWorkspace<Real>& work, Add&& add) const {
  if (!basis_) return add(g);
  work.of_rows.setZero(rows(), columns);
  add(work.of_rows);
  basis_->add_transposed(work.of_rows, g);
}

template <class Real>
void PartKernels::add_gram(const FactorTable<Real>& u, double scale, std::span<const Real> z, Matrix<Real>& g,
                           PartWorkspace<Real>& work) const {
  through_basis(u.columns(), g, work, [&](Matrix<Real>& to) { add_gram_of_rows(u, scale, z, to, work); });
}

template <class Real>
void PartKernels::add_cross(const FactorTable<Real>& u, double scale, std::span<const Real> x,
                            std::span<const Real> w, Matrix<Real>& g, PartWorkspace<Real>& work) const {
  through_basis(u.columns(), g, work, [&](Matrix<Real>& to) { add_cross_of_rows(u, scale, x, w, to, work); });
}

template void PartKernels::add_directional(const FactorTable<double>&, const FactorTable<double>&, double,
                                           std::span<const double>, std::span<double>,
                                           PartWorkspace<double>&) const;
template void PartKernels::add_directional(const FactorTable<float>&, const FactorTable<float>&, double,
                                           std::span<const float>, std::span<float>,
                                           PartWorkspace<float>&) const;
template void PartKernels::add_gram(const FactorTable<double>&, double, std::span<const double>,
                                    Matrix<double>&, PartWorkspace<double>&) const;
template void PartKernels::add_gram(const FactorTable<float>&, double, std::span<const float>, Matrix<float>&,
                                    PartWorkspace<float>&) const;
template void PartKernels::add_cross(const FactorTable<double>&, double, std::span<const double>,
                                     std::span<const double>, Matrix<double>&, PartWorkspace<double>&) const;
template void PartKernels::add_cross(const FactorTable<float>&, double, std::span<const float>,
                                     std::span<const float>, Matrix<float>&, PartWorkspace<float>&) const;

}  // namespace lacuna
