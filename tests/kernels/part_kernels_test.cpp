// SPDX-License-Identifier: MIT
// The sparse products of one part against their naive twins, and their bits at several thread counts.
#include "kernels/part_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/column_blocks.hpp"
#include "support/kernel_check.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::as_span;
using test::expect_close;
using test::in_double;
using test::random_matrix;
using test::random_vector;
using test::rounding;

constexpr double kScale = -1.7;  // any number that is not 1

// Random operands of a part, in Real, with their twins' results in double.
template <class Real>
struct Operands {
  Operands(const ObservedTensor& tensor, const PartSpec& part, int rank, Rng& rng)
      : u(random_matrix<Real>(tensor.extent(part.mode), rank, rng)),
        v(random_matrix<Real>(tensor.extent(part.mode), rank, rng)),
        g(random_matrix<Real>(tensor.extent(part.mode), rank, rng)),
        x(random_vector<Real>(tensor.size(), rng)),
        w(random_vector<Real>(tensor.size(), rng)),
        y(random_vector<Real>(tensor.size(), rng)) {}

  Matrix<Real> u, v;
  Matrix<Real> g;  // what a result is added to
  std::vector<Real> x, w;
  std::vector<Real> y;  // likewise
};

template <class Real>
void check_directional(const PartKernels& kernel, const test::NaivePart& naive, const Operands<Real>& in) {
  Eigen::VectorXd want = in_double(in.y);
  naive.add_directional(in_double(in.u), in_double(in.v), kScale, in_double(in.x), want);
  Eigen::VectorXd magnitude = in_double(in.y).cwiseAbs();
  naive.add_directional(in_double(in.u).cwiseAbs(), in_double(in.v).cwiseAbs(), -kScale,
                        in_double(in.x).cwiseAbs(), magnitude);
  const double summands = static_cast<double>(naive.longest() + in.u.cols());
  test::with_each_kernel_set([&] {
    std::vector<Real> got = in.y;
    kernel.add_directional(kernel.table(in.u), kernel.table(in.v), kScale, std::span<const Real>(in.x),
                           std::span<Real>(got));
    expect_close<Real>(got, as_span(want), as_span(magnitude), rounding<Real>(summands));
  });
}

template <class Real>
void check_gram(const PartKernels& kernel, const test::NaivePart& naive, const Operands<Real>& in) {
  Matrix<double> want = in_double(in.g);
  naive.add_gram(in_double(in.u), kScale, in_double(in.x), want);
  Matrix<double> magnitude = in_double(in.g).cwiseAbs();
  naive.add_gram(in_double(in.u).cwiseAbs(), -kScale, in_double(in.x).cwiseAbs(), magnitude);
  const double summands = static_cast<double>(in.x.size());
  test::with_each_kernel_set([&] {
    Matrix<Real> got = in.g;
    kernel.add_gram(kernel.table(in.u), kScale, std::span<const Real>(in.x), got);
    expect_close<Real>(flat(std::as_const(got)), flat(std::as_const(want)), flat(std::as_const(magnitude)),
                       rounding<Real>(summands));
  });
}

template <class Real>
void check_cross(const PartKernels& kernel, const test::NaivePart& naive, const Operands<Real>& in) {
  Matrix<double> want = in_double(in.g);
  naive.add_cross(in_double(in.u), kScale, in_double(in.x), in_double(in.w), want);
  Matrix<double> magnitude = in_double(in.g).cwiseAbs();
  naive.add_cross(in_double(in.u).cwiseAbs(), -kScale, in_double(in.x).cwiseAbs(), in_double(in.w).cwiseAbs(),
                  magnitude);
  const double summands = static_cast<double>(in.x.size());
  test::with_each_kernel_set([&] {
    Matrix<Real> got = in.g;
    kernel.add_cross(kernel.table(in.u), kScale, std::span<const Real>(in.x), std::span<const Real>(in.w),
                     got);
    expect_close<Real>(flat(std::as_const(got)), flat(std::as_const(want)), flat(std::as_const(magnitude)),
                       rounding<Real>(summands));
  });
}

template <class Real>
void check_part(const ObservedTensor& tensor, const PartSpec& part, const std::vector<int>& ranks, Rng& rng) {
  const PartKernels kernel(tensor, part);
  const test::NaivePart naive(tensor, part);
  for (const int rank : ranks) {
    SCOPED_TRACE(test::describe_part(part, rank));
    const Operands<Real> in(tensor, part, rank, rng);
    check_directional(kernel, naive, in);
    check_gram(kernel, naive, in);
    check_cross(kernel, naive, in);
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class Real>
class PartKernelsTest : public testing::Test {
 protected:
  test::WithThreads one_{
      1};  // more are not worth waking for small tensors; the tests of many pieces ask for them
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(PartKernelsTest, Reals, );

TYPED_TEST(PartKernelsTest, EqualTheirNaiveTwinsOnThreeModes) {
  Rng rng(40);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  test::expect_every_kind_of_fiber(FiberView(tensor, full_parts(3)[1]));
  for (const PartSpec& part : full_parts(3)) check_part<TypeParam>(tensor, part, test::tested_ranks(), rng);
}

TYPED_TEST(PartKernelsTest, EqualTheirNaiveTwinsOnFourModes) {
  Rng rng(41);
  const ObservedTensor tensor = test::random_tensor({5, 9, 4, 6}, 260, rng, 1.5);
  for (const PartSpec& part : full_parts(4)) check_part<TypeParam>(tensor, part, test::tested_ranks(), rng);
}

TYPED_TEST(PartKernelsTest, EqualTheirNaiveTwinsOnMarginalParts) {
  Rng rng(42);
  const ObservedTensor three = test::random_tensor({9, 14, 11}, 150, rng, 1.5);
  for (const PartSpec& part : {PartSpec{.mode = 0, .agree = {1}}, PartSpec{.mode = 1, .agree = {0}},
                               PartSpec{.mode = 2, .agree = {1}}})
    check_part<TypeParam>(three, part, test::tested_ranks(), rng);
  check_part<TypeParam>(three, {.mode = 1, .agree = {}}, {1, 3, 8, 25, 60}, rng);
  const ObservedTensor four = test::random_tensor({5, 9, 4, 6}, 150, rng, 1.5);
  for (const PartSpec& part : {PartSpec{.mode = 0, .agree = {1, 3}}, PartSpec{.mode = 3, .agree = {0, 2}},
                               PartSpec{.mode = 2, .agree = {1}}})
    check_part<TypeParam>(four, part, {1, 2, 5, 9, 17, 24, 25, 31, 60}, rng);
}

TYPED_TEST(PartKernelsTest, EqualTheirNaiveTwinsInWeightedNorms) {
  Rng rng(47);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  test::expect_every_kind_of_fiber(FiberView(tensor, full_parts(3)[1]));
  for (const PartSpec& part : test::weighted_parts()) {
    check_part<TypeParam>(tensor, part, {1, 3, 8, 25}, rng);
    check_part<TypeParam>(test::with_random_weights(tensor, rng), part, {1, 3, 8, 25}, rng);
  }
}

TYPED_TEST(PartKernelsTest, EqualTheirNaiveTwinsOverManyPieces) {
  const test::WithThreads scope(2);
  Rng rng(43);
  const ObservedTensor tensor = test::random_tensor({300, 250, 40}, 20000, rng, 1.2);
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 2, .agree = {0}});
  parts.push_back({.mode = 0, .agree = {1, 2}, .row_power = 0.5, .fiber_power = 0.5});
  for (const PartSpec& part : parts) {
    ASSERT_GT(PartKernels(tensor, part).pieces().size(), 2U);
    check_part<TypeParam>(tensor, part, {3}, rng);
  }
}

// gather is the model's kernel: t_c = scale sum_e x_e u_e of every fiber of a piece.
TYPED_TEST(PartKernelsTest, GatherSumsTheRowsOfEachFiber) {
  Rng rng(44);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  for (const PartSpec& part : full_parts(3))
    for (const int rank : test::tested_ranks()) {
      SCOPED_TRACE(test::describe_part(part, rank));
      const PartKernels kernel(tensor, part);
      const Operands<TypeParam> in(tensor, part, rank, rng);
      const FactorTable<TypeParam> u(in.u);
      int vectors = -1;  // of the first block of columns
      kernels::for_column_blocks<TypeParam>(rank, [&](int block_vectors, int) {
        if (vectors < 0) vectors = block_vectors;
      });
      const int columns = std::min(rank, kernels::kMaxVectors * kernels::kLanes<TypeParam>);
      test::with_each_kernel_set([&] {
        for (const kernels::FiberRange& piece : kernel.pieces()) {
          FactorTable<TypeParam> t;
          t.resize_zero(piece.fibers, rank);
          kernels::fiber_kernels<TypeParam>().gather[vectors](
              piece, u.data(), u.stride(), static_cast<TypeParam>(kScale), in.x.data(), t.data());
          for (Count f = 0; f < piece.fibers; ++f) {
            const Count begin = piece.start != nullptr ? piece.start[f] : f * piece.length;
            const Count end = piece.start != nullptr ? piece.start[f + 1] : (f + 1) * piece.length;
            for (int j = 0; j < columns; ++j) {
              double want = 0.0;
              double magnitude = 0.0;
              for (Count i = begin; i < end; ++i) {
                const double term = static_cast<double>(in.x[piece.entry[i]]) *
                                    static_cast<double>(in.u(piece.row[i], j)) * kScale;
                want += term;
                magnitude += std::abs(term);
              }
              ASSERT_NEAR(static_cast<double>(t.row(f)[j]), want,
                          rounding<TypeParam>(static_cast<double>(end - begin)) * magnitude);
            }
          }
        }
      });
    }
}

TYPED_TEST(PartKernelsTest, HaveTheSameBitsAtAnyThreadCount) {
  Rng rng(45);
  const ObservedTensor tensor = test::random_tensor({300, 250, 40}, 60000, rng, 1.7);
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 2, .agree = {0}});
  parts.push_back({.mode = 1, .agree = {2}, .row_power = 0.5, .fiber_power = 0.5});
  for (const PartSpec& part : parts)
    for (const int rank : {1, 26}) {
      SCOPED_TRACE(test::describe_part(part, rank));
      const PartKernels kernel(tensor, part);
      const Operands<TypeParam> in(tensor, part, rank, rng);
      const FactorTable<TypeParam> u(in.u);
      const std::span<const TypeParam> x = in.x;
      std::vector<Operands<TypeParam>> results;
      for (const int threads : {1, 2, 3, 5}) {
        const test::WithThreads scope(threads);
        Operands<TypeParam>& out = results.emplace_back(in);
        kernel.add_directional(u, FactorTable<TypeParam>(in.v), kScale, x, std::span<TypeParam>(out.y));
        kernel.add_gram(u, kScale, x, out.g);
        kernel.add_cross(u, kScale, x, std::span<const TypeParam>(in.w), out.v);
        const Operands<TypeParam>& alone = results.front();
        EXPECT_TRUE(test::same_bits<TypeParam>(out.y, alone.y)) << threads << " threads, directional";
        EXPECT_TRUE(test::same_bits<TypeParam>(flat(out.g), flat(alone.g))) << threads << " threads, gram";
        EXPECT_TRUE(test::same_bits<TypeParam>(flat(out.v), flat(alone.v))) << threads << " threads, cross";
      }
    }
}

TYPED_TEST(PartKernelsTest, WorkTheSameAfterAMove) {
  Rng rng(46);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  for (const PartSpec& part : {full_parts(3)[0], test::weighted_parts()[0]}) {
    const Operands<TypeParam> in(tensor, part, 7, rng);
    PartKernels first(tensor, part);
    const FactorTable<TypeParam> u = first.table(in.u);
    Matrix<TypeParam> before = in.g;
    first.add_gram(u, kScale, std::span<const TypeParam>(in.x), before);
    const PartKernels second = std::move(first);
    Matrix<TypeParam> after = in.g;
    second.add_gram(u, kScale, std::span<const TypeParam>(in.x), after);
    EXPECT_EQ(before, after);
  }
}

}  // namespace
}  // namespace lacuna
