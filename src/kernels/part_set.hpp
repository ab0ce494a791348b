// SPDX-License-Identifier: MIT
// The kernels of all parts, each over the entries of the layout in which its fibers are whole (layouts.hpp),
// and vectors over the entries that go there and come back. The kernels see entries and know of no process;
// what they sum over fibers (a gradient, n_k x r) is summed over processes by who asks for it. On one process
// a vector is where its parts need it, and nothing moves.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/fiber_shares.hpp"
#include "kernels/layouts.hpp"
#include "kernels/part_kernels.hpp"

namespace lacuna {

class PartSet {
 public:
  // The tensor and the communicator must outlive this, or the layouts, which may be shared between sets. The
  // columns of the parts' factors, where they are known, tell what need not be kept to send sums over fibers.
  PartSet(const ObservedTensor& tensor, const std::vector<PartSpec>& parts, const Communicator& everyone);
  PartSet(std::shared_ptr<Layouts> layouts, const std::vector<PartSpec>& parts,
          std::span<const int> columns = {});

  [[nodiscard]] std::size_t size() const { return place_.size(); }
  // In the order given.
  [[nodiscard]] const PartKernels& operator[](std::size_t part) const { return kernels_[place_[part]]; }
  [[nodiscard]] std::size_t layout_of(std::size_t part) const { return layout_[part]; }

  // In the order of their layouts: all, those of one layout, and where a part is among all.
  [[nodiscard]] std::span<const PartKernels> all() const { return kernels_; }
  [[nodiscard]] std::span<const PartKernels> in_layout(std::size_t layout) const;
  [[nodiscard]] std::size_t place(std::size_t part) const { return place_[part]; }
  [[nodiscard]] auto begin() const { return kernels_.begin(); }
  [[nodiscard]] auto end() const { return kernels_.end(); }

  [[nodiscard]] const Layouts& layouts() const { return *layouts_; }
  [[nodiscard]] const Communicator& everyone() const { return layouts_->everyone(); }
  [[nodiscard]] const ObservedTensor& tensor() const { return layouts_->tensor(); }
  [[nodiscard]] Count entries() const { return tensor().size(); }  // of this process

  // Numbers that all processes send when each part, of so many columns, gets z and gives back y.
  [[nodiscard]] Count numbers_per_application(std::span<const int> columns) const;
  // Whether it is less, for the parts of a layout other than the first, to send sums over their fibers than
  // entries.
  [[nodiscard]] bool by_sums(std::size_t layout, std::span<const int> columns) const;
  [[nodiscard]] const FiberShares& shares(std::size_t part) const { return *shares_[part]; }

  // The row of U that entry e of the first layout selects.
  [[nodiscard]] Index home_row(std::size_t part, Count e) const {
    const PartSpec& spec = (*this)[part].part();
    return spec.learns() ? tensor().index(spec.mode)[e] : Index{0};
  }

 private:
  void find_shares(std::span<const int> columns);

  std::shared_ptr<Layouts> layouts_;
  std::vector<std::size_t> layout_;   // of each part
  std::vector<std::size_t> place_;    // of each part among the kernels
  std::vector<PartKernels> kernels_;  // by layout
  std::vector<std::size_t> first_;    // of each layout among the kernels, and the end
  std::vector<std::unique_ptr<const FiberShares>>
      shares_;  // of parts that are not in the first layout, where they may do
};

// A vector over the entries in every layout that has parts. Memory is kept from use to use.
template <class Real>
class PartVector {
 public:
  PartVector() = default;
  explicit PartVector(const PartSet& parts)
      : parts_(&parts), away_(parts.layouts().size()), sums_(parts.layouts().size()) {}

  // z to where each part's fibers are whole; then what part p reads.
  void send(std::span<const Real> z) {
    home_ = z;
    for (std::size_t layout = 1; layout < away_.size(); ++layout) {
      if (!in_use(layout)) continue;
      const Exchange& exchange = parts_->layouts()[layout].dealt->exchange;
      away_[layout].resize(static_cast<std::size_t>(exchange.there()));
      exchange.forth(z, std::span<Real>(away_[layout]));
    }
  }
  [[nodiscard]] std::span<const Real> operator[](std::size_t part) const {
    const std::size_t layout = parts_->layout_of(part);
    return layout == 0 ? home_ : std::span<const Real>(away_[layout]);
  }

  // What part p adds to: y itself, or zeros that bring_back() adds to y.
  void start(std::span<Real> y) {
    to_ = y;
    for (std::size_t layout = 1; layout < sums_.size(); ++layout)
      if (in_use(layout))
        sums_[layout].assign(static_cast<std::size_t>(parts_->layouts()[layout].tensor->size()), Real{0});
  }
  [[nodiscard]] std::span<Real> to(std::size_t part) {
    const std::size_t layout = parts_->layout_of(part);
    return layout == 0 ? to_ : std::span<Real>(sums_[layout]);
  }
  void bring_back() {
    for (std::size_t layout = 1; layout < sums_.size(); ++layout)
      if (in_use(layout))
        parts_->layouts()[layout].dealt->exchange.add_back(std::span<const Real>(sums_[layout]), to_);
  }

 private:
  [[nodiscard]] bool in_use(std::size_t layout) const { return !parts_->in_layout(layout).empty(); }

  const PartSet* parts_ = nullptr;
  std::span<const Real> home_;
  std::span<Real> to_;
  std::vector<std::vector<Real>> away_;  // z, of each layout but the first
  std::vector<std::vector<Real>> sums_;  // y, likewise
};

}  // namespace lacuna
