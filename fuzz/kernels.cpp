// SPDX-License-Identifier: MIT
// The fast kernels against their naive twins (tests/support), on tensors, parts and factors made from the input, with
// every set of kernels this machine has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.hpp"
#include "kernels/data_operator.hpp"
#include "kernels/fiber_kernels.hpp"
#include "support.hpp"
#include "support/naive.hpp"
#include "support/random_tensor.hpp"

using namespace lacuna;

namespace {

// Adding n numbers in any order errs by at most about n epsilon times the sum of their absolute values; a few
// roundings more come from scales and products. Near parts go through transforms that round as often as they are long.
constexpr double kFewRoundings = 100.0;
constexpr double kTransformRoundings = 1000.0;
constexpr double kScale = -1.7;  // any number that is not 1

template <class Real>
Eigen::VectorXd in_double(const std::vector<Real>& vector) {
  return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(vector.data(),
                                                                  static_cast<Eigen::Index>(vector.size()))
      .template cast<double>();
}

template <class Real>
Matrix<double> in_double(const Matrix<Real>& matrix) {
  return matrix.template cast<double>();
}

template <class Real>
void compare(std::span<const Real> got, std::span<const double> want, std::span<const double> magnitude,
             double summands, bool transformed, const char* what) {
  const double relative = (summands + (transformed ? kTransformRoundings : kFewRoundings)) *
                          static_cast<double>(std::numeric_limits<Real>::epsilon());
  // A transform spreads the rounding of the largest over all.
  const double largest = magnitude.empty() ? 0.0 : *std::max_element(magnitude.begin(), magnitude.end());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double apart = std::abs(static_cast<double>(got[i]) - want[i]);
    const double allowed = relative * (transformed ? largest : magnitude[i]);
    fuzz::require(apart <= allowed, fmt::format("{}: {} apart, {} allowed", what, apart, allowed));
  }
}

std::span<const double> numbers(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

// Cells may repeat; the last one counts.
ObservedTensor make_tensor(FuzzedDataProvider& input) {
  const int order = input.ConsumeIntegralInRange(2, 4);
  std::vector<Index> extents;
  for (int k = 0; k < order; ++k) extents.push_back(input.ConsumeIntegralInRange<Index>(1, 12));
  const bool weighted = input.ConsumeBool();
  const int count = input.ConsumeIntegralInRange(1, 200);
  Entries entries{.cells = Cells(order), .value = {}};
  for (int e = 0; e < count; ++e) {
    std::vector<Index> cell;
    for (const Index extent : extents) cell.push_back(input.ConsumeIntegralInRange<Index>(0, extent - 1));
    entries.cells.add(cell);
    entries.value.push_back(input.ConsumeIntegralInRange(-8, 8) / 4.0);
    if (weighted) entries.weight.push_back(input.ConsumeIntegralInRange(1, 12) / 4.0);
  }
  return std::move(
      *ObservedTensor::create(test::plain_modes(extents), std::move(entries), Duplicates::kLast));
}

PartSpec make_part(FuzzedDataProvider& input, int order) {
  PartSpec part;
  part.mode = input.ConsumeIntegralInRange(0, order - 1);
  for (int k = 0; k < order; ++k) {
    if (k == part.mode) continue;
    const int role = input.ConsumeIntegralInRange(0, 5);
    if (role >= 2) part.agree.push_back(k);
    if (role == 1) part.near.push_back({.mode = k, .length = input.ConsumeIntegralInRange(1, 20) / 2.0});
  }
  if (!part.near.empty()) {
    part.smoothness = input.PickValueInArray({1.0, 1.5, 2.0});
    if (input.ConsumeIntegralInRange(0, 3) == 0) part.mode = PartSpec::kNothing;
  } else {
    part.row_power = input.PickValueInArray({0.0, 0.0, 0.5, 1.0, -0.5});
    part.fiber_power = input.PickValueInArray({0.0, 0.0, 0.5, 1.0});
  }
  return part;
}

template <class Real>
struct Operands {
  Operands(Eigen::Index rows, int rank, Count entries, std::uint64_t seed) {
    Rng rng(seed);
    u = test::random_matrix<Real>(rows, rank, rng);
    v = test::random_matrix<Real>(rows, rank, rng);
    x = test::random_vector<Real>(entries, rng);
    w = test::random_vector<Real>(entries, rng);
  }
  Matrix<Real> u, v;
  std::vector<Real> x, w;
};

template <class Real>
void check_part_kernels(const PartKernels& kernel, const test::NaivePart& naive, const Operands<Real>& in) {
  const double summands = static_cast<double>(in.x.size()) + static_cast<double>(in.u.cols());
  const bool near = !kernel.part().near.empty();
  const Eigen::VectorXd x = in_double(in.x), w = in_double(in.w);
  const Matrix<double> u = in_double(in.u), v = in_double(in.v);
  const auto zero = [&] { return Eigen::VectorXd(Eigen::VectorXd::Zero(x.size())); };
  const auto flat_zero = [&] { return Matrix<double>(Matrix<double>::Zero(u.rows(), u.cols())); };
  {
    Eigen::VectorXd want = zero(), magnitude = zero();
    naive.add_directional(u, v, kScale, x, want);
    naive.add_directional(u.cwiseAbs(), v.cwiseAbs(), -kScale, x.cwiseAbs(), magnitude);
    std::vector<Real> got(in.x.size(), Real(0));
    kernel.add_directional(kernel.table(in.u), kernel.table(in.v), kScale, std::span<const Real>(in.x),
                           std::span<Real>(got));
    compare<Real>(got, numbers(want), numbers(magnitude), summands, near,
                  "add_directional differs from its twin");
  }
  {
    Matrix<double> want = flat_zero(), magnitude = flat_zero();
    naive.add_cross(u, kScale, x, w, want);
    naive.add_cross(u.cwiseAbs(), -kScale, x.cwiseAbs(), w.cwiseAbs(), magnitude);
    Matrix<Real> got = Matrix<Real>::Zero(u.rows(), u.cols());
    kernel.add_cross(kernel.table(in.u), kScale, std::span<const Real>(in.x), std::span<const Real>(in.w),
                     got);
    compare<Real>(flat(got), flat(want), flat(magnitude), summands, near, "add_cross differs from its twin");
  }
  Matrix<double> want = flat_zero(), magnitude = flat_zero();
  naive.add_gram(u, kScale, x, want);
  naive.add_gram(u.cwiseAbs(), -kScale, x.cwiseAbs(), magnitude);
  Matrix<Real> got = Matrix<Real>::Zero(u.rows(), u.cols());
  kernel.add_gram(kernel.table(in.u), kScale, std::span<const Real>(in.x), got);
  compare<Real>(flat(got), flat(want), flat(magnitude), summands, near, "add_gram differs from its twin");
}

// B(u) z of all parts together.
template <class Real>
void check_operator(const ObservedTensor& tensor, const std::vector<PartKernels>& kernels,
                    const std::vector<test::NaivePart>& twins, const std::vector<Operands<Real>>& in) {
  const double shift = 0.5;
  const std::vector<Real>& z = in[0].x;
  std::vector<double> lambda;
  std::vector<Matrix<Real>> u;
  const Eigen::VectorXd plain = in_double(z);
  Eigen::VectorXd want(plain.size()), magnitude(plain.size());
  for (Count e = 0; e < tensor.size(); ++e) want(e) = shift * plain(e) / tensor.weight(e);
  magnitude = want.cwiseAbs();
  double summands = static_cast<double>(z.size());
  bool near = false;
  for (std::size_t p = 0; p < kernels.size(); ++p) {
    lambda.push_back(0.25 + static_cast<double>(p));
    u.push_back(in[p].u);
    twins[p].add_product(in_double(in[p].u), lambda[p], plain, want);
    twins[p].add_product(in_double(in[p].u).cwiseAbs(), lambda[p], plain.cwiseAbs(), magnitude);
    summands += static_cast<double>(in[p].u.cols());
    near = near || !kernels[p].part().near.empty();
  }
  for (const OperatorUse use : {OperatorUse::kOften, OperatorUse::kRarely}) {
    DataOperator<Real> op(kernels, tensor.size(), tensor.weights(), use);
    op.set_point(u, lambda, shift);
    std::vector<Real> got(z.size());
    op.apply(std::span<const Real>(z), std::span<Real>(got));
    compare<Real>(got, numbers(want), numbers(magnitude), summands, near,
                  "the operator differs from its twins");
  }
}

template <class Real>
void check_all(const ObservedTensor& tensor, const std::vector<PartSpec>& parts, int rank,
               std::uint64_t seed) {
  std::vector<PartKernels> kernels;
  std::vector<test::NaivePart> twins;
  std::vector<Operands<Real>> operands;
  for (const PartSpec& part : parts) {
    kernels.emplace_back(tensor, part);
    twins.emplace_back(tensor, part);
    const int columns = part.learns() ? rank : 1;
    operands.emplace_back(test::NaivePart::rows_of(tensor, part), columns, tensor.size(), seed++);
  }
  for (int set = 0; set < kernels::kernel_sets(); ++set) {
    kernels::use_kernels(set);
    for (std::size_t p = 0; p < parts.size(); ++p)
      check_part_kernels<Real>(kernels[p], twins[p], operands[p]);
    check_operator<Real>(tensor, kernels, twins, operands);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const int rank = input.ConsumeIntegralInRange(1, 40);
  const bool single = input.ConsumeBool();
  const auto seed = input.ConsumeIntegral<std::uint8_t>();
  const int count = input.ConsumeIntegralInRange(1, 3);
  const ObservedTensor tensor = make_tensor(input);
  std::vector<PartSpec> parts;
  for (int p = 0; p < count; ++p) parts.push_back(make_part(input, tensor.order()));
  if (single)
    check_all<float>(tensor, parts, rank, seed);
  else
    check_all<double>(tensor, parts, rank, seed);
  return 0;
}
