// SPDX-License-Identifier: MIT
// bench_generate OUT.tns [ENTRIES] [SEED]: a tensor of MovieLens 10M's shape, 71567 x 10681 x 731, with
// long-tailed users and items, each user active in a few weeks, no user-item pair twice, ratings from planted
// low-rank parts plus noise. With fewer or more ENTRIES than 10,000,054 the users and the weeks shrink or
// grow in proportion, which keeps the fibers of all three modes as dense.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/rng.hpp"
#include "io/file/atomic_file.hpp"

namespace {

using lacuna::Count;
using lacuna::Index;
using lacuna::Rng;

constexpr Count kUsers = 71567;
constexpr Count kItems = 10681;
constexpr Count kWeeks = 731;
constexpr Count kRatings = 10000054;
constexpr int kTastes = 3;

// Zipf-like weights, cumulated: index i has weight (i + shift)^-power.
std::vector<double> cumulated(Count size, double shift, double power) {
  std::vector<double> sums;
  double sum = 0.0;
  for (Count i = 0; i < size; ++i) sums.push_back(sum += std::pow(static_cast<double>(i) + shift, -power));
  return sums;
}

Index draw(const std::vector<double>& sums, Rng& rng) {
  const double at = rng.uniform() * sums.back();
  return static_cast<Index>(std::upper_bound(sums.begin(), sums.end() - 1, at) - sums.begin());
}

// How many ratings each user gives: a long tail, at least 20, as in the published set. Of what the busiest
// users cannot take, everybody else gets one more, again and again.
std::vector<Count> ratings_by_user(Count users, Count ratings, Rng& rng) {
  constexpr Count kMost = kItems * 3 / 4;
  std::vector<double> activity(static_cast<std::size_t>(users));
  double total = 0.0;
  for (double& value : activity) total += value = std::exp(1.2 * rng.normal());
  std::vector<Count> wanted;
  Count left = ratings;
  for (const double value : activity) {
    const auto share = static_cast<Count>(value / total * static_cast<double>(ratings - 20 * users));
    wanted.push_back(std::clamp<Count>(20 + share, 0, std::min(kMost, left)));
    left -= wanted.back();
  }
  while (left > 0)
    for (Count u = 0; u < users && left > 0; ++u)
      if (wanted[u] < kMost) {
        ++wanted[u];
        --left;
      }
  return wanted;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_generate OUT.tns [ENTRIES] [SEED]\n");
    return 2;
  }
  const Count ratings = argc > 2 ? std::atoll(argv[2]) : kRatings;
  Rng rng(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const Count users = std::max<Count>(10, kUsers * ratings / kRatings);
  const auto weeks = static_cast<Index>(std::max<Count>(2, kWeeks * ratings / kRatings));

  const std::vector<Count> ratings_of = ratings_by_user(users, ratings, rng);
  const std::vector<double> item_sums = cumulated(kItems, 30.0, 0.9);
  std::vector<double> user_taste(static_cast<std::size_t>(users * kTastes));
  std::vector<double> item_taste(static_cast<std::size_t>(kItems * kTastes));
  for (double& value : user_taste) value = rng.normal();
  for (double& value : item_taste) value = rng.normal();

  auto file = lacuna::AtomicFile::create(argv[1]);
  if (!file) {
    fmt::print(stderr, "bench_generate: {}\n", file.error().message());
    return 6;
  }
  fmt::memory_buffer line;
  std::unordered_set<Index> seen;
  for (Count u = 0; u < users; ++u) {
    const Count wanted = ratings_of[u];
    const auto first_week = static_cast<Index>(rng.below(weeks));
    const double active_weeks = 1.0 + std::sqrt(static_cast<double>(wanted)) / 3.0;
    seen.clear();
    while (static_cast<Count>(seen.size()) < wanted) {
      const Index item = draw(item_sums, rng);
      if (!seen.insert(item).second) continue;
      const auto week = static_cast<Index>(
          (first_week + static_cast<Index>(active_weeks * std::pow(rng.uniform(), 2.0))) % weeks);
      double rating = 3.5 + 0.6 * rng.normal();
      for (int t = 0; t < kTastes; ++t)
        rating += 0.35 * user_taste[u * kTastes + t] * item_taste[item * kTastes + t];
      rating = std::clamp(std::round(2.0 * rating) / 2.0, 0.5, 5.0);
      line.clear();
      fmt::format_to(std::back_inserter(line), "{} {} {} {}\n", u + 1, item + 1, week + 1, rating);
      file->write(line.data(), line.size());
    }
  }
  if (auto done = file->commit(); !done) {
    fmt::print(stderr, "bench_generate: {}\n", done.error().message());
    return 6;
  }
  fmt::print("{}: {} entries, {} x {} x {}\n", argv[1], ratings, users, kItems, weeks);
  return 0;
}
