// SPDX-License-Identifier: MIT
#include "dist/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lacuna {
namespace {

// Up to this many numbers everyone gets everyone's and adds them up: one message each way. Of longer lists each
// process adds up a stretch, and the stretches are put together: twice the list, however many processes there are.
constexpr std::size_t kFew = 64;

class SerialCommunicator final : public Communicator {
 public:
  SerialCommunicator() : Communicator(0, 1) {}

 private:
  void carry_all_to_all(const std::byte*, std::span<const std::int64_t>, std::byte*,
                        std::span<const std::int64_t>) const override {}
  void carry_gather(const std::byte*, std::int64_t, std::byte*) const override {}
  void carry_broadcast(std::byte*, std::int64_t, int) const override {}
};

}  // namespace

const Communicator& serial_communicator() {
  static const SerialCommunicator serial;
  return serial;
}

std::int64_t Communicator::total(std::span<const std::int64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

void Communicator::gather_bytes(const void* mine, std::size_t bytes, void* all) const {
  if (alone()) {
    std::memcpy(all, mine, bytes);
    return;
  }
  ++sums_.calls;
  sums_.bytes += static_cast<std::int64_t>(bytes) * (size_ - 1);
  carry_gather(static_cast<const std::byte*>(mine), static_cast<std::int64_t>(bytes),
               static_cast<std::byte*>(all));
}

void Communicator::send(std::span<const std::byte> values, std::span<const std::int64_t> counts,
                        std::span<std::byte> received, std::span<const std::int64_t> from,
                        std::size_t element) const {
  if (alone()) {
    if (!values.empty()) std::memcpy(received.data(), values.data(), values.size());
    return;
  }
  std::vector<std::int64_t> out(counts.begin(), counts.end());
  std::vector<std::int64_t> in(from.begin(), from.end());
  for (std::int64_t& count : out) count *= static_cast<std::int64_t>(element);
  for (std::int64_t& count : in) count *= static_cast<std::int64_t>(element);
  ++exchanges_.calls;
  exchanges_.bytes += total(out) - out[static_cast<std::size_t>(rank_)];
  carry_all_to_all(values.data(), out, received.data(), in);
}

std::vector<std::int64_t> Communicator::transposed(std::span<const std::int64_t> counts) const {
  const auto processes = static_cast<std::size_t>(size_);
  std::vector<std::int64_t> all(processes * processes);
  gather_bytes(counts.data(), counts.size_bytes(), all.data());
  std::vector<std::int64_t> from(processes);
  for (std::size_t r = 0; r < processes; ++r) from[r] = all[r * processes + static_cast<std::size_t>(rank_)];
  return from;
}

template <class Real>
void Communicator::add_up(std::span<Real> values) const {
  const auto processes = static_cast<std::size_t>(size_);
  if (values.size() <= kFew) {
    std::vector<Real> all(values.size() * processes);
    gather_bytes(values.data(), values.size_bytes(), all.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      double sum = 0.0;
      for (std::size_t r = 0; r < processes; ++r) sum += static_cast<double>(all[r * values.size() + i]);
      values[i] = static_cast<Real>(sum);
    }
    return;
  }
  const auto begin = [&](std::size_t r) { return values.size() * r / processes; };
  const auto me = static_cast<std::size_t>(rank_);
  const std::size_t own = begin(me + 1) - begin(me);
  std::vector<std::int64_t> stretches(processes);
  for (std::size_t r = 0; r < processes; ++r)
    stretches[r] = static_cast<std::int64_t>(begin(r + 1) - begin(r));
  const std::vector<std::int64_t> owned(processes, static_cast<std::int64_t>(own));
  const Traffic before = exchanges_;
  std::vector<Real> parts(own * processes);
  all_to_all(std::span<const Real>(values), stretches, std::span<Real>(parts), owned);
  for (std::size_t i = 0; i < own; ++i) {
    double sum = 0.0;
    for (std::size_t r = 0; r < processes; ++r) sum += static_cast<double>(parts[r * own + i]);
    parts[i] = static_cast<Real>(sum);
  }
  for (std::size_t r = 1; r < processes; ++r)
    std::copy_n(parts.begin(), own, parts.begin() + static_cast<std::ptrdiff_t>(r * own));
  all_to_all(std::span<const Real>(parts), owned, values, stretches);
  sums_.calls += exchanges_.calls - before.calls;
  sums_.bytes += exchanges_.bytes - before.bytes;
  exchanges_ = before;
}

template void Communicator::add_up(std::span<double> values) const;
template void Communicator::add_up(std::span<float> values) const;

std::int64_t Communicator::sum(std::int64_t value) const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
  gather_bytes(&value, sizeof(value), all.data());
  return total(all);
}

double Communicator::max(double value) const {
  if (alone()) return value;
  std::vector<double> all(static_cast<std::size_t>(size_));
  gather_bytes(&value, sizeof(value), all.data());
  return *std::max_element(all.begin(), all.end());
}

void Communicator::any(std::vector<bool>& flags) const {
  if (alone()) return;
  std::vector<float> counts(flags.begin(), flags.end());
  sum(std::span<float>(counts));
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = counts[i] > 0.0F;
}

std::string Communicator::broadcast(std::string text, int from) const {
  if (alone()) return text;
  std::int64_t length = 0;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size_));
  length = static_cast<std::int64_t>(text.size());
  gather_bytes(&length, sizeof(length), lengths.data());
  text.resize(static_cast<std::size_t>(lengths[static_cast<std::size_t>(from)]));
  if (rank_ == from) exchanges_.bytes += static_cast<std::int64_t>(text.size()) * (size_ - 1);
  carry_broadcast(reinterpret_cast<std::byte*>(text.data()), static_cast<std::int64_t>(text.size()), from);
  return text;
}

}  // namespace lacuna
