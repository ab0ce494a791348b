// SPDX-License-Identifier: MIT
// Included by the file of each instruction set, inside its namespace and after <Eigen/Eigenvalues>.

// V diag(shrink) V', applied to the side of x that the Gram matrix was of: at once, or as two thin products
// where they are less work.
template <class MatrixType>
void project(Eigen::Map<MatrixType>& x, const MatrixType& vectors, const Eigen::VectorXd& shrink, bool wide) {
  const Eigen::Index size = vectors.rows();
  const Eigen::Index other = wide ? x.cols() : x.rows();
  const Eigen::Index kept = vectors.cols();
  const MatrixType shrunk = vectors * shrink.asDiagonal();
  if (size * (kept + other) < 2 * kept * other) {
    const MatrixType both = shrunk * vectors.adjoint();
    x = wide ? MatrixType(both * x) : MatrixType(x * both);
  } else if (wide) {
    const MatrixType inner = vectors.adjoint() * x;
    x.noalias() = shrunk * inner;
  } else {
    const MatrixType inner = x * vectors;
    x.noalias() = inner * shrunk.adjoint();
  }
}

template <class Scalar>
double threshold_any(Scalar* data, std::ptrdiff_t rows, std::ptrdiff_t columns, double tau) {
  using MatrixType = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  Eigen::Map<MatrixType> x(data, rows, columns);
  const bool wide = rows <= columns;
  MatrixType gram = MatrixType::Zero(std::min(rows, columns), std::min(rows, columns));
  if (wide)
    gram.template selfadjointView<Eigen::Lower>().rankUpdate(x);
  else
    gram.template selfadjointView<Eigen::Lower>().rankUpdate(x.adjoint());
  const Eigen::SelfAdjointEigenSolver<MatrixType> eigen(gram);

  double norm = 0.0;
  Eigen::Index kept = 0;
  Eigen::VectorXd shrink(gram.rows());  // from the end: 1 - tau / sigma
  for (Eigen::Index i = gram.rows() - 1; i >= 0; --i, ++kept) {
    const double sigma = std::sqrt(std::max(0.0, eigen.eigenvalues()(i)));
    if (!(sigma > tau)) break;
    shrink(i) = 1.0 - tau / sigma;
    norm += sigma - tau;
  }
  project<MatrixType>(x, eigen.eigenvectors().rightCols(kept), shrink.tail(kept), wide);
  return norm;
}
