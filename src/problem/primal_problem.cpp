// SPDX-License-Identifier: MIT
#include "problem/primal_problem.hpp"

namespace lacuna {

template <class Real>
PrimalProblem<Real>::PrimalProblem(const ProblemData<Real>& data)
    : data_(&data),
      operator_(data.parts()),
      direction_(data.parts().size()),
      z_there_(data.parts()),
      r_there_(data.parts()),
      z_dot_there_(data.parts()),
      r_dot_there_(data.parts()) {}

template <class Real>
void PrimalProblem<Real>::move_to(const Point& x, const State& state) {
  if (operator_at_ == state.id) return;
  operator_.set_point(x, data_->lambda(), 0.0);
  operator_at_ = state.id;
}

template <class Real>
void PrimalProblem<Real>::evaluate(const Point& x, const State*, State& state) {
  state.id = next_id_++;
  move_to(x, state);
  state.residual.resize(static_cast<std::size_t>(data_->entries()));
  const std::span<Real> r = state.residual;
  operator_.apply(flat(x.back()), r);
  const std::span<const Real> y = data_->y();
  state.cost = data_->everyone().sum(parallel_sum(data_->entries(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const double miss = static_cast<double>(r[e]) - static_cast<double>(y[e]);
      r[e] = static_cast<Real>(data_->weight(e) * miss);
      sum += data_->weight(e) * miss * miss;
    }
    return sum;
  }));
}

template <class Real>
void PrimalProblem<Real>::gradient(const Point& x, const State& state, Point& out) {
  move_to(x, state);
  const std::span<const Real> r = state.residual;
  r_there_.send(r);
  z_there_.send(flat(x.back()));
  for (std::size_t p = 0; p < data_->parts().size(); ++p) {
    out[p].setZero();
    data_->parts()[p].add_cross(operator_.factor(p), 2 * data_->lambda()[p], r_there_[p], z_there_[p], out[p],
                                work_);
  }
  sums_.sum(data_->everyone(), std::span(out).first(data_->parts().size()));
  operator_.apply(r, flat(out.back()));
  out.back() *= Real{2};
}

template <class Real>
void PrimalProblem<Real>::hessian(const Point& x, const State& state, const Point& direction, Point& out) {
  move_to(x, state);
  const auto& parts = data_->parts();
  const std::vector<double>& lambda = data_->lambda();
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].expand(direction[p], direction_[p]);
  z_there_.send(flat(x.back()));
  find_r_dot(flat(direction.back()));

  r_there_.send(state.residual);
  z_dot_there_.send(flat(direction.back()));
  r_dot_there_.send(r_dot_);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const FactorTable<Real>& u = operator_.factor(p);
    out[p].setZero();
    parts[p].add_cross(u, 2 * lambda[p], r_dot_there_[p], z_there_[p], out[p], work_);
    parts[p].add_cross(u, 2 * lambda[p], r_there_[p], z_dot_there_[p], out[p], work_);
    parts[p].add_cross(direction_[p], 2 * lambda[p], r_there_[p], z_there_[p], out[p], work_);
  }
  sums_.sum(data_->everyone(), std::span(out).first(data_->parts().size()));
  const std::span<Real> out_z = flat(out.back());
  operator_.apply(r_dot_, out_z);
  r_there_.start(out_z);
  for (std::size_t p = 0; p < parts.size(); ++p)
    parts[p].add_directional(operator_.factor(p), direction_[p], lambda[p], r_there_[p], r_there_.to(p),
                             work_);
  r_there_.bring_back();
  out.back() *= Real{2};
}

// Rdot = sum_p lambda_p (Zdot x_k U_p U_p' + Z x_k (U_p V_p' + V_p U_p'))_Omega, times the entries' weights, of
// the Z that was sent to the parts
template <class Real>
void PrimalProblem<Real>::find_r_dot(std::span<const Real> z_dot) {
  r_dot_.resize(z_dot.size());
  operator_.apply(z_dot, r_dot_);
  r_dot_there_.start(r_dot_);
  for (std::size_t p = 0; p < data_->parts().size(); ++p)
    data_->parts()[p].add_directional(operator_.factor(p), direction_[p], data_->lambda()[p], z_there_[p],
                                      r_dot_there_.to(p), work_);
  r_dot_there_.bring_back();
  if (data_->weights().empty()) return;
  for (std::size_t e = 0; e < r_dot_.size(); ++e)
    r_dot_[e] *= static_cast<Real>(data_->weight(static_cast<Count>(e)));
}

template class PrimalProblem<double>;
template class PrimalProblem<float>;

}  // namespace lacuna
