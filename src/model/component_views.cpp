// SPDX-License-Identifier: MIT
#include "model/component_views.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
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

// The places of the largest, so many.
std::vector<Eigen::Index> strongest(const Eigen::VectorXd& norms, int most) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(norms.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return norms[a] > norms[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
  return order;
}

// A term of a pair of modes has the products of both columns.
std::vector<ComponentView> views_of(const Cp& x, const ComponentViewOptions& options) {
  Eigen::VectorXd norms = Eigen::VectorXd::Ones(x.factors.front().cols());
  for (const Matrix<double>& factor : x.factors)
    norms = norms.cwiseProduct(factor.colwise().norm().transpose());
  const std::vector<Eigen::Index> order = strongest(norms, options.most);
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

// |a_ij| of the first rank complex numbers of each of these rows.
Matrix<double> moduli(const Matrix<float>& rows, Eigen::Index first, Eigen::Index count, int rank) {
  const Matrix<double> real = rows.block(first, 0, count, rank).cast<double>();
  const Matrix<double> imaginary = rows.block(first, rank, count, rank).cast<double>();
  return (real.array().square() + imaginary.array().square()).sqrt();
}

// A term is Re(e_h w_r conj e_t): which of them an entity or a relation takes part in.
std::vector<ComponentView> views_of(const ComplEx& x, const ComponentViewOptions& options) {
  std::vector<ComponentView> views;
  const auto add = [&](int mode, Matrix<double> values) {
    views.push_back({.name = "links", .modes = {mode}, .values = std::move(values), .strength = {}});
  };
  const auto heads = static_cast<Eigen::Index>(x.head_count());
  add(x.roles.head, moduli(x.entities, 0, heads, x.rank));
  add(x.roles.relation, moduli(x.relations, 0, static_cast<Eigen::Index>(x.relation_count()), x.rank));
  if (!x.roles.one_set)
    add(x.roles.tail, moduli(x.entities, static_cast<Eigen::Index>(x.tails_from),
                             static_cast<Eigen::Index>(x.tail_count()), x.rank));
  Eigen::VectorXd norms = Eigen::VectorXd::Ones(x.rank);
  for (const ComponentView& view : views)
    norms = norms.cwiseProduct(view.values.colwise().norm().transpose());
  if (x.roles.one_set) norms = norms.cwiseProduct(views[0].values.colwise().norm().transpose());
  const std::vector<Eigen::Index> order = strongest(norms, options.most);
  for (ComponentView& view : views) {
    view.values = Matrix<double>(view.values(Eigen::all, order));
    for (const Eigen::Index j : order) view.strength.push_back(norms[j]);
  }
  return views;
}

// The eigenvectors of a product of an unfolding with itself, the largest first.
struct Leading {
  Eigen::MatrixXd vectors;
  std::vector<double> values;  // the roots of the eigenvalues
};
Leading leading(const Eigen::MatrixXd& gram, int most) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  const Eigen::Index count = std::min<Eigen::Index>(most, gram.rows());
  Leading found{.vectors = solver.eigenvectors().rowwise().reverse().leftCols(count), .values = {}};
  for (Eigen::Index j = 0; j < count; ++j)
    found.values.push_back(std::sqrt(std::max(0.0, solver.eigenvalues()[gram.rows() - 1 - j])));
  return found;
}

using Block = Eigen::Map<const Eigen::MatrixXd>;

// X_(k) X_(k)', of cells the first mode fastest: a row for each position of the mode.
Eigen::MatrixXd unfolded_gram(const Dense& x, const std::vector<Index>& sizes, std::size_t k) {
  Count before = 1;
  for (std::size_t m = 0; m < k; ++m) before *= sizes[m];
  const Count block = before * sizes[k];
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(sizes[k], sizes[k]);
  for (Count at = 0; at < static_cast<Count>(x.value.size()); at += block) {
    const Block here(x.value.data() + at, before, sizes[k]);
    gram.noalias() += here.transpose() * here;
  }
  return gram;
}

// Of a picture its channels, frames or whatever comes after rows and columns, and the pictures that go with them.
std::vector<ComponentView> picture_views(const Dense& x, const std::vector<Index>& sizes,
                                         const ComponentViewOptions& options) {
  const Count pixels = Count{sizes[0]} * sizes[1];
  const Leading found = leading(unfolded_gram(x, sizes, 2), options.most);
  ComponentView both{.name = "all cells", .modes = {0, 1}, .values = {}, .strength = found.values};
  const Eigen::MatrixXd pictures = Block(x.value.data(), pixels, sizes[2]) * found.vectors;
  both.values.resize(pixels, pictures.cols());
  for (Count row = 0; row < sizes[0];
       ++row)  // the first mode is the fastest of the cells, the last one of the view
    for (Count column = 0; column < sizes[1]; ++column)
      both.values.row(row * sizes[1] + column) = pictures.row(row + column * sizes[0]);
  ComponentView others{.name = both.name, .modes = {2}, .values = found.vectors, .strength = found.values};
  for (Eigen::Index j = 0; j < both.values.cols(); ++j) {
    const double sign = sign_of(both.values, j);
    both.values.col(j) *= sign / std::max(found.values[static_cast<std::size_t>(j)], 1e-300);
    others.values.col(j) *= sign;
  }
  std::vector<ComponentView> views;
  views.push_back(std::move(both));
  views.push_back(std::move(others));
  return views;
}

std::vector<ComponentView> views_of(const Dense& x, const Model& model, const ComponentViewOptions& options) {
  constexpr double kMostWork = 4e9;       // multiplications for all modes: a few seconds
  constexpr double kEigenvectors = 10.0;  // of a symmetric matrix, times the cube of its size
  const std::vector<Index> sizes = extents(model.modes);
  const auto cells = static_cast<double>(x.value.size());
  if (options.pairs && sizes.size() == 3 && Count{sizes[0]} * sizes[1] <= options.most_pairs &&
      sizes[2] * cells <= kMostWork)
    return picture_views(x, sizes, options);
  std::vector<ComponentView> views;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double size = sizes[k];
    if (size * (cells + kEigenvectors * size * size) > kMostWork / static_cast<double>(sizes.size()))
      continue;
    const Leading found = leading(unfolded_gram(x, sizes, k), options.most);
    ComponentView view{.name = "all cells",
                       .modes = {static_cast<int>(k)},
                       .values = found.vectors,
                       .strength = found.values};
    for (Eigen::Index j = 0; j < view.values.cols(); ++j) view.values.col(j) *= sign_of(view.values, j);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<ComponentView> views_of(const Blend& blend, const ComponentViewOptions& options) {
  std::vector<ComponentView> views;
  for (std::size_t m = 0; m < blend.members.size(); ++m)
    for (ComponentView& view : component_views(blend.members[m], options)) {
      view.name = fmt::format("{:.2f} {}, {}", blend.weights[m], blend.members[m].method, view.name);
      views.push_back(std::move(view));
    }
  return views;
}

}  // namespace

std::vector<ComponentView> component_views(const Model& model, const ComponentViewOptions& options) {
  if (const Latent* latent = model.latent()) return views_of(*latent, model, options);
  if (const auto* tucker = std::get_if<Tucker>(&*model.body)) return views_of(*tucker, options);
  if (const auto* cp = std::get_if<Cp>(&*model.body)) return views_of(*cp, options);
  if (const auto* links = std::get_if<ComplEx>(&*model.body)) return views_of(*links, options);
  if (const auto* dense = std::get_if<Dense>(&*model.body)) return views_of(*dense, model, options);
  if (const auto* blend = std::get_if<Blend>(&*model.body)) return views_of(*blend, options);
  return {};
}

}  // namespace lacuna
