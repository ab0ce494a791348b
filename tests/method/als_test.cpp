// SPDX-License-Identifier: MIT
#include "method/latent/als.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/method/fit_once.hpp>

#include "method/latent/als_shared.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

// One side of one part in double, every formula as als_part.hpp has it.
struct NaiveSide {
  explicit NaiveSide(const AlsSide& from)
      : effect(from.effect),
        fixed(from.fixed),
        mean(table(from.mean)),
        variance(table(from.variance)),
        prior(table(from.prior)),
        shared(table(from.shared)),
        precision(Eigen::Map<const Eigen::VectorXd>(from.precision.data(), from.width())) {}

  static Eigen::MatrixXd table(const FactorTable<float>& from) {
    Eigen::MatrixXd out(from.rows(), from.columns());
    for (Count i = 0; i < from.rows(); ++i)
      for (int k = 0; k < from.columns(); ++k) out(i, k) = static_cast<double>(from.row(i)[k]);
    return out;
  }
  [[nodiscard]] std::vector<int> free_columns() const {
    std::vector<int> columns;
    for (int k = 0; k < std::min(effect, fixed); ++k) columns.push_back(k);
    columns.push_back(effect);
    return columns;
  }

  int effect;
  int fixed;
  Eigen::MatrixXd mean;
  Eigen::MatrixXd variance;
  Eigen::MatrixXd prior;
  Eigen::MatrixXd shared;
  Eigen::VectorXd precision;
};

struct NaiveEntry {
  Eigen::Index side[2];
  double y;
  double w;
};

struct NaiveAls {
  NaiveAls(const ObservedTensor& tensor, const Als& als)
      : sides{NaiveSide(als.parts()[0].rows()), NaiveSide(als.parts()[0].fibers())} {
    const RowLists& fibers = als.parts()[0].fibers().lists;
    for (Count c = 0; c < fibers.rows(); ++c)
      for (Count j = fibers.start[c]; j < fibers.start[c + 1]; ++j) {
        const Count e = fibers.entry[j];
        entries.push_back(
            {.side = {fibers.other[j], c}, .y = tensor.values()[e] / als.scale(), .w = tensor.weight(e)});
      }
  }

  void solve_rows(int s) {
    NaiveSide& side = sides[s];
    const NaiveSide& other = sides[1 - s];
    const std::vector<int> columns = side.free_columns();
    for (Eigen::Index i = 0; i < side.mean.rows(); ++i) {
      Eigen::MatrixXd system = (side.precision / tau).asDiagonal();
      Eigen::VectorXd right = side.precision.cwiseProduct(side.prior.row(i).transpose()) / tau;
      bool observed = false;
      for (const NaiveEntry& e : entries) {
        if (e.side[s] != i) continue;
        observed = true;
        const Eigen::VectorXd t = other.mean.row(e.side[1 - s]);
        system += e.w * (t * t.transpose());
        system.diagonal() += e.w * other.variance.row(e.side[1 - s]).transpose();
        right += e.w * (e.y - t(side.fixed)) * t;
      }
      if (!observed) continue;
      const Eigen::VectorXd solved = system(columns, columns).llt().solve(right(columns));
      for (std::size_t k = 0; k < columns.size(); ++k) {
        side.mean(i, columns[k]) = solved(static_cast<Eigen::Index>(k));
        side.variance(i, columns[k]) = 1.0 / (tau * system(columns[k], columns[k]));
      }
    }
  }

  void improve_prior(int s) {
    NaiveSide& side = sides[s];
    Eigen::VectorXd weight = Eigen::VectorXd::Zero(side.mean.rows());
    for (const NaiveEntry& e : entries) weight(e.side[s]) += e.w;
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(side.mean.rows(), side.shared.rows());
    for (const NaiveEntry& e : entries) x(e.side[s], e.side[1 - s]) += e.w / std::sqrt(weight(e.side[s]));
    for (const int k : side.free_columns()) {
      const double ridge = kSharedPrecision / side.precision(k);
      const Eigen::VectorXd gradient =
          x.transpose() * (side.mean.col(k) - side.prior.col(k)) - ridge * side.shared.col(k);
      const double bend = (x * gradient).squaredNorm() + ridge * gradient.squaredNorm();
      side.shared.col(k) += gradient.squaredNorm() / bend * gradient;
      side.prior.col(k) = x * side.shared.col(k);
      const double square = (side.mean.col(k) - side.prior.col(k)).squaredNorm() + side.variance.col(k).sum();
      side.precision(k) = static_cast<double>((weight.array() > 0.0).count()) / square;
    }
  }

  [[nodiscard]] double expected_square() const {
    double sum = 0.0;
    for (const NaiveEntry& e : entries) {
      const Eigen::ArrayXd f = sides[0].mean.row(e.side[0]);
      const Eigen::ArrayXd t = sides[1].mean.row(e.side[1]);
      const Eigen::ArrayXd u = sides[0].variance.row(e.side[0]);
      const Eigen::ArrayXd v = sides[1].variance.row(e.side[1]);
      const double left = e.y - (f * t).sum();
      sum += e.w * (left * left + (u * v + f * f * v + t * t * u).sum());
    }
    return sum;
  }

  void sweep() {
    for (int s = 0; s < 2; ++s) {
      solve_rows(s);
      improve_prior(s);
    }
    double total = 0.0;
    for (const NaiveEntry& e : entries) total += e.w;
    tau = total / expected_square();
  }

  [[nodiscard]] double objective() const {
    double total = 0.0;
    for (const NaiveEntry& e : entries) total += e.w;
    double sum = 0.5 * tau * expected_square() - 0.5 * total * std::log(tau);
    for (const NaiveSide& side : sides)
      for (const int k : side.free_columns()) {
        const Eigen::ArrayXd away = side.mean.col(k) - side.prior.col(k);
        sum += 0.5 * side.precision(k) * (away.square().sum() + side.variance.col(k).sum());
        sum += 0.5 * kSharedPrecision * side.shared.col(k).squaredNorm();
        for (Eigen::Index i = 0; i < side.mean.rows(); ++i)
          if (side.variance(i, k) > 0.0) sum -= 0.5 * std::log(side.variance(i, k) * side.precision(k));
      }
    return sum;
  }

  NaiveSide sides[2];
  std::vector<NaiveEntry> entries;
  double tau = 1.0;
};

constexpr double kFloat = 2e-4;  // two sweeps in float against the same in double

TEST(Als, EqualsTheNaiveSweep) {
  Rng rng(21);
  const ObservedTensor tensor =
      test::with_random_weights(test::low_rank_tensor({14, 9, 4}, 2, 150, 0.3, rng), rng);
  for (const bool repeated : {true, false}) {
    const PartSpec part = repeated ? PartSpec{.mode = 0, .agree = {1}} : PartSpec{.mode = 1, .agree = {0, 2}};
    Als als(tensor, {part}, {3}, 5);
    NaiveAls naive(tensor, als);
    for (int sweep = 0; sweep < 2; ++sweep) {
      ASSERT_TRUE(als.sweep({}));
      if (repeated) {
        naive.sweep();
        EXPECT_NEAR(als.objective(), naive.objective(), 1e-4 * std::abs(naive.objective()));
      }
    }
    if (!repeated) {  // fibers of hardly any entries: no prior is shared
      EXPECT_EQ(als.parts()[0].rows().shared.rows(), 0);
      continue;
    }
    for (int s = 0; s < 2; ++s) {
      const AlsSide& side = s == 0 ? als.parts()[0].rows() : als.parts()[0].fibers();
      const NaiveSide& want = naive.sides[s];
      EXPECT_LT((NaiveSide::table(side.mean) - want.mean).norm(), kFloat * want.mean.norm());
      EXPECT_LT((NaiveSide::table(side.variance) - want.variance).norm(), kFloat * want.variance.norm());
      EXPECT_LT((NaiveSide::table(side.prior) - want.prior).norm(), kFloat * want.prior.norm());
      for (const int k : want.free_columns())
        EXPECT_NEAR(side.precision[k], want.precision(k), 1e-3 * want.precision(k));
    }
  }
}

// Values of planted parts on random cells; the rest of the cells to test on.
test::LatentSplit planted(const std::vector<PartSpec>& parts, int rank, double observed, std::uint64_t seed) {
  const std::vector<Index> extents = {24, 18, 6};
  Rng rng(seed);
  const Cells cells = test::every_cell(extents);
  std::vector<double> value(cells[0].size(), 1.5);
  for (const PartSpec& part : parts) {
    const int other = part.agree[0];
    const Matrix<double> left =
        Matrix<double>::NullaryExpr(extents[part.mode], rank, [&] { return rng.normal(); });
    const Matrix<double> right =
        Matrix<double>::NullaryExpr(extents[other], rank, [&] { return rng.normal(); });
    for (std::size_t i = 0; i < value.size(); ++i)
      value[i] +=
          left.row(cells[part.mode][i]).dot(right.row(cells[other][i])) + left(cells[part.mode][i], 0);
  }
  Entries train{.cells = Cells(3), .value = {}};
  test::LatentSplit split{.train = {}, .test = train};
  for (std::size_t i = 0; i < value.size(); ++i) {
    Entries& list = rng.uniform() < observed ? train : split.test;
    list.cells.add(cells, i);
    list.value.push_back(value[i]);
  }
  split.train = *ObservedTensor::create(test::plain_modes(extents), train);
  return split;
}

Settings options_for(const std::vector<PartSpec>& parts, int rank, int sweeps) {
  Settings options{.method = Method::kAls, .ranks = {rank}, .max_iterations = sweeps, .tolerance = 0.0};
  options.offsets = OffsetSpec{.mean = true};
  std::vector<PartOptions> list;
  for (const PartSpec& part : parts) list.push_back({.spec = part});
  options.latent.parts = std::move(list);
  return options;
}

const PartSpec kFirstBySecond{.mode = 0, .agree = {1}};
const PartSpec kSecondByThird{.mode = 1, .agree = {2}};

TEST(Als, RecoversOnePart) {
  const test::LatentSplit split = planted({kFirstBySecond}, 2, 0.15, 31);
  const FitResult result = fit_once(split.train, options_for({kFirstBySecond}, 4, 200), {}, &split.test);
  EXPECT_LT(*result.last.test_rmse, 5e-3);
}

TEST(Als, RecoversASumOfParts) {
  const std::vector<PartSpec> parts = {kFirstBySecond, kSecondByThird};
  const test::LatentSplit split = planted(parts, 2, 0.4, 32);
  const FitResult result = fit_once(split.train, options_for(parts, 3, 300), {}, &split.test);
  EXPECT_LT(*result.last.test_rmse, 1e-2);
  ASSERT_EQ(result.mixture.size(), 2U);
  EXPECT_NEAR(result.mixture[0] + result.mixture[1], 1.0, 1e-12);
}

TEST(Als, SameBitsAtAnyThreadCountAndForTheSameSeedOnly) {
  Rng rng(33);
  const ObservedTensor tensor =
      test::with_random_weights(test::low_rank_tensor({300, 80, 10}, 3, 60000, 0.3, rng), rng);
  const std::vector<PartSpec> parts = {kFirstBySecond, kSecondByThird};
  const auto objective = [&](std::uint64_t seed) {
    Als als(tensor, parts, {5, 2}, seed);
    for (int sweep = 0; sweep < 3; ++sweep) EXPECT_TRUE(als.sweep({}));
    return als.objective();
  };
  double first = 0.0;
  {
    const test::WithThreads one(1);
    first = objective(1);
  }
  for (const int threads : {2, 3}) {
    const test::WithThreads scope(threads);
    EXPECT_TRUE(test::same_bits(first, objective(1))) << threads;
  }
  EXPECT_NE(first, objective(2));
}

// An entry that weighs 2 is two entries that differ in a mode the part ignores.
TEST(Als, AWeightCountsAsThatManyEntries) {
  Rng rng(34);
  Entries once{.cells = Cells(3), .value = {}, .weight = {}};
  Entries twice{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 7; ++j) {
      const double value = rng.normal();
      const bool doubled = rng.uniform() < 0.4;
      const auto add = [&](Entries& list, Index week) {
        list.cells.add({i, j, week});
        list.value.push_back(value);
      };
      add(once, 0);
      once.weight.push_back(doubled ? 2.0 : 1.0);
      add(twice, 0);
      if (doubled) add(twice, 1);
    }
  const auto modes = test::plain_modes({12, 7, 2});
  const ObservedTensor heavy = *ObservedTensor::create(modes, once);
  const ObservedTensor repeated = *ObservedTensor::create(modes, twice);
  const Settings options = options_for({kFirstBySecond}, 2, 4);
  const auto a = Predictor(fit_once(heavy, options).model).predict(heavy.cells()).value;
  const auto b = Predictor(fit_once(repeated, options).model).predict(heavy.cells()).value;
  for (std::size_t e = 0; e < a.size(); ++e) EXPECT_NEAR(a[e], b[e], 1e-4);
}

TEST(Als, KeepsTheBestSweep) {
  Rng rng(35);
  const ObservedTensor noise = test::random_tensor({30, 20, 3}, 500, rng);
  const ObservedTensor other = test::random_tensor({30, 20, 3}, 300, rng);
  const Entries held = test::entries_of(other);
  Settings options = options_for({kFirstBySecond}, 12, 25);
  options.search.keep_best = true;
  double lowest = std::numeric_limits<double>::infinity();
  FitCallbacks callbacks;
  callbacks.progress = [&](const FitProgress& progress) {
    lowest = std::min(lowest, *progress.test_rmse);
    return Flow::kContinue;
  };
  const FitResult result = fit_once(noise, options, callbacks, &held);
  const double kept = rmse(held.value, Predictor(result.model).predict(held.cells).value);
  EXPECT_NEAR(kept, *result.last.test_rmse, 1e-6);
  EXPECT_LT(kept, 1.01 * lowest);
}

TEST(Als, InterruptedInASweepItLeavesAModelThatIsNoWorse) {
  Rng rng(36);
  const ObservedTensor tensor = test::low_rank_tensor({200, 100, 5}, 2, 30000, 0.1, rng);
  Als als(tensor, {kFirstBySecond}, {4}, 1);
  ASSERT_TRUE(als.sweep({}));
  const double before = als.train_rmse();
  int polls = 0;
  EXPECT_FALSE(als.sweep([&] { return ++polls > 1; }));
  EXPECT_LT(als.train_rmse(), before * 1.01);
  for (const float value : als.residual()) EXPECT_TRUE(std::isfinite(value));
}

// A user seen only with other items keeps its effect where the item is new; the report and the model agree.
TEST(Als, EffectsReachCellsOnNoFiberAndReportsAreThePredictions) {
  Rng rng(37);
  Entries train = test::entries_of(test::low_rank_tensor({12, 9, 5, 4}, 2, 700, 0.2, rng));
  for (std::size_t e = 0; e < train.value.size(); ++e) train.value[e] += 3.0 * train.cells[0][e];
  const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes({12, 10, 5, 4}), train);
  const Entries test{.cells = {{11, 0, 5}, {9, 9, 3}, {0, 1, 2}, {0, 3, 1}}, .value = {33.0, 0.0, 15.0}};
  Settings options{.method = Method::kAls, .ranks = {2}, .max_iterations = 10};
  options.offsets = OffsetSpec{.mean = true};
  options.latent.parts = std::vector<PartOptions>{{.spec = kFirstBySecond},
                                                  {.spec = {.mode = 2, .agree = {0, 1, 3}}},
                                                  {.spec = {.mode = 3, .agree = {}}},
                                                  {.spec = {.mode = 1, .agree = {0, 2}}}};
  for (const bool effects_first : {false, true}) {
    if (effects_first) options.offsets->effects = {{0}, {1}};
    const FitResult result = fit_once(tensor, options, {}, &test);
    const auto predicted = Predictor(result.model).predict(test.cells).value;
    EXPECT_NEAR(rmse(test.value, predicted), *result.last.test_rmse, 1e-9);
    EXPECT_GT(predicted[0], predicted[1] + 15.0);
    EXPECT_NEAR(rmse(tensor.values(), Predictor(result.model).predict(tensor.cells()).value),
                result.last.train_rmse, 1e-6 * result.last.train_rmse + 1e-7);
  }
}

TEST(Als, RidgesOfPartsAreNotUsed) {
  Rng rng(38);
  const ObservedTensor tensor = test::low_rank_tensor({6, 6, 6}, 1, 50, 0.1, rng);
  Settings options = options_for({kFirstBySecond}, 2, 3);
  const auto plain = Predictor(fit_once(tensor, options).model).predict(tensor.cells()).value;
  options.latent.parts->front().lambda = 2.0;
  options.latent.parts->front().spec.row_power = 0.5;
  std::string said;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) { said += sentence; };
  const auto same = Predictor(fit_once(tensor, options, callbacks).model).predict(tensor.cells()).value;
  EXPECT_TRUE(test::same_bits<double>(plain, same));
  EXPECT_NE(said.find("are not used"), std::string::npos);
}

TEST(Als, IsAStartForTrMm) {
  Rng rng(39);
  const ObservedTensor tensor = test::low_rank_tensor({40, 30, 3}, 2, 1500, 0.2, rng);
  const FitResult factored = fit_once(tensor, options_for({kFirstBySecond}, 3, 15));
  Settings options{.method = Method::kTrMm,
                   .start = Start::kRandom,
                   .ranks = {3},
                   .max_iterations = 0,
                   .latent = {.path = 0}};
  options.offsets = factored.model.offsets.empty() ? OffsetSpec{} : OffsetSpec{.mean = true};
  options.latent.parts = std::vector<PartOptions>{{.spec = kFirstBySecond}};
  const double random = fit_once(tensor, options).last.objective;
  options.start.reopen();
  options.warm_start = &factored.model;
  EXPECT_LT(fit_once(tensor, options).last.objective, 0.9 * random);
}

}  // namespace
}  // namespace lacuna
