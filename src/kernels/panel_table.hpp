// SPDX-License-Identifier: MIT
// A table made ready for many products with a few rows at a time; see panel_kernels.hpp.
#pragma once

#include <vector>

#include "kernels/panel_kernels.hpp"
#include "linalg/matrix.hpp"

namespace lacuna {

class PanelTable {
 public:
  PanelTable() = default;
  explicit PanelTable(const Matrix<double>& table);

  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] Count padded_rows() const { return panels_ * kernels::kPanel; }
  [[nodiscard]] static Count padded_queries(Count rows) {
    return (rows + kernels::kPanelQuery - 1) / kernels::kPanelQuery * kernels::kPanelQuery;
  }

  // out, padded_queries(rows) x padded_rows(), <- queries times the table's transpose. `queries` has
  // padded_queries(rows) rows of depth() numbers.
  void multiply(const double* queries, Count rows, double* out) const;

 private:
  int depth_ = 0;
  Count panels_ = 0;
  std::vector<double> data_;  // [panel][k][row within the panel]
};

}  // namespace lacuna
