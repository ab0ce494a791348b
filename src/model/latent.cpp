// SPDX-License-Identifier: MIT
#include "model/latent.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/model/structure.hpp>
#include <numeric>

#include "base/parallel.hpp"
#include "kernels/fiber_products.hpp"
#include "kernels/near_kernel.hpp"
#include "linalg/decompose.hpp"

namespace lacuna {

LatentPredictor::LatentPredictor(const Latent& latent) : latent_(&latent) {
  parts_.reserve(latent.parts.size());
  for (const ModelPart& part : latent.parts) {
    parts_.emplace_back(latent.dual, part.modes);
    factors_.push_back(part.right ? FactorTable<double>() : parts_.back().table(part.factor));
  }
  for (const PartKernels& part : parts_) lookups_.emplace_back(latent.dual, part.view());
}

void LatentPredictor::add_part(const CellPlan& plan, std::size_t p, std::span<double> out) const {
  const ModelPart& part = latent_->parts[p];
  if (part.right)
    plan.add_factored(parts_[p], p, part.factor, *part.right, part.lambda, out);
  else
    plan.add_part<double>(parts_[p], p, factors_[p], part.lambda, latent_->dual.values(), out);
}

std::vector<bool> LatentPredictor::add_values(const Cells& cells, std::span<double> out,
                                              const std::vector<std::vector<double>>& coordinates) const {
  const CellPlan plan(parts_, lookups_, cells, coordinates);
  for (std::size_t p = 0; p < parts_.size(); ++p) add_part(plan, p, out);
  return plan.silent();
}

std::vector<std::vector<double>> LatentPredictor::parts(const Cells& cells) const {
  const CellPlan plan(parts_, lookups_, cells);
  std::vector<std::vector<double>> values(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    values[p].assign(static_cast<std::size_t>(cells.size()), 0.0);
    add_part(plan, p, values[p]);
  }
  return values;
}

std::vector<Count> LatentPredictor::support(const Cells& cells,
                                            const std::vector<std::vector<double>>& coordinates) const {
  return CellPlan(parts_, lookups_, cells, coordinates).support(parts_);
}

const double* LatentPredictor::left_row(std::size_t p, Index row) const {
  const ModelPart& part = latent_->parts[p];
  return part.right ? part.factor.row(row).data() : factors_[p].row(row);
}

void LatentPredictor::fiber_vector(std::size_t p, const FiberLookup::Hit& hit, double* out) const {
  const ModelPart& part = latent_->parts[p];
  const PartKernels& kernels = parts_[p];
  const bool single = hit.kind == FiberLookup::Kind::kSingle;
  Eigen::Map<Eigen::RowVectorXd> vector(out, part.factor.cols());
  if (part.right) {
    vector =
        part.lambda * part.right->row(single ? kernels.view().fiber_of_single(hit.which) : Count{hit.which});
    return;
  }
  const auto row = [&](Index i) {
    return Eigen::Map<const Eigen::RowVectorXd>(factors_[p].row(i), part.factor.cols());
  };
  const std::span<const double> z = latent_->dual.values();
  if (single) {
    vector = part.lambda * static_cast<double>(kernels.single_scale(hit.which)) * z[hit.which] *
             row(kernels.row_of_entry()[hit.which]);
    return;
  }
  vector.setZero();
  const FiberView::Span span = kernels.view().span(hit.which);
  for (Count j = span.begin; j < span.end; ++j)
    vector += z[kernels.view().entry()[j]] * row(kernels.view().row()[j]);
  vector *= part.lambda * static_cast<double>(kernels.fiber_scale(hit.which));
}

std::vector<double> LatentPredictor::near_field(std::size_t p) const {
  std::vector<double> field = parts_[p].near()->cell_field(factors_[p], latent_->dual.values());
  for (double& value : field) value *= latent_->parts[p].lambda;
  return field;
}

std::vector<double> LatentPredictor::mixture() const {
  std::vector<double> norms;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const ModelPart& part = latent_->parts[p];
    norms.push_back(part.right ? part.lambda * observed_norm(parts_[p], part.factor, *part.right)
                               : observed_norm(latent_->dual.values(), parts_[p], factors_[p], part.lambda));
  }
  return shares(std::move(norms));
}

std::vector<std::vector<double>> LatentPredictor::spectra() const {
  std::vector<std::vector<double>> found;
  for (std::size_t p = 0; p < parts_.size(); ++p) found.push_back(components(p).values);
  return found;
}

std::vector<double> LatentPredictor::tensor_mixture() const {
  std::vector<double> norms;
  for (const std::vector<double>& values : spectra())
    norms.push_back(
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())).norm());
  return shares(std::move(norms));
}

namespace {

// The cells that the modes which a part ignores repeat it over.
double repeats(const ObservedTensor& support, const PartSpec& part) {
  double cells = 1.0;
  const std::vector<int> told_apart = part.fiber_modes();
  for (int mode = 0; mode < support.order(); ++mode)
    if (mode != part.mode && std::find(told_apart.begin(), told_apart.end(), mode) == told_apart.end())
      cells *= support.extent(mode);
  return cells;
}

}  // namespace

double observed_norm(std::span<const double> z, const PartKernels& part, const FactorTable<double>& factor,
                     double lambda) {
  std::vector<double> w(z.size(), 0.0);  // U U' + U U' is twice what is wanted
  part.add_directional(factor, factor, 0.5 * lambda, z, std::span<double>(w));
  return std::sqrt(parallel_sum(static_cast<Count>(w.size()), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) sum += w[e] * w[e];
    return sum;
  }));
}

namespace {

using RowMap = Eigen::Map<const Eigen::VectorXd>;

// sum_i weight_i u_i u_i' over the rows of U
Eigen::MatrixXd weighted_gram(const FactorTable<double>& factor, std::span<const double> weight) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(factor.columns(), factor.columns());
  for (Count i = 0; i < factor.rows(); ++i)
    gram.selfadjointView<Eigen::Lower>().rankUpdate(RowMap(factor.row(i), factor.columns()), weight[i]);
  return gram.selfadjointView<Eigen::Lower>();
}

// T'T over all fibers. Those of a single entry are a multiple of their row of U, so they are summed by rows.
Eigen::MatrixXd fiber_gram(std::span<const double> z, const PartKernels& part,
                           const FactorTable<double>& factor) {
  if (part.near() != nullptr) return part.near()->fiber_gram(factor, z);
  const FiberView& view = part.view();
  std::vector<double> singles(static_cast<std::size_t>(factor.rows()), 0.0);
  for (std::size_t e = 0; e < z.size(); ++e)
    if (view.is_single(static_cast<Count>(e))) {
      const double value = part.single_scale(static_cast<Count>(e)) * z[e];
      singles[part.row_of_entry()[e]] += value * value;
    }
  Eigen::MatrixXd gram = weighted_gram(factor, singles);
  Eigen::VectorXd t(factor.columns());
  for (Count f = 0; f < view.listed_fibers(); ++f) {
    t.setZero();
    const FiberView::Span span = view.span(f);
    for (Count j = span.begin; j < span.end; ++j)
      t += z[view.entry()[j]] * RowMap(factor.row(view.row()[j]), factor.columns());
    t *= part.fiber_scale(f);
    gram.noalias() += t * t.transpose();
  }
  return gram;
}

// Of U T': S S' = U'U, S = E D^(1/2); S' T'T S = Q L Q'; left = E D^(-1/2) Q and right = E D^(1/2) Q, the largest of the
// singular values L^(1/2) first. Directions that U does not have are 0 in both.
LatentPredictor::Components singular_vectors(const Eigen::MatrixXd& left_gram,
                                             const Eigen::MatrixXd& right_gram) {
  constexpr double kNone = 1e-14;  // of the largest eigenvalue
  const SymmetricEigen left = symmetric_eigen(left_gram);
  const Eigen::VectorXd roots = left.values.cwiseMax(0.0).cwiseSqrt();
  const Eigen::MatrixXd root = left.vectors * roots.asDiagonal();
  const SymmetricEigen both = symmetric_eigen(root.transpose() * right_gram * root);
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(roots.size());
  for (Eigen::Index i = 0; i < roots.size(); ++i)
    if (left.values[i] > kNone * left.values[roots.size() - 1]) inverse[i] = 1.0 / roots[i];
  const Eigen::MatrixXd turn = both.vectors.rowwise().reverse();
  LatentPredictor::Components found{
      .left = left.vectors * inverse.asDiagonal() * turn, .right = root * turn, .values = {}};
  for (Eigen::Index i = both.values.size(); i-- > 0;)
    found.values.push_back(std::sqrt(std::max(0.0, both.values[i])));
  return found;
}

}  // namespace

LatentPredictor::Components LatentPredictor::components(std::size_t p) const {
  const ModelPart& part = latent_->parts[p];
  if (part.factor.cols() == 0) return {};
  Components found;
  if (part.right) {
    found = singular_vectors(part.factor.transpose() * part.factor, part.right->transpose() * *part.right);
  } else {
    const std::vector<double> ones(static_cast<std::size_t>(factors_[p].rows()), 1.0);
    found = singular_vectors(weighted_gram(factors_[p], ones),
                             fiber_gram(latent_->dual.values(), parts_[p], factors_[p]));
  }
  const double scale = part.lambda * std::sqrt(repeats(latent_->dual, part.modes));
  for (double& value : found.values) value *= scale;
  return found;
}

double observed_norm(const PartKernels& part, const Matrix<double>& left, const Matrix<double>& right) {
  std::vector<double> w(part.row_of_entry().size(), 0.0);
  add_products(part, left, right, w);
  return Eigen::Map<const Eigen::VectorXd>(w.data(), static_cast<Eigen::Index>(w.size())).norm();
}

std::string part_text(const PartSpec& part, const std::vector<Mode>& modes) {
  PartSpec unweighted = part;
  unweighted.row_power = unweighted.fiber_power = 0.0;
  return describe(PartOptions{.spec = unweighted}, modes);
}

std::vector<double> shares(std::vector<double> norms) {
  const double sum = std::accumulate(norms.begin(), norms.end(), 0.0);
  for (double& norm : norms) norm = sum > 0.0 ? norm / sum : 0.0;
  return norms;
}

}  // namespace lacuna
