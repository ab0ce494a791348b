// SPDX-License-Identifier: MIT
// Which fiber of which part each of a list of cells lies on, found once; then the parts' predictions at those
// cells, as often as wanted and at any point:
//
//   W^(p)(cell) = lambda_p u_cell . t_c,   t_c = sum_{e in c} z_e u_e or a right factor's row
//
// with c the fiber of Omega that passes through the cell. A cell on no observed fiber gets nothing from the
// part; where modes are near, on no observed group of fibers. The cells of one fiber are handled together, so t_c
// is computed once per fiber: O(r) for each cell, plus O(r) for each entry of the fibers touched.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/near_cells.hpp"
#include "kernels/part_kernels.hpp"
#include "tensor/fiber_lookup.hpp"

namespace lacuna {

class CellPlan {
 public:
  // A position may be kUnseen. One lookup for each part.
  // coordinates[k], where not empty, are the cells' places along mode k for parts to which it is near
  // (NearKernel::find_cells).
  CellPlan(std::span<const PartKernels> parts, const std::vector<FiberLookup>& lookups, const Cells& cells,
           const std::vector<std::vector<double>>& coordinates = {});

  [[nodiscard]] Count cells() const { return cells_; }
  // Which cells no part says anything of: on no observed fiber of any, or at a position along its mode that has
  // no entry to learn from.
  [[nodiscard]] const std::vector<bool>& silent() const { return silent_; }

  // For each cell the observed entries on its fibers, over all parts.
  [[nodiscard]] std::vector<Count> support(std::span<const PartKernels> parts) const;

  // out[i] += W^(part)(cell i)
  template <class Real>
  void add_part(const PartKernels& part, std::size_t which, const FactorTable<Real>& u, double lambda,
                std::span<const Real> z, std::span<double> out) const;

  // out[i] += W^(part)(cell i) of a part with a right factor: u_cell . v_c.
  void add_factored(const PartKernels& part, std::size_t which, const Matrix<double>& left,
                    const Matrix<double>& right, double lambda, std::span<double> out) const;

 private:
  struct Visit {
    Index fiber;
    Index cell;
    Index row;
  };
  struct PartPlan {
    std::vector<Visit> listed;      // by fiber; fiber is a listed fiber's number
    std::vector<Visit> single;      // fiber is the one entry itself
    std::optional<NearCells> near;  // of a part with near modes, instead of both
  };

  Count cells_ = 0;
  std::vector<bool> silent_;
  std::vector<PartPlan> parts_;
};

}  // namespace lacuna
