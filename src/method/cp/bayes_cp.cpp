// SPDX-License-Identifier: MIT
#include "method/cp/bayes_cp.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unsupported/Eigen/SpecialFunctions>

#include "base/parallel.hpp"
#include "dist/communicator.hpp"
#include "method/cp/packed_triangle.hpp"
#include "problem/initial_point.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

// Shape and rate of the flat Gamma priors on gamma and tau: the authors'.
constexpr double kPrior = 1e-6;
// The deviation that values are measured in is not below this share of their root mean square: values that
// are all but equal would be far from 0 in it.
constexpr double kLeastDeviation = 1e-3;

constexpr double kTaskWork = 2e5;  // multiplications: with fewer a thread is not worth waking

// The divergence of Gamma(shape, rate) from the prior, >= 0.
double gamma_divergence(double shape, double rate) {
  return (shape - kPrior) * Eigen::numext::digamma(shape) - std::lgamma(shape) + std::lgamma(kPrior) +
         kPrior * (std::log(rate) - std::log(kPrior)) + shape * (kPrior / rate - 1.0);
}

}  // namespace

// What the update of a row needs of its entries,
//
//   second = sum_e w_e E[g_e g_e']
//   first  = sum_e w_e Y_e E[g_e],      g_e = the product of the other modes' rows
//
// Entries come in lexicographic order of these modes, so those that agree in the first of them share the
// product with its rows (Horner's rule): at depth d are the sums over the entries since others[0..d-1]
// changed last, of the products of the rows of others[d] and deeper.
class BayesCp::RowSums {
 public:
  RowSums(const BayesCp& solver, const Moments& mode)
      : solver_(&solver), mode_(&mode), level_(mode.others.size()) {
    for (Level& level : level_) {
      level.second.resize(packed(mode.mean.cols()));
      level.first.resize(mode.mean.cols());
    }
  }

  void add_up(Count row) {
    for (Level& level : level_) level.set_zero();
    const ObservedTensor& tensor = *solver_->tensor_;
    const Count end = mode_->begin[row + 1];
    for (Count j = mode_->begin[row]; j < end; ++j) {
      const Index e = mode_->order[j];
      const double weight = tensor.weight(e) / solver_->mean_weight_;
      take(e, weight, weight * tensor.values()[e] / solver_->scale_);
      leave(e, j + 1 < end ? first_change(e, mode_->order[j + 1]) : 0);
    }
  }
  [[nodiscard]] const Eigen::RowVectorXd& second() const { return level_[0].second; }
  [[nodiscard]] const Eigen::RowVectorXd& first() const { return level_[0].first; }

 private:
  struct Level {
    Eigen::RowVectorXd second;
    Eigen::RowVectorXd first;
    void set_zero() {
      second.setZero();
      first.setZero();
    }
  };

  [[nodiscard]] Index at(std::size_t depth, Index e) const {
    return solver_->tensor_->index(mode_->others[depth])[e];
  }
  [[nodiscard]] const Moments& moments(std::size_t depth) const {
    return solver_->mode_[static_cast<std::size_t>(mode_->others[depth])];
  }
  [[nodiscard]] std::size_t first_change(Index e, Index next) const {
    std::size_t depth = 0;
    while (depth + 1 < level_.size() && at(depth, e) == at(depth, next)) ++depth;
    return depth;
  }

  void take(Index e, double weight, double weighted_value) {
    Level& last = level_.back();
    const std::size_t depth = level_.size() - 1;
    const Moments& from = moments(depth);
    last.second += weight * from.second.row(at(depth, e));
    last.first += weighted_value * from.mean.row(at(depth, e));
  }

  // Entry e was the last of what is below `depth`.
  void leave(Index e, std::size_t depth) {
    for (std::size_t d = level_.size() - 1; d > depth; --d) {
      const Moments& from = moments(d - 1);
      const Index row = at(d - 1, e);
      level_[d - 1].second.array() += from.second.row(row).array() * level_[d].second.array();
      level_[d - 1].first.array() += from.mean.row(row).array() * level_[d].first.array();
      level_[d].set_zero();
    }
  }

  const BayesCp* solver_;
  const Moments* mode_;
  std::vector<Level> level_;
};

BayesCp::BayesCp(const ObservedTensor& tensor) : tensor_(&tensor) {
  const Count size = tensor.size();
  mean_weight_ = tensor.total_weight() / static_cast<double>(size);
  const double mean = tensor.mean();
  double square = 0.0;
  double spread = 0.0;
  for (Count e = 0; e < size; ++e) {
    const double value = tensor.values()[e];
    square += tensor.weight(e) / mean_weight_ * value * value;
    spread += tensor.weight(e) / mean_weight_ * (value - mean) * (value - mean);
  }
  const double deviation =
      std::sqrt(std::max(spread, kLeastDeviation * kLeastDeviation * square) / static_cast<double>(size));
  if (deviation > 0.0) scale_ = deviation / tensor.order();
  square_ = square / (scale_ * scale_);
  mode_.resize(static_cast<std::size_t>(tensor.order()));
  for (int k = 0; k < tensor.order(); ++k) {
    Moments& mode = mode_[k];
    for (int other = 0; other < tensor.order(); ++other)
      if (other != k) mode.others.push_back(other);
    std::stable_sort(mode.others.begin(), mode.others.end(),
                     [&](int a, int b) { return tensor.extent(a) < tensor.extent(b); });
    std::vector<int> sorted_by{k};
    sorted_by.insert(sorted_by.end(), mode.others.begin(), mode.others.end());
    mode.order = lexicographic_order(tensor.cells(), sorted_by);
    mode.begin.assign(static_cast<std::size_t>(tensor.extent(k)) + 1, 0);
    for (const Index row : tensor.index(k)) ++mode.begin[row + 1];
    std::partial_sum(mode.begin.begin(), mode.begin.end(), mode.begin.begin());
  }
}

void BayesCp::resize(int rank) {
  for (std::size_t k = 0; k < mode_.size(); ++k) {
    const auto rows = static_cast<Eigen::Index>(tensor_->extent(static_cast<int>(k)));
    mode_[k].mean.resize(rows, rank);
    mode_[k].covariance.resize(rows, packed(rank));
    mode_[k].second.resize(rows, packed(rank));
    mode_[k].log_determinant.assign(static_cast<std::size_t>(rows), 0.0);
  }
  gamma_ = gamma_rate_ = Eigen::VectorXd::Ones(rank);
}

BayesCp::BayesCp(const ObservedTensor& tensor, int rank, Start start, Rng& rng) : BayesCp(tensor) {
  resize(rank);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(rank, rank);
  for (Moments& mode : mode_) {
    for (Eigen::Index i = 0; i < mode.mean.rows(); ++i) pack(identity, mode.covariance.row(i));
    mode.second = mode.covariance;
  }
  if (start == Start::kSpectral) {
    start_spectral(rng);
    return;
  }
  for (Moments& mode : mode_)
    for (double& value : flat(mode.mean)) value = rng.normal();
}

// Leading left singular vectors times the roots of their singular values; normal numbers where a mode has
// fewer than wanted.
void BayesCp::start_spectral(Rng& rng) {
  const Count size = tensor_->size();
  const double mean = tensor_->mean() / scale_;
  std::vector<double> left(static_cast<std::size_t>(size));  // over what is filled in everywhere else
  for (Count e = 0; e < size; ++e) left[e] = tensor_->values()[e] / scale_ - mean;
  const double cells = count_cells(tensor_->modes());
  const std::vector<PartSpec> parts = full_parts(tensor_->order());
  for (std::size_t k = 0; k < mode_.size(); ++k) {
    Matrix<double>& factor = mode_[k].mean;
    const PartSet part(*tensor_, {parts[k]}, serial_communicator());
    const auto count = std::min<Eigen::Index>(factor.cols(), factor.rows());
    const FilledIn filled{.value = mean, .columns = cells / static_cast<double>(factor.rows())};
    const SingularVectors leading =
        leading_vectors<double>(part, 0, left, static_cast<int>(count), rng, filled);
    factor.leftCols(count) = leading.left * leading.value.cwiseSqrt().asDiagonal();
    for (Eigen::Index r = count; r < factor.cols(); ++r)
      for (Eigen::Index i = 0; i < factor.rows(); ++i) factor(i, r) = rng.normal();
  }
}

BayesCp::BayesCp(const ObservedTensor& tensor, const Cp& from) : BayesCp(tensor) {
  const auto rank = static_cast<int>(from.factors[0].cols());
  resize(rank);
  const double each = std::pow(scale_, 1.0 / tensor.order());
  for (std::size_t k = 0; k < mode_.size(); ++k) {
    Moments& mode = mode_[k];
    mode.mean = from.factors[k] / each;
    for (Eigen::Index i = 0; i < mode.mean.rows(); ++i) {
      const Eigen::Map<const Eigen::MatrixXd> covariance(from.covariance[k].row(i).data(), rank, rank);
      const auto row = mode.mean.row(i);
      pack(covariance / (each * each), mode.covariance.row(i));
      pack(covariance / (each * each) + row.transpose() * row, mode.second.row(i));
    }
  }
  noise_ = from.noise_precision * scale_ * scale_;
  update_gamma();
}

bool BayesCp::sweep(const Interrupted& interrupted, bool balanced) {
  for (std::size_t k = 0; k < mode_.size(); ++k) {
    if (interrupted && interrupted()) return false;
    update_mode(k);
  }
  if (balanced) balance();
  update_gamma();
  update_noise();
  set_bound();
  return true;
}

void BayesCp::update_mode(std::size_t k) {
  const Count rows = mode_[k].mean.rows();
  const auto rank = static_cast<double>(gamma_.size());
  const double work = rank * rank * (static_cast<double>(tensor_->size()) / static_cast<double>(rows) + rank);
  const Count block = 1 + static_cast<Count>(kTaskWork / work);  // a row depends on no other: no bit changes
  row_misfit_.assign(static_cast<std::size_t>(rows), 0.0);
  parallel_tasks(static_cast<int>((rows + block - 1) / block), [&](int task) {
    RowSums sums(*this, mode_[k]);
    for (Count row = task * block; row < std::min(rows, (task + 1) * block); ++row) {
      sums.add_up(row);
      update_row(mode_[k], row, sums);
    }
  });
}

void BayesCp::update_row(Moments& mode, Count row, const RowSums& sums) {
  const Eigen::Index rank = mode.mean.cols();
  Eigen::MatrixXd precision(rank, rank);
  unpack(sums.second(), precision);
  precision *= noise_;
  precision.diagonal() += gamma_;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(precision);
  const Eigen::MatrixXd covariance = cholesky.solve(Eigen::MatrixXd::Identity(rank, rank));
  const Eigen::VectorXd mean = noise_ * cholesky.solve(sums.first().transpose());
  mode.mean.row(row) = mean.transpose();
  pack(covariance, mode.covariance.row(row));
  pack(covariance + mean * mean.transpose(), mode.second.row(row));
  mode.log_determinant[row] = -2.0 * cholesky.matrixLLT().diagonal().array().log().sum();
  row_misfit_[row] =
      packed_inner(sums.second(), mode.second.row(row), rank) - 2.0 * sums.first().dot(mean.transpose());
}

// Multiplies column r of mode k by s_k, prod_k s_k = 1, which leaves the distribution of X as it is. With
// gamma_r updated afterwards, the bound changes by the change of
//
//   sum_k n_k log s_k - (c0 + sum_k n_k / 2) log(d0 + 1/2 sum_k s_k^2 P_k),   P_k = E||A_k(:, r)||^2
//
// Without the prior (c0 = d0 = 0) this is largest where s_k^2 P_k / n_k is the same for all k.
void BayesCp::balance() {
  const std::size_t order = mode_.size();
  for (Eigen::Index r = 0; r < gamma_.size(); ++r) {
    std::vector<double> square(order);  // log P_k / n_k
    double mean = 0.0;
    double rows = 0.0;
    double before = kPrior;
    for (std::size_t k = 0; k < order; ++k) {
      const auto count = static_cast<double>(mode_[k].mean.rows());
      const double power = mode_[k].second.col(packed(r) + r).sum();
      square[k] = std::log(power / count);
      mean += square[k] / static_cast<double>(order);
      rows += count;
      before += 0.5 * power;
    }
    double gain = (kPrior + 0.5 * rows) * (std::log(before) - std::log(kPrior + 0.5 * rows * std::exp(mean)));
    for (std::size_t k = 0; k < order; ++k)
      gain += static_cast<double>(mode_[k].mean.rows()) * 0.5 * (mean - square[k]);
    if (!(gain > 0.0)) continue;
    for (std::size_t k = 0; k < order; ++k) scale_column(mode_[k], r, std::exp(0.5 * (mean - square[k])));
  }
}

void BayesCp::scale_column(Moments& mode, Eigen::Index r, double factor) {
  mode.mean.col(r) *= factor;
  for (Matrix<double>* moments : {&mode.covariance, &mode.second}) {
    for (Eigen::Index s = 0; s < gamma_.size(); ++s)
      moments->col(packed(std::max(r, s)) + std::min(r, s)) *= s == r ? factor * factor : factor;
  }
  for (double& log_determinant : mode.log_determinant) log_determinant += 2.0 * std::log(factor);
}

void BayesCp::update_gamma() {
  const Eigen::Index rank = gamma_.size();
  double rows = 0.0;
  gamma_rate_.setZero();
  for (const Moments& mode : mode_) {
    rows += static_cast<double>(mode.mean.rows());
    for (Eigen::Index r = 0; r < rank; ++r) gamma_rate_(r) += 0.5 * mode.second.col(packed(r) + r).sum();
  }
  gamma_rate_.array() += kPrior;
  gamma_ = (kPrior + 0.5 * rows) * gamma_rate_.cwiseInverse();
}

void BayesCp::update_noise() {
  double misfit = square_;
  for (const double row : row_misfit_) misfit += row;
  // For an exact fit the difference is rounding error and may be negative.
  misfit_ = std::max(misfit, std::numeric_limits<double>::epsilon() * square_);
  noise_rate_ = kPrior + 0.5 * misfit_;
  noise_ = (kPrior + 0.5 * static_cast<double>(tensor_->size())) / noise_rate_;
}

// E log p(Y | A, tau) minus the divergences of all q from their priors. Constants of the weights are left
// out.
void BayesCp::set_bound() {
  const auto entries = static_cast<double>(tensor_->size());
  const double shape = kPrior + 0.5 * entries;
  bound_ = 0.5 * entries * (Eigen::numext::digamma(shape) - std::log(noise_rate_) - std::log(2.0 * M_PI)) -
           0.5 * noise_ * misfit_ - gamma_divergence(shape, noise_rate_);
  double rows = 0.0;
  for (const Moments& mode : mode_) {
    rows += static_cast<double>(mode.mean.rows());
    for (const double log_determinant : mode.log_determinant) bound_ += 0.5 * log_determinant;
  }
  const double gamma_shape = kPrior + 0.5 * rows;
  for (Eigen::Index r = 0; r < gamma_.size(); ++r)
    bound_ += 0.5 * rows * (1.0 + Eigen::numext::digamma(gamma_shape) - std::log(gamma_rate_(r))) -
              gamma_(r) * (gamma_rate_(r) - kPrior) - gamma_divergence(gamma_shape, gamma_rate_(r));
}

void BayesCp::prune() {
  Eigen::RowVectorXd power = Eigen::RowVectorXd::Zero(gamma_.size());
  double rows = 0.0;
  for (const Moments& mode : mode_) {
    power += mode.mean.colwise().squaredNorm();
    rows += static_cast<double>(mode.mean.rows());
  }
  const double least = rows * std::numeric_limits<double>::epsilon() * std::sqrt(power.sum());
  std::vector<Eigen::Index> kept;
  for (Eigen::Index r = 0; r < power.size(); ++r)
    if (power(r) > least) kept.push_back(r);
  if (kept.empty()) kept.push_back(0);
  if (static_cast<Eigen::Index>(kept.size()) == power.size()) return;
  std::vector<Eigen::Index> triangle;
  for (const Eigen::Index r : kept)
    for (const Eigen::Index s : kept)
      if (s <= r) triangle.push_back(packed(r) + s);
  for (Moments& mode : mode_) {
    mode.mean = Matrix<double>(mode.mean(Eigen::all, kept));
    mode.covariance = Matrix<double>(mode.covariance(Eigen::all, triangle));
    mode.second = Matrix<double>(mode.second(Eigen::all, triangle));
  }
  gamma_ = Eigen::VectorXd(gamma_(kept));
  gamma_rate_ = Eigen::VectorXd(gamma_rate_(kept));
}

double BayesCp::train_rmse() const {
  std::vector<double> values(static_cast<std::size_t>(tensor_->size()), 0.0);
  add_values(means(), tensor_->cells(), values);
  double sum = 0.0;
  for (Count e = 0; e < tensor_->size(); ++e) {
    const double miss = tensor_->values()[e] - values[e];
    sum += tensor_->weight(e) * miss * miss;
  }
  return std::sqrt(sum / tensor_->total_weight());
}

Cp BayesCp::means() const {
  Cp cp;
  const double each = std::pow(scale_, 1.0 / tensor_->order());
  for (const Moments& mode : mode_) cp.factors.emplace_back(each * mode.mean);
  return cp;
}

Cp BayesCp::model() const {
  Cp cp = means();
  const double each = std::pow(scale_, 2.0 / tensor_->order());
  const Eigen::Index rank = gamma_.size();
  Eigen::MatrixXd square(rank, rank);
  for (const Moments& mode : mode_) {
    Matrix<double>& covariance = cp.covariance.emplace_back(mode.mean.rows(), rank * rank);
    for (Eigen::Index i = 0; i < mode.mean.rows(); ++i) {
      unpack(mode.covariance.row(i), square);
      covariance.row(i) = each * Eigen::Map<const Eigen::RowVectorXd>(square.data(), rank * rank);
    }
  }
  cp.noise_precision = noise_ / (scale_ * scale_);
  return cp;
}

}  // namespace lacuna
