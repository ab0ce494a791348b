// SPDX-License-Identifier: MIT
// Hessian products reuse their workspace: after the first one nothing is allocated by the problem, the products of
// its parts, the manifold or the subproblem's solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "problem/primal_problem.hpp"
#include "solver/truncated_cg.hpp"
#include "support/manifold_laws.hpp"
#include "support/problem_case.hpp"
#include "support/threads.hpp"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// The forms for arrays call these. Never inlined: the compiler would see malloc's memory meet operator
// delete.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace lacuna {
namespace {

using test::ProblemCase;
using Point = std::vector<Matrix<double>>;
using Manifold = ProductManifold<double>;

template <class Body>
long allocations_in(Body&& body) {
  const long before = allocations;
  body();
  return allocations - before;
}

class Allocations : public testing::TestWithParam<test::ProblemShape> {
 protected:
  test::WithThreads one_{1};
  ProblemCase<double> problem_{GetParam(), 500};
  Rng rng_{501};
};

TEST(AllocationCount, SeesPlainAndAlignedMemory) {
  std::vector<double> kept;
  EXPECT_EQ(allocations_in([&] { kept = std::vector<double>(10); }), 1);
  FactorTable<double> table;
  EXPECT_EQ(allocations_in([&] { table.resize_zero(3, 2); }), 1);
  EXPECT_EQ(allocations_in([&] { table.resize_zero(3, 2); }), 0);
}

TEST_P(Allocations, ADualHessianProductMakesNoneAfterTheFirst) {
  DualProblem<double> dual(problem_.data, {});
  const Point u = problem_.random_point(rng_);
  const Point direction = problem_.random_point(rng_);
  DualProblem<double>::State state;
  dual.evaluate(u, nullptr, state);
  Point out = u;
  dual.hessian(u, state, direction, out);
  const long seen = allocations_in([&] { dual.hessian(u, state, direction, out); });
  EXPECT_EQ(seen, 0);
}

TEST_P(Allocations, APrimalHessianProductMakesNoneAfterTheFirst) {
  PrimalProblem<double> primal(problem_.data);
  const Point x = problem_.random_point(rng_, true);
  const Point direction = problem_.random_point(rng_, true);
  PrimalProblem<double>::State state;
  primal.evaluate(x, nullptr, state);
  Point out = x;
  primal.hessian(x, state, direction, out);
  const long seen = allocations_in([&] { primal.hessian(x, state, direction, out); });
  EXPECT_EQ(seen, 0);
}

TEST_P(Allocations, ASubproblemMakesNoneAfterTheFirst) {
  const Manifold manifold = problem_.manifold();
  DualProblem<double> dual(problem_.data, {});
  const Point u = problem_.random_point(rng_);
  DualProblem<double>::State state;
  dual.evaluate(u, nullptr, state);
  Manifold::Frame frame;
  manifold.frame(u, frame);
  Point euclidean = u;
  dual.gradient(u, state, euclidean);
  Point gradient = euclidean;
  manifold.project(u, frame, gradient);
  const auto hessian = [&](const Point& direction, Point& out) {
    dual.hessian(u, state, direction, out);
    manifold.riemannian_hessian(u, frame, euclidean, direction, out);
  };
  TruncatedCg<Manifold> solver({.kappa = 1e-3, .max_iterations = 5});
  Point eta;
  SubproblemResult result;
  const auto solve = [&] {
    result =
        solver.solve(manifold, {.x = u, .gradient = gradient, .gradient_scale = state.cost, .radius = 1.0},
                     hessian, {}, eta);
  };
  solve();
  const long seen = allocations_in(solve);
  EXPECT_GT(result.iterations, 0);
  EXPECT_EQ(seen, 0);
}

TEST_P(Allocations, TheProductsOfAPartMakeNoneAfterTheFirst) {
  const Point u = problem_.random_point(rng_);
  const std::vector<double> z(static_cast<std::size_t>(problem_.data.entries()), 1.0);
  const std::span<const double> in = z;
  std::vector<double> y(z.size());
  for (std::size_t p = 0; p < problem_.data.parts().size(); ++p) {
    const PartKernels& part = problem_.data.parts()[p];
    const FactorTable<double> table = part.table(u[p]);
    Matrix<double> g = u[p];
    PartWorkspace<double> work;
    const auto products = [&] {
      part.add_directional(table, table, 1.0, in, std::span<double>(y), work);
      part.add_gram(table, 1.0, in, g, work);
      part.add_cross(table, 1.0, in, in, g, work);
    };
    products();
    EXPECT_EQ(allocations_in(products), 0) << p;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Allocations, testing::ValuesIn(test::problem_shapes()), test::shape_name);

}  // namespace
}  // namespace lacuna
