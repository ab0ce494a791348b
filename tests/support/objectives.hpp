// SPDX-License-Identifier: MIT
// Small objectives whose minimum is known.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "linalg/matrix.hpp"
#include "solver/solver.hpp"

namespace lacuna::test {

struct CostState {
  double cost = 0.0;
};

// What the objectives below share: an exact cost in a state that holds nothing else.
struct PlainObjective {
  using State = CostState;
  [[nodiscard]] double cost(const State& state) const { return state.cost; }
  [[nodiscard]] double uncertainty(const State&) const { return 0.0; }
  [[nodiscard]] double gradient_scale(const State&) const { return 1.0; }
};

// f(U) = 1/2 trace(U' C U) on the spectrahedron, C symmetric: its minimum is half of C's smallest eigenvalue,
// and with one column f is a Rayleigh quotient.
template <class Real>
class TraceForm : public PlainObjective {
 public:
  explicit TraceForm(Matrix<Real> c) : c_(std::move(c)) {}

  void evaluate(const Matrix<Real>& u, const State*, State& state) const {
    const Matrix<double> wide = u.template cast<double>();
    state.cost = 0.5 * (wide.transpose() * (c_.template cast<double>() * wide)).trace();
  }
  void gradient(const Matrix<Real>& u, const State&, Matrix<Real>& out) const { out = c_ * u; }
  void hessian(const Matrix<Real>&, const State&, const Matrix<Real>& v, Matrix<Real>& out) const {
    out = c_ * v;
  }

 private:
  Matrix<Real> c_;
};

// f(U) = 1/2 ||U U' - T||_F^2 on the spectrahedron: 0 where U U' is the target, if that is on it.
class NearestTheta : public PlainObjective {
 public:
  explicit NearestTheta(Matrix<double> target) : target_(std::move(target)) {}

  void evaluate(const Matrix<double>& u, const State*, State& state) const {
    state.cost = 0.5 * (u * u.transpose() - target_).squaredNorm();
  }
  void gradient(const Matrix<double>& u, const State&, Matrix<double>& out) const {
    out = 2 * ((u * u.transpose() - target_) * u);
  }
  void hessian(const Matrix<double>& u, const State&, const Matrix<double>& v, Matrix<double>& out) const {
    out = 2 * ((u * v.transpose() + v * u.transpose()) * u + (u * u.transpose() - target_) * v);
  }

 private:
  Matrix<double> target_;
};

// f(x) = 1/2 x'Ax - b'x on Euclidean space.
class Quadratic : public PlainObjective {
 public:
  Quadratic(Matrix<double> a, Matrix<double> b) : a_(std::move(a)), b_(std::move(b)) {}

  void evaluate(const Matrix<double>& x, const State*, State& state) const {
    state.cost = 0.5 * x.cwiseProduct(a_ * x).sum() - b_.cwiseProduct(x).sum();
  }
  void gradient(const Matrix<double>& x, const State&, Matrix<double>& out) const { out = a_ * x - b_; }
  void hessian(const Matrix<double>&, const State&, const Matrix<double>& v, Matrix<double>& out) const {
    out = a_ * v;
  }

 private:
  Matrix<double> a_;
  Matrix<double> b_;
};

// Rosenbrock's curved valley, (1 - x)^2 + 100 (y - x^2)^2: minimum 0 at (1, 1).
class Rosenbrock : public PlainObjective {
 public:
  void evaluate(const Matrix<double>& p, const State*, State& state) const {
    state.cost = std::pow(1 - p(0), 2) + 100 * std::pow(p(1) - p(0) * p(0), 2);
  }
  void gradient(const Matrix<double>& p, const State&, Matrix<double>& out) const {
    const double valley = p(1) - p(0) * p(0);
    out(0) = -2 * (1 - p(0)) - 400 * p(0) * valley;
    out(1) = 200 * valley;
  }
  void hessian(const Matrix<double>& p, const State&, const Matrix<double>& v, Matrix<double>& out) const {
    out(0) = (2 - 400 * (p(1) - 3 * p(0) * p(0))) * v(0) - 400 * p(0) * v(1);
    out(1) = -400 * p(0) * v(0) + 200 * v(1);
  }
};

// Writes down the accuracy that a solver asks of it. Iteration 0 knows nothing of the gradient yet.
class AccuracyLog : public Rosenbrock {
 public:
  void evaluate(const Matrix<double>& p, const State* near, State& state, Accuracy accuracy = {}) {
    (near == nullptr ? at_start : asked).push_back(accuracy.relative_gradient);
    Rosenbrock::evaluate(p, near, state);
  }
  void hessian(const Matrix<double>& p, const State& state, const Matrix<double>& v, Matrix<double>& out,
               Accuracy accuracy = {}) {
    asked.push_back(accuracy.relative_gradient);
    Rosenbrock::hessian(p, state, v, out);
  }
  std::vector<double> at_start;
  std::vector<double> asked;  // since the last step
};

}  // namespace lacuna::test
