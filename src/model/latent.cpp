// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/base/parallel.hpp>
#include <lacuna/kernels/fiber_products.hpp>
#include <lacuna/model/latent.hpp>
#include <numeric>

namespace lacuna {

LatentPredictor::LatentPredictor(const Latent& latent) : latent_(&latent) {
  parts_.reserve(latent.parts.size());
  for (const ModelPart& part : latent.parts) {
    parts_.emplace_back(latent.dual, part.modes);
    factors_.push_back(part.right ? FactorTable<double>() : parts_.back().table(part.factor));
  }
  for (const PartKernels& part : parts_) lookups_.emplace_back(latent.dual, part.view());
}

void LatentPredictor::add_part(const CellPlan& cells, std::size_t p, std::span<double> out) const {
  const ModelPart& part = latent_->parts[p];
  if (part.right)
    cells.add_factored(parts_[p], p, part.factor, *part.right, part.lambda, out);
  else
    cells.add_part<double>(parts_[p], p, factors_[p], part.lambda, latent_->dual.values(), out);
}

Count LatentPredictor::add_values(const std::vector<std::vector<Index>>& index, std::span<double> out) const {
  const CellPlan cells(parts_, lookups_, index);
  for (std::size_t p = 0; p < parts_.size(); ++p) add_part(cells, p, out);
  return cells.cold_cells();
}

std::vector<std::vector<double>> LatentPredictor::parts(const std::vector<std::vector<Index>>& index) const {
  const CellPlan cells(parts_, lookups_, index);
  std::vector<std::vector<double>> values(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    values[p].assign(static_cast<std::size_t>(cells.cells()), 0.0);
    add_part(cells, p, values[p]);
  }
  return values;
}

std::vector<Count> LatentPredictor::support(const std::vector<std::vector<Index>>& index) const {
  return CellPlan(parts_, lookups_, index).support(parts_);
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

std::vector<double> LatentPredictor::tensor_mixture() const {
  std::vector<double> norms;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const ModelPart& part = latent_->parts[p];
    norms.push_back(
        part.right ? part.lambda * part_norm(latent_->dual, parts_[p], part.factor, *part.right)
                   : part_norm(latent_->dual, latent_->dual.values(), parts_[p], factors_[p], part.lambda));
  }
  return shares(std::move(norms));
}

namespace {

// The cells that the modes which a part ignores repeat it over.
double repeats(const ObservedTensor& support, const PartSpec& part) {
  double cells = 1.0;
  for (int mode = 0; mode < support.order(); ++mode)
    if (mode != part.mode && std::find(part.agree.begin(), part.agree.end(), mode) == part.agree.end())
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

double part_norm(const ObservedTensor& support, std::span<const double> z, const PartKernels& part,
                 const FactorTable<double>& factor, double lambda) {
  const int columns = factor.columns();
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns, columns);  // U'U
  for (Count i = 0; i < factor.rows(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> row(factor.row(i), columns);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(row);
  }
  gram = Eigen::MatrixXd(gram.selfadjointView<Eigen::Lower>());

  std::vector<double> row_squares(static_cast<std::size_t>(factor.rows()));  // u_i' (U'U) u_i
  for (Count i = 0; i < factor.rows(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> row(factor.row(i), columns);
    row_squares[i] = row.dot(gram * row);
  }
  const double singles = parallel_sum(support.size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e)
      if (part.view().is_single(e)) {
        const double value = part.single_scale(e) * z[e];
        sum += value * value * row_squares[part.row_of_entry()[e]];
      }
    return sum;
  });
  const double listed = parallel_sum(
      part.view().listed_fibers(),
      [&](Count begin, Count end) {
        double sum = 0.0;
        Eigen::VectorXd t(columns);
        for (Count f = begin; f < end; ++f) {
          t.setZero();
          const FiberView::Span span = part.view().span(f);
          for (Count j = span.begin; j < span.end; ++j)
            t += z[part.view().entry()[j]] *
                 Eigen::Map<const Eigen::VectorXd>(factor.row(part.view().row()[j]), columns);
          const double scale = part.fiber_scale(f);
          sum += scale * scale * t.dot(gram * t);
        }
        return sum;
      },
      1024);

  return lambda * std::sqrt((singles + listed) * repeats(support, part.part()));
}

double observed_norm(const PartKernels& part, const Matrix<double>& left, const Matrix<double>& right) {
  std::vector<double> w(part.row_of_entry().size(), 0.0);
  add_products(part, left, right, w);
  return Eigen::Map<const Eigen::VectorXd>(w.data(), static_cast<Eigen::Index>(w.size())).norm();
}

double part_norm(const ObservedTensor& support, const PartKernels& part, const Matrix<double>& left,
                 const Matrix<double>& right) {
  const Eigen::MatrixXd left_gram = left.transpose() * left;
  const Eigen::MatrixXd right_gram = right.transpose() * right;
  return std::sqrt(left_gram.cwiseProduct(right_gram).sum() * repeats(support, part.part()));
}

std::vector<double> shares(std::vector<double> norms) {
  const double sum = std::accumulate(norms.begin(), norms.end(), 0.0);
  for (double& norm : norms) norm = sum > 0.0 ? norm / sum : 0.0;
  return norms;
}

}  // namespace lacuna
