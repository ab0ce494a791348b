// SPDX-License-Identifier: MIT
#include "kernels/data_operator.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "kernels/column_blocks.hpp"
#include "kernels/fiber_kernels.hpp"
#include "kernels/near_kernel.hpp"

namespace lacuna {

using kernels::FiberRange;

template <class Real>
DataOperator<Real>::DataOperator(std::span<const PartKernels> parts, Count entries,
                                 std::span<const double> weights, OperatorUse use)
    : parts_(parts),
      weights_(weights),
      use_(use),
      factor_(parts.size()),
      diagonal_(static_cast<std::size_t>(entries)),
      inverse_diagonal_(use == OperatorUse::kOften ? static_cast<std::size_t>(entries) : 0),
      pair_products_(parts.size()),
      piece_products_(parts.size()) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    Count products = 0;
    for (const FiberRange& piece : parts[p].pieces()) {
      piece_products_[p].push_back(products);
      if (stores(piece)) products += piece.fibers * piece.length * (piece.length - 1) / 2;
    }
    pair_products_[p].resize(static_cast<std::size_t>(products));
  }
}

template <class Real>
bool DataOperator<Real>::stores(const FiberRange& piece) const {
  return use_ == OperatorUse::kOften && piece.length > 0;  // which is 0 for long fibers
}

template <class Real>
int DataOperator<Real>::threads() const {
  std::size_t pieces = diagonal_.size() / kBlock;
  for (const PartKernels& part : parts_) pieces = std::max(pieces, part.pieces().size());
  return threads_for_blocks(static_cast<Count>(pieces));
}

template <class Real>
void DataOperator<Real>::set_point(const std::vector<Matrix<Real>>& u, std::span<const double> lambda,
                                   double shift) {
  std::vector<const Matrix<Real>*> factors;
  for (const Matrix<Real>& factor : u) factors.push_back(&factor);
  move_to(factors, lambda, shift);
  invert_diagonal();
}

template <class Real>
void DataOperator<Real>::move_to(std::span<const Matrix<Real>* const> u, std::span<const double> lambda,
                                 double shift) {
  if (u.size() < parts_.size() || lambda.size() != parts_.size())
    throw std::invalid_argument("a point needs one factor and one lambda for each part");
  lambda_.assign(lambda.begin(), lambda.end());
  for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].expand(*u[p], factor_[p]);
  set_diagonals(lambda, shift);
  set_pair_products(lambda);
}

template <class Real>
void DataOperator<Real>::set_diagonals(std::span<const double> lambda, double shift) {
  const Count entries = static_cast<Count>(diagonal_.size());
  std::vector<std::vector<Real>> row_norms(parts_.size());  // lambda ||u_i||^2
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    row_norms[p].resize(static_cast<std::size_t>(factor_[p].rows()));
    for (Count i = 0; i < factor_[p].rows(); ++i)
      row_norms[p][i] = static_cast<Real>(lambda[p]) * row_product(factor_[p], factor_[p], i);
  }
  // inverse_diagonal_ first gathers what long fibers add to the whole diagonal.
  parallel_blocks(entries, [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e)
      diagonal_[e] = static_cast<Real>(weights_.empty() ? shift : shift / weights_[e]);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const PartKernels& part = parts_[p];
      if (part.near() != nullptr) continue;
      part.view().for_each_single(begin, end, [&](Count e) {
        diagonal_[e] += static_cast<Real>(part.single_scale(e)) * row_norms[p][part.row_of_entry()[e]];
      });
    }
  });
  if (use_ == OperatorUse::kRarely) return;
  std::fill(inverse_diagonal_.begin(), inverse_diagonal_.end(), 0.0F);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (const NearKernel* near = parts_[p].near())
      near->for_each_diagonal([&](Index e, double self) {
        inverse_diagonal_[e] +=
            static_cast<float>(self * static_cast<double>(row_norms[p][parts_[p].row_of_entry()[e]]));
      });
    const auto& pieces = parts_[p].pieces();
    const Count count = static_cast<Count>(pieces.size());
#pragma omp parallel for num_threads(threads()) schedule(dynamic)
    for (Count i = 0; i < count; ++i) {
      const FiberRange& piece = pieces[i];
      for (Count f = 0; f < piece.fibers; ++f) {
        const Real scale = piece.weight != nullptr ? static_cast<Real>(piece.weight[f]) : Real{1};
        const Count begin = piece.start != nullptr ? piece.start[f] : f * piece.length;
        const Count end = piece.start != nullptr ? piece.start[f + 1] : begin + piece.length;
        for (Count j = begin; j < end; ++j) {
          const Real self = scale * row_norms[p][piece.row[j]];
          if (stores(piece))
            diagonal_[piece.entry[j]] += self;
          else
            inverse_diagonal_[piece.entry[j]] += static_cast<float>(self);
        }
      }
    }
  }
}

template <class Real>
void DataOperator<Real>::invert_diagonal() {
  parallel_blocks(static_cast<Count>(inverse_diagonal_.size()), [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e) {
      const double all = static_cast<double>(diagonal_[e]) + static_cast<double>(inverse_diagonal_[e]);
      inverse_diagonal_[e] = all > 0.0 ? static_cast<float>(1.0 / all) : 1.0F;
    }
  });
}

template <class Real>
std::span<const float> DataOperator<Real>::whole_diagonal() {
  parallel_blocks(static_cast<Count>(inverse_diagonal_.size()), [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e) inverse_diagonal_[e] += static_cast<float>(diagonal_[e]);
  });
  return inverse_diagonal_;
}

template <class Real>
void DataOperator<Real>::set_pair_products(std::span<const double> lambda) {
  const auto& set = kernels::fiber_kernels<Real>();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    std::fill(pair_products_[p].begin(), pair_products_[p].end(), Real{0});
    const auto& pieces = parts_[p].pieces();
    const FactorTable<Real>& u = factor_[p];
    const Count count = static_cast<Count>(pieces.size());
#pragma omp parallel for num_threads(threads()) schedule(dynamic)
    for (Count i = 0; i < count; ++i) {
      if (!stores(pieces[i])) continue;
      kernels::for_column_blocks<Real>(u.columns(), [&](int vectors, int column) {
        set.pair_products[vectors](pieces[i], u.data() + column, u.stride(), static_cast<Real>(lambda[p]),
                                   pair_products_[p].data() + piece_products_[p][i]);
      });
    }
  }
}

template <class Real>
void DataOperator<Real>::apply(std::span<const Real> z, std::span<Real> y) const {
  ++applications_;
  const auto& set = kernels::fiber_kernels<Real>();
  const Count entries = static_cast<Count>(diagonal_.size());
#pragma omp parallel num_threads(threads())
  {
#pragma omp for schedule(static)
    for (Count e = 0; e < entries; ++e) y[e] = diagonal_[e] * z[e];
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto& pieces = parts_[p].pieces();
      const FactorTable<Real>& u = factor_[p];
      const Count count = static_cast<Count>(pieces.size());
#pragma omp for schedule(dynamic)
      for (Count i = 0; i < count; ++i) {
        if (stores(pieces[i])) {
          set.apply_pairs(pieces[i], pair_products_[p].data() + piece_products_[p][i], z.data(), y.data());
          continue;
        }
        kernels::for_column_blocks<Real>(u.columns(), [&](int vectors, int column) {
          set.apply[vectors](pieces[i], u.data() + column, u.stride(), static_cast<Real>(lambda_[p]),
                             z.data(), y.data());
        });
      }
    }
  }
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (const NearKernel* near = parts_[p].near()) near->add_product(factor_[p], lambda_[p], z, y, work_);
}

template class DataOperator<double>;
template class DataOperator<float>;

}  // namespace lacuna
