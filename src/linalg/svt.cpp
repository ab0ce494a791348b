// SPDX-License-Identifier: MIT
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <lacuna/linalg/decompose.hpp>
#include <lacuna/linalg/svt.hpp>

namespace lacuna {
namespace {

struct HermitianEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXcd vectors;
};
HermitianEigen ascending_eigen(const Eigen::MatrixXcd& gram) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(gram);
  return {.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
}
SymmetricEigen ascending_eigen(const Eigen::MatrixXd& gram) { return symmetric_eigen(gram); }

template <class MatrixType>
double threshold(MatrixType& x, double tau) {
  const bool wide = x.rows() <= x.cols();
  MatrixType gram = MatrixType::Zero(std::min(x.rows(), x.cols()), std::min(x.rows(), x.cols()));
  if (wide)
    gram.template selfadjointView<Eigen::Lower>().rankUpdate(x);
  else
    gram.template selfadjointView<Eigen::Lower>().rankUpdate(x.adjoint());
  const auto eigen = ascending_eigen(gram);

  double norm = 0.0;
  Eigen::Index kept = 0;
  Eigen::VectorXd shrink(gram.rows());  // from the end: 1 - tau / sigma
  for (Eigen::Index i = gram.rows() - 1; i >= 0; --i, ++kept) {
    const double sigma = std::sqrt(std::max(0.0, eigen.values(i)));
    if (!(sigma > tau)) break;
    shrink(i) = 1.0 - tau / sigma;
    norm += sigma - tau;
  }
  const MatrixType vectors = eigen.vectors.rightCols(kept);
  const MatrixType shrunk = vectors * shrink.tail(kept).asDiagonal();
  if (wide) {
    const MatrixType inner = vectors.adjoint() * x;
    x.noalias() = shrunk * inner;
  } else {
    const MatrixType inner = x * vectors;
    x.noalias() = inner * shrunk.adjoint();
  }
  return norm;
}

}  // namespace

double threshold_singular_values(Eigen::MatrixXd& x, double tau) { return threshold(x, tau); }
double threshold_singular_values(Eigen::MatrixXcd& x, double tau) { return threshold(x, tau); }

}  // namespace lacuna
