// SPDX-License-Identifier: MIT
// Model files (docs/format.md): the header is changed as text or as JSON, the arrays as bytes or as numbers, and then
// the length, the padding and the checksum are made true. Likewise files of lines of JSON, which have no sum.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "mutate.hpp"

namespace lacuna::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kMagic = 8, kLength = 8, kSum = 8, kAligned = 64;
constexpr int kDeepest =
    64;  // what the reader takes; dumping deeper ones would take this program's own stack

std::size_t pick(Random& random, std::size_t count) { return random() % count; }

void list_nodes(json& node, std::vector<json*>& nodes) {
  nodes.push_back(&node);
  if (node.is_structured())
    for (json& child : node) list_nodes(child, nodes);
}

json strange_number(Random& random) {
  const std::vector<json> strange = {0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     7,
                                     64,
                                     255,
                                     65536,
                                     2147483647,
                                     4294967294U,
                                     4294967295U,
                                     4294967296U,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::uint64_t>::max(),
                                     0.5,
                                     -0.0,
                                     1e300,
                                     -1e300,
                                     1e-320,
                                     2.5};
  return strange[pick(random, strange.size())];
}

void change_json(json& header, Random& random) {
  std::vector<json*> nodes;
  list_nodes(header, nodes);
  json& node = *nodes[pick(random, nodes.size())];
  const json other = *nodes[pick(random, nodes.size())];
  switch (pick(random, 8)) {
    case 0:
      node = other;
      return;
    case 1:
      node = json::array({node});
      return;
    case 2:
      node = std::vector<json>{nullptr, true, "", "latent", json::object(), json::array()}[pick(random, 6)];
      return;
    case 3:  // one element or key less
      if (node.is_structured() && !node.empty())
        node.erase(std::next(node.begin(), pick(random, node.size())));
      return;
    case 4:  // one more
      if (node.is_array()) node.push_back(node.empty() ? other : node[pick(random, node.size())]);
      if (node.is_object()) node["near"] = other;
      return;
    case 5:
      if (node.is_number_integer())  // around the end, too
        node = static_cast<std::int64_t>(static_cast<std::uint64_t>(node.get<std::int64_t>()) +
                                         (random() % 2 == 0 ? 1U : ~std::uint64_t{0}));
      return;
    default:
      node = strange_number(random);
  }
}

// Of the numbers in the arrays, one.
void change_number(Bytes& arrays, Random& random) {
  if (arrays.size() < sizeof(double)) return;
  const std::vector<double> strange = {0.0,
                                       -0.0,
                                       1.0,
                                       -1.0,
                                       1e300,
                                       -1e300,
                                       5e-324,
                                       1e154,
                                       4.0,
                                       std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::infinity()};
  const double value = strange[pick(random, strange.size())];
  std::memcpy(arrays.data() + pick(random, arrays.size() / sizeof value) * sizeof value, &value,
              sizeof value);
}

// A text as JSON, changed in up to three places; or as it was, where it is none.
void change_text(Bytes& text, Random& random) {
  int deepest = 0;
  json read = json::parse(
      text.begin(), text.end(),
      [&](int depth, json::parse_event_t, json&) {
        deepest = std::max(deepest, depth);
        return depth < kDeepest;
      },
      false);
  if (read.is_discarded() || deepest >= kDeepest) return;
  for (std::size_t changes = 1 + pick(random, 3); changes > 0; --changes) change_json(read, random);
  const std::string changed = read.dump(-1, ' ', false, json::error_handler_t::replace);
  text.assign(changed.begin(), changed.end());
}

void append(Bytes& out, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

}  // namespace

void change_model(Bytes& file, std::size_t most, Random& random) {
  if (file.size() < kMagic + kLength + kSum) return mutate_bytes(file, most);
  std::uint64_t length = 0;
  std::memcpy(&length, file.data() + kMagic, kLength);
  const std::size_t room = file.size() - kMagic - kLength - kSum;
  if (length > room) return mutate_bytes(file, most);
  const auto header_begin = file.begin() + kMagic + kLength;
  const auto header_end = header_begin + static_cast<std::ptrdiff_t>(length);
  Bytes header(header_begin, header_end);
  Bytes arrays(header_end, file.end() - kSum);
  while (!header.empty() && header.back() == ' ') header.pop_back();

  switch (pick(random, 4)) {
    case 0:
      mutate_bytes(header, most);
      break;
    case 1:
      if (random() % 2 == 0)
        mutate_bytes(arrays, most);
      else
        change_number(arrays, random);
      break;
    default:
      change_text(header, random);
  }
  header.resize((kMagic + kLength + header.size() + kAligned - 1) / kAligned * kAligned - kMagic - kLength,
                ' ');
  file.resize(kMagic);
  append(file, header.size());
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), arrays.begin(), arrays.end());
  append(file, crc32(0, file.data(), static_cast<uInt>(file.size())));
}

void change_lines(Bytes& file, std::size_t most, Random& random) {
  std::vector<std::pair<Bytes::iterator, Bytes::iterator>> lines;
  for (auto begin = file.begin(); begin != file.end();) {
    const auto end = std::find(begin, file.end(), '\n');
    lines.emplace_back(begin, end);
    begin = end == file.end() ? end : end + 1;
  }
  if (lines.size() < 2) return mutate_bytes(file, most);
  const auto [begin, end] = lines[1 + pick(random, lines.size() - 1)];
  Bytes line(begin, end);
  if (random() % 4 == 0)
    mutate_bytes(line, most);
  else
    change_text(line, random);
  file.insert(file.erase(begin, end), line.begin(), line.end());
}

}  // namespace lacuna::fuzz
