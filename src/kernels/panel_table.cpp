// SPDX-License-Identifier: MIT
#include "kernels/panel_table.hpp"

namespace lacuna {

PanelTable::PanelTable(const Matrix<double>& table)
    : depth_(static_cast<int>(table.cols())),
      panels_((table.rows() + kernels::kPanel - 1) / kernels::kPanel),
      data_(static_cast<std::size_t>(padded_rows() * depth_), 0.0) {
  for (Count i = 0; i < table.rows(); ++i) {
    const Count panel = i / kernels::kPanel * depth_ * kernels::kPanel;
    for (int k = 0; k < depth_; ++k)
      data_[static_cast<std::size_t>(panel + Count{k} * kernels::kPanel + i % kernels::kPanel)] = table(i, k);
  }
}

void PanelTable::multiply(const double* queries, Count rows, double* out) const {
  kernels::panel_multiply()(queries, padded_queries(rows), depth_, data_.data(), panels_, out);
}

}  // namespace lacuna
