// SPDX-License-Identifier: MIT
#include "problem/initial_point.hpp"

#include <limits>

#include "linalg/decompose.hpp"
#include "manifold/spectrahedron.hpp"

namespace lacuna {
namespace {

constexpr int kSweeps = 8;             // the start need not be exact
constexpr double kLeastShare = 1e-12;  // of the largest singular value: a column of zeros would stay one
constexpr int kExtraColumns = 4;       // let the wanted directions separate from the rest sooner

}  // namespace

template <class Real>
std::vector<Matrix<Real>> random_start(const ProblemData<Real>& data, const std::vector<int>& ranks,
                                       Rng& rng) {
  std::vector<Matrix<Real>> u(data.parts().size());
  for (std::size_t p = 0; p < u.size(); ++p)
    Spectrahedron<Real>(data.parts()[p].factor_rows(), ranks[p]).random_point(rng, u[p]);
  return u;
}

template <class Real>
SingularVectors leading_vectors(const PartSet& parts, std::size_t which, std::span<const Real> y, int count,
                                Rng& rng, const FilledIn& filled) {
  const PartKernels& part = parts[which];
  const Communicator& everyone = parts.everyone();
  PartVector<Real> there(parts);
  there.send(y);
  const auto columns = std::min<Eigen::Index>(count + kExtraColumns, part.factor_rows());
  Matrix<Real> block;
  Spectrahedron<Real>(part.factor_rows(), columns).random_point(rng, block);

  Eigen::VectorXd sums = Eigen::VectorXd::Zero(part.rows());  // of the rows of Y
  if (filled.value != 0.0) {
    for (std::size_t e = 0; e < y.size(); ++e)
      sums(parts.home_row(which, static_cast<Count>(e))) += static_cast<double>(y[e]);
    everyone.sum(std::span<double>(sums.data(), static_cast<std::size_t>(sums.size())));
  }
  Eigen::MatrixXd basis = thin_qr(block.template cast<double>()).q;
  Eigen::MatrixXd image;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {  // basis <- orth(Y Y' basis)
    block = basis.cast<Real>();
    const FactorTable<Real> table = part.table(block);
    block.setZero();
    part.add_gram(table, 1.0, there[which], block);
    everyone.sum(flat(block));
    image = block.template cast<double>();
    if (filled.value != 0.0) {  // (Y + f 1 1')(Y + f 1 1')' = Y Y' + f (s 1' + 1 s') + f^2 columns 1 1'
      const Eigen::RowVectorXd totals = filled.value * basis.colwise().sum();
      const Eigen::RowVectorXd across = filled.value * (sums.transpose() * basis);
      image.noalias() += sums * totals;
      image.rowwise() += across + filled.value * filled.columns * totals;
    }
    if (sweep + 1 < kSweeps) basis = thin_qr(image).q;
  }
  // Rayleigh-Ritz: the eigenpairs of basis' Y Y' basis
  const Eigen::MatrixXd projected = basis.transpose() * image;
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (projected + projected.transpose()));
  SingularVectors found{.left = basis * eigen.vectors.rightCols(count).rowwise().reverse(),
                        .value = eigen.values.tail(count).reverse().cwiseMax(0.0).cwiseSqrt()};
  everyone.as_first(std::span<double>(found.left.data(), static_cast<std::size_t>(found.left.size())));
  everyone.as_first(std::span<double>(found.value.data(), static_cast<std::size_t>(found.value.size())));
  return found;
}

template <class Real>
std::vector<Matrix<Real>> spectral_start(const ProblemData<Real>& data, const std::vector<int>& ranks,
                                         Rng& rng) {
  std::vector<Matrix<Real>> u(data.parts().size());
  for (std::size_t p = 0; p < u.size(); ++p) {
    const PartKernels& part = data.parts()[p];
    SingularVectors found = leading_vectors<Real>(data.parts(), p, data.y(), ranks[p], rng);
    const double least =
        kLeastShare * std::max(found.value(0), std::sqrt(std::numeric_limits<double>::min()));
    for (int j = 0; j < ranks[p]; ++j) found.left.col(j) *= std::sqrt(std::max(found.value(j), least));
    u[p] = found.left.cast<Real>();
    Spectrahedron<Real>(part.factor_rows(), ranks[p]).normalize(u[p]);
  }
  return u;
}

template SingularVectors leading_vectors(const PartSet&, std::size_t, std::span<const double>, int, Rng&,
                                         const FilledIn&);
template SingularVectors leading_vectors(const PartSet&, std::size_t, std::span<const float>, int, Rng&,
                                         const FilledIn&);
template std::vector<Matrix<double>> random_start(const ProblemData<double>&, const std::vector<int>&, Rng&);
template std::vector<Matrix<float>> random_start(const ProblemData<float>&, const std::vector<int>&, Rng&);
template std::vector<Matrix<double>> spectral_start(const ProblemData<double>&, const std::vector<int>&,
                                                    Rng&);
template std::vector<Matrix<float>> spectral_start(const ProblemData<float>&, const std::vector<int>&, Rng&);

}  // namespace lacuna
