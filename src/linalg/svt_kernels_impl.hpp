// SPDX-License-Identifier: MIT
// Included by the file of each instruction set, inside its namespace and after <Eigen/Eigenvalues>.
//
// left = 1:   x is a matrix X of `size` rows.
//             X <- P X,    P = V diag(shrink) V',   X X'       = V S^2 V'
// otherwise:  x is a sequence of `right` matrices A_j of `size` columns.
//             A_j <- A_j P,   P = V diag(shrink) V',   sum_j A_j' A_j = V S^2 V'

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

// P as one matrix, or as a product of two thin factors where that is less work.
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

// The eigenvectors of a Hermitian matrix Q D Q' with D real and tridiagonal whose value is above a bound:
// those of D, which are real, multiplied by Q.
template <class Scalar>
class EigenPairs {
 public:
  EigenPairs(const MatrixOf<Scalar>& matrix, double bound) : outer_(matrix) {
    const Eigen::VectorXd diagonal = outer_.diagonal();
    const Eigen::VectorXd beside = outer_.subDiagonal();
    inner_ = eigenpairs_above(bound, {diagonal.data(), static_cast<std::size_t>(diagonal.size())},
                              {beside.data(), static_cast<std::size_t>(beside.size())});
  }
  [[nodiscard]] const std::vector<double>& ascending_values() const { return inner_.values; }
  [[nodiscard]] MatrixOf<Scalar> vectors() const {
    const Eigen::Index size = outer_.diagonal().size();
    const auto count = static_cast<Eigen::Index>(inner_.values.size());
    return outer_.matrixQ() *
           Eigen::Map<const Eigen::MatrixXd>(inner_.vectors.data(), size, count).template cast<Scalar>();
  }

 private:
  Eigen::Tridiagonalization<MatrixOf<Scalar>> outer_;
  TridiagonalPairs inner_;
};

template <class Scalar>
double threshold_any(Scalar* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right, double tau) {
  const EigenPairs<Scalar> eigen(gram_matrix(x, left, size, right), tau * tau);
  const auto kept = static_cast<Eigen::Index>(eigen.ascending_values().size());
  double norm = 0.0;
  Eigen::VectorXd shrink(kept);  // 1 - tau / sigma
  for (Eigen::Index i = kept - 1; i >= 0; --i) {
    const double sigma = std::sqrt(eigen.ascending_values()[static_cast<std::size_t>(i)]);
    shrink(i) = 1.0 - tau / sigma;
    norm += sigma - tau;
  }
  if (kept == 0) {
    Eigen::Map<MatrixOf<Scalar>>(x, left, size * right).setZero();
    return 0.0;
  }

  const MatrixOf<Scalar> vectors = eigen.vectors();
  Shrinking<Scalar> by{.first = vectors.adjoint(), .second = vectors * shrink.asDiagonal()};
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
