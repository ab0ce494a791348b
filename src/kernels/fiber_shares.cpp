// SPDX-License-Identifier: MIT
#include "kernels/fiber_shares.hpp"

#include <numeric>
#include <unordered_map>

#include "base/parallel.hpp"
#include "dist/exchange.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

bool same_key(const Cells& cells, std::span<const int> modes, Count a, Count b) {
  for (const int k : modes)
    if (cells.mode(k)[a] != cells.mode(k)[b]) return false;
  return true;
}

int hash_owner(const Cells& keys, Count fiber, int processes) {
  std::uint64_t hash = 0;
  for (int k = 0; k < keys.order(); ++k) {
    hash = (hash ^ keys.mode(k)[fiber]) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return static_cast<int>(hash % static_cast<std::uint64_t>(processes));
}

// The keys that processes sent here, and who did.
struct Arrived {
  Cells keys;
  std::vector<int> from;
};

Arrived send_keys(const Cells& keys, const Exchange& exchange, std::span<const std::int64_t> counts) {
  std::vector<std::vector<Index>> arrived(static_cast<std::size_t>(keys.order()));
  for (int k = 0; k < keys.order(); ++k) {
    arrived[k].resize(static_cast<std::size_t>(exchange.there()));
    exchange.forth(keys.mode(k), std::span<Index>(arrived[k]));
  }
  std::vector<int> from;
  for (std::size_t r = 0; r < counts.size(); ++r)
    from.insert(from.end(), static_cast<std::size_t>(counts[r]), static_cast<int>(r));
  return {.keys = Cells(std::move(arrived)), .from = std::move(from)};
}

}  // namespace

FiberShares::FiberShares(const ObservedTensor& mine, const PartSpec& part, const Communicator& everyone)
    : everyone_(&everyone) {
  if (part.learns()) rows_ = mine.index(part.mode);
  list_fibers(mine, part);
  // The positions of each fiber along the modes that agree; a part in which none does has one fiber.
  std::vector<std::vector<Index>> keys;
  for (const int k : part.agree) {
    std::vector<Index>& along = keys.emplace_back();
    for (Count f = 0; f < fibers(); ++f) along.push_back(mine.index(k)[order_[start_[f]]]);
  }
  if (keys.empty()) keys.emplace_back(static_cast<std::size_t>(fibers()), Index{0});
  find_others(Cells(std::move(keys)));
}

void FiberShares::list_fibers(const ObservedTensor& mine, const PartSpec& part) {
  if (part.agree.empty()) {
    order_.resize(static_cast<std::size_t>(mine.size()));
    std::iota(order_.begin(), order_.end(), Index{0});
  } else {
    order_ = lexicographic_order(mine.cells(), part.agree);
  }
  for (Count j = 0; j < mine.size(); ++j)
    if (j == 0 || !same_key(mine.cells(), part.agree, order_[j - 1], order_[j]))
      start_.push_back(static_cast<Index>(j));
  start_.push_back(static_cast<Index>(mine.size()));
}

// Each key goes to the process that its hash names. There it is seen who has it: the first of them puts the
// sums together, and all are told who that is and what the fiber is called.
void FiberShares::find_others(const Cells& keys) {
  std::vector<int> owner(static_cast<std::size_t>(fibers()));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(everyone_->size()), 0);
  for (Count f = 0; f < fibers(); ++f)
    ++counts[static_cast<std::size_t>(owner[f] = hash_owner(keys, f, everyone_->size()))];
  const Exchange exchange(*everyone_, owner);
  const Arrived all = send_keys(keys, exchange, everyone_->transposed(counts));

  std::vector<int> modes(static_cast<std::size_t>(keys.order()));
  std::iota(modes.begin(), modes.end(), 0);
  const std::vector<Index> order = lexicographic_order(all.keys, modes);
  std::vector<std::int64_t> home(order.size(), 0);  // 1 + rank; 0: nobody else has it
  std::vector<std::int64_t> name(order.size(), 0);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (end = begin; end < order.size() && same_key(all.keys, modes, order[begin], order[end]);) ++end;
    if (end - begin < 2) continue;
    extra_ += static_cast<Count>(end - begin) - 1;
    for (std::size_t i = begin; i < end; ++i) {
      home[order[i]] = 1 + all.from[order[begin]];
      name[order[i]] = static_cast<std::int64_t>(begin) * everyone_->size() + everyone_->rank();
    }
  }
  extra_ = everyone_->sum(extra_);
  std::vector<std::int64_t> my_home(owner.size(), 0);
  std::vector<std::int64_t> my_name(owner.size(), 0);
  exchange.add_back(std::span<const std::int64_t>(home), std::span<std::int64_t>(my_home));
  exchange.add_back(std::span<const std::int64_t>(name), std::span<std::int64_t>(my_name));

  std::unordered_map<std::int64_t, Index> fiber_called;
  to_.assign(counts.size(), 0);
  std::vector<std::vector<Index>> sent(counts.size());
  for (Count f = 0; f < fibers(); ++f) {
    if (my_home[f] == 0) continue;
    const auto who = static_cast<std::size_t>(my_home[f] - 1);
    if (static_cast<int>(who) == everyone_->rank())
      fiber_called.emplace(my_name[f], static_cast<Index>(f));
    else
      sent[who].push_back(static_cast<Index>(f));
  }
  std::vector<std::int64_t> names;
  for (std::size_t r = 0; r < sent.size(); ++r) {
    to_[r] = static_cast<std::int64_t>(sent[r].size());
    for (const Index f : sent[r]) {
      sent_.push_back(f);
      names.push_back(my_name[f]);
    }
  }
  from_ = everyone_->transposed(to_);
  for (const std::int64_t one : everyone_->all_to_all(std::span<const std::int64_t>(names), to_))
    taken_.push_back(fiber_called.at(one));
}

template <class Real>
void FiberShares::add_up(std::span<Real> sums, int columns) const {
  const auto times = [&](std::vector<std::int64_t> counts) {
    for (std::int64_t& count : counts) count *= columns;
    return counts;
  };
  const std::vector<std::int64_t> to = times(to_);
  const std::vector<std::int64_t> from = times(from_);
  const auto wide = static_cast<std::size_t>(columns);
  std::vector<Real> out(sent_.size() * wide);
  std::vector<Real> in(taken_.size() * wide);
  for (std::size_t i = 0; i < sent_.size(); ++i) std::copy_n(&sums[sent_[i] * wide], wide, &out[i * wide]);
  everyone_->all_to_all(std::span<const Real>(out), to, std::span<Real>(in), from);
  for (std::size_t i = 0; i < taken_.size(); ++i)
    for (std::size_t j = 0; j < wide; ++j) sums[taken_[i] * wide + j] += in[i * wide + j];
  for (std::size_t i = 0; i < taken_.size(); ++i) std::copy_n(&sums[taken_[i] * wide], wide, &in[i * wide]);
  everyone_->all_to_all(std::span<const Real>(in), from, std::span<Real>(out), to);
  for (std::size_t i = 0; i < sent_.size(); ++i) std::copy_n(&out[i * wide], wide, &sums[sent_[i] * wide]);
}

template <class Real>
void FiberShares::add_product(const FactorTable<Real>& u, double lambda, std::span<const Real> z,
                              std::span<Real> y) const {
  const int columns = u.columns();
  const auto wide = static_cast<std::size_t>(columns);
  std::vector<Real> sums(static_cast<std::size_t>(fibers()) * wide, Real{0});
  const auto for_each_fiber = [&](auto&& body) {
    const Count count = fibers();
#pragma omp parallel for num_threads(thread_count()) schedule(dynamic, 64)
    for (Count f = 0; f < count; ++f)
      body(&sums[static_cast<std::size_t>(f) * wide], start_[f], start_[f + 1]);
  };
  for_each_fiber([&](Real* t, Count begin, Count end) {
    for (Count j = begin; j < end; ++j) {
      const Real* const own = u.row(row(order_[j]));
      for (int c = 0; c < columns; ++c) t[c] += z[order_[j]] * own[c];
    }
  });
  add_up<Real>(sums, columns);
  for_each_fiber([&](const Real* t, Count begin, Count end) {
    for (Count j = begin; j < end; ++j) {
      const Real* const own = u.row(row(order_[j]));
      Real product = 0;
      for (int c = 0; c < columns; ++c) product += own[c] * t[c];
      y[order_[j]] += static_cast<Real>(lambda) * product;
    }
  });
}

template <class Real>
void FiberShares::add_diagonal(const FactorTable<Real>& u, double lambda, std::span<float> diagonal) const {
  std::vector<float> norms(static_cast<std::size_t>(u.rows()));
  for (Count i = 0; i < u.rows(); ++i)
    norms[i] = static_cast<float>(lambda * static_cast<double>(row_product(u, u, i)));
  for (std::size_t e = 0; e < diagonal.size(); ++e) diagonal[e] += norms[row(static_cast<Index>(e))];
}

template void FiberShares::add_product(const FactorTable<double>&, double, std::span<const double>,
                                       std::span<double>) const;
template void FiberShares::add_product(const FactorTable<float>&, double, std::span<const float>,
                                       std::span<float>) const;
template void FiberShares::add_diagonal(const FactorTable<double>&, double, std::span<float>) const;
template void FiberShares::add_diagonal(const FactorTable<float>&, double, std::span<float>) const;

}  // namespace lacuna
