// SPDX-License-Identifier: MIT
// Fits that are stopped and go on, from a file in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <lacuna/io/files.hpp>
#include <lacuna/search/fit.hpp>

#include "base/rng.hpp"
#include "support/random_tensor.hpp"

namespace lacuna::test {

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("checkpoint-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string bytes_of(const Model& model) {
    EXPECT_TRUE(save_model(path("model"), model));
    return bytes("model");
  }

  std::filesystem::path folder_;
};

struct FitCase {
  ObservedTensor tensor;
  Settings settings{};
  const Entries* test = nullptr;
  const Communicator* everyone = nullptr;
};

// What came of a fit, and how often it asked whether to stop.
struct FitOutcome {
  FitResult result;
  int polls = 0;
  std::vector<FitProgress> history{};
};

inline FitOutcome run_fit(const FitCase& one, Checkpoint* checkpoint, int stop_after = -1) {
  FitOutcome outcome;
  FitCallbacks callbacks;
  callbacks.checkpoint = checkpoint;
  callbacks.everyone = one.everyone;
  callbacks.interrupted = [&] { return ++outcome.polls > stop_after && stop_after >= 0; };
  callbacks.progress = [&](const FitProgress& progress) {
    outcome.history.push_back(progress);
    return Flow::kContinue;
  };
  outcome.result = fit(one.tensor, one.settings, callbacks, one.test);
  return outcome;
}

inline ObservedTensor small_tensor(Count entries = 300) {
  Rng rng(5);
  return low_rank_tensor({12, 10, 8}, 2, entries, 0.1, rng);
}

}  // namespace lacuna::test
