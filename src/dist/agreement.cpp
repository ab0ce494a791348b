// SPDX-License-Identifier: MIT
#include "dist/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_set>

namespace lacuna {
namespace {

// Strings one after the other, each behind its length.
void pack(std::string_view text, std::vector<char>& bytes) {
  const auto length = static_cast<std::uint32_t>(text.size());
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(length) + text.size());
  std::memcpy(bytes.data() + at, &length, sizeof(length));
  if (!text.empty()) std::memcpy(bytes.data() + at + sizeof(length), text.data(), text.size());
}

template <class Visit>
void unpack(const std::vector<char>& bytes, Visit&& visit) {
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof(length));
    at += sizeof(length);
    visit(std::string_view(bytes.data() + at, length));
    at += length;
  }
}

// FNV-1a: the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash ^ hash >> 32U;
}

}  // namespace

Result<> agreed(const Communicator& everyone, const Result<>& here) {
  if (everyone.alone()) return here;
  const auto found = static_cast<std::int64_t>(here ? 0 : 1);
  const std::vector<std::int64_t> all = everyone.gather(std::span<const std::int64_t>(&found, 1));
  const auto failed = std::find(all.begin(), all.end(), 1);
  if (failed == all.end()) return here;
  const int who = static_cast<int>(failed - all.begin());
  Error error = here ? Error{} : here.error();
  error.where = everyone.broadcast(error.where, who);
  error.what = everyone.broadcast(error.what, who);
  error.kind = static_cast<ErrorKind>(
      std::stoi(everyone.broadcast(std::to_string(static_cast<int>(error.kind)), who)));
  return error;
}

// Each string goes to the process that its hash names, which keeps one of each; those are handed to everyone.
std::vector<std::string> all_of_them(const Communicator& everyone, std::vector<std::string> mine) {
  if (everyone.alone()) return mine;
  const auto processes = static_cast<std::size_t>(everyone.size());
  std::vector<std::vector<char>> to(processes);
  for (const std::string& text : mine) pack(text, to[hash_of(text) % processes]);
  mine = {};
  std::vector<char> bytes;
  std::vector<std::int64_t> counts;
  for (std::vector<char>& one : to) {
    counts.push_back(static_cast<std::int64_t>(one.size()));
    bytes.insert(bytes.end(), one.begin(), one.end());
    one = {};
  }
  const std::vector<char> arrived = everyone.all_to_all(std::span<const char>(bytes), counts);
  bytes.clear();
  std::unordered_set<std::string_view> seen;
  unpack(arrived, [&](std::string_view text) {
    if (seen.insert(text).second) pack(text, bytes);
  });
  std::vector<std::string> all;
  unpack(everyone.gather(std::span<const char>(bytes)),
         [&](std::string_view text) { all.emplace_back(text); });
  return all;
}

}  // namespace lacuna
