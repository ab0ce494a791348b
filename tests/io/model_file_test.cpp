// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <lacuna/io/files.hpp>
#include <limits>

#include "model/body.hpp"
#include "support/random_bodies.hpp"
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
    model_.record.lambda = 10.0;
    model_.index_base = 0;
    model_.offsets.mean = 0.1 + 0.2;  // not a short decimal
    std::vector<Mode> modes = test::plain_modes({6, 5, 4});
    modes[0].labels = {"a", "", "tab\there", "\xff not utf-8", "e", "f"};
    modes[2].binning = Binning{.origin = 978300760, .width = 604800};
    Entries entries{.cells = test::random_cells({6, 5, 4}, 30, rng),
                    .value = test::random_vector<double>(30, rng),
                    .weight = {}};
    for (int e = 0; e < 30; ++e) entries.weight.push_back(0.1 + rng.uniform());
    Latent& latent = model_.body->emplace<Latent>();
    latent.dual = std::move(*ObservedTensor::create(modes, entries));
    model_.modes = latent.dual.take_labels();
    model_.entries = latent.dual.size();
    model_.offsets.effects = {
        {.modes = {1}, .ridge = 0.1 + 0.2, .key = {0, 1, 4}, .value = {0.1, -1.0 / 3, 2e-300}},
        {.modes = {0, 2}, .ridge = 7.0, .key = {2, (5ULL << 32) | 3}, .value = {1e300, 0.7}}};
    model_.observed = {.low = -1.0 / 3, .high = 1e17 / 3};
    model_.clip = Range{.low = -0.7, .high = 0.1 + 0.2};
    std::vector<PartSpec> parts = full_parts(3);
    parts[1].row_power = 0.1 + 0.2;
    parts[2].fiber_power = 1.0 / 3;
    parts.push_back({.mode = 1, .agree = {0}, .row_power = -0.4, .fiber_power = 0.6});
    for (const PartSpec& part : parts)
      latent.parts.push_back({.modes = part,
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

TEST_F(ModelFile, KeepsRightFactors) {
  Rng rng(26);
  Latent& latent = std::get<Latent>(*model_.body);
  for (ModelPart& part : latent.parts)
    part.right = test::random_matrix<double>(FiberView(latent.dual, part.modes).fibers(), 2, rng);
  latent.parts[1].factor.resize(Eigen::NoChange, 0);  // a part nothing was put in
  latent.parts[1].right->resize(Eigen::NoChange, 0);
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const auto cells = test::random_cells({6, 5, 4}, 60, rng);
  EXPECT_TRUE(test::same_bits<double>(Predictor(model_).predict(cells).value,
                                      Predictor(*loaded).predict(cells).value));
  EXPECT_EQ(Predictor(*loaded).mixture()[1], 0.0);
  latent.parts[0].right = test::random_matrix<double>(3, 2, rng);
  ASSERT_TRUE(save_model(path_, model_));
  EXPECT_FALSE(load_model(path_));
}

TEST_F(ModelFile, KeepsPriors) {
  Rng rng(28);
  Latent& latent = std::get<Latent>(*model_.body);
  ModelPart& part = latent.parts[0];
  part.right = test::random_matrix<double>(FiberView(latent.dual, part.modes).fibers(), 2, rng);
  part.prior = PartPrior{
      .rows = {.ridge = {1.0 / 3, 0.0}, .shared = test::random_matrix<float>(part.right->rows(), 3, rng)},
      .fibers = {.ridge = {0.1, 1e300}}};
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const std::optional<PartPrior>& read = loaded->latent()->parts[0].prior;
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->rows.ridge, part.prior->rows.ridge);
  EXPECT_EQ(read->rows.shared, part.prior->rows.shared);
  EXPECT_EQ(read->fibers.ridge, part.prior->fibers.ridge);
  EXPECT_EQ(read->fibers.shared.size(), 0);
  for (const std::vector<double>& ridge : {std::vector<double>{1.0}, std::vector<double>{1.0, -1.0}}) {
    part.prior->rows.ridge = ridge;  // too few, and one that is below 0
    ASSERT_TRUE(save_model(path_, model_));
    EXPECT_FALSE(load_model(path_));
  }
}

TEST_F(ModelFile, SavedAndLoadedPredictsTheSameBits) {
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  Rng rng(22);
  const auto cells = test::random_cells({6, 5, 4}, 60, rng);
  EXPECT_TRUE(test::same_bits<double>(Predictor(model_).predict(cells).value,
                                      Predictor(*loaded).predict(cells).value));
}

TEST_F(ModelFile, KeepsNearPartsAndPositions) {
  Rng rng(27);
  Latent& latent = std::get<Latent>(*model_.body);
  std::vector<Mode> modes = model_.modes;
  modes[0].positions = {0.1, 0.7, 1.0 / 3, 2.0, -4.0, 5.5};
  latent.dual = *ObservedTensor::create(modes, test::entries_of(latent.dual));
  model_.modes = latent.dual.take_labels();
  latent.parts.push_back({.modes = {.mode = 1, .agree = {2}, .near = {{0, 1.0 / 3}}},
                          .lambda = 0.3,
                          .factor = test::random_matrix<double>(5, 2, rng)});
  latent.parts.push_back(
      {.modes = {.mode = PartSpec::kNothing, .agree = {2}, .near = {{0, 0.7}, {1, 2.0}}, .smoothness = 1.5},
       .lambda = 0.7,
       .factor = Matrix<double>::Ones(1, 1)});
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->modes[0].positions, modes[0].positions);
  EXPECT_TRUE(loaded->modes[1].positions.empty());
  for (std::size_t p = 0; p < latent.parts.size(); ++p)
    EXPECT_EQ(loaded->latent()->parts[p].modes, latent.parts[p].modes);
  const auto cells = test::random_cells({6, 5, 4}, 60, rng);
  EXPECT_TRUE(test::same_bits<double>(Predictor(model_).predict(cells).value,
                                      Predictor(*loaded).predict(cells).value));
  latent.parts.back().modes.near[0].length = -1.0;
  ASSERT_TRUE(save_model(path_, model_));
  EXPECT_FALSE(load_model(path_));
}

TEST_F(ModelFile, KeepsSideInformationAndThePartsThatUseIt) {
  Rng rng(28);
  Latent& latent = std::get<Latent>(*model_.body);
  std::vector<Mode> modes = model_.modes;
  modes[1].side = test::random_side(5, 3, rng);
  latent.dual = *ObservedTensor::create(modes, test::entries_of(latent.dual));
  model_.modes = latent.dual.take_labels();
  const PartSpec half{.mode = 1, .agree = {2}, .row_power = 0.5, .side = 1.0 / 3};
  const PartSpec all{.mode = 1, .agree = {0, 2}, .side = 1.0};
  latent.parts.push_back(
      {.modes = half, .lambda = 0.3, .factor = test::random_matrix<double>(5 + 3, 2, rng)});
  latent.parts.push_back({.modes = all, .lambda = 0.2, .factor = test::random_matrix<double>(3, 2, rng)});
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  ASSERT_TRUE(loaded->modes[1].side);
  EXPECT_EQ(*loaded->modes[1].side, *modes[1].side);
  EXPECT_FALSE(loaded->modes[0].side);
  EXPECT_EQ(loaded->latent()->parts[4].modes, half);
  const auto cells = test::random_cells({6, 5, 4}, 60, rng);
  EXPECT_TRUE(test::same_bits<double>(Predictor(model_).predict(cells).value,
                                      Predictor(*loaded).predict(cells).value));
  // What does not fit is refused: factors without rows for the columns, parts of modes nothing is known of.
  latent.parts.back().factor = test::random_matrix<double>(4, 2, rng);
  ASSERT_TRUE(save_model(path_, model_));
  EXPECT_FALSE(load_model(path_));  // 8 numbers, 3 rows
  latent.parts.pop_back();
  latent.parts.back().modes.mode = 0;
  ASSERT_TRUE(save_model(path_, model_));
  const auto refused = load_model(path_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("side information"), std::string::npos) << refused.error().what;
}

TEST_F(ModelFile, KeepsWhatIsSaidOfUnseenCells) {
  model_.fallback = {.mean = 0.1 + 0.2,
                     .effects = {{.modes = {1}, .ridge = 1.0, .key = {0, 3}, .value = {0.7, -2.0}}}};
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->fallback.mean, model_.fallback.mean);
  ASSERT_EQ(loaded->fallback.effects.size(), 1U);
  EXPECT_EQ(loaded->fallback.effects[0].key, model_.fallback.effects[0].key);
  EXPECT_EQ(loaded->fallback.effects[0].value, model_.fallback.effects[0].value);
}

TEST_F(ModelFile, OfOlderVersionsWithoutOffsetsIsGivenTheMiddleOfItsValues) {
  model_.offsets = {};
  model_.observed = {.low = 1.0, .high = 4.0};
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->fallback.mean, 2.5);
  EXPECT_EQ(Predictor(*loaded).predict({{kUnseen}, {0}, {0}}).value[0], std::min(2.5, loaded->clip->high));
}

TEST_F(ModelFile, KeepsLabelsBinsAndSettings) {
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->method, model_.method);
  EXPECT_EQ(loaded->version, model_.version);
  EXPECT_EQ(loaded->record.lambda, model_.record.lambda);
  EXPECT_EQ(loaded->index_base, 0);
  EXPECT_EQ(loaded->modes[0].labels, model_.modes[0].labels);
  EXPECT_EQ(loaded->modes[2].binning->origin, 978300760);
  EXPECT_EQ(loaded->modes[2].binning->width, 604800);
}

TEST_F(ModelFile, KeepsOffsetsRangesPowersAndWeights) {
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->offsets.mean, model_.offsets.mean);
  ASSERT_EQ(loaded->offsets.effects.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(loaded->offsets.effects[i].modes, model_.offsets.effects[i].modes);
    EXPECT_EQ(loaded->offsets.effects[i].ridge, model_.offsets.effects[i].ridge);
    EXPECT_EQ(loaded->offsets.effects[i].key, model_.offsets.effects[i].key);
    EXPECT_EQ(loaded->offsets.effects[i].value, model_.offsets.effects[i].value);
  }
  EXPECT_EQ(loaded->observed.low, model_.observed.low);
  EXPECT_EQ(loaded->observed.high, model_.observed.high);
  ASSERT_TRUE(loaded->clip);
  EXPECT_EQ(loaded->clip->low, -0.7);
  EXPECT_EQ(loaded->clip->high, 0.1 + 0.2);
  for (std::size_t p = 0; p < model_.latent()->parts.size(); ++p)
    EXPECT_EQ(loaded->latent()->parts[p].modes, model_.latent()->parts[p].modes);
  EXPECT_TRUE(test::same_bits(loaded->latent()->dual.weights(), model_.latent()->dual.weights()));
}

TEST_F(ModelFile, WithoutWeightsAndClippingHasNone) {
  Latent& latent = std::get<Latent>(*model_.body);
  Entries entries = test::entries_of(latent.dual);
  entries.weight.clear();
  latent.dual = *ObservedTensor::create(latent.dual.modes(), entries);
  model_.clip.reset();
  ASSERT_TRUE(save_model(path_, model_));
  const auto loaded = load_model(path_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_TRUE(loaded->latent()->dual.weights().empty());
  EXPECT_FALSE(loaded->clip);
}

TEST_F(ModelFile, AClipRangeMayBeOpen) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const Range range : {Range{0.5, kInfinite}, Range{-kInfinite, 0.5}}) {
    model_.clip = range;
    ASSERT_TRUE(save_model(path_, model_));
    const auto loaded = load_model(path_);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->clip->low, range.low);
    EXPECT_EQ(loaded->clip->high, range.high);
  }
}

// A whole file, checksums and all, that says something impossible.
TEST_F(ModelFile, AHeaderThatLiesIsRefused) {
  const Model good = model_;
  const auto refused = [&](const std::string& reason) {
    ASSERT_TRUE(save_model(path_, model_));
    const auto loaded = load_model(path_);
    ASSERT_FALSE(loaded) << reason;
    EXPECT_EQ(loaded.error().message(), path_ + ": the model is damaged: " + reason);
    model_ = good;
  };
  model_.offsets.effects[0].key = {1, 0, 4};
  refused("an offset's keys must ascend, one for each value");
  model_.offsets.effects[0].key = {0, 4, 4};
  refused("an offset's keys must ascend, one for each value");
  model_.offsets.effects[0].key = {0, 1};
  refused("an offset's keys must ascend, one for each value");
  model_.offsets.effects[1].modes = {0, 3};
  refused("a mode's number: expected a whole number from 0 to 2");
  model_.offsets.effects[1].modes = {-1};
  refused("a mode's number: expected a whole number from 0 to 2");
  model_.offsets.effects[1].modes = {0, 1, 2};
  refused("an offset of one mode or two expected");
  model_.offsets.effects[1].modes = {};
  refused("an offset of one mode or two expected");
  model_.clip = Range{.low = 2.0, .high = 1.0};
  refused("a range whose low end is above its high end");
  std::get<Latent>(*model_.body).parts[0].modes.mode = 3;
  refused("a part's mode: expected a whole number from -1 to 2");
  std::get<Latent>(*model_.body).parts[0].modes.agree = {2, 1};
  refused("a part's agreeing modes must be ascending, each once");
}

TEST_F(ModelFile, EveryKindPredictsTheSameBitsAfterLoading) {
  Rng rng(23);
  const auto cells = test::random_cells({7, 6, 5}, 100, rng);  // some beyond the modes
  for (const ModelBody& body : test::random_bodies({6, 5, 4}, rng)) {
    model_.body = body;
    model_.entries = 30;
    ASSERT_TRUE(save_model(path_, model_));
    const auto loaded = load_model(path_);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->body->index(), body.index());
    EXPECT_EQ(loaded->entries, 30);
    EXPECT_EQ(loaded->modes[0].labels, model_.modes[0].labels);
    EXPECT_EQ(ranks(*loaded), ranks(model_));
    const auto before = Predictor(model_).predict(cells);
    const auto after = Predictor(*loaded).predict(cells);
    EXPECT_TRUE(test::same_bits<double>(before.value, after.value)) << kind_name(model_);
    EXPECT_EQ(before.cold, after.cold);
  }
}

TEST_F(ModelFile, ABodyThatDoesNotFitItsModesIsRefused) {
  Rng rng(24);
  const auto refused = [&](const ModelBody& body, const std::string& reason) {
    model_.body = body;
    ASSERT_TRUE(save_model(path_, model_));
    const auto loaded = load_model(path_);
    ASSERT_FALSE(loaded) << reason;
    EXPECT_EQ(loaded.error().message(), path_ + ": the model is damaged: " + reason);
  };
  const auto tucker = test::random_tucker({6, 5, 4}, {2, 3, 2}, rng);
  const auto cp = test::random_cp({6, 5, 4}, 2, rng);
  Tucker bad_tucker = tucker;
  bad_tucker.core.resize(11);
  bad_tucker.core.setZero();
  refused(bad_tucker, "a core that does not fit the factors");
  bad_tucker = tucker;
  bad_tucker.factors[1] = test::random_matrix<double>(4, 3, rng);
  refused(bad_tucker, "a factor that does not fit its mode");
  bad_tucker = tucker;
  bad_tucker.factors[2].resize(4, 0);
  refused(bad_tucker, "a factor that does not fit its mode");
  bad_tucker.factors.pop_back();
  refused(bad_tucker, "as many factors as modes expected");
  Cp bad_cp = cp;
  bad_cp.factors[2] = test::random_matrix<double>(4, 3, rng);
  refused(bad_cp, "factors of one rank expected");
  bad_cp = cp;
  bad_cp.covariance[0] = test::random_matrix<double>(6, 3, rng);
  refused(bad_cp, "a covariance that does not fit its factor");
  bad_cp = cp;
  bad_cp.noise_precision = -1.0;
  refused(bad_cp, "a noise precision that is no number >= 0");
  refused(Dense{std::vector<double>(119, 0.0)}, "as many values as the tensor has cells expected");
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
