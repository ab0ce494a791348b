// SPDX-License-Identifier: MIT
// A checkpoint that says it is about this fit, with a checksum that fits, may still hold anything: what does not belong
// to the fit is refused before it is used.
#include <gtest/gtest.h>

#include <lacuna/search/fit.hpp>

#include "model/body.hpp"
#include "model/journal.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

ObservedTensor tensor_of(const std::vector<Index>& sizes) {
  Rng rng(3);
  return test::random_tensor(sizes, 120, rng);
}

// A fit until it has asked so many times whether to stop: all of it, when never stopped.
int run(const ObservedTensor& tensor, const Settings& settings, Checkpoint& checkpoint, int stop_after = -1) {
  int polls = 0;
  FitCallbacks callbacks;
  callbacks.checkpoint = &checkpoint;
  callbacks.interrupted = [&] { return ++polls > stop_after && stop_after >= 0; };
  (void)fit(tensor, settings, callbacks);
  return polls;
}

// What a fit leaves that is stopped after a share of its questions, with the state of the task under way.
struct Left {
  Journal::About about;
  std::vector<JournalItem> items;
};
Left stopped(const ObservedTensor& tensor, const Settings& settings, double share) {
  const auto nowhere = [](const Checkpoint&) -> Result<> { return Nothing{}; };
  Checkpoint whole(nowhere, 1e9);
  const int polls = run(tensor, settings, whole);
  Left left;
  Checkpoint first([&](const Checkpoint& state) -> Result<> {
    left = {.about = state.journal().about(), .items = state.journal().items()};
    for (JournalItem& item : left.items) item.held = item.model.lock();
    return Nothing{};
  });
  (void)run(tensor, settings, first, static_cast<int>(share * polls));
  return left;
}

void expect_refused(const ObservedTensor& tensor, const Settings& settings, const Left& left,
                    const std::string& why) {
  Checkpoint second;
  second.journal().load("state", left.about, left.items);
  try {
    (void)run(tensor, settings, second);
    FAIL() << "it went on, " << why;
  } catch (const CheckpointError& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("state: the checkpoint is damaged"), std::string::npos)
        << refusal.what();
  }
}

// Settings that leave nothing to choose.
Settings plain(Method method) {
  Settings settings{.method = method, .offsets = OffsetSpec{}, .max_iterations = 12};
  settings.tolerance = 0.0;
  if (takes(method, kTakesRank)) settings.ranks = {2};
  if (takes(method, kTakesLambda)) settings.lambda = 10.0;
  if (takes(method, kTakesEarlyStop)) settings.search.early_stop = 0.0;
  if (takes(method, kTakesParts))
    settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {1}}}};
  return settings;
}

bool ends_with(const std::string& name, const std::string& ending) {
  return name.size() >= ending.size() &&
         name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

TEST(HostileCheckpoint, ModelsOfOtherModesAreRefused) {
  const ObservedTensor tensor = tensor_of({12, 10, 8});
  const Settings settings = plain(Method::kTrMm);
  const Model other = fit(tensor_of({4, 5, 8}), {.method = Method::kMean}).model;
  Left left = stopped(tensor, settings, 0.7);
  ASSERT_FALSE(left.items.empty());
  left.items.front().held = std::make_shared<const Model>(other);
  expect_refused(tensor, settings, left, "with a model of other modes");
}

TEST(HostileCheckpoint, NumbersOfStepsAreNoneThatCannotBe) {
  const ObservedTensor tensor = tensor_of({8, 7, 6});
  for (const Method method : {Method::kTrMm, Method::kTrLs, Method::kAls, Method::kFfw, Method::kBayesCp,
                              Method::kHalrtc, Method::kLatent, Method::kTsvd, Method::kRprecon}) {
    SCOPED_TRACE(std::string(name(method)));
    const Settings settings = plain(method);
    const Left left = stopped(tensor, settings, 0.6);
    int changed = 0;
    for (std::size_t i = 0; i < left.items.size(); ++i)
      for (const auto& [name, value] : left.items[i].saved.numbers)
        for (const double number : {-3.0, 2147483647.0}) {
          const bool counts = ends_with(name, "step") && !ends_with(name, "record/step");  // that is a length
          if (!counts && !(ends_with(name, "iteration") && number < 0.0)) continue;
          Left hostile = left;
          hostile.items[i].saved.numbers[name] = number;
          expect_refused(tensor, settings, hostile, name);
          ++changed;
        }
    EXPECT_GT(changed, 0) << "no state of a solve was left";
  }
}

TEST(HostileCheckpoint, ACertificateIsOneOfItsModel) {
  const ObservedTensor tensor = tensor_of({12, 10, 8});
  Settings settings{.method = Method::kTrMm, .offsets = OffsetSpec{}, .lambda = 10.0, .max_iterations = 10};
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {1, 2}}},
                                                   {.spec = {.mode = 1, .agree = {0, 2}}}};
  settings.latent.certified_gap = 1e-3;
  settings.search.early_stop = 0.0;
  Left left = stopped(tensor, settings, 0.5);
  int changed = 0;
  for (JournalItem& item : left.items) {
    const auto count = item.saved.numbers.find("result/certificate/parts#");
    if (count == item.saved.numbers.end() || !item.held) continue;
    count->second = 1.0;
    item.saved.doubles["result/certificate/lambda"].resize(1);
    ++changed;
  }
  ASSERT_GT(changed, 0);
  expect_refused(tensor, settings, left, "with bounds of one part for a model of two");
}

}  // namespace
}  // namespace lacuna
