// SPDX-License-Identifier: MIT
// Problem P of the paper (TR-LS): minimise over u = (U_p), ||U_p||_F = 1, and the sparse tensor Z,
//
//   h(u, Z) = ||R||^2,   R = sum_p lambda_p (Z x_k U_p U_p')_Omega - Y
//
//   grad_{U_p} h    = 2 lambda_p (R_p Z_p' + Z_p R_p') U_p
//   grad_Z h        = 2 sum_p lambda_p (R x_k U_p U_p')_Omega
//
// and along (V, Zdot)
//
//   Rdot            =   sum_p lambda_p (Zdot x_k U_p U_p' + Z x_k (U_p V_p' + V_p U_p'))_Omega
//   D grad_{U_p} h  = 2 lambda_p [ (Rdot_p Z_p' + Z_p Rdot_p' + R_p Zdot_p' + Zdot_p R_p') U_p
//                                  + (R_p Z_p' + Z_p R_p') V_p ]
//   D grad_Z h      = 2 sum_p lambda_p (Rdot x_k U_p U_p' + R x_k (U_p V_p' + V_p U_p'))_Omega
//
// Reference: the paper's Lemma 2, with the constants of docs/math.md. Where entries have weights w,
// h = sum_e w_e R_e^2, and w R stands for R, w Rdot for Rdot, in all derivatives.
//
// h has no regulariser: only the ranks and an early stop keep it from fitting noise. It depends on lambda and
// Z only through lambda Z, so lambda sets the length of a step in Z relative to one in U. A point is
// (U_1, ..., U_P, Z as one column).
#pragma once

#include "kernels/part_operator.hpp"
#include "problem/factor_sums.hpp"
#include "problem/problem_data.hpp"

namespace lacuna {

template <class Real>
class PrimalProblem {
 public:
  using Point = std::vector<Matrix<Real>>;
  struct State {
    std::vector<Real> residual;  // R, times the entries' weights
    double cost = 0.0;
    Count id = 0;

    template <class A>
    void fields(A& archive) {
      archive("residual", residual);
      archive("cost", cost);
    }
  };

  explicit PrimalProblem(const ProblemData<Real>& data);

  void evaluate(const Point& x, const State* near, State& state);
  // A state of a point that was evaluated elsewhere: its numbers are to follow.
  void adopt(State& state) {
    state.id = next_id_++;
    state.residual.assign(static_cast<std::size_t>(data_->entries()), Real{0});
  }
  [[nodiscard]] double cost(const State& state) const { return state.cost; }
  [[nodiscard]] double uncertainty(const State&) const { return 0.0; }
  // h at Z = 0: h itself goes to zero.
  [[nodiscard]] double gradient_scale(const State&) const { return data_->weighted_square(); }
  void gradient(const Point& x, const State& state, Point& out);
  void hessian(const Point& x, const State& state, const Point& direction, Point& out);

  [[nodiscard]] Count operator_applications() const { return operator_.applications(); }
  [[nodiscard]] const SentSums& sent_sums() const { return sums_.sent(); }

 private:
  void move_to(const Point& x, const State& state);
  void find_r_dot(std::span<const Real> z_dot);

  const ProblemData<Real>* data_;
  PartOperator<Real> operator_;
  std::vector<FactorTable<Real>> direction_;  // V_p of the Hessian product under way
  PartVector<Real> z_there_;                  // vectors where the parts are
  PartVector<Real> r_there_;
  PartVector<Real> z_dot_there_;
  PartVector<Real> r_dot_there_;
  PartWorkspace<Real> work_;
  FactorSums<Real> sums_;
  std::vector<Real> r_dot_;  // its Rdot, times the entries' weights
  Count next_id_ = 1;
  Count operator_at_ = 0;
};

}  // namespace lacuna
