// SPDX-License-Identifier: MIT
// Problem D of the paper (TR-MM): minimise over u = (U_p), ||U_p||_F = 1,
//
//   g(u) = max_Z <Z,Y> - 1/4 ||Z||^2 - sum_p lambda_p/2 ||U_p' Z_p||_F^2
//
// The inner maximiser solves A(u) Z = Y, A(u) Z = Z/2 + sum_p lambda_p (Z x_k U_p U_p')_Omega, by conjugate
// gradients. Where entries have weights w, ||Z||^2 is sum_e z_e^2 / w_e and Z/2 is Z/(2w). With Z exact:
//
//   grad_{U_p} g      = -lambda_p Z_p Z_p' U_p
//   A(u) Zdot         = -sum_p lambda_p (Z x_k (V_p U_p' + U_p V_p'))_Omega
//   D grad_{U_p} g[V] = -lambda_p [ Z_p Z_p' V_p + (Zdot_p Z_p' + Z_p Zdot_p') U_p ]
//
// Reference: the paper's Lemma 1, with the constants of docs/math.md.
//
// An inexact Z with residual R = Y - A Z still gives g to second order: g ~ 1/2 <Z,Y> + 1/2 <Z,R>, too small
// by 1/2 <R, A^-1 R>. So the tolerance of the inner solves may follow the outer progress, which the caller
// states as an Accuracy: it is `forcing` times the relative gradient, within [tightest, loosest]. The same
// holds for Zdot: far from a solution the outer iteration takes as many steps with a rough Hessian as with an
// exact one, and a rough one costs a fraction of the work.
//
// Cost: O(N sum_p r_p) for each conjugate-gradient step; memory O(N + sum_p n r), kept between calls.
#pragma once

#include <lacuna/base/base.hpp>

#include "base/accuracy.hpp"
#include "problem/factor_sums.hpp"
#include "problem/inner_system.hpp"

namespace lacuna {

struct DualOptions {
  double loosest = 0.1;            // ||Y - A Z|| / ||Z / weight|| at most
  double tightest = 1e-10;         // and at least
  double forcing = 0.2;            // tolerance / relative gradient
  double hessian_loosest = 0.3;    // relative residual of the system for Zdot, at most
  double hessian_tightest = 1e-2;  // and at least
  double hessian_forcing = 10.0;   // that residual / relative gradient
  double floor = 0.0;              // ||Y - A Z|| / ||Y||: what is below is close enough
  int max_cg_iterations = 1000;    // in one solve
};

template <class Real>
class DualProblem {
 public:
  using Point = std::vector<Matrix<Real>>;
  struct State {
    std::vector<Real> z;
    double cost = 0.0;
    double uncertainty = 0.0;
    double misfit = 0.0;  // (sum_e weight_e (Y - W)_e^2)^1/2
    Count id = 0;         // tells which point the operator stands at

    template <class A>
    void fields(A& archive) {
      archive("z", z);
      archive("cost", cost);
      archive("uncertainty", uncertainty);
      archive("misfit", misfit);
    }
  };

  DualProblem(const ProblemData<Real>& data, const DualOptions& options, Interrupted interrupted = {});

  void evaluate(const Point& u, const State* near, State& state, Accuracy accuracy = {});
  // A state of a point that was evaluated elsewhere: its numbers are to follow.
  void adopt(State& state) {
    state.id = next_id_++;
    state.z.assign(static_cast<std::size_t>(data_->entries()), Real{0});
  }
  [[nodiscard]] double cost(const State& state) const { return state.cost; }
  [[nodiscard]] double uncertainty(const State& state) const { return state.uncertainty; }
  [[nodiscard]] double gradient_scale(const State& state) const { return state.cost; }
  void gradient(const Point& u, const State& state, Point& out);
  void hessian(const Point& u, const State& state, const Point& direction, Point& out,
               Accuracy accuracy = {});

  [[nodiscard]] Count operator_applications() const { return system_.applications(); }
  [[nodiscard]] const SentSums& sent_sums() const { return sums_.sent(); }

  // Starts the next evaluate from this Z when no state is near: a warm start from another fit.
  void start_from(std::vector<Real> z) { start_ = std::move(z); }
  template <class A>
  void start_fields(A& archive) {
    archive("z", start_);
    if (!start_.empty() && static_cast<Count>(start_.size()) != data_->entries())
      A::refuse("z", "as many numbers as entries");
  }

 private:
  void move_to(const Point& u, const State& state);
  [[nodiscard]] bool start_at(const State* near, State& state);
  void scale_to_point(std::vector<Real>& z);
  void solve(double tolerance, bool from_zero, State& state);
  [[nodiscard]] double scaled_norm(std::span<const Real> z) const;
  [[nodiscard]] double misfit(std::span<const Real> z, std::span<const Real> residual) const;
  void solve_for_z_dot(double tolerance);

  const ProblemData<Real>* data_;
  DualOptions options_;
  Interrupted interrupted_;
  InnerSystem<Real> system_;
  std::vector<Real> start_;
  std::vector<FactorTable<Real>> direction_;  // V_p of the Hessian product under way
  std::vector<Real> z_dot_;                   // its Zdot
  PartVector<Real> z_there_;                  // Z, Zdot and a right side where the parts are
  PartVector<Real> z_dot_there_;
  PartWorkspace<Real> work_;
  FactorSums<Real> sums_;
  Count next_id_ = 1;
  Count operator_at_ = 0;
};

}  // namespace lacuna
