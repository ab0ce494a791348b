// SPDX-License-Identifier: MIT
// The fibers of a part where entries are cut along a mode that does not agree in it, so that a fiber's
// entries may be on several processes. For long fibers it is less to send what each process has summed up of
// a fiber, r numbers, than to send the entries to where the fiber is whole:
//
//   t_c = sum over all processes of U' z_c         y_e += lambda u_e . t_c
//
// A fiber's sums are put together on the lowest of the processes that have it, in the order of the ranks, and
// go back to the others. Parts with near modes or fiber weights are not for this.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

#include "dist/communicator.hpp"
#include "kernels/factor_table.hpp"

namespace lacuna {

class FiberShares {
 public:
  // Called by all processes, each with its entries. The tensor and the communicator must outlive this.
  FiberShares(const ObservedTensor& mine, const PartSpec& part, const Communicator& everyone);

  [[nodiscard]] static bool can_be(const PartSpec& part) {
    return part.near.empty() && part.fiber_power == 0.0;
  }

  // Numbers that all processes together send, there and back, when each fiber has so many.
  [[nodiscard]] Count numbers(int columns) const { return 2 * extra_ * columns; }

  // y_e += lambda (z x_k U U')_e. Called by all processes.
  template <class Real>
  void add_product(const FactorTable<Real>& u, double lambda, std::span<const Real> z,
                   std::span<Real> y) const;
  // diagonal_e += lambda ||u_e||^2
  template <class Real>
  void add_diagonal(const FactorTable<Real>& u, double lambda, std::span<float> diagonal) const;

 private:
  [[nodiscard]] Count fibers() const { return static_cast<Count>(start_.size()) - 1; }
  [[nodiscard]] Index row(Index entry) const { return rows_.empty() ? 0 : rows_[entry]; }
  void list_fibers(const ObservedTensor& mine, const PartSpec& part);
  void find_others(const Cells& keys);
  template <class Real>
  void add_up(std::span<Real> sums, int columns) const;

  const Communicator* everyone_;
  std::span<const Index> rows_;  // of U that the entries select; empty: the first
  std::vector<Index> order_;     // entries, fiber by fiber
  std::vector<Index> start_;     // of each fiber in the order, and the end
  std::vector<Index> sent_;      // fibers whose sums go to another process, by rank
  std::vector<std::int64_t> to_;
  std::vector<Index> taken_;  // the fiber here of each that comes, by rank
  std::vector<std::int64_t> from_;
  Count extra_ = 0;  // processes that have a fiber beyond the first, of all fibers
};

}  // namespace lacuna
