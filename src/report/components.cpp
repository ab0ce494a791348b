// SPDX-License-Identifier: MIT
#include "report/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/text/position_text.hpp"
#include "model/body.hpp"
#include "model/component_views.hpp"
#include "report/picture_modes.hpp"
#include "report/pictures.hpp"

namespace lacuna::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kListed = 10;        // positions of a list
constexpr std::size_t kMostPoints = 1000;  // of a curve
constexpr double kSlowly = 0.6;            // correlation of neighbours from which on a curve is drawn
constexpr Index kFewest = 5;               // positions of a mode without labels that a curve is worth

bool is_near(const Model& model, int mode) {
  for (const Model* one : members(model)) {
    const Latent* latent = one->latent();
    if (latent == nullptr) continue;
    for (const ModelPart& part : latent->parts)
      for (const NearMode& near : part.modes.near)
        if (near.mode == mode) return true;
  }
  return false;
}

// Between each position and the next, of the first component.
double neighbour_correlation(const Matrix<double>& values) {
  double mean = 0.0;
  Count count = 0;
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    if (!std::isnan(values(i, 0))) {
      mean += values(i, 0);
      ++count;
    }
  mean /= static_cast<double>(std::max<Count>(count, 1));
  double squares = 0.0;
  double products = 0.0;
  double last = std::nan("");
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const double here = values(i, 0) - mean;
    if (std::isnan(here)) continue;
    squares += here * here;
    if (!std::isnan(last)) products += here * last;
    last = here;
  }
  return squares > 0.0 ? products / squares : 0.0;
}

// `picture`: the modes of a picture, or nothing.
bool has_order(const Model& model, const ComponentView& view, const std::optional<PictureModes>& picture) {
  const int k = view.modes[0];
  const Mode& mode = model.modes[k];
  if (mode.binning || !mode.positions.empty() || is_near(model, k) ||
      (picture && (k == picture->row || k == picture->column)))
    return true;
  return mode.labels.empty() && mode.size >= kFewest && neighbour_correlation(view.values) > kSlowly;
}

std::string position_text(const Mode& mode, Index i, int base) {
  if (i < mode.labels.size()) return mode.labels[i];
  const auto text = io::PositionText::of(mode, base);  // load_model has found its time zone
  return text ? text->text(i) : std::to_string(std::int64_t{i} + base);
}

ordered_json number_or_null(double value) { return std::isnan(value) ? ordered_json() : ordered_json(value); }

void add_curves(const Model& model, const ComponentView& view, ordered_json& shown) {
  const Mode& mode = model.modes[view.modes[0]];
  const auto every = static_cast<Index>((mode.size + kMostPoints - 1) / kMostPoints);
  const bool placed = mode.positions.size() == mode.size;
  std::vector<Index> order;
  for (Index i = 0; i < mode.size; i += every) order.push_back(i);
  if (placed)
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return mode.positions[a] < mode.positions[b]; });
  ordered_json x = ordered_json::array();
  for (const Index i : order)
    x.push_back(placed ? mode.positions[i] : static_cast<double>(i) + model.index_base);
  ordered_json y = ordered_json::array();
  for (Eigen::Index j = 0; j < view.values.cols(); ++j) {
    ordered_json curve = ordered_json::array();
    for (const Index i : order) curve.push_back(number_or_null(view.values(i, j)));
    y.push_back(std::move(curve));
  }
  shown["kind"] = "curves";
  shown["xLabel"] = placed && !mode.unit.empty() ? fmt::format("{} ({})", mode.name, mode.unit) : mode.name;
  shown["x"] = std::move(x);
  shown["y"] = std::move(y);
}

// The positions with the largest numbers, whatever their signs, from the highest to the lowest.
void add_lists(const Model& model, const ComponentView& view, ordered_json& shown) {
  const Mode& mode = model.modes[view.modes[0]];
  ordered_json lists = ordered_json::array();
  for (Eigen::Index j = 0; j < view.values.cols(); ++j) {
    std::vector<Index> known;
    for (Index i = 0; i < static_cast<Index>(view.values.rows()); ++i)
      if (!std::isnan(view.values(i, j))) known.push_back(i);
    const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(kListed, known.size()));
    std::partial_sort(known.begin(), end, known.end(), [&](Index a, Index b) {
      const double left = std::abs(view.values(a, j));
      const double right = std::abs(view.values(b, j));
      return left != right ? left > right : a < b;
    });
    known.erase(end, known.end());
    std::stable_sort(known.begin(), known.end(),
                     [&](Index a, Index b) { return view.values(a, j) > view.values(b, j); });
    ordered_json list = ordered_json::array();
    for (const Index i : known) list.push_back({position_text(mode, i, model.index_base), view.values(i, j)});
    lists.push_back(std::move(list));
  }
  shown["kind"] = "lists";
  shown["lists"] = std::move(lists);
}

void add_pictures(const Model& model, const ComponentView& view, ordered_json& shown) {
  ordered_json images = ordered_json::array();
  for (Eigen::Index j = 0; j < view.values.cols(); ++j) {
    std::vector<double> pixels;
    for (Eigen::Index i = 0; i < view.values.rows(); ++i) pixels.push_back(view.values(i, j));
    images.push_back(signed_image(shown["names"][static_cast<std::size_t>(j)].get<std::string>(),
                                  model.modes[view.modes[0]].size, model.modes[view.modes[1]].size, pixels));
  }
  shown["kind"] = "pictures";
  shown["images"] = std::move(images);
}

}  // namespace

ordered_json components(const Model& model, bool picture) {
  ordered_json list = ordered_json::array();
  const auto pixels = picture ? picture_modes(model.modes) : std::nullopt;
  const bool pairs = pixels || (model.order() > 1 && is_near(model, 0) && is_near(model, 1));
  for (const ComponentView& view : component_views(model, {.pairs = pairs})) {
    std::string modes = model.modes[view.modes[0]].name;
    if (view.modes.size() > 1) modes += " x " + model.modes[view.modes[1]].name;
    ordered_json shown{{"title", fmt::format("{}: {}", view.name, modes)}};
    for (std::size_t j = 0; j < view.strength.size(); ++j)
      shown["names"].push_back(fmt::format("component {} ({:.3g})", j + 1, view.strength[j]));
    if (view.modes.size() > 1)
      add_pictures(model, view, shown);
    else if (has_order(model, view, pixels))
      add_curves(model, view, shown);
    else
      add_lists(model, view, shown);
    list.push_back(std::move(shown));
  }
  return list;
}

}  // namespace lacuna::report
