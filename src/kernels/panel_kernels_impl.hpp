// SPDX-License-Identifier: MIT
// The loops themselves. Included by one .cpp per instruction set, inside a namespace of that set's own; uses
// no library templates, because their instances would be shared between sets that not every machine can run.

typedef double Wide __attribute__((vector_size(32)));
typedef double LooseWide __attribute__((vector_size(32), aligned(sizeof(double)), may_alias));

inline constexpr int kVectors = kPanel / 4;

inline void multiply_block(const double* a, int depth, const double* panel, double* out, Count stride) {
  Wide sum[kPanelQuery][kVectors] = {};
  for (int k = 0; k < depth; ++k) {
    Wide across[kVectors];
    for (int v = 0; v < kVectors; ++v)
      across[v] = *reinterpret_cast<const LooseWide*>(panel + Count{k} * kPanel + Count{v} * 4);
    for (int i = 0; i < kPanelQuery; ++i) {
      const Wide down = a[Count{i} * depth + k] - Wide{};
      for (int v = 0; v < kVectors; ++v) sum[i][v] += down * across[v];
    }
  }
  for (int i = 0; i < kPanelQuery; ++i)
    for (int v = 0; v < kVectors; ++v)
      *reinterpret_cast<LooseWide*>(out + i * stride + Count{v} * 4) = sum[i][v];
}

// A panel stays in the nearest cache while all rows pass by it.
void multiply(const double* queries, Count rows, int depth, const double* panels, Count panel_count,
              double* out) {
  const Count stride = panel_count * kPanel;
  for (Count p = 0; p < panel_count; ++p)
    for (Count i = 0; i < rows; i += kPanelQuery)
      multiply_block(queries + i * depth, depth, panels + p * depth * kPanel, out + i * stride + p * kPanel,
                     stride);
}
