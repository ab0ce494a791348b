// SPDX-License-Identifier: MIT
#include "linalg/tridiagonal.hpp"

#include <lapack.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

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

// LAPACK's relatively robust representations; false when it gives up. There is room for every eigenvector:
// how many LAPACK says there are above the bound, when asked, can be fewer than it finds when one of the
// values is the bound to rounding.
bool by_robust_representations(double bound, double upper, std::span<const double> diagonal,
                               std::span<const double> off_diagonal, TridiagonalPairs& pairs) {
  const auto size = static_cast<lapack_int>(diagonal.size());
  std::vector<double> d(diagonal.begin(), diagonal.end());  // both are overwritten
  std::vector<double> e(off_diagonal.begin(), off_diagonal.end());
  e.resize(d.size());
  pairs.values.resize(d.size());
  pairs.vectors.resize(d.size() * d.size());
  std::vector<lapack_int> support(2 * d.size());
  // Zeroed by us: where it finds nothing, LAPACK 3.11 reads how many blocks to refine from before the list of
  // blocks, which it has not written.
  std::vector<double> work(18 * d.size(), 0.0);
  std::vector<lapack_int> int_work(10 * d.size(), 0);
  constexpr lapack_int kNoIndex = 0;
  lapack_logical accurate = 1;
  lapack_int found = 0;
  const auto work_size = static_cast<lapack_int>(work.size());
  const auto int_work_size = static_cast<lapack_int>(int_work.size());
  lapack_int info = 0;
  LAPACK_dstemr("V", "V", &size, d.data(), e.data(), &bound, &upper, &kNoIndex, &kNoIndex, &found,
                pairs.values.data(), pairs.vectors.data(), &size, &size, support.data(), &accurate,
                work.data(), &work_size, int_work.data(), &int_work_size, &info);
  if (info != 0) return false;
  pairs.values.resize(static_cast<std::size_t>(found));
  pairs.vectors.resize(d.size() * pairs.values.size());
  return true;
}

// What LAPACK finds in (bound, upper] may lie at the bound or an ulp below it.
void drop_up_to(double bound, std::size_t size, TridiagonalPairs& pairs) {
  const auto first = std::upper_bound(pairs.values.begin(), pairs.values.end(), bound);
  const auto dropped = first - pairs.values.begin();
  pairs.values.erase(pairs.values.begin(), first);
  pairs.vectors.erase(pairs.vectors.begin(),
                      pairs.vectors.begin() + dropped * static_cast<std::ptrdiff_t>(size));
}

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
  const double beyond = upper + (kRoundedUp - 1.0) * std::abs(upper);
  if (!by_robust_representations(bound, beyond, diagonal, off_diagonal, pairs))
    return by_qr_iteration(bound, diagonal, off_diagonal);
  drop_up_to(bound, diagonal.size(), pairs);
  return pairs;
}

}  // namespace lacuna
