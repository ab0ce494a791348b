// SPDX-License-Identifier: MIT
#include "kernels/part_set.hpp"

#include <utility>

namespace lacuna {

PartSet::PartSet(const ObservedTensor& tensor, const std::vector<PartSpec>& parts,
                 const Communicator& everyone)
    : PartSet(std::make_shared<Layouts>(tensor, everyone), parts) {}

PartSet::PartSet(std::shared_ptr<Layouts> layouts, const std::vector<PartSpec>& parts)
    : layouts_(std::move(layouts)) {
  for (const PartSpec& part : parts) check_part(part, tensor().order());
  layout_ = layouts_->find(parts);
  place_.resize(parts.size());
  kernels_.reserve(parts.size());
  for (std::size_t layout = 0; layout < layouts_->size(); ++layout) {
    first_.push_back(kernels_.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (layout_[p] != layout) continue;
      place_[p] = kernels_.size();
      kernels_.emplace_back(*(*layouts_)[layout].tensor, parts[p], everyone());
    }
  }
  first_.push_back(kernels_.size());
}

Count PartSet::numbers_per_application() const {
  Count numbers = 0;
  for (std::size_t layout = 1; layout < layouts_->size(); ++layout)
    if (!in_layout(layout).empty()) numbers += 2 * (*layouts_)[layout].crossing;
  return numbers;
}

std::span<const PartKernels> PartSet::in_layout(std::size_t layout) const {
  if (layout + 1 >= first_.size()) return {};  // made later, for another set
  return all().subspan(first_[layout], first_[layout + 1] - first_[layout]);
}

}  // namespace lacuna
