// SPDX-License-Identifier: MIT
// The loops themselves. Included by one .cpp per instruction set, inside a namespace of that set's own; uses
// no library templates, because their instances would be shared between sets that not every machine can run.

// A row of one number.
template <class Real>
struct ScalarRow {
  using Vec = Real;
  static constexpr int kVectors = 1;
  static Vec load(const Real* p) { return *p; }
  static void store(Real* p, Vec v) { *p = v; }
  static Vec broadcast(Real x) { return x; }
  static Real total(Vec v) { return v; }
};

// A row of kCount vectors of kVectorBytes each.
template <class Real, int kCount>
struct VectorRow {
  typedef Real Vec __attribute__((vector_size(kVectorBytes)));
  typedef Real Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(Real)), may_alias));
  static constexpr int kVectors = kCount;
  static Vec load(const Real* p) { return *reinterpret_cast<const Unaligned*>(p); }
  static void store(Real* p, Vec v) { *reinterpret_cast<Unaligned*>(p) = v; }
  static Vec broadcast(Real x) { return x - Vec{}; }
  static Real total(Vec v) {
    if constexpr (kLanes<Real> == 4) {
      return (v[0] + v[2]) + (v[1] + v[3]);
    } else {
      return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
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

  static inline Real dot_row(const Real* row, const Vec (&t)[kV]) {
    Vec sum = Row::load(row) * t[0];
    for (int v = 1; v < kV; ++v) sum += Row::load(row + v * kStep) * t[v];
    return Row::total(sum);
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
      for (Count j = begin; j < end; ++j) y[range.entry[j]] += dot_row(u + range.row[j] * stride, t);
    }
  }

  static void directional(const FiberRange& range, const Real* u, const Real* v, Count stride, Real scale,
                          const Real* x, Real* y) {
    for (Count f = 0; f < range.fibers; ++f) {
      const Count begin = begin_of(range, f);
      const Count end = begin_of(range, f + 1);
      Vec from_u[kV];
      Vec from_v[kV];
      sum_rows(range, begin, end, u, stride, x, from_u);
      sum_rows(range, begin, end, v, stride, x, from_v);
      const Real scaled = scale_of(range, f, scale);
      for (Count j = begin; j < end; ++j) {
        const Count offset = range.row[j] * stride;
        y[range.entry[j]] += scaled * (dot_row(u + offset, from_v) + dot_row(v + offset, from_u));
      }
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
      sum_rows(range, begin, end, u, stride, x, from_x);
      sum_rows(range, begin, end, u, stride, w, from_w);
      const Real scaled = scale_of(range, f, scale);
      for (Count j = begin; j < end; ++j) {
        Real* row = g + range.row[j] * stride;
        add_row(row, scaled * x[range.entry[j]], from_w);
        add_row(row, scaled * w[range.entry[j]], from_x);
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
  set.apply_pairs = &apply_pairs<Real>;
  return set;
}
