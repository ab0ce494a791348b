// SPDX-License-Identifier: MIT
// Tucker completion, min 1/2 ||P_Omega(X) - Y||^2 over tensors of multilinear rank (r_1, ..., r_K), by
// nonlinear conjugate gradients. The methods differ in the manifold only:
//
//   geomcg   embedded manifold, HOSVD retraction (Kressner, Steinlechner, Vandereycken 2014)
//   rprecon  quotient manifold, preconditioned metric (Kasai & Mishra 2016)
//   topt     no manifold: core and factors as they are (Filipovic & Jukic 2015)
//
// Inside, the modes are in the order in which the kernels share most work (thin_order).
#include <algorithm>

#include "kernels/layouts.hpp"
#include "kernels/tucker_kernels.hpp"
#include "manifold/agreed.hpp"
#include "manifold/embedded_tucker.hpp"
#include "manifold/quotient_tucker.hpp"
#include "method/dense/dense.hpp"
#include "method/solve.hpp"
#include "method/tucker/tucker_start.hpp"
#include "model/body.hpp"
#include "problem/tucker_problem.hpp"
#include "solver/nonlinear_cg.hpp"

namespace lacuna {
namespace {

// A rank below the final one only provides a starting point for the next.
constexpr int kStageIterations = 20;
constexpr double kStageTolerance = 1e-3;

Summary minimize(const ObservedTensor& tensor, Method method, const NonlinearCgOptions& stage, FitRun& run,
                 const std::optional<SortedCells>& test, const FitRun::Fields& fields, Tucker& x,
                 TuckerProblem::State& state) {
  TuckerProblem problem(tensor, run.everyone());
  NonlinearCgOptions options = stage;
  const auto observe = [&](const IterationRecord& record, const Tucker& at,
                           const TuckerProblem::State& here) {
    return run.report(record, {.train_rmse = problem.train_rmse(here)},
                      [&](std::span<double> out) { add_values(at, *test, out); });
  };
  if (!run.going_on()) run.start_stage();
  const StepKeeper keeper = run.keeper(fields);
  const auto on = [&](const auto& manifold) {
    return nonlinear_cg(manifold, problem, x, state, options, run.poll(), observe, &keeper);
  };
  switch (method) {
    case Method::kGeomCg:
      options.rule = ConjugateRule::kPolakRibiere;
      return on(Agreed(EmbeddedTucker(shape_of(tensor), x.ranks(), problem.data_norm()), run.everyone()));
    case Method::kRprecon:
      return on(Agreed(QuotientTucker(shape_of(tensor), x.ranks(), problem.data_norm()), run.everyone()));
    default:
      options.rule = ConjugateRule::kPolakRibiere;
      return on(Agreed(TuckerSpace(shape_of(tensor), x.ranks(), problem.data_norm()), run.everyone()));
  }
}

// A warm model's tensor if it is about the same modes.
const Tucker* warm_tensor(const ObservedTensor& tensor, const Settings& options) {
  if (options.warm_start == nullptr || extents(options.warm_start->modes) != extents(tensor.modes()))
    return nullptr;
  return std::get_if<Tucker>(&*options.warm_start->body);
}

// `warm`, as far as the ranks allow, or what the options say.
Tucker starting_point(const ObservedTensor& tensor, const std::vector<int>& ranks,
                      const std::optional<Tucker>& warm, const Settings& options,
                      const Communicator& everyone, Rng& rng) {
  if (warm) {
    std::vector<int> fewer = warm->ranks();
    for (std::size_t k = 0; k < fewer.size(); ++k) fewer[k] = std::min(fewer[k], ranks[k]);
    return fewer == warm->ranks() ? orthonormalized(*warm) : truncated_hosvd(*warm, fewer);
  }
  switch (*options.start) {
    case Start::kRandom:
      return random_tucker_start(tensor, ranks, everyone, rng);
    case Start::kSpectral:
      return spectral_tucker_start(tensor, ranks, everyone, rng);
    default:
      return spectral_tucker_start(tensor, std::vector<int>(ranks.size(), 1), everyone, rng);
  }
}

// Zeros, for a fit that goes on with other numbers of these ranks.
Tucker empty_tensor(const ObservedTensor& tensor, const std::vector<int>& ranks) {
  Tucker x;
  TuckerSpace(shape_of(tensor), ranks).zero(x, x);
  return x;
}

std::vector<int> in_order(const std::vector<int>& list, const std::vector<int>& order) {
  std::vector<int> picked;
  for (const int k : order) picked.push_back(list[k]);
  return picked;
}

// thin_order() of the entries of all processes: cells that agree in some modes are counted where they are together.
std::vector<int> shared_thin_order(const ObservedTensor& tensor, const Communicator& everyone) {
  if (everyone.alone()) return thin_order(tensor.cells());
  Layouts layouts(tensor, everyone);
  return thin_order(tensor.order(), [&](std::vector<int> modes) {
    std::sort(modes.begin(), modes.end());
    const PartSpec part{.mode = PartSpec::kNothing, .agree = modes};
    const std::size_t layout = layouts.find({&part, 1}).front();
    return everyone.sum(distinct_cells(layouts[layout].tensor->cells(), modes));
  });
}

}  // namespace

Solved solve_tucker(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  const std::vector<int> wanted = tucker_ranks(tensor, options, *options.method != Method::kTopt, run);
  const std::vector<int> order = shared_thin_order(tensor, run.everyone());
  std::vector<int> back(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) back[order[k]] = static_cast<int>(k);

  std::optional<Tucker> warm;
  if (const Tucker* tucker = warm_tensor(tensor, options)) warm = reordered(*tucker, order);
  tensor = tensor.reordered(order);
  run.share_state(tensor, {"solver/state/residual"});
  const std::vector<int> ranks = in_order(wanted, order);
  std::optional<SortedCells> test;
  run.guess_unseen();
  if (run.test() != nullptr) run.untimed([&] { test.emplace(run.test()->cells.reordered(order)); });
  Rng rng(options.seed);
  Tucker x;
  std::vector<int> stage = ranks;  // of this stage
  const auto fields = [&](Archive& archive) {
    archive("ranks", stage);
    archive("rng", rng);
  };
  if (run.going_on()) {
    run.load(fields);
    for (std::size_t k = 0; k < stage.size(); ++k)
      if (stage.size() != ranks.size() || stage[k] < 1 || stage[k] > ranks[k])
        Archive::refuse("ranks", "ranks on the way to those of this fit");
    x = empty_tensor(tensor, stage);
  } else {
    x = starting_point(tensor, ranks, warm, options, run.everyone(), rng);
    agree(x, run.everyone());
    stage = x.ranks();
  }
  Summary summary;
  for (;;) {
    const bool last = x.ranks() == ranks;
    TuckerProblem::State state;
    summary = minimize(
        tensor, *options.method,
        {.max_iterations =
             last ? *options.max_iterations : std::min(kStageIterations, *options.max_iterations),
         .gradient_tolerance = last ? *options.tolerance : std::max(kStageTolerance, *options.tolerance)},
        run, test, fields, x, state);
    if (last || run.stopped()) break;
    std::vector<int> next = x.ranks();
    for (std::size_t k = 0; k < next.size(); ++k) next[k] = std::min(next[k] + 1, ranks[k]);
    x = grown(orthonormalized(x), tensor, state.residual, next, run.everyone(), rng);
    agree(x, run.everyone());
    stage = std::move(next);
  }
  run.record().ranks = wanted;
  return {.body = reordered(x, back), .summary = summary};
}

}  // namespace lacuna
