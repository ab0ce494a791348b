// SPDX-License-Identifier: MIT
#include "dist/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "dist/sum_traffic.hpp"

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

std::int64_t bytes_of_sum(std::int64_t numbers, std::int64_t bytes_of_number, std::int64_t processes) {
  const bool few = numbers <= static_cast<std::int64_t>(kFew);
  return (few ? processes : 2) * (processes - 1) * numbers * bytes_of_number;
}

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

void Communicator::hand_out(std::span<std::byte> bytes) const {
  const auto size = static_cast<std::int64_t>(bytes.size());
  ++sums_.calls;
  if (first()) sums_.bytes += size * (size_ - 1);
  carry_broadcast(bytes.data(), size, 0);
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

// values[i] <- combined(every process's values[i], one in every `stride`).
template <class T, class Combine>
void Communicator::combine(std::span<T> values, Combine&& combined) const {
  const auto processes = static_cast<std::size_t>(size_);
  if (values.size() <= kFew) {
    std::vector<T> all(values.size() * processes);
    gather_bytes(values.data(), values.size_bytes(), all.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = combined(all.data() + i, values.size());
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
  std::vector<T> parts(own * processes);
  all_to_all(std::span<const T>(values), stretches, std::span<T>(parts), owned);
  for (std::size_t i = 0; i < own; ++i) parts[i] = combined(parts.data() + i, own);
  for (std::size_t r = 1; r < processes; ++r)
    std::copy_n(parts.begin(), own, parts.begin() + static_cast<std::ptrdiff_t>(r * own));
  all_to_all(std::span<const T>(parts), owned, values, stretches);
  sums_.calls += exchanges_.calls - before.calls;
  sums_.bytes += exchanges_.bytes - before.bytes;
  exchanges_ = before;
}

template <class Real>
void Communicator::add_up(std::span<Real> values) const {
  combine(values, [this](const Real* first, std::size_t stride) {
    double sum = 0.0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(size_); ++r)
      sum += static_cast<double>(first[r * stride]);
    return static_cast<Real>(sum);
  });
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
  constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words((flags.size() + kBits - 1) / kBits, 0);
  for (std::size_t i = 0; i < flags.size(); ++i)
    words[i / kBits] |= static_cast<std::uint64_t>(flags[i]) << (i % kBits);
  combine(std::span<std::uint64_t>(words), [this](const std::uint64_t* first, std::size_t stride) {
    std::uint64_t bits = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(size_); ++r) bits |= first[r * stride];
    return bits;
  });
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = (words[i / kBits] >> (i % kBits) & 1U) != 0;
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
