// SPDX-License-Identifier: MIT
#include "method/latent/part_scale.hpp"

#include "tensor/fiber_view.hpp"

namespace lacuna {
namespace {

// The average over entries of the length of the fiber they lie on.
double mean_length(Layouts& layouts, const PartSpec& part) {
  const std::size_t layout = layouts.find({&part, 1}).front();
  const FiberView view(*layouts[layout].tensor, part);
  auto squares = static_cast<double>(view.single_fibers());
  for (Count f = 0; f < view.listed_fibers(); ++f) {
    const FiberView::Span span = view.span(f);
    const auto length = static_cast<double>(span.end - span.begin);
    squares += length * length;
  }
  return layouts.everyone().sum(squares) / static_cast<double>(layouts.all_entries());
}

}  // namespace

double part_scale(Layouts& layouts, const PartSpec& part) {
  const ObservedTensor& tensor = layouts.tensor();
  if (!part.learns()) return 1.0;
  const double extent = tensor.extent(part.mode);
  if (static_cast<int>(part.fiber_modes().size()) == tensor.order() - 1) return extent;
  return extent * mean_length(layouts, full_parts(tensor.order())[part.mode]) / mean_length(layouts, part);
}

}  // namespace lacuna
