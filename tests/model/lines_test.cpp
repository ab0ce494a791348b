// SPDX-License-Identifier: MIT
// Scores of whole lines against predictions of their cells one by one.
#include "model/lines.hpp"

#include <gtest/gtest.h>

#include <lacuna/base/result.hpp>

#include "model/body.hpp"
#include "support/links.hpp"
#include "support/random_bodies.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-10;  // sums of at most a few hundred products of order one

const std::vector<Index> kExtents = {7, 5, 6};

void expect_predictions_along(const Model& model, const Cells& cells, int mode, Index positions) {
  const Predictor predictor(model);
  const LineScores lines(predictor, mode, positions);
  Matrix<double> scores;
  lines.score(cells, 1, cells.size(), scores);
  ASSERT_EQ(scores.rows(), cells.size() - 1);
  ASSERT_EQ(scores.cols(), positions);
  for (Count i = 1; i < cells.size(); ++i)
    for (Index j = 0; j < positions; ++j) {
      Cells cell(cells.order());
      cell.add(cells, i);
      cell.mode(mode)[0] = j;
      EXPECT_NEAR(scores(i - 1, j), predictor.predict(cell).value[0], kRounding)
          << kind_name(model) << " mode " << mode << " cell " << i << " position " << j;
    }
}

// Cells of which some have positions that the model never saw, and lines longer and shorter than its modes.
void expect_predictions(const Model& model, Rng& rng) {
  const Cells cells = test::random_cells({8, 6, 7}, 12, rng);
  for (int mode = 0; mode < 3; ++mode)
    for (const Index positions : {kExtents[mode] - 2, kExtents[mode], kExtents[mode] + 2})
      expect_predictions_along(model, cells, mode, positions);
}

Offsets random_offsets(Rng& rng) {
  Offsets offsets{.mean = 0.3};
  offsets.add(
      {.modes = {1}, .ridge = 1.0, .key = {0, 2, 3}, .value = {rng.normal(), rng.normal(), rng.normal()}});
  const auto pair = [](std::uint64_t a, std::uint64_t b) { return a << 32 | b; };
  offsets.add({.modes = {0, 2},
               .ridge = 1.0,
               .key = {pair(1, 4), pair(3, 2)},
               .value = {rng.normal(), rng.normal()}});
  return offsets;
}

Model plain_model() {
  Model model;
  model.modes = test::plain_modes(kExtents);
  return model;
}

// What is said where a body is silent is part of the prediction.
TEST(LineScores, AreThePredictionsWhereTheBodyIsSilent) {
  Rng rng(507);
  for (const ModelBody& body : test::random_bodies(kExtents, rng)) {
    if (std::holds_alternative<ComplEx>(body)) continue;  // has no guess
    for (const bool offsets : {false, true}) {
      Model model = plain_model();
      if (offsets) model.offsets = random_offsets(rng);
      model.fallback = random_offsets(rng);
      model.fallback.add({.modes = {2}, .ridge = 1.0, .key = {0, 1, 4}, .value = {0.5, -0.25, 1.0}});
      model.body = body;
      expect_predictions(model, rng);
    }
  }
}

TEST(LineScores, AreThePredictionsOfEveryKindOfBody) {
  Rng rng(501);
  for (const ModelBody& body : test::random_bodies(kExtents, rng)) {
    Model model = plain_model();
    model.offsets = random_offsets(rng);
    model.body = body;
    expect_predictions(model, rng);
    model.clip = Range{.low = -0.5, .high = 0.5};
    expect_predictions(model, rng);
  }
}

Model latent_model(const std::vector<PartSpec>& parts, bool factored, Rng& rng) {
  Model model = plain_model();
  model.offsets.mean = 0.2;
  Latent& latent = model.body->emplace<Latent>();
  latent.dual = test::random_tensor(kExtents, 70, rng, 1.5);
  for (const PartSpec& part : parts) {
    const auto rank = 1 + static_cast<int>(rng.below(4));
    latent.parts.push_back({.modes = part,
                            .lambda = 0.5 + rng.uniform(),
                            .factor = test::random_matrix<double>(kExtents[part.mode], rank, rng)});
    if (factored)
      latent.parts.back().right =
          test::random_matrix<double>(FiberView(latent.dual, part).fibers(), rank, rng);
  }
  return model;
}

TEST(LineScores, AreThePredictionsOfLatentParts) {
  Rng rng(502);
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 0, .agree = {1}});
  parts.push_back({.mode = 1, .agree = {}});
  parts.push_back({.mode = 2, .agree = {0}, .row_power = 0.5, .fiber_power = 0.7});
  for (const bool factored : {false, true})
    for (const PartSpec& part : parts) expect_predictions(latent_model({part}, factored, rng), rng);
  expect_predictions(latent_model(parts, false, rng), rng);
}

TEST(LineScores, AreThePredictionsOfNearParts) {
  Rng rng(503);
  const PartSpec near{.mode = 1, .agree = {0}, .near = {{.mode = 2, .length = 2.0}}};
  expect_predictions(latent_model({near}, false, rng), rng);
}

// Their order along a line is what counts: f along tails, g along heads, both along relations.
TEST(LineScores, OfLinksAreTheScoresOfTheirDirection) {
  Rng rng(505);
  for (const LinkRoles& roles : {LinkRoles{.head = 2, .relation = 0, .tail = 1, .one_set = false},
                                 LinkRoles{.head = 0, .relation = 1, .tail = 2, .one_set = true}}) {
    const std::vector<Index> extents = roles.one_set ? std::vector<Index>{7, 4, 7} : kExtents;
    const ComplEx x = test::random_complex(extents, roles, 3, rng);
    Model model;
    model.modes = test::plain_modes(extents);
    model.body = ModelBody(x);
    const Predictor predictor(model);
    const Cells cells = test::random_cells({8, 8, 8}, 10, rng);
    for (int mode = 0; mode < 3; ++mode) {
      const Index positions = extents[mode] + 2;
      Matrix<double> scores;
      LineScores(predictor, mode, positions).score(cells, 0, cells.size(), scores);
      for (Count i = 0; i < cells.size(); ++i)
        for (Index j = 0; j < positions; ++j) {
          Index at[3] = {cells[0][i], cells[1][i], cells[2][i]};
          at[mode] = j;
          const LinkScore score = link_score(x, at[roles.head], at[roles.relation], at[roles.tail]);
          const double expected = mode == roles.tail ? score.forward
                                  : mode == roles.head
                                      ? score.backward
                                      : x.forward * score.forward + x.backward * score.backward;
          EXPECT_NEAR(scores(i, j), expected, 1e-5);
        }
    }
  }
}

TEST(LineScores, RefuseNumbersThatAreNotFinite) {
  Rng rng(504);
  Model model = plain_model();
  model.offsets.mean = std::numeric_limits<double>::infinity();
  const Predictor predictor(model);
  Matrix<double> scores;
  EXPECT_THROW(LineScores(predictor, 0, 3).score(test::random_cells(kExtents, 2, rng), 0, 2, scores),
               ValueRangeError);
}

}  // namespace
}  // namespace lacuna
