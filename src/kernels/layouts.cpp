// SPDX-License-Identifier: MIT
#include "kernels/layouts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tensor/lexicographic_order.hpp"

namespace lacuna {

int Cuts::owner(Index position) const {
  return static_cast<int>(std::upper_bound(start.begin() + 1, start.end() - 1, position) - start.begin()) - 1;
}

std::vector<int> Cuts::owners(const Cells& cells) const {
  std::vector<int> list(static_cast<std::size_t>(cells.size()), 0);
  if (mode == kNoMode) return list;
  for (std::size_t e = 0; e < list.size(); ++e) list[e] = owner(cells.mode(mode)[e]);
  return list;
}

Cuts cut(const Cells& cells, Index extent, int mode, const Communicator& everyone) {
  std::vector<double> count(extent, 0.0);
  for (const Index i : cells.mode(mode)) count[i] += 1.0;
  everyone.sum(count);
  const double all = std::accumulate(count.begin(), count.end(), 0.0);
  Cuts cuts;
  cuts.mode = mode;
  cuts.start = {0};
  double before = 0.0;
  double here = 0.0;
  for (Index i = 0; i < extent; ++i) {
    // The next process begins where that is nearer to its even share than one position later.
    const auto share = [&] { return all * static_cast<double>(cuts.start.size()) / everyone.size(); };
    while (static_cast<int>(cuts.start.size()) < everyone.size() && here > 0.0 &&
           before + 0.5 * count[i] >= share()) {
      cuts.start.push_back(i);
      cuts.entries.push_back(static_cast<Count>(here));
      here = 0.0;
    }
    before += count[i];
    here += count[i];
  }
  cuts.entries.push_back(static_cast<Count>(here));
  cuts.start.resize(static_cast<std::size_t>(everyone.size()), extent);
  cuts.start.push_back(extent);
  cuts.entries.resize(static_cast<std::size_t>(everyone.size()), 0);
  cuts.largest = *std::max_element(cuts.entries.begin(), cuts.entries.end());
  return cuts;
}

Cuts all_on_the_first(Count all_entries, const Communicator& everyone) {
  Cuts cuts;
  cuts.largest = all_entries;
  cuts.entries.resize(static_cast<std::size_t>(everyone.size()), 0);
  cuts.entries.front() = all_entries;
  return cuts;
}

Dealt deal_out(const ObservedTensor& tensor, const Cuts& cuts, const Communicator& everyone) {
  Exchange exchange(everyone, cuts.owners(tensor.cells()));
  const auto size = static_cast<std::size_t>(exchange.there());
  std::vector<std::vector<Index>> arrived(static_cast<std::size_t>(tensor.order()));
  for (int k = 0; k < tensor.order(); ++k) {
    arrived[k].resize(size);
    exchange.forth(tensor.index(k), std::span<Index>(arrived[k]));
  }
  std::vector<int> all_modes(arrived.size());
  std::iota(all_modes.begin(), all_modes.end(), 0);
  Entries entries{.cells = Cells(std::move(arrived)), .value = {}};
  const std::vector<Index> order = lexicographic_order(entries.cells, all_modes);
  exchange.arrange(order);
  for (int k = 0; k < tensor.order(); ++k) {
    std::vector<Index> sorted(size);
    for (std::size_t i = 0; i < size; ++i) sorted[i] = entries.cells.mode(k)[order[i]];
    std::copy(sorted.begin(), sorted.end(), entries.cells.mode(k).begin());
  }
  entries.value.resize(size);
  exchange.forth(tensor.values(), std::span<double>(entries.value));
  if (everyone.any(!tensor.weights().empty())) {
    std::vector<double> ones;
    std::span<const double> weights = tensor.weights();
    if (weights.empty()) weights = ones = std::vector<double>(tensor.values().size(), 1.0);
    entries.weight.resize(size);
    exchange.forth(weights, std::span<double>(entries.weight));
  }
  exchange.rest();
  return {.tensor = ObservedTensor::of_sorted(tensor.modes(), std::move(entries)),
          .exchange = std::move(exchange)};
}

bool agrees(const PartSpec& part, int mode) {
  return std::find(part.agree.begin(), part.agree.end(), mode) != part.agree.end();
}

namespace {

// Which modes are cut: the processes' ranges of positions do not overlap.
std::vector<bool> whole_modes(const ObservedTensor& tensor, const Communicator& everyone) {
  std::vector<bool> whole;
  for (int k = 0; k < tensor.order(); ++k) {
    std::vector<std::int64_t> range;
    if (tensor.size() > 0) {
      const auto [low, high] = std::minmax_element(tensor.index(k).begin(), tensor.index(k).end());
      range = {*low, *high};
    }
    const std::vector<std::int64_t> all = everyone.gather(std::span<const std::int64_t>(range));
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    for (std::size_t i = 0; i < all.size(); i += 2) ranges.emplace_back(all[i], all[i + 1]);
    std::sort(ranges.begin(), ranges.end());
    bool apart = true;
    for (std::size_t i = 1; i < ranges.size(); ++i) apart = apart && ranges[i - 1].second < ranges[i].first;
    whole.push_back(apart);
  }
  return whole;
}

}  // namespace

int next_mode(std::span<const PartSpec* const> parts, const std::vector<Cuts>& cuts) {
  int best = Cuts::kNoMode;
  Count most = 0;
  for (const int mode : parts.front()->agree) {
    const Count count =
        std::count_if(parts.begin(), parts.end(), [&](const PartSpec* part) { return agrees(*part, mode); });
    if (count > most || (count == most && cuts[mode].largest < cuts[best].largest)) {
      most = count;
      best = mode;
    }
  }
  return best;
}

std::vector<Cuts> all_cuts(const ObservedTensor& tensor, const Communicator& everyone) {
  std::vector<Cuts> cuts;
  for (int k = 0; k < tensor.order(); ++k) cuts.push_back(cut(tensor.cells(), tensor.extent(k), k, everyone));
  return cuts;
}

Layouts::Layouts(const ObservedTensor& tensor, const Communicator& everyone)
    : everyone_(&everyone), all_entries_(everyone.sum(tensor.size())) {
  layouts_.push_back(std::make_unique<Layout>());
  layouts_.front()->tensor = &tensor;
  layouts_.front()->largest = static_cast<Count>(everyone.max(static_cast<double>(tensor.size())));
  if (!everyone.alone()) whole_ = whole_modes(tensor, everyone);
}

bool Layouts::whole_in(std::size_t which, const PartSpec& part) const {
  if (everyone_->alone()) return true;
  // What could be divided does not join what cannot, on the first process.
  if (which > 0)
    return layouts_[which]->mode == Cuts::kNoMode ? part.agree.empty() : agrees(part, layouts_[which]->mode);
  return layouts_.front()->largest == all_entries_ ||
         std::any_of(part.agree.begin(), part.agree.end(), [&](int mode) { return whole_[mode]; });
}

void Layouts::add(int mode) {
  const Cuts everything = all_on_the_first(all_entries_, *everyone_);
  const Cuts& cuts = mode == Cuts::kNoMode ? everything : cuts_[mode];
  auto made = std::make_unique<Layout>();
  made->mode = mode;
  made->dealt = std::make_unique<Dealt>(deal_out(tensor(), cuts, *everyone_));
  made->tensor = &made->dealt->tensor;
  made->crossing = everyone_->sum(made->dealt->exchange.crossing());
  made->largest = cuts.largest;
  layouts_.push_back(std::move(made));
}

std::vector<std::size_t> Layouts::find(std::span<const PartSpec> parts) {
  const auto layout_of = [&](const PartSpec& part) {
    std::size_t which = 0;
    while (which < size() && !whole_in(which, part)) ++which;
    return which;
  };
  for (;;) {
    std::vector<const PartSpec*> homeless;
    for (const PartSpec& part : parts)
      if (layout_of(part) == size()) homeless.push_back(&part);
    if (homeless.empty()) break;
    if (cuts_.empty()) cuts_ = all_cuts(tensor(), *everyone_);
    add(next_mode(homeless, cuts_));
  }
  std::vector<std::size_t> found;
  for (const PartSpec& part : parts) found.push_back(layout_of(part));
  return found;
}

std::optional<ObservedTensor> with_whole_fibers(const ObservedTensor& portion, const PartSpec& part,
                                                const Communicator& everyone) {
  if (everyone.alone()) return std::nullopt;
  Cuts most_even;
  for (const int mode : part.agree) {
    Cuts cuts = cut(portion.cells(), portion.extent(mode), mode, everyone);
    if (most_even.mode == Cuts::kNoMode || cuts.largest < most_even.largest) most_even = std::move(cuts);
  }
  return std::move(deal_out(portion, most_even, everyone).tensor);
}

}  // namespace lacuna
