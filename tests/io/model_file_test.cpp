// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <lacuna/io/model_file.hpp>

#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "model_file_test." + std::to_string(getpid()) + ".lac";
    Rng rng(21);
    model_.method = "tr-mm";
    model_.version = "9.8.7";
    model_.settings = R"({"lambda":10.0})";
    model_.index_base = 0;
    model_.offsets.mean = 0.1 + 0.2;  // not a short decimal
    std::vector<Mode> modes = test::plain_modes({6, 5, 4});
    modes[0].labels = {"a", "", "tab\there", "\xff not utf-8", "e", "f"};
    modes[2].binning = Binning{.origin = 978300760, .width = 604800};
    Entries entries{.index = test::random_cells({6, 5, 4}, 30, rng),
                    .value = test::random_vector<double>(30, rng)};
    model_.dual = std::move(*ObservedTensor::create(modes, entries));
    for (const PartSpec& part : full_parts(3))
      model_.parts.push_back({.modes = part,
                              .lambda = rng.uniform(),
                              .factor = test::random_matrix<double>(modes[part.mode].size, 2, rng)});
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::vector<char> bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::vector<char>& content) const {
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }

  std::string path_;
  Model model_;
};

TEST_F(ModelFile, SavedAndLoadedPredictsTheSameBits) {
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  Rng rng(22);
  const auto cells = test::random_cells({6, 5, 4}, 60, rng);
  EXPECT_TRUE(test::same_bits<double>(Predictor(model_).predict(cells).value,
                                      Predictor(*loaded).predict(cells).value));
}

TEST_F(ModelFile, KeepsLabelsBinsAndSettings) {
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->method, model_.method);
  EXPECT_EQ(loaded->version, model_.version);
  EXPECT_EQ(loaded->settings, model_.settings);
  EXPECT_EQ(loaded->index_base, 0);
  EXPECT_EQ(loaded->dual.modes()[0].labels, model_.dual.modes()[0].labels);
  EXPECT_EQ(loaded->dual.modes()[2].binning->origin, 978300760);
  EXPECT_EQ(loaded->dual.modes()[2].binning->width, 604800);
}

TEST_F(ModelFile, SavingTwiceGivesTheSameBytes) {
  ASSERT_TRUE(save_model(path_, model_));
  const std::vector<char> first = bytes();
  ASSERT_TRUE(save_model(path_, model_));
  EXPECT_EQ(first, bytes());
}

TEST_F(ModelFile, EveryFlippedByteIsNoticed) {
  ASSERT_TRUE(save_model(path_, model_));
  const std::vector<char> good = bytes();
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::vector<char> bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    write(bad);
    EXPECT_FALSE(load_model(path_)) << "byte " << i;
  }
}

TEST_F(ModelFile, EveryTruncationIsNoticed) {
  ASSERT_TRUE(save_model(path_, model_));
  const std::vector<char> good = bytes();
  for (std::size_t size = 0; size < good.size(); size += 37) {
    write({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_FALSE(load_model(path_)) << size << " bytes";
  }
}

TEST_F(ModelFile, ErrorsNameTheFileAndWhatIsWrong) {
  write({'n', 'o', 't', ' ', 'a', ' ', 'm', 'o', 'd', 'e', 'l', ',', ' ', 'b',
         'u', 't', ' ', 'l', 'o', 'n', 'g', ' ', 'e', 'n', 'o', 'u', 'g', 'h'});
  EXPECT_EQ(load_model(path_).error().message(),
            path_ + ": not a lacuna model (it does not begin with \"LACUNA\")");
  ASSERT_TRUE(save_model(path_, model_));
  std::vector<char> newer = bytes();
  newer[7] = 9;
  write(newer);
  EXPECT_EQ(load_model(path_).error().message(),
            path_ + ": a model of layout 9, this version reads layout 1");
  EXPECT_EQ(load_model("/nowhere/x.lac").error().message(), "/nowhere/x.lac: No such file or directory");
  EXPECT_EQ(save_model("/nowhere/x.lac", model_).error().kind, ErrorKind::kOutput);
}

}  // namespace
}  // namespace lacuna
