// SPDX-License-Identifier: MIT
// Included by the file of each instruction set, inside its namespace and after <Eigen/Eigenvalues>.
//
// Where left is 1, x is a matrix X of `size` rows, and becomes P X with P = V diag(shrink) V' from X X' = V
// S^2 V'. Otherwise it is a row of `right` matrices A of `size` columns, and each becomes A P with P from the
// sum of the A' A.

constexpr Eigen::Index kLines = 512;  // of X's columns or A's rows that are multiplied at a time

template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
template <class Scalar>
using MapOf = Eigen::Map<MatrixOf<Scalar>, 0, Eigen::OuterStride<>>;

template <class Scalar>
MatrixOf<Scalar> gram_matrix(Scalar* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right) {
  MatrixOf<Scalar> gram = MatrixOf<Scalar>::Zero(size, size);
  auto lower = gram.template selfadjointView<Eigen::Lower>();
  if (left == 1)
    lower.rankUpdate(Eigen::Map<MatrixOf<Scalar>>(x, size, right));
  else
    for (std::ptrdiff_t r = 0; r < right; ++r)
      lower.rankUpdate(Eigen::Map<MatrixOf<Scalar>>(x + left * size * r, left, size).adjoint());
  return gram;
}

// P as it is, or as two thin factors where these are less work.
template <class Scalar>
struct Shrinking {
  MatrixOf<Scalar> first;   // V', or P
  MatrixOf<Scalar> second;  // V diag(shrink), or nothing
};

template <class Scalar>
void shrink_columns(MapOf<Scalar> x, const Shrinking<Scalar>& by, MatrixOf<Scalar>& scratch) {
  scratch.noalias() = by.first * x;
  if (by.second.size() > 0)
    x.noalias() = by.second * scratch;
  else
    x = scratch;
}

template <class Scalar>
void shrink_rows(MapOf<Scalar> x, const Shrinking<Scalar>& by, MatrixOf<Scalar>& scratch) {
  scratch.noalias() = x * by.first.adjoint();
  if (by.second.size() > 0)
    x.noalias() = scratch * by.second.adjoint();
  else
    x = scratch;
}

// The eigenvectors of a Hermitian matrix T = Q D Q' with D real and tridiagonal: those of D, which are real,
// and of these only the ones asked for are multiplied by Q.
template <class Scalar>
class EigenPairs {
 public:
  explicit EigenPairs(const MatrixOf<Scalar>& matrix) : outer_(matrix) {
    inner_.computeFromTridiagonal(outer_.diagonal(), outer_.subDiagonal());
  }
  [[nodiscard]] const Eigen::VectorXd& ascending_values() const { return inner_.eigenvalues(); }
  [[nodiscard]] MatrixOf<Scalar> last_vectors(Eigen::Index count) const {
    return outer_.matrixQ() * inner_.eigenvectors().rightCols(count).template cast<Scalar>();
  }

 private:
  Eigen::Tridiagonalization<MatrixOf<Scalar>> outer_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> inner_;
};

template <class Scalar>
double threshold_any(Scalar* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right, double tau) {
  const EigenPairs<Scalar> eigen(gram_matrix(x, left, size, right));
  double norm = 0.0;
  Eigen::Index kept = 0;
  Eigen::VectorXd shrink(size);  // from the end: 1 - tau / sigma
  for (Eigen::Index i = size - 1; i >= 0; --i, ++kept) {
    const double sigma = std::sqrt(std::max(0.0, eigen.ascending_values()(i)));
    if (!(sigma > tau)) break;
    shrink(i) = 1.0 - tau / sigma;
    norm += sigma - tau;
  }
  if (kept == 0) {
    Eigen::Map<MatrixOf<Scalar>>(x, left, size * right).setZero();
    return 0.0;
  }

  const MatrixOf<Scalar> vectors = eigen.last_vectors(kept);
  Shrinking<Scalar> by{.first = vectors.adjoint(), .second = vectors * shrink.tail(kept).asDiagonal()};
  if (2 * kept > size) {
    by.first = MatrixOf<Scalar>(by.second * by.first);
    by.second.resize(0, 0);
  }
  MatrixOf<Scalar> scratch;
  if (left == 1)
    for (std::ptrdiff_t c = 0; c < right; c += kLines)
      shrink_columns<Scalar>({x + size * c, size, std::min(kLines, right - c), Eigen::OuterStride<>(size)},
                             by, scratch);
  else
    for (std::ptrdiff_t r = 0; r < right; ++r)
      for (std::ptrdiff_t l = 0; l < left; l += kLines)
        shrink_rows<Scalar>(
            {x + left * size * r + l, std::min(kLines, left - l), size, Eigen::OuterStride<>(left)}, by,
            scratch);
  return norm;
}
