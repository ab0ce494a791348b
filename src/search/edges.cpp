// SPDX-License-Identifier: MIT
#include "search/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "method/field/edge_part.hpp"
#include "search/near.hpp"
#include "search/open_lengths.hpp"
#include "search/structure.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/positions.hpp"

namespace lacuna {
namespace {

constexpr double kMostCells = 4e6;  // of the grid, as of near parts
constexpr double kFirstLambda = 30.0;

// Near along the ordered modes; learns the one that is not ordered, or the shortest of three and more.
std::optional<PartSpec> part_along_order(const ObservedTensor& kept) {
  std::vector<OrderedMode> ordered = ordered_modes(kept, serial_communicator());
  const int order = kept.order();
  PartSpec spec{.mode = PartSpec::kNothing, .agree = {}};
  for (int k = 0; k < order; ++k)
    if (std::none_of(ordered.begin(), ordered.end(), [k](const OrderedMode& one) { return one.mode == k; }))
      spec.mode = k;
  if (static_cast<int>(ordered.size()) + 1 < order) return std::nullopt;
  if (!spec.learns() && order > 2) {
    const auto shortest =
        std::min_element(ordered.begin(), ordered.end(), [&](const OrderedMode& a, const OrderedMode& b) {
          return kept.extent(a.mode) < kept.extent(b.mode);
        });
    spec.mode = shortest->mode;
    ordered.erase(shortest);
  }
  std::vector<int> modes;
  for (const OrderedMode& one : ordered) {
    modes.push_back(one.mode);
    spec.near.push_back({.mode = one.mode, .length = kEdgeLength * typical_spacing(kept.modes()[one.mode])});
  }
  spec.smoothness = 2.0;
  return count_cells(kept.modes(), modes) > kMostCells ? std::nullopt : std::optional(spec);
}

void choose_length(Contest& contest) {
  contest.walk({2.0, 0.5}, [&contest](double factor) -> std::optional<Candidate> {
    Settings other = contest.settings();
    for (NearMode& near : other.latent.parts->front().spec.near) near.length *= factor;
    return Candidate{other, fmt::format("edges, lengths times {}", factor)};
  });
}

void choose_contrast(Contest& contest) {
  contest.walk({3.0, 1.0 / 3.0}, [&contest](double factor) -> std::optional<Candidate> {
    Settings other = contest.settings();
    *other.field.contrast *= factor;
    return Candidate{other, fmt::format("edges, contrast {:.3g}", *other.field.contrast)};
  });
}

// Length, lambda and contrast, as far as they are open.
void refine_field(Contest& contest) {
  const Settings& asked = contest.evaluator().asked();
  if (asked.latent.parts.open()) choose_length(contest);
  choose_open_lengths(contest);
  if (asked.lambda.open()) choose_lambda(contest, 3.0);
  if (asked.field.contrast.open()) choose_contrast(contest);
}

}  // namespace

EdgeFields::EdgeFields(Evaluator& evaluator, const OffsetSpec& alone)
    : smooth_(evaluator), rough_(evaluator) {
  const Settings& asked = evaluator.asked();
  const ObservedTensor& kept = evaluator.kept();
  Settings first = asked;
  first.method = Method::kEdges;
  if (asked.latent.parts.open()) {
    const std::optional<PartSpec> spec = part_along_order(kept);
    if (!spec) return;
    first.latent.parts = std::vector<PartOptions>{{.spec = *spec}};
  } else {
    first.latent.parts = closed(*asked.latent.parts);
  }
  if (asked.offsets.open()) {  // effects of near modes are left to the field
    first.offsets = alone;
    std::erase_if(first.offsets->effects, [&](const std::vector<int>& effect) {
      return effect.size() > 1 || effect[0] != first.latent.parts->front().spec.mode;
    });
    first.offsets->mean = true;
  }
  first.lambda.settle(kFirstLambda);
  first.field.contrast.settle(usual_contrast(first.latent.parts->front().spec, kept.modes()));
  const auto consider = [&](Contest& one) {
    one.consider(first, "edges, parts " + describe(*first.latent.parts, kept.modes()));
  };
  consider(smooth_);
  if (smooth_.empty() || smooth_.far_behind() || asked.latent.parts.given()) return;
  first.latent.parts->front().spec.smoothness = 1.0;
  consider(rough_);
}

void EdgeFields::refine() {
  std::array<Contest*, 2> both{&smooth_, &rough_};
  if (rough_.best().error < smooth_.best().error) std::swap(both[0], both[1]);
  for (Contest* one : both)
    if (!one->empty() && !one->far_behind()) refine_field(*one);
}

}  // namespace lacuna
