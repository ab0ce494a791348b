// SPDX-License-Identifier: MIT
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <lacuna/manifold/spectrahedron.hpp>
#include <lacuna/problem/initial_point.hpp>
#include <limits>

namespace lacuna {
namespace {

constexpr int kSweeps = 8;             // the start need not be exact
constexpr double kLeastShare = 1e-12;  // of the largest singular value: a column of zeros would stay one
constexpr int kExtraColumns = 4;       // let the wanted directions separate from the rest sooner

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

}  // namespace

template <class Real>
std::vector<Matrix<Real>> random_start(const ProblemData<Real>& data, const std::vector<int>& ranks,
                                       Rng& rng) {
  std::vector<Matrix<Real>> u(data.parts().size());
  for (std::size_t p = 0; p < u.size(); ++p)
    Spectrahedron<Real>(data.parts()[p].rows(), ranks[p]).random_point(rng, u[p]);
  return u;
}

template <class Real>
std::vector<Matrix<Real>> spectral_start(const ProblemData<Real>& data, const std::vector<int>& ranks,
                                         Rng& rng) {
  std::vector<Matrix<Real>> u(data.parts().size());
  for (std::size_t p = 0; p < u.size(); ++p) {
    const PartKernels& part = data.parts()[p];
    const auto columns = std::min<Eigen::Index>(ranks[p] + kExtraColumns, part.rows());
    Matrix<Real> block;
    Spectrahedron<Real>(part.rows(), columns).random_point(rng, block);

    Eigen::MatrixXd basis = orthonormal(block.template cast<double>());
    Eigen::MatrixXd image;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {  // basis <- orth(Y Y' basis)
      block = basis.cast<Real>();
      const FactorTable<Real> table = part.table(block);
      block.setZero();
      part.add_gram(table, 1.0, data.y(), block);
      data.everyone().sum(flat(block));
      image = block.template cast<double>();
      if (sweep + 1 < kSweeps) basis = orthonormal(image);
    }
    // Rayleigh-Ritz: the eigenpairs of basis' Y Y' basis
    const Eigen::MatrixXd projected = basis.transpose() * image;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (projected + projected.transpose()));
    Eigen::MatrixXd factor = basis * eigen.eigenvectors().rightCols(ranks[p]).rowwise().reverse();
    const double largest =
        std::sqrt(std::max(eigen.eigenvalues()(columns - 1), std::numeric_limits<double>::min()));
    for (int j = 0; j < ranks[p]; ++j) {
      const double sigma = std::sqrt(std::max(0.0, eigen.eigenvalues()(columns - 1 - j)));
      factor.col(j) *= std::sqrt(std::max(sigma, kLeastShare * largest));
    }
    u[p] = factor.cast<Real>();
    Spectrahedron<Real>(part.rows(), ranks[p]).normalize(u[p]);
  }
  return u;
}

template std::vector<Matrix<double>> random_start(const ProblemData<double>&, const std::vector<int>&, Rng&);
template std::vector<Matrix<float>> random_start(const ProblemData<float>&, const std::vector<int>&, Rng&);
template std::vector<Matrix<double>> spectral_start(const ProblemData<double>&, const std::vector<int>&,
                                                    Rng&);
template std::vector<Matrix<float>> spectral_start(const ProblemData<float>&, const std::vector<int>&, Rng&);

}  // namespace lacuna
