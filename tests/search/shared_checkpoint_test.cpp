// SPDX-License-Identifier: MIT
// A checkpoint of processes that share a fit is that of one process: gone on from on as many it ends with the same bits,
// on any other number with the same objective.
#include <gtest/gtest.h>

#include <lacuna/model/structure.hpp>

#include "kernels/share_plan.hpp"
#include "method/together.hpp"
#include "model/shared_values.hpp"
#include "support/latent_tensor.hpp"
#include "support/stopped_fit.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::LatentSplit;
using test::ThreadGroup;

struct Case {
  const char* name = "";
  Settings settings{};
  double same_objective = 1e-10;  // relative, on another number of processes
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> cases() {
  Settings dual = paper_preset({.method = Method::kTrMm, .ranks = {2}, .lambda = 1.0}, 3);
  dual.max_iterations = 200;
  dual.tolerance = 1e-8;
  dual.search.early_stop = 0.0;
  Settings best = dual;
  best.search.keep_best = true;
  Settings rough = dual;
  rough.latent.precision = Precision::kFloat;
  rough.tolerance = 1e-4;
  Settings primal = dual;
  primal.method = Method::kTrLs;
  primal.max_iterations = 8;
  Settings first_order = primal;
  first_order.latent.optimizer = Optimizer::kNonlinearCg;
  first_order.max_iterations = 60;
  const Settings tucker{.method = Method::kRprecon,
                        .offsets = OffsetSpec{.mean = true, .effects = {}},
                        .ranks = {2},
                        .max_iterations = 400,
                        .tolerance = 1e-9};
  return {{.name = "dual", .settings = dual},
          {.name = "best", .settings = best, .same_objective = 1e-3},
          {.name = "rough", .settings = rough, .same_objective = 1e-3},
          {.name = "primal", .settings = primal, .same_objective = 1e-5},
          {.name = "firstorder", .settings = first_order, .same_objective = 1e-3},
          {.name = "rprecon", .settings = tucker}};
}

class SharedCheckpoint : public test::CheckpointTest, public testing::WithParamInterface<Case> {
 protected:
  SharedCheckpoint() : one_(1), split_(test::latent_tensor({11, 9, 6}, 1, 0.5, 4)) {
    // Noise, so that no method can fit everything: an objective of 0 has no digits to compare.
    Rng rng(2);
    std::vector<double> noisy(split_.train.values().begin(), split_.train.values().end());
    for (double& value : noisy) value += 0.5 * rng.normal();
    split_.train.replace_values(std::move(noisy));
  }

  struct Run {
    int processes = 1;
    std::string resume{};  // file
    std::string keep{};    // file
    int stop_after = -1;   // questions to the last process
  };
  // What the first process ends with.
  FitResult fit_on(const Settings& settings, const Run& asked, bool shared) {
    FitResult first;
    ThreadGroup(asked.processes).run([&](const Communicator& everyone) {
      Checkpoint::Save save;
      if (!asked.keep.empty() && everyone.first())
        save = [&](const Checkpoint& state) { return save_checkpoint(path(asked.keep), state); };
      Checkpoint checkpoint(save);
      if (!asked.resume.empty() && !load_checkpoint(path(asked.resume), checkpoint))
        throw std::runtime_error(asked.resume);
      FitCallbacks callbacks;
      callbacks.everyone = &everyone;
      callbacks.shared = shared;
      callbacks.checkpoint = &checkpoint;
      int questions = 0;
      callbacks.interrupted = [&] {
        return asked.stop_after >= 0 && everyone.rank() == everyone.size() - 1 &&
               ++questions > asked.stop_after;
      };
      ObservedTensor tensor = split_.train;
      if (shared) tensor = take_share_of_whole(tensor, parts_of(settings, 3), everyone);
      FitResult found = fit(std::move(tensor), settings, callbacks, &split_.test);
      if (shared) gather_dual(everyone, found.model, GatherTo::kFirst);
      if (everyone.first()) first = std::move(found);
    });
    return first;
  }

  test::WithThreads one_;
  LatentSplit split_;
};
INSTANTIATE_TEST_SUITE_P(Methods, SharedCheckpoint, testing::ValuesIn(cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(SharedCheckpoint, IsGoneOnFromOnAnyNumberOfProcesses) {
  const Settings& settings = GetParam().settings;
  const FitResult whole = fit_on(settings, {.processes = 3}, true);
  const std::string bits = bytes_of(whole.model);
  for (const int stop_after : {3, 12, 40}) {
    (void)fit_on(settings, {.processes = 3, .keep = "state", .stop_after = stop_after}, true);
    if (!std::filesystem::exists(path("state"))) continue;  // nothing to go on from yet
    const FitResult same = fit_on(settings, {.processes = 3, .resume = "state"}, true);
    EXPECT_TRUE(bytes_of(same.model) == bits) << stop_after;
    EXPECT_EQ(same.last.iteration, whole.last.iteration);
    for (const int processes : {1, 2, 5}) {
      const FitResult other = fit_on(settings, {.processes = processes, .resume = "state"}, processes > 1);
      EXPECT_NEAR(other.last.objective, whole.last.objective,
                  GetParam().same_objective * whole.last.objective)
          << processes;
    }
  }
  EXPECT_TRUE(std::filesystem::exists(path("state")));
}

class SharedSearch : public SharedCheckpoint {};
INSTANTIATE_TEST_SUITE_P(Free, SharedSearch, testing::Values(Case{.name = "choice"}));

TEST_P(SharedSearch, IsGoneOnFromOnAnyNumberOfProcesses) {
  Settings settings;
  settings.search.effort = Effort::kLow;
  const std::string bits = bytes_of(fit_on(settings, {.processes = 3}, false).model);
  for (const int stop_after : {30, 150, 400}) {
    (void)fit_on(settings, {.processes = 3, .keep = "state", .stop_after = stop_after}, false);
    ASSERT_TRUE(std::filesystem::exists(path("state"))) << stop_after;
    const FitResult same = fit_on(settings, {.processes = 3, .resume = "state"}, false);
    EXPECT_TRUE(bytes_of(same.model) == bits) << stop_after;
    EXPECT_TRUE(fit_on(settings, {.processes = 2, .resume = "state"}, false).converged);
  }
}

// No process has all entries: the models of trials are gathered when they are written, and dealt out when they are read.
TEST_P(SharedSearch, OfSharedEntriesIsGoneOnFromOnAnyNumberOfProcesses) {
  Settings settings{.method = Method::kTrMm};
  settings.latent.parts = full_structure(3);
  settings.search.effort = Effort::kLow;
  const std::string bits = bytes_of(fit_on(settings, {.processes = 3}, true).model);
  for (const int stop_after : {30, 150, 400}) {
    (void)fit_on(settings, {.processes = 3, .keep = "state", .stop_after = stop_after}, true);
    ASSERT_TRUE(std::filesystem::exists(path("state"))) << stop_after;
    const FitResult same = fit_on(settings, {.processes = 3, .resume = "state"}, true);
    EXPECT_TRUE(bytes_of(same.model) == bits) << stop_after;
    for (const int processes : {1, 2}) {
      const FitResult other = fit_on(settings, {.processes = processes, .resume = "state"}, processes > 1);
      EXPECT_EQ(ranks(other.model), ranks(same.model));
      EXPECT_NEAR(*other.last.test_rmse, *same.last.test_rmse, 1e-3 * *same.last.test_rmse);
    }
  }
}

// One process has none of the entries.
TEST_F(SharedCheckpoint, OfEntriesThatOneProcessHasNoneOf) {
  Entries few{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 4; ++j) {
      few.cells.add({i, j, (i + j) % 3});
      few.value.push_back(1.0 + i + 2.0 * j);
    }
  split_.train = std::move(ObservedTensor::create(test::plain_modes({2, 4, 3}), std::move(few)).value());
  split_.test = {.cells = Cells(3), .value = {}};
  Settings settings = paper_preset({.method = Method::kTrMm, .ranks = {1}, .lambda = 1.0}, 3);
  settings.search.early_stop = 0.0;
  settings.tolerance = 1e-9;
  const std::string bits = bytes_of(fit_on(settings, {.processes = 5}, true).model);
  (void)fit_on(settings, {.processes = 5, .keep = "state", .stop_after = 4}, true);
  ASSERT_TRUE(std::filesystem::exists(path("state")));
  EXPECT_TRUE(bytes_of(fit_on(settings, {.processes = 5, .resume = "state"}, true).model) == bits);
}

}  // namespace
}  // namespace lacuna
