// SPDX-License-Identifier: MIT
// The loops themselves. Included by one .cpp per instruction set, inside a namespace of that set's own; uses
// no library templates, because their instances would be shared between sets that not every machine can run.

typedef float Vec __attribute__((vector_size(32)));
typedef float Loose __attribute__((vector_size(32), aligned(sizeof(float)), may_alias));
typedef double Wide __attribute__((vector_size(32)));
typedef double LooseWide __attribute__((vector_size(32), aligned(sizeof(double)), may_alias));

inline Vec load(const float* p) { return *reinterpret_cast<const Loose*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<Loose*>(p) = v; }
inline Vec broadcast(float x) { return x - Vec{}; }

inline float total(Vec v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

inline void add_to(double* p, Vec v) {
  for (int i = 0; i < kRowStep; ++i) p[i] += static_cast<double>(v[i]);
}

// x[j] <- sqrt(w_e) t_e and r[j] <- sqrt(w_e) r_e of up to kRowBatch entries; spread += w_e v_e.
inline void load_batch(const RowEntries& row, Count begin, int size, const float* table,
                       const float* variance, int width, const float* residual, const float* weight, float* x,
                       float* r, double* spread) {
  for (int first = 0; first < width; first += kRowStep) {
    Vec sum{};
    for (int j = 0; j < size; ++j) {
      const Count from = static_cast<Count>(row.other[begin + j]) * width + first;
      const float mass = weight != nullptr ? weight[row.entry[begin + j]] : 1.0F;
      sum += broadcast(mass) * load(variance + from);
      store(x + Count{j} * width + first,
            weight != nullptr ? broadcast(__builtin_sqrtf(mass)) * load(table + from) : load(table + from));
    }
    add_to(spread + first, sum);
  }
  for (int j = 0; j < size; ++j) {
    const Index entry = row.entry[begin + j];
    r[j] = weight != nullptr ? __builtin_sqrtf(weight[entry]) * residual[entry] : residual[entry];
  }
}

// Rows [first, first + 4) of sum_j x_j x_j', columns [column, column + 8 kVectors).
template <int kVectors>
inline void add_block(const float* x, int size, int width, int first, int column, double* gram) {
  Vec sum[4][kVectors] = {};
  for (int j = 0; j < size; ++j) {
    const float* row = x + Count{j} * width;
    Vec across[kVectors];
    for (int v = 0; v < kVectors; ++v) across[v] = load(row + column + Count{v} * kRowStep);
    for (int i = 0; i < 4; ++i) {
      const Vec down = broadcast(row[first + i]);
      for (int v = 0; v < kVectors; ++v) sum[i][v] += down * across[v];
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int v = 0; v < kVectors; ++v)
      add_to(gram + Count{first + i} * width + column + Count{v} * kRowStep, sum[i][v]);
}

void gather(const RowEntries& row, const float* table, const float* variance, int width,
            const float* residual, const float* weight, float* scratch, double* gram, double* right,
            double* spread) {
  float r[kRowBatch];
  for (Count begin = 0; begin < row.size; begin += kRowBatch) {
    const int size = static_cast<int>(row.size - begin < kRowBatch ? row.size - begin : kRowBatch);
    load_batch(row, begin, size, table, variance, width, residual, weight, scratch, r, spread);
    for (int first = 0; first < width; first += kRowStep) {
      Vec sum{};
      for (int j = 0; j < size; ++j) sum += broadcast(r[j]) * load(scratch + Count{j} * width + first);
      add_to(right + first, sum);
    }
    for (int first = 0; first < width; first += 4) {
      int column = first / kRowStep * kRowStep;
      for (; column + 2 * kRowStep <= width; column += 2 * kRowStep)
        add_block<2>(scratch, size, width, first, column, gram);
      if (column < width) add_block<1>(scratch, size, width, first, column, gram);
    }
  }
}

// to[j] -= factor * from[j] for j of [begin, end); starts at a whole vector: what lies before `begin` in its
// vector is no longer read, being below the diagonal.
inline void subtract(double* to, double factor, const double* from, int begin, int end) {
  const Wide scale = factor - Wide{};
  for (int j = begin / 4 * 4; j < end; j += 4)
    *reinterpret_cast<LooseWide*>(to + j) -= scale * *reinterpret_cast<const LooseWide*>(from + j);
}

// G = U' U row by row, then U' z = x and U x = z.
void solve(double* gram, int width, double* x) {
  for (int k = 0; k < width; ++k) {
    double* row = gram + Count{k} * width;
    const double root = __builtin_sqrt(row[k]);
    const double inverse = 1.0 / root;
    for (int j = k + 1; j < width; ++j) row[j] *= inverse;
    row[k] = inverse;
    for (int i = k + 1; i < width; ++i) subtract(gram + Count{i} * width, row[i], row, i, width);
  }
  for (int k = 0; k < width; ++k) {
    x[k] *= gram[Count{k} * width + k];
    for (int j = k + 1; j < width; ++j) x[j] -= x[k] * gram[Count{k} * width + j];
  }
  for (int k = width - 1; k >= 0; --k) {
    double sum = x[k];
    for (int j = k + 1; j < width; ++j) sum -= gram[Count{k} * width + j] * x[j];
    x[k] = sum * gram[Count{k} * width + k];
  }
}

void advance(const RowEntries& row, const float* table, int width, const float* step, float* residual) {
  for (Count j = 0; j < row.size; ++j) {
    const float* t = table + static_cast<Count>(row.other[j]) * width;
    Vec sum{};
    for (int first = 0; first < width; first += kRowStep) sum += load(t + first) * load(step + first);
    residual[row.entry[j]] -= total(sum);
  }
}

void products(const RowEntries& row, const float* table, int width, const float* own, double* product) {
  for (Count j = 0; j < row.size; ++j) {
    const float* t = table + static_cast<Count>(row.other[j]) * width;
    Wide sum{};
    for (int k = 0; k < width; k += 4) {
      const Wide left = {own[k], own[k + 1], own[k + 2], own[k + 3]};
      const Wide right = {t[k], t[k + 1], t[k + 2], t[k + 3]};
      sum += left * right;
    }
    product[j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

void add_rows(const RowEntries& row, const float* table, int width, const float* weight, float* sum) {
  for (int first = 0; first < width; first += kRowStep) {
    Vec part = load(sum + first);
    for (Count j = 0; j < row.size; ++j) {
      const Vec t = load(table + static_cast<Count>(row.other[j]) * width + first);
      part += weight != nullptr ? broadcast(weight[row.entry[j]]) * t : t;
    }
    store(sum + first, part);
  }
}

RowKernels make_row_set(const char* name) {
  return {.name = name,
          .gather = gather,
          .solve = solve,
          .advance = advance,
          .products = products,
          .add_rows = add_rows};
}
