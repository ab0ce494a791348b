// SPDX-License-Identifier: MIT
#include "tensor/fiber_numbers.hpp"

#include <algorithm>

namespace lacuna {
namespace {

constexpr double kPlacesForEachEntry = 4.0;  // of a table with one for each fiber that there could be

FiberNumbers by_view(const ObservedTensor& tensor, const PartSpec& part) {
  const FiberView view(tensor, part);
  FiberNumbers found{.of_entry = std::vector<Index>(static_cast<std::size_t>(tensor.size())),
                     .fibers = view.fibers()};
  for (Count f = 0; f < view.listed_fibers(); ++f)
    for (Count j = view.span(f).begin; j < view.span(f).end; ++j)
      found.of_entry[view.entry()[j]] = static_cast<Index>(f);
  view.for_each_single(0, tensor.size(),
                       [&](Count e) { found.of_entry[e] = static_cast<Index>(view.fiber_of_single(e)); });
  return found;
}

}  // namespace

FiberNumbers fiber_numbers(const ObservedTensor& tensor, const PartSpec& part) {
  check_part(part, tensor.order());
  const std::vector<int> modes = part.fiber_modes();
  double places = 1.0;
  for (const int mode : modes) places *= static_cast<double>(tensor.extent(mode));
  if (places > std::min(kPlacesForEachEntry * static_cast<double>(tensor.size()) + 1.0, 4294967295.0))
    return by_view(tensor, part);

  FiberNumbers found{.of_entry = std::vector<Index>(static_cast<std::size_t>(tensor.size()), 0)};
  for (const int mode : modes) {
    const std::span<const Index> index = tensor.index(mode);
    const Index extent = tensor.extent(mode);
    for (std::size_t e = 0; e < index.size(); ++e) found.of_entry[e] = found.of_entry[e] * extent + index[e];
  }
  std::vector<Index> length(static_cast<std::size_t>(places), 0);
  std::vector<Index> by_first;  // the places, in the order of their first entries
  for (const Index place : found.of_entry)
    if (length[place]++ == 0) by_first.push_back(place);
  std::vector<Index> number(length.size(), 0);
  const auto count_up = [&](auto&& belongs) {
    for (const Index place : by_first)
      if (belongs(length[place])) number[place] = static_cast<Index>(found.fibers++);
  };
  for (Index l = 2; l <= FiberView::kShort; ++l) count_up([l](Index of) { return of == l; });
  count_up([](Index of) { return of > FiberView::kShort; });
  count_up([](Index of) { return of == 1; });
  for (Index& place : found.of_entry) place = number[place];
  return found;
}

}  // namespace lacuna
