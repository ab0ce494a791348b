// SPDX-License-Identifier: MIT
#include "io/shared_modes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "io/text/labels.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr double kMostShared = 0.5;  // of the labels of the mode that has fewer, for two modes to be one set

bool is_plain(const Mode& mode) { return mode.labels.empty() && !mode.binning; }

// A table of triples without a header or values: nobody has named its modes.
bool is_bare_triples(const TensorFile& file) {
  return file.format == Format::kTable && file.table.header.empty() && file.table.value_column < 0 &&
         file.modes.size() == 3 && file.modes[0].name == "mode1" && file.modes[2].name == "mode3";
}

constexpr const char* kLinkNames[] = {"head", "relation", "tail"};

// The mode of this name or number from 1, or -1.
int find_mode(const TensorFile& file, const std::string& name) {
  for (std::size_t k = 0; k < file.modes.size(); ++k)
    if (file.modes[k].name == name) return static_cast<int>(k);
  for (int k = 0; k < 3 && is_bare_triples(file); ++k)
    if (name == kLinkNames[k]) return k;
  std::uint64_t number = 0;
  if (parse_index(name, number) && number >= 1 && number <= file.modes.size())
    return static_cast<int>(number) - 1;
  return -1;
}

void renumber(std::span<Index> positions, const std::vector<Index>& place) {
  for (Index& position : positions) position = place[position];
}

// Puts all labels of mode b that a lacks after a's; returns where those of b are then.
std::vector<Index> merge_labels(const Mode& a, const Mode& b, std::vector<std::string>& all) {
  LabelTable table(a.labels);
  std::vector<Index> place;
  place.reserve(b.labels.size());
  for (const std::string& label : b.labels) (void)table.append(label, place);
  (void)table.settle(place);
  all = table.take();
  return place;
}

void share(TensorFile& file, int first, int second, bool in_order) {
  Mode& a = file.modes[static_cast<std::size_t>(first)];
  Mode& b = file.modes[static_cast<std::size_t>(second)];
  b.same_as = first;
  if (a.labels.empty()) {
    a.size = b.size = std::max(a.size, b.size);
    return;
  }
  std::vector<std::string> all;
  const std::vector<Index> place = merge_labels(a, b, all);
  renumber(file.entries.cells.mode(second), place);
  if (in_order) {  // else a model's own labels come first, in its order
    std::vector<Index> both(file.entries.cells[first].begin(), file.entries.cells[first].end());
    both.insert(both.end(), file.entries.cells[second].begin(), file.entries.cells[second].end());
    order_labels(all, both);
    const auto half = both.begin() + static_cast<std::ptrdiff_t>(file.entries.cells.size());
    std::copy(both.begin(), half, file.entries.cells.mode(first).begin());
    std::copy(half, both.end(), file.entries.cells.mode(second).begin());
  }
  a.labels = b.labels = std::move(all);
  a.size = b.size = static_cast<Index>(a.labels.size());
}

bool are_words(const std::vector<std::string>& labels) {
  return !labels.empty() && std::any_of(labels.begin(), labels.end(), [](const std::string& label) {
    return std::any_of(label.begin(), label.end(), [](unsigned char c) { return std::isdigit(c) == 0; });
  });
}

bool overlap(const Mode& a, const Mode& b) {
  if (!are_words(a.labels) || !are_words(b.labels)) return false;
  const LabelTable table(a.labels);
  const auto shared = std::count_if(b.labels.begin(), b.labels.end(),
                                    [&](const std::string& label) { return table.find(label) != kUnseen; });
  return static_cast<double>(shared) >=
         kMostShared * static_cast<double>(std::min(a.labels.size(), b.labels.size()));
}

void name_links(TensorFile& file, int first, int second) {
  if (!is_bare_triples(file) || first != 0 || second != 2) return;
  for (std::size_t k = 0; k < 3; ++k) file.modes[k].name = kLinkNames[k];
}

Result<> share_stated(const std::string& path, const ReadOptions& options, TensorFile& file) {
  std::vector<int> modes;
  for (const std::string& name : options.same) {
    const int mode = find_mode(file, name);
    if (mode < 0) {
      std::vector<std::string> names;
      for (const Mode& one : file.modes) names.push_back(one.name);
      return usage_error(path,
                         fmt::format("there is no mode {} among {}, expected one of these names or a number "
                                     "from 1 to {}",
                                     quoted(name), fmt::join(names, ", "), names.size()));
    }
    modes.push_back(mode);
  }
  if (modes.size() != 2 || modes[0] == modes[1])
    return usage_error(path, fmt::format("found {} as the modes of one set, expected two such as head,tail",
                                         quoted(fmt::format("{}", fmt::join(options.same, ",")))));
  std::sort(modes.begin(), modes.end());
  const Mode& a = file.modes[static_cast<std::size_t>(modes[0])];
  const Mode& b = file.modes[static_cast<std::size_t>(modes[1])];
  if (is_plain(a) != is_plain(b) || a.binning || b.binning)
    return usage_error(
        path, fmt::format("the modes {} and {} cannot be of one set: expected labels for both, or numbers "
                          "for both",
                          quoted(a.name), quoted(b.name)));
  if (file.dense && a.size != b.size)
    return usage_error(
        path, fmt::format("the modes {} and {} of an array cannot be of one set: found the sizes {} and {}",
                          quoted(a.name), quoted(b.name), a.size, b.size));
  name_links(file, modes[0], modes[1]);
  share(file, modes[0], modes[1], true);
  return Nothing{};
}

}  // namespace

Result<> share_modes(const std::string& path, const ReadOptions& options, TensorFile& file) {
  const int order = static_cast<int>(file.modes.size());
  if (options.known_modes != nullptr) {
    for (int k = 0; k < order; ++k) {
      const int other = (*options.known_modes)[static_cast<std::size_t>(k)].same_as;
      if (other >= 0) share(file, other, k, false);
    }
    return Nothing{};
  }
  if (!options.same.empty() && options.same != std::vector<std::string>{"none"})
    return share_stated(path, options, file);
  if (!options.same.empty() || file.format != Format::kTable || file.table.value_column >= 0)
    return Nothing{};
  for (int a = 0; a < order; ++a)
    for (int b = a + 1; b < order; ++b)
      if (overlap(file.modes[static_cast<std::size_t>(a)], file.modes[static_cast<std::size_t>(b)])) {
        name_links(file, a, b);
        share(file, a, b, true);
        return Nothing{};
      }
  return Nothing{};
}

}  // namespace lacuna::io
