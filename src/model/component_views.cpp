// SPDX-License-Identifier: MIT
#include "model/component_views.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/near_kernel.hpp"
#include "model/body.hpp"

namespace lacuna {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The sign with which the largest number of a column is positive.
double sign_of(const Matrix<double>& values, Eigen::Index column) {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    if (std::abs(values(i, column)) > std::abs(largest)) largest = values(i, column);
  return largest < 0.0 ? -1.0 : 1.0;
}

class PartViews {
 public:
  PartViews(const LatentPredictor& latent, std::size_t p, int most)
      : latent_(&latent), p_(p), components_(latent.components(p)) {
    count_ = std::min<Eigen::Index>(most, components_.left.cols());
    if (latent.kernels(p).near() != nullptr) field_ = latent.near_field(p);
  }

  [[nodiscard]] Eigen::Index count() const { return count_; }
  [[nodiscard]] std::vector<double> strength() const {
    return {components_.values.begin(), components_.values.begin() + count_};
  }

  [[nodiscard]] Matrix<double> rows() const {
    const Count rows = latent_->kernels(p_).rows();
    Matrix<double> values = Matrix<double>::Constant(rows, count_, kNothing);
    for (Count i = 0; i < rows; ++i) {
      if (!latent_->lookup(p_).knows_row(static_cast<Index>(i))) continue;
      const Eigen::Map<const Eigen::RowVectorXd> row(latent_->left_row(p_, static_cast<Index>(i)),
                                                     latent_->rank(p_));
      values.row(i) = row * components_.left.leftCols(count_);
    }
    return values;
  }

  // At all positions of the modes that tell fibers apart, the last mode fastest.
  [[nodiscard]] Matrix<double> fibers(const std::vector<Index>& sizes) const {
    const std::vector<int> modes = latent_->spec(p_).fiber_modes();
    Count cells = 1;
    for (const int mode : modes) cells *= sizes[mode];
    Matrix<double> values = Matrix<double>::Constant(cells, count_, kNothing);
    Cells cell(static_cast<int>(sizes.size()));
    cell.add(std::vector<Index>(sizes.size(), 0));
    Eigen::RowVectorXd vector(latent_->rank(p_));
    for (Count i = 0; i < cells; ++i) {
      Count rest = i;
      for (std::size_t m = modes.size(); m-- > 0;) {
        cell[modes[m]][0] = static_cast<Index>(rest % sizes[modes[m]]);
        rest /= sizes[modes[m]];
      }
      if (read(cell, vector)) values.row(i) = vector * components_.right.leftCols(count_);
    }
    return values;
  }

 private:
  [[nodiscard]] bool read(const Cells& cell, Eigen::RowVectorXd& vector) const {
    vector.setZero();
    if (const NearKernel* near = latent_->kernels(p_).near()) {
      const NearCells found = near->find_cells(cell, {});
      if (found.cell.empty()) return false;
      near->read_cell(found, 0, field_, latent_->rank(p_), vector.data());
      return true;
    }
    const FiberLookup::Hit hit = latent_->lookup(p_).find(cell, 0);
    if (hit.kind == FiberLookup::Kind::kNone) return false;
    latent_->fiber_vector(p_, hit, vector.data());
    return true;
  }

  const LatentPredictor* latent_;
  std::size_t p_;
  LatentPredictor::Components components_;
  Eigen::Index count_ = 0;
  std::vector<double> field_;
};

bool shows_fibers(const std::vector<int>& modes, const std::vector<Index>& sizes,
                  const ComponentViewOptions& options) {
  if (modes.size() == 1) return true;
  return options.pairs && modes == std::vector{0, 1} &&
         Count{sizes[0]} <= options.most_pairs / std::max(Count{1}, Count{sizes[1]});
}

std::vector<ComponentView> views_of(const Latent& latent, const Model& model,
                                    const ComponentViewOptions& options) {
  const LatentPredictor predictor(latent);
  const std::vector<Index> sizes = extents(model.modes);
  std::vector<ComponentView> views;
  for (std::size_t p = 0; p < predictor.part_count(); ++p) {
    const PartSpec& spec = predictor.spec(p);
    const PartViews part(predictor, p, options.most);
    const std::string name = "part " + part_text(spec, model.modes);
    if (part.count() == 0) continue;
    std::vector<ComponentView> sides;
    if (spec.learns())
      sides.push_back(
          {.name = name, .modes = {spec.mode}, .values = part.rows(), .strength = part.strength()});
    if (shows_fibers(spec.fiber_modes(), sizes, options))
      sides.push_back({.name = name,
                       .modes = spec.fiber_modes(),
                       .values = part.fibers(sizes),
                       .strength = part.strength()});
    if (sides.empty()) continue;
    for (Eigen::Index j = 0; j < part.count(); ++j) {
      const double sign = sign_of(sides[0].values, j);
      for (ComponentView& side : sides) side.values.col(j) *= sign;
    }
    std::move(sides.begin(), sides.end(), std::back_inserter(views));
  }
  return views;
}

std::vector<ComponentView> views_of(const Tucker& given, const ComponentViewOptions& options) {
  const Tucker x = truncated_hosvd(given, orthonormalized(given).ranks());
  std::vector<ComponentView> views;
  for (int k = 0; k < x.order(); ++k) {
    const Eigen::Index count = std::min<Eigen::Index>(options.most, x.rank(k));
    const Eigen::MatrixXd gram = unfolding_product(x.core, x.ranks(), x.core, x.ranks(), k);
    ComponentView view{
        .name = "Tucker tensor", .modes = {k}, .values = x.factors[k].leftCols(count), .strength = {}};
    for (Eigen::Index j = 0; j < count; ++j) {
      view.values.col(j) *= sign_of(view.values, j);
      view.strength.push_back(std::sqrt(std::max(0.0, gram(j, j))));
    }
    views.push_back(std::move(view));
  }
  return views;
}

// A term of a pair of modes has the products of both columns.
std::vector<ComponentView> views_of(const Cp& x, const ComponentViewOptions& options) {
  Eigen::VectorXd norms = Eigen::VectorXd::Ones(x.factors.front().cols());
  for (const Matrix<double>& factor : x.factors)
    norms = norms.cwiseProduct(factor.colwise().norm().transpose());
  std::vector<Eigen::Index> order(static_cast<std::size_t>(norms.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return norms[a] > norms[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.most)));
  std::vector<ComponentView> views;
  for (std::size_t k = 0; k < x.factors.size(); ++k) {
    ComponentView view{.name = "CP tensor", .modes = {static_cast<int>(k)}, .values = {}, .strength = {}};
    view.values.resize(x.factors[k].rows(), static_cast<Eigen::Index>(order.size()));
    for (std::size_t j = 0; j < order.size(); ++j) {
      view.values.col(static_cast<Eigen::Index>(j)) = x.factors[k].col(order[j]);
      view.strength.push_back(norms[order[j]]);
    }
    views.push_back(std::move(view));
  }
  const Count rows = x.factors[0].rows();
  const Count columns = x.factors.size() > 1 ? x.factors[1].rows() : 0;
  if (!options.pairs || columns == 0 || rows > options.most_pairs / columns) return views;
  ComponentView both{.name = "CP tensor", .modes = {0, 1}, .values = {}, .strength = views[0].strength};
  both.values.resize(rows * columns, views[0].values.cols());
  for (Eigen::Index i = 0; i < both.values.rows(); ++i)
    both.values.row(i) = views[0].values.row(i / columns).cwiseProduct(views[1].values.row(i % columns));
  views.insert(views.begin(), std::move(both));
  return views;
}

}  // namespace

std::vector<ComponentView> component_views(const Model& model, const ComponentViewOptions& options) {
  if (const Latent* latent = model.latent()) return views_of(*latent, model, options);
  if (const auto* tucker = std::get_if<Tucker>(&*model.body)) return views_of(*tucker, options);
  if (const auto* cp = std::get_if<Cp>(&*model.body)) return views_of(*cp, options);
  return {};
}

}  // namespace lacuna
