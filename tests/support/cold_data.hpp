// SPDX-License-Identifier: MIT
// Ratings of which the users' features say most, and users without any rating.
#pragma once

#include <cmath>
#include <lacuna/model/side.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <numeric>

#include "base/rng.hpp"
#include "support/random_tensor.hpp"

namespace lacuna::test {

struct ColdShape {
  std::vector<Index> extents{120, 60};
  double observed = 0.3;  // of the cells of users with ratings
  double own = 0.3;       // deviation of a user's taste from what is known of him
  double told = 1.0;      // how much of the taste features tell
  double noise = 0.1;
  bool graph = false;  // a ring on which neighbours are alike, in place of features
  Index cold = 20;     // users without a rating
};

struct ColdData {
  ObservedTensor train;
  Entries warm;  // cells of users with ratings
  Entries of_cold;
};

// value = taste(user) . quality(item), the same at all positions of further modes, plus noise. Users 0 .. cold - 1
// have no entries.
inline ColdData cold_data(const ColdShape& shape, std::uint64_t seed) {
  constexpr int kRank = 3;
  const Index users = shape.extents[0];
  Rng rng(seed);
  std::vector<Mode> modes = plain_modes(shape.extents);
  Matrix<double> taste(users, kRank);
  if (shape.graph) {  // smooth along a ring that the numbers of the users do not show
    std::vector<Index> place(users);
    std::iota(place.begin(), place.end(), Index{0});
    for (Index i = users - 1; i > 0; --i) std::swap(place[i], place[rng.below(i + 1)]);
    std::vector<GraphEdge> ring;
    for (Index i = 0; i < users; ++i) {
      const double angle = 2.0 * M_PI * i / users;
      for (int r = 0; r < kRank; ++r)
        taste(place[i], r) = shape.told * std::sqrt(2.0) * std::cos((r + 1) * angle + r);
      ring.push_back({.from = place[i], .to = place[(i + 1) % users]});
      ring.push_back({.from = place[i], .to = place[(i + 2) % users]});
    }
    modes[0].side = std::make_shared<const SideInformation>(side_of_graph(users, ring));
  } else {
    constexpr int kFeatures = 4;
    const Matrix<double> numbers = random_matrix<double>(users, kFeatures, rng);
    std::vector<Feature> features;
    for (int f = 0; f < kFeatures; ++f) {
      features.push_back({.name = "f" + std::to_string(f)});
      for (Index i = 0; i < users; ++i) features.back().numbers.push_back(numbers(i, f));
    }
    modes[0].side = std::make_shared<const SideInformation>(side_of_features(users, features));
    taste = shape.told / std::sqrt(static_cast<double>(kFeatures)) * numbers *
            random_matrix<double>(kFeatures, kRank, rng);
  }
  taste += shape.own * random_matrix<double>(users, kRank, rng);
  const Matrix<double> quality = random_matrix<double>(shape.extents[1], kRank, rng);

  Entries train{.cells = Cells(static_cast<int>(shape.extents.size())), .value = {}};
  ColdData data{.train = {}, .warm = train, .of_cold = train};
  std::uint64_t cells = 1;
  for (const Index extent : shape.extents) cells *= extent;
  for (std::uint64_t c = 0; c < cells; ++c) {
    const std::vector<Index> cell = cell_of(c, shape.extents);
    const double share = rng.uniform();
    if (share > shape.observed + 0.1) continue;
    Entries& list = cell[0] < shape.cold ? data.of_cold : share < shape.observed ? train : data.warm;
    list.cells.add(cell);
    list.value.push_back(taste.row(cell[0]).dot(quality.row(cell[1])) + shape.noise * rng.normal());
  }
  data.train = *ObservedTensor::create(modes, std::move(train));
  return data;
}

// The same data with nothing known of the users.
inline ObservedTensor without_side(const ObservedTensor& tensor) {
  std::vector<Mode> modes = tensor.modes();
  for (Mode& mode : modes) mode.side = nullptr;
  return *ObservedTensor::create(modes, entries_of(tensor));
}

}  // namespace lacuna::test
