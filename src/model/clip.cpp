// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/model/model.hpp>
#include <lacuna/model/structure.hpp>
#include <limits>
#include <stdexcept>

#include "base/number_text.hpp"
#include "model/value_kind.hpp"

namespace lacuna {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::optional<double> end_in(std::string_view text) {
  if (text == "inf") return kInfinite;
  if (text == "-inf") return -kInfinite;
  return number_in<double>(text);
}

}  // namespace

Clip::Clip(Range range) : where_(range) {
  if (!(range.low < range.high)) throw std::invalid_argument("the range to clip to must have low < high");
}

Clip Clip::to_observed() {
  Clip clip;
  clip.where_ = Observed{};
  return clip;
}

std::optional<Range> Clip::range(const Range& observed) const {
  if (std::holds_alternative<Observed>(where_)) return observed;
  const auto* range = std::get_if<Range>(&where_);
  return range != nullptr ? std::optional(*range) : std::nullopt;
}

Result<Clip> Clip::parse(std::string_view text) {
  if (text == "none") return Clip();
  if (text == "auto") return to_observed();
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto low = end_in(text.substr(0, comma));
  const auto high = end_in(text.substr(std::min(comma + 1, text.size())));
  if (!low || !high || !(*low < *high))
    return usage_error("",
                       "found '" + std::string(text) + "', expected LOW,HIGH with LOW < HIGH, auto or none");
  return Clip(Range{.low = *low, .high = *high});
}

std::string Clip::text() const {
  if (std::holds_alternative<Observed>(where_)) return "auto";
  const auto* range = std::get_if<Range>(&where_);
  return range != nullptr ? shortest(range->low) + "," + shortest(range->high) : "none";
}

std::optional<Range> prediction_range(const Model& model) {
  return model.clip ? model.clip : natural_range(model);
}

void set_clip(Model& model, const Clip& clip) {
  model.clip = clip.range(model.observed);
  model.record.set("clip", clip.text());
}

}  // namespace lacuna
