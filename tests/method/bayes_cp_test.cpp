// SPDX-License-Identifier: MIT
// Bayesian CP: its bound, the rank it finds, and how sure it says it is.
#include "method/cp/bayes_cp.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <lacuna/method/fit_once.hpp>

#include "model/body.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

ObservedTensor noisy(const std::vector<Index>& extents, int rank, Count entries, double noise,
                     std::uint64_t seed) {
  Rng rng(seed);
  return test::low_rank_tensor(extents, rank, entries, noise, rng);
}

TEST(BayesCp, NoSweepLowersTheBoundNorDoesDroppingAComponent) {
  Rng rng(41);
  const ObservedTensor tensor = test::with_random_weights(noisy({12, 11, 10}, 2, 600, 0.3, 42), rng);
  for (const bool pruning : {false, true})
    for (const Start start : {Start::kSpectral, Start::kRandom}) {
      BayesCp solver(tensor, 7, start, rng);
      ASSERT_TRUE(solver.sweep({}, false));
      double last = solver.lower_bound();
      for (int step = 0; step < 60; ++step) {
        if (pruning) solver.prune();
        ASSERT_TRUE(solver.sweep({}, step % 3 == 2));
        EXPECT_GE(solver.lower_bound(), last - 1e-10 * std::abs(last)) << "sweep " << step;
        last = solver.lower_bound();
      }
    }
}

// q(A_k) of one mode: a mean and a covariance for each row, in the solver's units.
struct NaiveMode {
  Eigen::MatrixXd mean;
  std::vector<Eigen::MatrixXd> covariance;
  [[nodiscard]] Eigen::MatrixXd second(Eigen::Index row) const {
    return covariance[static_cast<std::size_t>(row)] + mean.row(row).transpose() * mean.row(row);
  }
};

// The updates of the header's formulas, entry by entry.
void naive_sweep(const ObservedTensor& tensor, double scale, double noise, const Eigen::VectorXd& gamma,
                 std::vector<NaiveMode>& modes) {
  const double mean_weight = tensor.total_weight() / static_cast<double>(tensor.size());
  for (int k = 0; k < tensor.order(); ++k)
    for (Eigen::Index row = 0; row < modes[k].mean.rows(); ++row) {
      Eigen::MatrixXd precision = gamma.asDiagonal();
      Eigen::VectorXd product = Eigen::VectorXd::Zero(gamma.size());
      for (Count e = 0; e < tensor.size(); ++e) {
        if (tensor.index(k)[e] != row) continue;
        Eigen::MatrixXd square = Eigen::MatrixXd::Ones(gamma.size(), gamma.size());
        Eigen::VectorXd g = Eigen::VectorXd::Ones(gamma.size());
        for (int other = 0; other < tensor.order(); ++other) {
          if (other == k) continue;
          const Index at = tensor.index(other)[e];
          square = square.cwiseProduct(modes[other].second(at)).eval();
          g = g.cwiseProduct(modes[other].mean.row(at).transpose()).eval();
        }
        const double weight = tensor.weight(e) / mean_weight;
        precision += noise * weight * square;
        product += noise * weight * tensor.values()[e] / scale * g;
      }
      modes[k].covariance[static_cast<std::size_t>(row)] = precision.inverse();
      modes[k].mean.row(row) = (precision.inverse() * product).transpose();
    }
}

TEST(BayesCp, ASweepEqualsItsNaiveTwin) {
  constexpr int kRank = 3;
  for (const std::vector<Index>& extents :
       {std::vector<Index>{6, 5}, std::vector<Index>{6, 4, 5}, std::vector<Index>{3, 5, 4, 2}}) {
    Rng rng(46);
    const ObservedTensor tensor = test::with_random_weights(noisy(extents, 2, 25, 0.3, 47), rng);
    const auto order = static_cast<double>(extents.size());
    double spread = 0.0;
    for (Count e = 0; e < tensor.size(); ++e)
      spread += tensor.weight(e) * std::pow(tensor.values()[e] - tensor.mean(), 2);
    const double scale = std::sqrt(spread / tensor.total_weight()) / order;
    const double each = std::pow(scale, 1.0 / order);

    Cp from;
    from.noise_precision = 2.0;
    std::vector<NaiveMode> modes;
    Eigen::VectorXd rate = Eigen::VectorXd::Constant(kRank, 1e-6);
    double rows = 0.0;
    for (const Index size : extents) {
      NaiveMode& mode = modes.emplace_back();
      mode.mean = test::random_matrix<double>(size, kRank, rng);
      from.factors.emplace_back(each * mode.mean);
      Matrix<double>& covariance = from.covariance.emplace_back(size, kRank * kRank);
      for (Index i = 0; i < size; ++i) {
        const Eigen::MatrixXd root = test::random_matrix<double>(kRank, kRank, rng);
        mode.covariance.emplace_back(root * root.transpose());
        covariance.row(i) = each * each * mode.covariance.back().reshaped().transpose();
        rate += 0.5 * mode.second(i).diagonal();
      }
      rows += static_cast<double>(size);
    }
    const Eigen::VectorXd gamma = (1e-6 + 0.5 * rows) * rate.cwiseInverse();

    BayesCp solver(tensor, from);
    ASSERT_TRUE(solver.sweep({}, false));
    naive_sweep(tensor, scale, from.noise_precision * scale * scale, gamma, modes);
    const Cp found = solver.model();
    for (std::size_t k = 0; k < extents.size(); ++k) {
      EXPECT_LT((found.factors[k] / each - modes[k].mean).norm(), 1e-9)
          << extents.size() << "-way, mode " << k;
      for (Index i = 0; i < extents[k]; ++i)
        EXPECT_LT((found.covariance[k].row(i).transpose() / (each * each) - modes[k].covariance[i].reshaped())
                      .norm(),
                  1e-9);
    }
  }
}

TEST(BayesCp, FindsTheNoise) {
  const ObservedTensor tensor = noisy({15, 14, 13}, 2, 1200, 0.05, 43);
  const Settings options{.method = Method::kBayesCp, .ranks = {6}};
  const FitResult result = fit_once(tensor, options);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.last.train_rmse, 0.05, 0.01);
  const double noise = std::get<Cp>(*result.model.body).noise_precision;
  EXPECT_NEAR(1.0 / std::sqrt(noise), 0.05, 0.01);
}

TEST(BayesCp, FindsTheRankOfCpTensors) {
  for (const double noise : {1e-3, 0.1})
    for (const int rank : {1, 3}) {
      const ObservedTensor tensor =
          noisy({20, 18, 16}, rank, 2500, noise, 44 + static_cast<std::uint64_t>(rank));
      const FitResult result = fit_once(tensor, {.method = Method::kBayesCp, .ranks = {10}});
      EXPECT_EQ(ranks(result.model), std::vector<int>{rank}) << "noise " << noise;
    }
}

TEST(BayesCp, RecoversAnExactFourWayTensor) {
  const std::vector<Index> extents = {9, 8, 7, 6};
  const ObservedTensor all = noisy(extents, 3, Count{9} * 8 * 7 * 6, 0.0, 45);
  Entries train{.cells = Cells(4), .value = {}};
  for (Count e = 0; e < all.size(); ++e) {
    if (e % 5 < 3) continue;
    train.cells.add(all.cells(), e);
    train.value.push_back(all.values()[e]);
  }
  const auto tensor = ObservedTensor::create(all.modes(), std::move(train));
  const FitResult result = fit_once(*tensor, {.method = Method::kBayesCp, .ranks = {8}});
  EXPECT_EQ(ranks(result.model), std::vector<int>{3});
  const auto predicted = Predictor(result.model).predict(all.cells()).value;
  double miss = 0.0;
  double size = 0.0;
  for (Count e = 0; e < all.size(); ++e) {
    miss += std::pow(predicted[e] - all.values()[e], 2);
    size += std::pow(all.values()[e], 2);
  }
  EXPECT_LT(std::sqrt(miss / size), 1e-3);
}

// Errors on unseen cells, in units of the deviation that the model gives each of them.
TEST(BayesCp, PredictiveVarianceIsThatOfTheErrors) {
  const std::vector<Index> extents = {20, 18, 16};
  const ObservedTensor all = noisy(extents, 2, 4000, 0.5, 46);
  Entries train{.cells = Cells(3), .value = {}};
  Entries test = train;
  for (Count e = 0; e < all.size(); ++e) {
    Entries& list = e % 4 == 0 ? train : test;
    list.cells.add(all.cells(), e);
    list.value.push_back(all.values()[e]);
  }
  const auto tensor = ObservedTensor::create(all.modes(), std::move(train));
  const FitResult result = fit_once(*tensor, {.method = Method::kBayesCp, .ranks = {5}});
  const Predictor predictor(result.model);
  const auto value = predictor.predict(test.cells).value;
  const auto variance = predictor.variance(test.cells);
  ASSERT_EQ(variance.size(), value.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    EXPECT_GT(variance[i], 0.0);
    sum += std::pow(test.value[i] - value[i], 2) / variance[i];
  }
  const double mean_square = sum / static_cast<double>(value.size());
  EXPECT_GT(mean_square, 0.8);
  EXPECT_LT(mean_square, 1.3);
}

TEST(BayesCp, RefusesForeignStarts) {
  const ObservedTensor tensor = noisy({8, 7, 6}, 1, 100, 0.1, 47);
  EXPECT_THROW((void)fit_once(tensor, {.method = Method::kBayesCp, .start = Start::kGrow}),
               std::invalid_argument);
  const FitResult other = fit_once(tensor, {.method = Method::kRprecon, .ranks = {1}});
  EXPECT_THROW((void)fit_once(tensor, {.method = Method::kBayesCp, .warm_start = &other.model}),
               std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
