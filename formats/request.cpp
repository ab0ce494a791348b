// SPDX-License-Identifier: MIT
#include "request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/array/dense.hpp"
#include "io/file/inflate.hpp"
#include "io/text/number.hpp"

namespace lacuna::formats {
namespace {

constexpr std::size_t kMostListed = 20;

std::string listed(const std::vector<Candidate>& candidates) {
  std::vector<std::string> out;
  for (const Candidate& one : candidates) {
    if (out.size() == kMostListed) {
      out.emplace_back("...");
      break;
    }
    out.push_back(fmt::format("{} ({} {})", one.name, io::shape_text(one.shape), one.type));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

bool send_header(io::WireWriter& out, const Array& array) {
  json axes = json::array();
  std::vector<std::uint64_t> sizes;
  std::uint64_t cells = 1;
  for (const Axis& axis : array.axes) {
    axes.push_back({{"name", axis.name},
                    {"size", axis.size},
                    {"unit", axis.unit},
                    {"placed", !axis.positions.empty()},
                    {"unfit", axis.unfit}});
    if (!axis.positions.empty()) sizes.push_back(axis.size);
    cells *= axis.size;
  }
  sizes.push_back(cells);
  bool fine = out.header({{"variable", array.variable}, {"dtype", array.dtype}, {"axes", axes}}, sizes);
  for (const Axis& axis : array.axes)
    if (fine && !axis.positions.empty()) fine = out.numbers(axis.positions);
  return fine;
}

// It comes from lacuna itself, and its sizes have been checked there.
Result<ArrayToWrite> receive_array(int descriptor) {
  io::WireReader in(descriptor);
  json header;
  ArrayToWrite out;
  const Error broken{ErrorKind::kInternal, "", "what is to be written did not arrive whole"};
  if (!in.header(header)) return broken;
  out.array.variable = header.at("variable").get<std::string>();
  out.array.dtype = header.at("dtype").get<std::string>();
  std::size_t next = 0;
  for (const json& described : header.at("axes")) {
    Axis axis{.name = described.at("name").get<std::string>(),
              .size = described.at("size").get<std::uint64_t>(),
              .positions = {},
              .unit = described.at("unit").get<std::string>()};
    if (described.at("placed").get<bool>()) {
      axis.positions.resize(in.arrays().at(next++));
      if (!in.numbers(axis.positions)) return broken;
    }
    out.array.axes.push_back(std::move(axis));
  }
  out.value.resize(in.arrays().at(next));
  if (!in.numbers(out.value) || !in.complete()) return broken;
  return out;
}

bool for_each_block(const std::vector<std::uint64_t>& shape,
                    const std::function<bool(const std::vector<std::size_t>& start,
                                             const std::vector<std::size_t>& count)>& visit) {
  // The mode that is cut: those after it are whole, those before it one index at a time.
  std::size_t cut = shape.size() - 1;
  std::uint64_t inner = 1;
  while (cut > 0 && inner * shape[cut] <= kBlock) inner *= shape[cut--];
  const std::uint64_t step = std::clamp<std::uint64_t>(kBlock / inner, 1, shape[cut]);
  std::vector<std::size_t> start(shape.size(), 0);
  std::vector<std::size_t> count(shape.begin(), shape.end());
  std::fill_n(count.begin(), cut, std::size_t{1});
  for (;;) {
    for (start[cut] = 0; start[cut] < shape[cut]; start[cut] += step) {
      count[cut] = std::min(step, shape[cut] - start[cut]);
      if (!visit(start, count)) return false;
    }
    std::size_t k = cut;
    while (k > 0 && ++start[k - 1] == shape[k - 1]) start[--k] = 0;
    if (k == 0) return true;
  }
}

std::uint64_t product(const std::vector<std::uint64_t>& sizes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::uint64_t cells = 1;
  for (const std::uint64_t size : sizes)
    if (__builtin_mul_overflow(cells, size, &cells) || cells > kMost) return kMost;
  return cells;
}

bool are_positions(const std::vector<double>& numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) return false;
  std::vector<double> ascending = numbers;
  std::sort(ascending.begin(), ascending.end());
  return !numbers.empty() && std::adjacent_find(ascending.begin(), ascending.end()) == ascending.end();
}

Result<> check_claim(std::uint64_t file_bytes, std::uint64_t claimed_bytes) {
  if (claimed_bytes / io::kDeflateRatio <= file_bytes) return Nothing{};
  return bad_file(
      fmt::format("found {} bytes that claim to hold {} bytes of numbers", file_bytes, claimed_bytes));
}

std::uint64_t file_size(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && info.st_size > 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::int64_t round_to_type(const io::Dtype& dtype, std::vector<double>& numbers) {
  if (dtype.is_float()) return -1;
  const double bits = 8.0 * static_cast<double>(dtype.size);
  const double low = dtype.kind == 'i' ? -std::exp2(bits - 1.0) : 0.0;
  double high = std::exp2(dtype.kind == 'i' ? bits - 1.0 : bits) - 1.0;
  if (dtype.size == 8) high = std::nextafter(high, 0.0);  // the next double would be beyond the type
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(numbers[i])) return static_cast<std::int64_t>(i);
    numbers[i] = std::clamp(std::nearbyint(numbers[i]), low, high);
  }
  return -1;
}

Result<std::string> choose(const std::vector<Candidate>& candidates, const std::string& asked) {
  if (candidates.empty()) return bad_file("found no array in it");
  for (const Candidate& one : candidates) {
    if (asked.empty() || (one.name != asked && one.name != "/" + asked)) continue;
    if (one.numeric) return one.name;
    return bad_file(
        fmt::format("found {} to be of type {}, expected numbers", io::quoted(one.name), one.type));
  }
  if (!asked.empty())
    return bad_file(
        fmt::format("found no array {}, expected one of: {}", io::quoted(asked), listed(candidates)));
  std::size_t most = 2;
  for (const Candidate& one : candidates)
    if (one.numeric) most = std::max(most, one.shape.size());
  std::vector<Candidate> fitting;
  for (const Candidate& one : candidates)
    if (one.numeric && one.shape.size() == most) fitting.push_back(one);
  if (fitting.size() == 1) return fitting.front().name;
  if (fitting.empty())
    return bad_file(
        fmt::format("found no array of numbers with two modes or more among: {}", listed(candidates)));
  return bad_file(fmt::format("found {} arrays of {} modes, expected one or the name of one: {}",
                              fitting.size(), most, listed(fitting)));
}

}  // namespace lacuna::formats
