// SPDX-License-Identifier: MIT
// Model files of blends: the same bits after saving and loading, and no trust in what they claim.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <lacuna/io/files.hpp>

#include "model/body.hpp"
#include "support/random_models.hpp"

namespace lacuna {
namespace {

class BlendFile : public ::testing::Test {
 protected:
  BlendFile() : path_(::testing::TempDir() + "blend_file_test." + std::to_string(getpid()) + ".lac") {
    Rng rng(8);
    const ObservedTensor tensor = test::random_tensor({7, 6, 5}, 60, rng, 1.5);
    for (const test::NamedModel& one : test::random_models(tensor, rng))
      if (one.name == "blend") model_ = one.model;
    model_.modes[0].labels = {"a", "b", "c", "d", "e", "f", "g"};
    for (Model& member : std::get<Blend>(*model_.body).members) member.modes = model_.modes;
    cells_ = test::random_cells({7, 6, 5}, 40, rng);
  }
  ~BlendFile() override { std::filesystem::remove(path_); }

  std::string path_;
  Model model_;
  Cells cells_;
};

TEST_F(BlendFile, PredictsTheSameBits) {
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(Predictor(*loaded).predict(cells_).value, Predictor(model_).predict(cells_).value);
  EXPECT_EQ(std::get<Blend>(*loaded->body).weights, std::get<Blend>(*model_.body).weights);
  EXPECT_EQ(members(*loaded)[0]->modes[0].labels, model_.modes[0].labels);
}

TEST_F(BlendFile, WeightsThatDoNotAddUpAreRefused) {
  std::get<Blend>(*model_.body).weights[0] = 0.9;
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message().find("add up to 1"), std::string::npos);
}

TEST_F(BlendFile, ABlendInsideABlendIsRefused) {
  Model inner = model_;
  std::get<Blend>(*model_.body).members[1] = inner;
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message().find("a blend inside a blend"), std::string::npos);
}

}  // namespace
}  // namespace lacuna
