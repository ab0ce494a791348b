// SPDX-License-Identifier: MIT
#include "problem/certificate.hpp"

#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/rng.hpp"
#include "linalg/decompose.hpp"

namespace lacuna {
namespace {

constexpr Eigen::Index kDense = 48;    // with fewer rows than this the Gram matrix itself is cheaper
constexpr double kRougher = 1e-3;      // where that does not succeed
constexpr double kAtBest = 100.0;      // roundings of a product, below which nothing converges
constexpr Eigen::Index kBasis = 30;    // Lanczos vectors beyond those wanted
constexpr Eigen::Index kRounds = 100;  // restarts
constexpr std::uint64_t kSeed = 1;     // of a block's first columns

// x -> Z_p Z_p' x, as Spectra wants it. When to restart and to stop is decided by decompositions that differ in their last
// bits between kinds of processors, so the first process asks for products and the others serve them until it is done.
template <class Real>
class GramProduct {
 public:
  using Scalar = double;

  GramProduct(const ProblemData<Real>& data, std::size_t part, std::span<const Real> z)
      : data_(&data), part_(&data.parts()[part]), which_(part), z_(data.parts()) {
    z_.send(z);
  }

  [[nodiscard]] Eigen::Index rows() const { return part_->factor_rows(); }
  [[nodiscard]] Eigen::Index cols() const { return part_->factor_rows(); }
  void perform_op(const double* x, double* y) const {
    (void)data_->everyone().as_first(true);
    asked_ = Eigen::Map<const Eigen::VectorXd>(x, rows());
    Eigen::Map<Eigen::VectorXd>(y, rows()) = times_asked();
  }
  void serve() const {
    asked_.resize(rows());
    while (data_->everyone().as_first(false)) (void)times_asked();
  }
  void done() const { (void)data_->everyone().as_first(false); }
  [[nodiscard]] Eigen::MatrixXd times(const Eigen::MatrixXd& block) const {
    const Matrix<Real> narrow = block.cast<Real>();
    Matrix<Real> product = Matrix<Real>::Zero(block.rows(), block.cols());
    part_->add_gram(part_->table(narrow), 1.0, z_[which_], product);
    data_->everyone().sum(flat(product));
    return product.template cast<double>();
  }

 private:
  [[nodiscard]] Eigen::MatrixXd times_asked() const {
    data_->everyone().as_first(std::span<double>(asked_.data(), static_cast<std::size_t>(asked_.size())));
    return times(asked_);
  }

  const ProblemData<Real>* data_;
  const PartKernels* part_;
  std::size_t which_;
  PartVector<Real> z_;  // where the parts are
  mutable Eigen::VectorXd asked_;
};

TopSingular of_dense(const Eigen::MatrixXd& gram, Eigen::Index count) {
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (gram + gram.transpose()));
  return {.squared = eigen.values.tail(count).reverse(),
          .vectors = eigen.vectors.rightCols(count).rowwise().reverse()};
}

template <class Real>
void multiply(const GramProduct<Real>& gram, const Eigen::MatrixXd& block, Eigen::MatrixXd& product) {
  product.resize(block.rows(), block.cols());
  for (Eigen::Index j = 0; j < block.cols(); ++j) gram.perform_op(block.col(j).data(), product.col(j).data());
}

// The longest of G v - v theta.
double missed(const Eigen::MatrixXd& product, const Eigen::MatrixXd& vectors, const Eigen::VectorXd& values) {
  return (product - vectors * values.asDiagonal()).colwise().norm().maxCoeff();
}

// Iterations of a block of as many columns as Lanczos has vectors, for a Gram matrix whose rank is not above that: the
// block then has all of its range after one product.
template <class Real>
TopSingular by_block(const GramProduct<Real>& gram, Eigen::Index wanted, double accuracy) {
  Rng rng(kSeed);
  Eigen::MatrixXd block(gram.rows(), std::min(wanted + kBasis, gram.rows()));
  for (double& value : block.reshaped()) value = rng.normal();
  Eigen::MatrixXd product;
  accuracy = std::max(accuracy, kAtBest * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  for (Eigen::Index round = 0; round < kRounds; ++round) {
    block = thin_qr(block).q;
    multiply(gram, block, product);
    const TopSingular found = of_dense(block.transpose() * product, wanted);
    if (missed(product * found.vectors, block * found.vectors, found.squared) <= accuracy * found.squared(0))
      return {.squared = (1.0 + accuracy) * found.squared, .vectors = block * found.vectors};
    block = product;
  }
  return {};
}

// Where the Lanczos vectors span all that the matrix has before they are as many as Spectra wants (with one fiber, as in a
// part without agreeing modes, that is after the first) it throws or finds what is none: another way is taken there.
template <class Real>
TopSingular by_lanczos(GramProduct<Real>& gram, Eigen::Index wanted, double accuracy) try {
  Spectra::SymEigsSolver<GramProduct<Real>> lanczos(gram, wanted, std::min(wanted + kBasis, gram.rows()));
  for (const double reached : {accuracy, std::max(accuracy, kRougher)}) {
    lanczos.init();
    lanczos.compute(Spectra::SortRule::LargestAlge, kRounds, reached);
    if (lanczos.info() != Spectra::CompInfo::Successful) continue;
    const Eigen::VectorXd values = lanczos.eigenvalues();
    const Eigen::MatrixXd vectors = lanczos.eigenvectors();
    Eigen::MatrixXd product;
    multiply(gram, vectors, product);
    if (missed(product, vectors, values) <= 2.0 * std::max(reached, kRougher) * values(0))
      return {.squared = (1.0 + reached) * values, .vectors = vectors};
    break;
  }
  return by_block(gram, wanted, accuracy);
} catch (const std::runtime_error&) {
  return by_block(gram, wanted, accuracy);
}

// The first process's.
void agree(const Communicator& everyone, Eigen::Index rows, TopSingular& top) {
  const auto count = everyone.as_first(top.squared.size());
  if (!everyone.first()) {
    top.squared.resize(count);
    top.vectors.resize(rows, count);
  }
  everyone.as_first(std::span<double>(top.squared.data(), static_cast<std::size_t>(top.squared.size())));
  everyone.as_first(std::span<double>(top.vectors.data(), static_cast<std::size_t>(top.vectors.size())));
}

}  // namespace

template <class Real>
TopSingular top_singular(const ProblemData<Real>& data, std::size_t part, std::span<const Real> z, int count,
                         double accuracy) {
  GramProduct<Real> gram(data, part, z);
  const Eigen::Index wanted = std::min<Eigen::Index>(count, gram.rows());
  const Communicator& everyone = data.everyone();
  // Lanczos has no direction to go on in where every product is 0: then all directions are alike.
  if (!(dot<Real>(everyone, z, z) > 0.0))
    return {.squared = Eigen::VectorXd::Zero(wanted),
            .vectors = Eigen::MatrixXd::Identity(gram.rows(), wanted)};
  TopSingular top;
  if (gram.rows() <= std::max(kDense, 2 * wanted)) {
    top = of_dense(gram.times(Eigen::MatrixXd::Identity(gram.rows(), gram.rows())), wanted);
  } else if (everyone.first()) {
    top = by_lanczos(gram, wanted, accuracy);
    gram.done();
  } else {
    gram.serve();
  }
  agree(everyone, gram.rows(), top);
  if (top.squared.size() == 0)
    throw std::runtime_error("the largest singular value of a part's dual did not converge");
  return top;
}

template <class Real>
Certificate certify(const ProblemData<Real>& data, const std::vector<Matrix<Real>>& u,
                    std::span<const Real> z, double misfit, double accuracy) {
  Certificate certificate;
  certificate.lambda = data.lambda();
  certificate.upper = misfit * misfit;
  double quadratic = data.everyone().sum(parallel_sum(data.entries(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const auto value = static_cast<double>(z[e]);
      sum += value * value / data.weight(e);
    }
    return sum;
  }));
  for (std::size_t p = 0; p < data.parts().size(); ++p) {
    const Eigen::MatrixXd factor = u[p].template cast<double>();
    const double inside = GramProduct<Real>(data, p, z).times(factor).cwiseProduct(factor).sum();
    const double most = top_singular(data, p, z, 1, accuracy).squared(0);
    certificate.parts.push_back({.inside = inside, .most = std::max(most, inside)});
    certificate.upper += 0.5 * data.lambda()[p] * inside;
    quadratic += 2.0 * data.lambda()[p] * certificate.parts.back().most;
  }
  const double fit = dot<Real>(data.everyone(), z, data.y());
  if (quadratic > 0.0) certificate.lower = fit * fit / quadratic;
  return certificate;
}

template TopSingular top_singular(const ProblemData<double>&, std::size_t, std::span<const double>, int,
                                  double);
template TopSingular top_singular(const ProblemData<float>&, std::size_t, std::span<const float>, int,
                                  double);
template Certificate certify(const ProblemData<double>&, const std::vector<Matrix<double>>&,
                             std::span<const double>, double, double);
template Certificate certify(const ProblemData<float>&, const std::vector<Matrix<float>>&,
                             std::span<const float>, double, double);

}  // namespace lacuna
