// SPDX-License-Identifier: MIT
#include "kernels/fiber_products.hpp"

#include "base/parallel.hpp"

namespace lacuna {
namespace {

constexpr Count kFibers = 1024;  // handled at a time

// listed(fiber, span) and single(fiber, entry) for all fibers, in parallel.
template <class Listed, class Single>
void for_each_fiber(const PartKernels& part, Listed&& listed, Single&& single) {
  const FiberView& view = part.view();
  parallel_blocks(
      view.listed_fibers(),
      [&](Count begin, Count end) {
        for (Count f = begin; f < end; ++f) listed(f, view.span(f));
      },
      kFibers);
  parallel_blocks(static_cast<Count>(part.row_of_entry().size()), [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e)
      if (view.is_single(e)) single(view.fiber_of_single(e), e);
  });
}

}  // namespace

Matrix<double> times_transposed(const PartKernels& part, std::span<const double> z,
                                const Matrix<double>& left) {
  const FiberView& view = part.view();
  Matrix<double> right = Matrix<double>::Zero(view.fibers(), left.cols());
  for_each_fiber(
      part,
      [&](Count fiber, FiberView::Span span) {
        for (Count j = span.begin; j < span.end; ++j)
          right.row(fiber) += z[view.entry()[j]] * left.row(view.row()[j]);
      },
      [&](Count fiber, Count entry) { right.row(fiber) = z[entry] * left.row(part.row_of_entry()[entry]); });
  return right;
}

void add_products(const PartKernels& part, const Matrix<double>& left, const Matrix<double>& right,
                  std::span<double> y) {
  const FiberView& view = part.view();
  for_each_fiber(
      part,
      [&](Count fiber, FiberView::Span span) {
        for (Count j = span.begin; j < span.end; ++j)
          y[view.entry()[j]] += left.row(view.row()[j]).dot(right.row(fiber));
      },
      [&](Count fiber, Count entry) {
        y[entry] += left.row(part.row_of_entry()[entry]).dot(right.row(fiber));
      });
}

}  // namespace lacuna
