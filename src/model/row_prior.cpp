// SPDX-License-Identifier: MIT
#include "model/row_prior.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

namespace lacuna {

RowPrior row_prior(const Matrix<double>& rows, std::span<const char> known) {
  const auto rank = rows.cols();
  const auto counts = [&](Eigen::Index i) { return known.empty() || known[i] != 0; };
  RowPrior prior{.mean = Eigen::VectorXd::Zero(rank), .precision = {}};
  Count count = 0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    if (counts(i)) {
      prior.mean += rows.row(i).transpose();
      ++count;
    }
  if (count > 0) prior.mean /= static_cast<double>(count);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(rank, rank);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (!counts(i)) continue;
    const Eigen::VectorXd away = rows.row(i).transpose() - prior.mean;
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(away);
  }
  covariance = covariance.selfadjointView<Eigen::Lower>();
  // Few rows do not fill the space: what they say counts as much as one more that knows of no direction.
  const double level = covariance.trace() / static_cast<double>(std::max<Eigen::Index>(rank, 1));
  const double least = std::max(level / static_cast<double>(count + 1), std::numeric_limits<double>::min());
  covariance += least * Eigen::MatrixXd::Identity(rank, rank);
  covariance /= static_cast<double>(std::max<Count>(count, 1));
  prior.precision = covariance.llt().solve(Eigen::MatrixXd::Identity(rank, rank));
  return prior;
}

}  // namespace lacuna
