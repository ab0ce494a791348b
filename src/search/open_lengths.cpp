// SPDX-License-Identifier: MIT
#include "search/open_lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace lacuna {
namespace {

constexpr double kLongest = 16.0;   // times the length that stands for an open one
constexpr double kShortest = 0.03;  // likewise

}  // namespace

void choose_open_lengths(Contest& contest) {
  const Settings& asked = contest.evaluator().asked();
  if (asked.latent.parts.open() || !any_open(*asked.latent.parts) || contest.empty()) return;
  const auto change = [&](const std::string& what,
                          const std::function<void(PartSpec&, const PartOptions&)>& each) {
    Settings other = contest.settings();
    for (std::size_t p = 0; p < other.latent.parts->size(); ++p)
      each((*other.latent.parts)[p].spec, (*asked.latent.parts)[p]);
    return contest.consider(other, what);
  };
  const auto smoother = [&](double smoothness) {
    return change(fmt::format("smoothness {}", smoothness), [&](PartSpec& spec, const PartOptions& open) {
      if (open.open_smoothness) spec.smoothness = smoothness;
    });
  };
  const auto longer = [&](double factor) {
    return change(fmt::format("open lengths times {}", factor), [&](PartSpec& spec, const PartOptions& open) {
      for (NearMode& near : spec.near)
        if (std::find(open.open_lengths.begin(), open.open_lengths.end(), near.mode) !=
            open.open_lengths.end())
          near.length *= factor;
    });
  };
  const bool smoothness = std::any_of(asked.latent.parts->begin(), asked.latent.parts->end(),
                                      [](const PartOptions& part) { return part.open_smoothness; });
  const bool halves = contest.settings().method.value_or(Method::kTrMm) != Method::kEdges;
  if (smoothness && (!halves || smoother(1.5))) smoother(2.0);
  if (std::all_of(asked.latent.parts->begin(), asked.latent.parts->end(),
                  [](const PartOptions& part) { return part.open_lengths.empty(); }))
    return;
  double reached = 1.0;
  for (const double factor : {4.0, 0.25, 2.0, 0.5})  // far first, then between
    while (reached * factor <= kLongest && reached * factor >= kShortest && longer(factor)) reached *= factor;
}

}  // namespace lacuna
