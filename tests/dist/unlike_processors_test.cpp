// SPDX-License-Identifier: MIT
// Processes on unlike processors compute the same things with other last bits. They must decide alike all the same, and
// where that cannot be had, say so.
#include <gtest/gtest.h>

#include <lacuna/model/structure.hpp>
#include <lacuna/search/fit.hpp>

#include "kernels/share_plan.hpp"
#include "manifold/agreed.hpp"
#include "manifold/product.hpp"
#include "manifold/quotient_tucker.hpp"
#include "problem/dual_problem.hpp"
#include "problem/initial_point.hpp"
#include "solver/trust_region.hpp"
#include "support/latent_tensor.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::ThreadGroup;

constexpr double kLastBits = 1e-14;  // some ulps, so that they are not rounded away
constexpr int kOther = 1;            // the process with another processor

void perturb(std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1.0 + (i % 2 == 0 ? kLastBits : -kLastBits);
}

// Problem D on a process whose sums come out a little different.
class OnAnother : public DualProblem<double> {
 public:
  OnAnother(const ProblemData<double>& data, bool another)
      : DualProblem<double>(data, DualOptions{}), another_(another) {}

  template <class... A>
  void gradient(const Point& x, const State& state, Point& out, const A&... more) {
    DualProblem<double>::gradient(x, state, out, more...);
    blur(out);
  }
  template <class... A>
  void hessian(const Point& x, const State& state, const Point& v, Point& out, const A&... more) {
    DualProblem<double>::hessian(x, state, v, out, more...);
    blur(out);
  }

 private:
  void blur(Point& out) const {
    for (Matrix<double>& factor : out)
      if (another_) perturb(flat(factor));
  }

  bool another_;
};

TEST(UnlikeProcessors, ASolverTakesTheSameStepsOnAll) {
  const test::WithThreads one(1);
  const test::LatentSplit split = test::latent_tensor({11, 9, 6}, 1, 0.5, 4);
  const std::vector<PartSpec> parts = full_parts(3);
  std::vector<std::vector<Matrix<double>>> found(3);
  std::vector<Summary> summaries(3);
  ThreadGroup(3).run([&](const Communicator& everyone) {
    const ObservedTensor share = take_share_of_whole(split.train, parts, everyone);
    const ProblemData<double> data(share, parts, {1.0, 1.0, 1.0}, everyone);
    OnAnother problem(data, everyone.rank() == kOther);
    std::vector<ProductManifold<double>::Factor> factors;
    for (std::size_t p = 0; p < parts.size(); ++p)
      factors.push_back(Spectrahedron<double>(data.parts()[p].factor_rows(), 2));
    const ProductManifold<double> manifold(std::move(factors), everyone);
    Rng rng(1);
    std::vector<Matrix<double>> x = random_start(data, {2, 2, 2}, rng);
    if (everyone.rank() == kOther) perturb(flat(x.front()));
    manifold.agree(x);
    DualProblem<double>::State state;
    const auto me = static_cast<std::size_t>(everyone.rank());
    summaries[me] =
        trust_region(manifold, problem, x, state, {.max_iterations = 60, .gradient_tolerance = 1e-9}, {},
                     [](const IterationRecord&, const auto&, const auto&) { return Flow::kContinue; });
    found[me] = std::move(x);
  });
  EXPECT_GT(summaries[0].iterations, 3);
  for (const std::size_t other : {1U, 2U}) {
    EXPECT_EQ(summaries[other].iterations, summaries[0].iterations);
    EXPECT_EQ(summaries[other].reason, summaries[0].reason);
    for (std::size_t p = 0; p < parts.size(); ++p) EXPECT_EQ(found[other][p], found[0][p]) << p;
  }
}

TEST(UnlikeProcessors, TuckerManifoldsDecideAlike) {
  std::vector<double> products(3);
  std::vector<Tucker> points(3);
  ThreadGroup(3).run([&](const Communicator& everyone) {
    const Agreed manifold(QuotientTucker({7, 6, 5}, {2, 2, 2}, 3.0), everyone);
    Rng rng(3);
    Tucker x;
    Tucker u;
    manifold.random_point(rng, x);
    manifold.random_point(rng, u);
    if (everyone.rank() == kOther) {
      perturb(flat(u.factors[0]));
      perturb(flat(x.factors[1]));
    }
    QuotientTucker::Frame frame;
    manifold.frame(x, frame);
    const auto me = static_cast<std::size_t>(everyone.rank());
    products[me] = inner_at(manifold, x, frame, u, u);
    manifold.retract(x, u, points[me]);
  });
  EXPECT_NE(products[0], 0.0);
  for (const std::size_t other : {1U, 2U}) {
    EXPECT_EQ(products[other], products[0]);
    EXPECT_EQ(points[other].core, points[0].core);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(points[other].factors[k], points[0].factors[k]);
  }
}

// A method that runs alike on every process has nothing to be put right by.
TEST(UnlikeProcessors, AMethodThatDoesNotShareSaysThatNumbersDiffer) {
  const test::WithThreads one(1);
  const test::LatentSplit split = test::latent_tensor({8, 7, 5}, 1, 0.5, 4);
  const auto fit_with = [&](double change) {
    ThreadGroup(3).run([&](const Communicator& everyone) {
      ObservedTensor tensor = split.train;
      std::vector<double> values(tensor.values().begin(), tensor.values().end());
      if (everyone.rank() == kOther) values[3] *= 1.0 + change;
      tensor.replace_values(std::move(values));
      FitCallbacks callbacks;
      callbacks.everyone = &everyone;
      (void)fit_once(tensor, {.method = Method::kAls, .ranks = {2}, .max_iterations = 5}, callbacks);
    });
  };
  EXPECT_NO_THROW(fit_with(0.0));
  try {
    fit_with(1e-12);
    FAIL() << "numbers that differ were not found";
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("other numbers on process 1 than on the first, expected the same bits"),
              std::string::npos)
        << what;
  }
}

}  // namespace
}  // namespace lacuna
