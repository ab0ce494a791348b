// SPDX-License-Identifier: MIT
#include "kernels/part_set.hpp"

#include <utility>

namespace lacuna {

PartSet::PartSet(const ObservedTensor& tensor, const std::vector<PartSpec>& parts,
                 const Communicator& everyone)
    : PartSet(std::make_shared<Layouts>(tensor, everyone), parts) {}

PartSet::PartSet(std::shared_ptr<Layouts> layouts, const std::vector<PartSpec>& parts,
                 std::span<const int> columns)
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
  shares_.resize(parts.size());
  find_shares(columns);
}

// Of parts that never send fewer numbers so, nothing is kept.
void PartSet::find_shares(std::span<const int> columns) {
  for (std::size_t layout = 1; layout < layouts_->size(); ++layout) {
    std::vector<int> wide(size(), 1);
    if (columns.size() == size()) wide.assign(columns.begin(), columns.end());
    for (std::size_t p = 0; p < size(); ++p)
      if (layout_[p] == layout && FiberShares::can_be((*this)[p].part()))
        shares_[p] = std::make_unique<FiberShares>(tensor(), (*this)[p].part(), everyone());
    if (by_sums(layout, wide)) continue;
    for (std::size_t p = 0; p < size(); ++p)
      if (layout_[p] == layout) shares_[p].reset();
  }
}

bool PartSet::by_sums(std::size_t layout, std::span<const int> columns) const {
  Count numbers = 0;
  for (std::size_t p = 0; p < size(); ++p) {
    if (layout_[p] != layout) continue;
    if (!shares_[p]) return false;
    numbers += shares_[p]->numbers(columns[p]);
  }
  return numbers < 2 * (*layouts_)[layout].crossing;
}

Count PartSet::numbers_per_application(std::span<const int> columns) const {
  Count numbers = 0;
  for (std::size_t layout = 1; layout < layouts_->size(); ++layout)
    if (!in_layout(layout).empty() && !by_sums(layout, columns)) numbers += 2 * (*layouts_)[layout].crossing;
  for (std::size_t p = 0; p < size(); ++p)
    if (layout_[p] > 0 && by_sums(layout_[p], columns)) numbers += shares_[p]->numbers(columns[p]);
  return numbers;
}

std::span<const PartKernels> PartSet::in_layout(std::size_t layout) const {
  if (layout + 1 >= first_.size()) return {};  // made later, for another set
  return all().subspan(first_[layout], first_[layout + 1] - first_[layout]);
}

}  // namespace lacuna
