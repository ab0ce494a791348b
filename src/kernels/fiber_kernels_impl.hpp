// SPDX-License-Identifier: MIT
// The loops themselves. Included by one .cpp per instruction set, inside a namespace of that set's own; uses
// no library templates, because their instances would be shared between sets that not every machine can run.

// A row of one number.
template <class Real>
struct ScalarRow {
  using Vec = Real;
  static constexpr int kVectors = 1;
  static constexpr bool kFourAtOnce = false;
  static Vec load(const Real* p) { return *p; }
  static void store(Real* p, Vec v) { *p = v; }
  static Vec broadcast(Real x) { return x; }
  static Real total(Vec v) { return v; }
};

// The sums of four vectors, three additions instead of twelve.
template <class Quad>
inline Quad totals(Quad a, Quad b, Quad c, Quad d) {
  const Quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Quad cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// A row of kCount vectors of kBytes each.
template <class Real, int kCount, int kBytes = kVectorBytes>
struct VectorRow {
  typedef Real Vec __attribute__((vector_size(kBytes)));
  typedef Real Unaligned __attribute__((vector_size(kBytes), aligned(sizeof(Real)), may_alias));
  typedef Real Quad __attribute__((vector_size(4 * sizeof(Real))));
  static constexpr int kVectors = kCount;
  static constexpr int kWidth = kBytes / static_cast<int>(sizeof(Real));
  static constexpr bool kFourAtOnce = kWidth >= 4;
  static Vec load(const Real* p) { return *reinterpret_cast<const Unaligned*>(p); }
  static void store(Real* p, Vec v) { *reinterpret_cast<Unaligned*>(p) = v; }
  static Vec broadcast(Real x) { return x - Vec{}; }

  static Quad folded(Vec v) {
    if constexpr (kWidth == 8)
      return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    else
      return v;
  }
  static Real total(Vec v) {
    if constexpr (kWidth == 2) {
      return v[0] + v[1];
    } else {
      const Quad quad = folded(v);
      return (quad[0] + quad[1]) + (quad[2] + quad[3]);
    }
  }
};

template <class Real, class Row>
struct Loops {
  using Vec = typename Row::Vec;
  static constexpr int kV = Row::kVectors;
  // Vec is Real itself where there are no vectors: NOLINTNEXTLINE(bugprone-sizeof-expression)
  static constexpr int kStep = static_cast<int>(sizeof(Vec) / sizeof(Real));

  static Count begin_of(const FiberRange& range, Count fiber) {
    return range.start != nullptr ? range.start[fiber] : fiber * range.length;
  }
  static Real scale_of(const FiberRange& range, Count fiber, Real scale) {
    return range.weight != nullptr ? scale * static_cast<Real>(range.weight[fiber]) : scale;
  }

  // t <- sum over the positions [begin, end) of x_e u_e
  static inline void sum_rows(const FiberRange& range, Count begin, Count end, const Real* u, Count stride,
                              const Real* x, Vec (&t)[kV]) {
    for (int v = 0; v < kV; ++v) t[v] = Vec{};
    for (Count j = begin; j < end; ++j) {
      const Vec weight = Row::broadcast(x[range.entry[j]]);
      const Real* row = u + range.row[j] * stride;
      for (int v = 0; v < kV; ++v) t[v] += weight * Row::load(row + v * kStep);
    }
  }

  // Both in one pass: t <- sum of x_e u_e, s <- sum of w_e v_e
  static inline void sum_rows(const FiberRange& range, Count begin, Count end, Count stride, const Real* u,
                              const Real* x, Vec (&t)[kV], const Real* v, const Real* w, Vec (&s)[kV]) {
    for (int i = 0; i < kV; ++i) t[i] = s[i] = Vec{};
    for (Count j = begin; j < end; ++j) {
      const Vec of_x = Row::broadcast(x[range.entry[j]]);
      const Vec of_w = Row::broadcast(w[range.entry[j]]);
      const Real* u_row = u + range.row[j] * stride;
      const Real* v_row = v + range.row[j] * stride;
      for (int i = 0; i < kV; ++i) {
        t[i] += of_x * Row::load(u_row + i * kStep);
        s[i] += of_w * Row::load(v_row + i * kStep);
      }
    }
  }

  static inline Vec products(const Real* row, const Vec (&t)[kV]) {
    Vec sum = Row::load(row) * t[0];
    for (int v = 1; v < kV; ++v) sum += Row::load(row + v * kStep) * t[v];
    return sum;
  }

  static inline Real dot_row(const Real* row, const Vec (&t)[kV]) { return Row::total(products(row, t)); }

  // y_e += the total of the vector sum(row of e) over the positions [begin, end)
  template <class Sum>
  static inline void add_totals(const FiberRange& range, Count begin, Count end, Real* y, const Sum& sum) {
    Count j = begin;
    if constexpr (Row::kFourAtOnce) {
      for (; j + 4 <= end; j += 4) {
        const Index* row = range.row + j;
        const Index* entry = range.entry + j;
        const auto dots = totals(Row::folded(sum(row[0])), Row::folded(sum(row[1])), Row::folded(sum(row[2])),
                                 Row::folded(sum(row[3])));
        for (int i = 0; i < 4; ++i) y[entry[i]] += dots[i];
      }
    }
    for (; j < end; ++j) y[range.entry[j]] += Row::total(sum(range.row[j]));
  }

  static inline void add_row(Real* row, Real weight, const Vec (&t)[kV]) {
    const Vec w = Row::broadcast(weight);
    for (int v = 0; v < kV; ++v) Row::store(row + v * kStep, Row::load(row + v * kStep) + w * t[v]);
  }

  static void apply(const FiberRange& range, const Real* u, Count stride, Real scale, const Real* x,
                    Real* y) {
    for (Count f = 0; f < range.fibers; ++f) {
      const Count begin = begin_of(range, f);
      const Count end = begin_of(range, f + 1);
      Vec t[kV];
      sum_rows(range, begin, end, u, stride, x, t);
      for (int v = 0; v < kV; ++v) t[v] *= Row::broadcast(scale_of(range, f, scale));
      add_totals(range, begin, end, y, [&](Count row) { return products(u + row * stride, t); });
    }
  }

  static void directional(const FiberRange& range, const Real* u, const Real* v, Count stride, Real scale,
                          const Real* x, Real* y) {
    for (Count f = 0; f < range.fibers; ++f) {
      const Count begin = begin_of(range, f);
      const Count end = begin_of(range, f + 1);
      Vec from_u[kV];
      Vec from_v[kV];
      sum_rows(range, begin, end, stride, u, x, from_u, v, x, from_v);
      const Vec scaled = Row::broadcast(scale_of(range, f, scale));
      for (int i = 0; i < kV; ++i) {
        from_u[i] *= scaled;
        from_v[i] *= scaled;
      }
      add_totals(range, begin, end, y, [&](Count row) {
        return products(u + row * stride, from_v) + products(v + row * stride, from_u);
      });
    }
  }

  static void gram(const FiberRange& range, const Real* u, Count stride, Real scale, const Real* x, Real* g) {
    for (Count f = 0; f < range.fibers; ++f) {
      const Count begin = begin_of(range, f);
      const Count end = begin_of(range, f + 1);
      Vec t[kV];
      sum_rows(range, begin, end, u, stride, x, t);
      const Real scaled = scale_of(range, f, scale);
      for (Count j = begin; j < end; ++j) add_row(g + range.row[j] * stride, scaled * x[range.entry[j]], t);
    }
  }

  static void cross(const FiberRange& range, const Real* u, Count stride, Real scale, const Real* x,
                    const Real* w, Real* g) {
    for (Count f = 0; f < range.fibers; ++f) {
      const Count begin = begin_of(range, f);
      const Count end = begin_of(range, f + 1);
      Vec from_x[kV];
      Vec from_w[kV];
      sum_rows(range, begin, end, stride, u, x, from_x, u, w, from_w);
      const Real scaled = scale_of(range, f, scale);
      for (Count j = begin; j < end; ++j) {
        Real* row = g + range.row[j] * stride;
        const Vec of_x = Row::broadcast(scaled * x[range.entry[j]]);
        const Vec of_w = Row::broadcast(scaled * w[range.entry[j]]);
        for (int i = 0; i < kV; ++i) {
          Real* at = row + i * kStep;
          Row::store(at, Row::load(at) + of_x * from_w[i] + of_w * from_x[i]);
        }
      }
    }
  }

  static void gather(const FiberRange& range, const Real* u, Count stride, Real scale, const Real* x,
                     Real* out) {
    for (Count f = 0; f < range.fibers; ++f) {
      Vec t[kV];
      sum_rows(range, begin_of(range, f), begin_of(range, f + 1), u, stride, x, t);
      for (int v = 0; v < kV; ++v) Row::store(out + f * stride + v * kStep, Row::broadcast(scale) * t[v]);
    }
  }

  static void pair_products(const FiberRange& range, const Real* u, Count stride, Real scale, Real* off) {
    for (Count f = 0; f < range.fibers; ++f) {
      const Index* row = range.row + f * range.length;
      const Real scaled = scale_of(range, f, scale);
      for (int a = 0; a < range.length; ++a) {
        Vec t[kV];
        for (int v = 0; v < kV; ++v) t[v] = Row::load(u + row[a] * stride + v * kStep);
        for (int b = a + 1; b < range.length; ++b) *off++ += scaled * dot_row(u + row[b] * stride, t);
      }
    }
  }
};

template <class Real, int kLength>
void apply_pairs_of(const FiberRange& range, const Real* off, const Real* x, Real* y) {
  for (Count f = 0; f < range.fibers; ++f) {
    const Index* entry = range.entry + f * kLength;
    Real in[kLength];
    Real out[kLength];
    for (int a = 0; a < kLength; ++a) {
      in[a] = x[entry[a]];
      out[a] = y[entry[a]];
    }
    for (int a = 0; a < kLength; ++a)
      for (int b = a + 1; b < kLength; ++b) {
        out[a] += *off * in[b];
        out[b] += *off * in[a];
        ++off;
      }
    for (int a = 0; a < kLength; ++a) y[entry[a]] = out[a];
  }
}

template <class Real>
void apply_pairs(const FiberRange& range, const Real* off, const Real* x, Real* y) {
  switch (range.length) {
    case 2:
      return apply_pairs_of<Real, 2>(range, off, x, y);
    case 3:
      return apply_pairs_of<Real, 3>(range, off, x, y);
    default:
      return apply_pairs_of<Real, 4>(range, off, x, y);
  }
}

template <class Real, class Row>
void fill(FiberKernels<Real>& set, int vectors) {
  using L = Loops<Real, Row>;
  set.apply[vectors] = &L::apply;
  set.directional[vectors] = &L::directional;
  set.gram[vectors] = &L::gram;
  set.cross[vectors] = &L::cross;
  set.gather[vectors] = &L::gather;
  set.pair_products[vectors] = &L::pair_products;
}

template <class Real>
FiberKernels<Real> make_set(const char* name) {
  FiberKernels<Real> set;
  set.name = name;
  fill<Real, ScalarRow<Real>>(set, 0);
  fill<Real, VectorRow<Real, 1>>(set, 1);
  fill<Real, VectorRow<Real, 2>>(set, 2);
  fill<Real, VectorRow<Real, 3>>(set, 3);
  fill<Real, VectorRow<Real, 4>>(set, 4);
  fill<Real, VectorRow<Real, 5>>(set, 5);
  fill<Real, VectorRow<Real, 6>>(set, 6);
  fill<Real, VectorRow<Real, 1, kVectorBytes / 2>>(set, kHalfVector);
  set.apply_pairs = &apply_pairs<Real>;
  return set;
}
