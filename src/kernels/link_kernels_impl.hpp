// SPDX-License-Identifier: MIT
// The loops themselves. Included by one .cpp per instruction set, inside a namespace of that set's own; uses
// no library templates, because their instances would be shared between sets that not every machine can run.

typedef float Vec __attribute__((vector_size(32)));
typedef float Loose __attribute__((vector_size(32), aligned(sizeof(float)), may_alias));
typedef int Whole __attribute__((vector_size(32)));

inline Vec load(const float* p) { return *reinterpret_cast<const Loose*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<Loose*>(p) = v; }
inline Vec broadcast(float x) { return x - Vec{}; }
inline Vec larger(Vec a, Vec b) { return a > b ? a : b; }

constexpr Count kInnerBlock = 256;  // rows of B that stay in the first cache

// kRows rows of C, kVectors vectors of its columns.
template <int kRows, int kVectors>
inline void add_tile(const float* a, Count a_row, Count a_column, const float* b, Count b_row, float* c,
                     Count c_row, Count inner) {
  Vec sum[kRows][kVectors];
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v) sum[i][v] = load(c + i * c_row + Count{v} * kLinkStep);
  for (Count l = 0; l < inner; ++l) {
    Vec across[kVectors];
    for (int v = 0; v < kVectors; ++v) across[v] = load(b + l * b_row + Count{v} * kLinkStep);
    for (int i = 0; i < kRows; ++i) {
      const Vec down = broadcast(a[i * a_row + l * a_column]);
      for (int v = 0; v < kVectors; ++v) sum[i][v] += down * across[v];
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v) store(c + i * c_row + Count{v} * kLinkStep, sum[i][v]);
}

// All rows of kVectors vectors of C's columns.
template <int kVectors>
inline void add_panel(const StridedMatrix& a, const float* b, Count b_row, float* c, Count c_row, Count rows,
                      Count inner) {
  Count i = 0;
  for (; i + 4 <= rows; i += 4)
    add_tile<4, kVectors>(a.data + i * a.row, a.row, a.column, b, b_row, c + i * c_row, c_row, inner);
  for (; i < rows; ++i)
    add_tile<1, kVectors>(a.data + i * a.row, a.row, a.column, b, b_row, c + i * c_row, c_row, inner);
}

void add_product(const StridedMatrix& a, const float* b, Count b_row, float* c, Count c_row, Count rows,
                 Count inner, Count columns) {
  for (Count first = 0; first < inner; first += kInnerBlock) {
    const Count here = inner - first < kInnerBlock ? inner - first : kInnerBlock;
    const StridedMatrix part = {a.data + first * a.column, a.row, a.column};
    const float* from = b + first * b_row;
    Count j = 0;
    for (; j + 3 * Count{kLinkStep} <= columns; j += 3 * Count{kLinkStep})
      add_panel<3>(part, from + j, b_row, c + j, c_row, rows, here);
    for (; j < columns; j += kLinkStep) add_panel<1>(part, from + j, b_row, c + j, c_row, rows, here);
  }
}

// exp(x) for x <= 0, to float precision: 2^n times a polynomial in the rest, |rest| <= ln 2 / 2.
inline Vec exponential(Vec x) {
  const Vec low = broadcast(-87.0F);
  x = larger(x, low);
  const Vec magic = broadcast(12582912.0F);  // 1.5 2^23: adding it rounds to a whole number
  const Vec shifted = x * 1.44269504F + magic;
  const Vec whole = shifted - magic;
  const Vec rest = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;  // ln 2 in two pieces
  Vec value = 1.9875691500e-4F * rest + 1.3981999507e-3F;
  value = value * rest + 8.3334519073e-3F;
  value = value * rest + 4.1665795894e-2F;
  value = value * rest + 1.6666665459e-1F;
  value = value * rest + 5.0000001201e-1F;
  value = value * rest * rest + rest + 1.0F;
  const Whole exponent = (__builtin_bit_cast(Whole, shifted) - __builtin_bit_cast(Whole, magic)) << 23;
  const Whole bits = __builtin_bit_cast(Whole, value) + exponent;
  return __builtin_bit_cast(Vec, bits);
}

// kVectors vectors of columns.
template <int kVectors>
inline void softmax_panel(float* s, Count rows, Count row, float* largest, float* total) {
  Vec most[kVectors];
  Vec sum[kVectors] = {};
  for (int v = 0; v < kVectors; ++v) most[v] = load(s + Count{v} * kLinkStep);
  for (Count i = 1; i < rows; ++i)
    for (int v = 0; v < kVectors; ++v) most[v] = larger(most[v], load(s + i * row + Count{v} * kLinkStep));
  for (Count i = 0; i < rows; ++i)
    for (int v = 0; v < kVectors; ++v) {
      float* const at = s + i * row + Count{v} * kLinkStep;
      const Vec value = exponential(load(at) - most[v]);
      store(at, value);
      sum[v] += value;
    }
  for (int v = 0; v < kVectors; ++v) {
    store(largest + Count{v} * kLinkStep, most[v]);
    store(total + Count{v} * kLinkStep, sum[v]);
  }
}

void softmax(float* s, Count rows, Count columns, float* largest, float* total) {
  Count j = 0;
  for (; j + 4 * Count{kLinkStep} <= columns; j += 4 * Count{kLinkStep})
    softmax_panel<4>(s + j, rows, columns, largest + j, total + j);
  for (; j < columns; j += kLinkStep) softmax_panel<1>(s + j, rows, columns, largest + j, total + j);
}

void adagrad(float* __restrict x, float* __restrict squares, const float* __restrict gradient, float rate,
             Count size) {
  for (Count i = 0; i < size; ++i) {
    const float g = gradient[i];
    squares[i] += g * g;
    x[i] -= rate * g / __builtin_sqrtf(squares[i]);
  }
}

LinkKernels make_link_set() { return {.add_product = add_product, .softmax = softmax, .adagrad = adagrad}; }
