// SPDX-License-Identifier: MIT
#include "linalg/tridiagonal.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

// LAPACK, as Fortran compilers name it; the last two are the lengths of the strings.
extern "C" void dstemr_(const char* job, const char* range, const int* n, double* d, double* e,
                        const double* lower, const double* upper, const int* first, const int* last,
                        int* found, double* values, double* vectors, const int* leading, const int* room,
                        int* support, int* accurate, double* work, const int* work_size, int* int_work,
                        const int* int_work_size, int* info, std::size_t, std::size_t);

namespace lacuna {
namespace {

// No eigenvalue is larger (Gershgorin).
double largest_possible(std::span<const double> diagonal, std::span<const double> off_diagonal) {
  double largest = diagonal[0];
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double before = i > 0 ? std::abs(off_diagonal[i - 1]) : 0.0;
    const double after = i < off_diagonal.size() ? std::abs(off_diagonal[i]) : 0.0;
    largest = std::max(largest, diagonal[i] + before + after);
  }
  return largest;
}

class RobustRepresentations {
 public:
  RobustRepresentations(double lower, double upper, std::span<const double> diagonal,
                        std::span<const double> off_diagonal)
      : lower_(lower), upper_(upper), diagonal_(diagonal), off_diagonal_(off_diagonal) {}

  // False when LAPACK gives up.
  bool solve(TridiagonalPairs& pairs) {
    double count = 0.0;  // a first call says how many there are
    if (!call(-1, nullptr, &count)) return false;
    const auto room = static_cast<int>(count);
    pairs.values.resize(diagonal_.size());
    pairs.vectors.resize(diagonal_.size() * static_cast<std::size_t>(room));
    if (room > 0 && !call(room, pairs.values.data(), pairs.vectors.data())) return false;
    pairs.values.resize(static_cast<std::size_t>(room > 0 ? found_ : 0));
    pairs.vectors.resize(diagonal_.size() * pairs.values.size());
    return true;
  }

 private:
  bool call(int room, double* values, double* vectors) {
    const auto size = static_cast<int>(diagonal_.size());
    std::vector<double> d(diagonal_.begin(), diagonal_.end());  // both are overwritten
    std::vector<double> e(off_diagonal_.begin(), off_diagonal_.end());
    e.resize(d.size());
    std::vector<int> support(2 * d.size());
    std::vector<double> work(18 * d.size());
    std::vector<int> int_work(10 * d.size());
    const auto work_size = static_cast<int>(work.size());
    const auto int_work_size = static_cast<int>(int_work.size());
    const int unused = 0;
    int accurate = 1;
    int info = 0;
    dstemr_("V", "V", &size, d.data(), e.data(), &lower_, &upper_, &unused, &unused, &found_, values, vectors,
            &size, &room, support.data(), &accurate, work.data(), &work_size, int_work.data(), &int_work_size,
            &info, 1, 1);
    return info == 0;
  }

  double lower_;
  double upper_;
  std::span<const double> diagonal_;
  std::span<const double> off_diagonal_;
  int found_ = 0;
};

TridiagonalPairs by_qr_iteration(double bound, std::span<const double> diagonal,
                                 std::span<const double> off_diagonal) {
  const auto size = static_cast<Eigen::Index>(diagonal.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), size),
                                Eigen::Map<const Eigen::VectorXd>(off_diagonal.data(), size - 1));
  const auto count = (solver.eigenvalues().array() > bound).count();
  TridiagonalPairs pairs{.values = std::vector<double>(static_cast<std::size_t>(count)),
                         .vectors = std::vector<double>(static_cast<std::size_t>(count * size))};
  Eigen::Map<Eigen::VectorXd>(pairs.values.data(), count) = solver.eigenvalues().tail(count);
  Eigen::Map<Eigen::MatrixXd>(pairs.vectors.data(), size, count) = solver.eigenvectors().rightCols(count);
  return pairs;
}

}  // namespace

TridiagonalPairs eigenpairs_above(double bound, std::span<const double> diagonal,
                                  std::span<const double> off_diagonal) {
  if (diagonal.empty()) return {};
  const double upper = largest_possible(diagonal, off_diagonal);
  if (!std::isfinite(upper) || !(upper > bound)) return {};
  constexpr double kRoundedUp = 1.0 + 1e-12;
  TridiagonalPairs pairs;
  RobustRepresentations lapack(bound, upper + (kRoundedUp - 1.0) * std::abs(upper), diagonal, off_diagonal);
  return lapack.solve(pairs) ? pairs : by_qr_iteration(bound, diagonal, off_diagonal);
}

}  // namespace lacuna
