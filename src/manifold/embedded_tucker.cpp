// SPDX-License-Identifier: MIT
#include "manifold/embedded_tucker.hpp"

#include "linalg/decompose.hpp"

namespace lacuna {
namespace {

constexpr double kNullRelative = 1e-14;  // eigenvalues of a Gram matrix below this share of the largest are 0

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& gram) {
  const SymmetricEigen eigen = symmetric_eigen(gram);
  Eigen::VectorXd inverse = eigen.values;
  const double smallest = kNullRelative * inverse(inverse.size() - 1);
  for (double& value : inverse) value = value > smallest ? 1.0 / value : 0.0;
  return eigen.vectors * inverse.asDiagonal() * eigen.vectors.transpose();
}

void remove_columns_of(const Matrix<double>& u, Matrix<double>& v) { v -= u * (u.transpose() * v); }

// core x_l by[l] for all modes l but `skip`; -1 skips none.
Eigen::VectorXd multiply(Eigen::VectorXd core, const std::vector<int>& ranks,
                         const std::vector<Eigen::MatrixXd>& by, int skip) {
  std::vector<int> now = ranks;
  for (int l = 0; l < static_cast<int>(ranks.size()); ++l) {
    if (l == skip) continue;
    core = mode_product(core, now, l, by[l]);
    now[l] = static_cast<int>(by[l].rows());
  }
  return core;
}

}  // namespace

void EmbeddedTucker::frame(const Point& x, Frame& frame) const {
  frame.gram.clear();
  frame.inverse.clear();
  for (int k = 0; k < order(); ++k) {
    frame.gram.push_back(unfolding_product(x.core, ranks(), x.core, ranks(), k));
    frame.inverse.push_back(pseudo_inverse(frame.gram.back()));
  }
}

double EmbeddedTucker::inner(const Point&, const Frame& frame, const Tangent& a, const Tangent& b) const {
  double sum = a.core.dot(b.core);
  for (int k = 0; k < order(); ++k)
    sum += (a.factors[k].transpose() * b.factors[k]).cwiseProduct(frame.gram[k]).sum();
  return sum;
}

void EmbeddedTucker::project(const Point& x, const Frame&, Tangent& v) const {
  for (int k = 0; k < order(); ++k) {
    const Eigen::MatrixXd inside = x.factors[k].transpose() * v.factors[k];
    v.factors[k] -= x.factors[k] * inside;
    v.core += mode_product(x.core, ranks(), k, inside);
  }
}

void EmbeddedTucker::gradient(const Point& x, const Frame& frame, Tangent& v) const {
  for (int k = 0; k < order(); ++k) {
    v.factors[k] = v.factors[k] * frame.inverse[k];
    remove_columns_of(x.factors[k], v.factors[k]);
  }
}

// With A_k = U_new_k' U_k and B_k = U_new_k' V_k the tensor T = H x U + sum_m G x_m V_m x_{l != m} U_l has
//   T x_l U_new_l' (all l)      = H x_l A_l + sum_m G x_m B_m x_{l != m} A_l
//   T x_l U_new_l' (all l != k) = U_k (H x_l A_l + sum_{m != k} G x_m B_m x_l A_l)_(k) + V_k (G x_l A_l)_(k)
void EmbeddedTucker::transport(const Point& from, const Point& to, const Frame& to_frame, Tangent& v) const {
  std::vector<Eigen::MatrixXd> a;
  std::vector<Eigen::MatrixXd> b;
  for (int k = 0; k < order(); ++k) {
    a.emplace_back(to.factors[k].transpose() * from.factors[k]);
    b.emplace_back(to.factors[k].transpose() * v.factors[k]);
  }
  // H x_l A_l + sum_{m != skip} G x_m B_m x_l A_l, over l != skip
  const auto contracted = [&](int skip) {
    Eigen::VectorXd sum = multiply(v.core, ranks(), a, skip);
    for (int m = 0; m < order(); ++m) {
      if (m == skip) continue;
      std::vector<Eigen::MatrixXd> by = a;
      by[m] = b[m];
      sum += multiply(from.core, ranks(), by, skip);
    }
    return sum;
  };
  Tangent out;
  out.core = contracted(-1);
  for (int k = 0; k < order(); ++k) {
    const Eigen::MatrixXd of_u = unfolding_product(contracted(k), ranks(), to.core, ranks(), k);
    const Eigen::MatrixXd of_v =
        unfolding_product(multiply(from.core, ranks(), a, k), ranks(), to.core, ranks(), k);
    out.factors.push_back((from.factors[k] * of_u + v.factors[k] * of_v) * to_frame.inverse[k]);
    remove_columns_of(to.factors[k], out.factors[k]);
  }
  v = std::move(out);
}

// X + xi = S x_1 [U_1 V_1] ... x_K [U_K V_K], S = G + H in the corner and G in the K blocks next to it.
void EmbeddedTucker::retract(const Point& x, const Tangent& u, Point& out) const {
  std::vector<int> doubled = ranks();
  for (int& rank : doubled) rank *= 2;
  Tucker sum;
  sum.core.setZero(core_size(doubled));
  for (int k = 0; k < order(); ++k) {
    sum.factors.emplace_back(sizes()[k], doubled[k]);
    sum.factors[k] << x.factors[k], u.factors[k];
  }
  std::vector<int> position(static_cast<std::size_t>(order()), 0);
  for (Eigen::Index i = 0; i < x.core.size(); ++i) {
    Eigen::Index corner = 0;
    Eigen::Index stride = 1;
    for (int k = 0; k < order(); ++k) {
      corner += position[k] * stride;
      stride *= doubled[k];
    }
    sum.core(corner) = x.core(i) + u.core(i);
    stride = 1;
    for (int k = 0; k < order(); ++k) {
      sum.core(corner + ranks()[k] * stride) = x.core(i);
      stride *= doubled[k];
    }
    for (int k = 0; k < order() && ++position[k] == ranks()[k]; ++k) position[k] = 0;
  }
  out = truncated_hosvd(sum, ranks());
}

double EmbeddedTucker::dimension() const {
  double sum = TuckerSpace::dimension();
  for (const int rank : ranks()) sum -= static_cast<double>(rank) * rank;
  return sum;
}

}  // namespace lacuna
