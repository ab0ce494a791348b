// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/model/side.hpp>
#include <map>
#include <stdexcept>

#include "linalg/graph_vectors.hpp"

namespace lacuna {
namespace {

constexpr double kFarthest = 4.0;  // deviations from the mean: more would let a few positions decide all
// Share of the positions from which on lacking a feature is one itself.
constexpr double kOftenMissing = 0.05;
constexpr std::size_t kMostCategories = 64;  // of a feature
constexpr double kLeastCovered = 0.2;        // of the positions, by categories that others have too
constexpr int kGraphColumns = 64;
// The eigenvalues of L lie in 0..2. With 0.1 what is shared by a neighbourhood counts ten times what is not.
constexpr double kGraphRidge = 0.1;

// Sparse rows while their columns are added one by one.
class Rows {
 public:
  explicit Rows(Index size) : rows_(size) {}

  void begin_column(std::string name) { names_.push_back(std::move(name)); }
  void add(Index position, double value) {
    if (value != 0.0) rows_[position].emplace_back(static_cast<Index>(names_.size() - 1), value);
  }

  [[nodiscard]] std::size_t columns() const { return names_.size(); }
  // Scaled to a mean squared length.
  [[nodiscard]] SideInformation finished(double mean_square) const {
    SideInformation side{.names = names_};
    double square = 0.0;
    for (const auto& row : rows_) {
      for (const auto& [column, value] : row) {
        side.column.push_back(column);
        side.value.push_back(value);
        square += value * value;
      }
      side.start.push_back(static_cast<std::int64_t>(side.value.size()));
    }
    const double scale = std::sqrt(mean_square * static_cast<double>(rows_.size()) / square);
    if (square > 0.0)
      for (double& value : side.value) value *= scale;
    return side;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::pair<Index, double>>> rows_;
};

// The words of a position, each once.
std::vector<std::string> split(const std::string& words, char separator) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end =
        separator == '\0' ? words.size() : std::min(words.find(separator, begin), words.size());
    std::string word = words.substr(begin, end - begin);
    if (!word.empty() && std::find(list.begin(), list.end(), word) == list.end())
      list.push_back(std::move(word));
    begin = end + 1;
  }
  return list;
}

bool is_known(const Feature& feature, Index i) {
  return feature.words.empty() ? !std::isnan(feature.numbers[i]) : !feature.words[i].empty();
}

void check(Index size, const Feature& feature) {
  const std::size_t length = feature.words.empty() ? feature.numbers.size() : feature.words.size();
  if (length != size || (!feature.words.empty() && !feature.numbers.empty()))
    throw std::invalid_argument("the feature " + feature.name + " has " + std::to_string(length) +
                                " values for " + std::to_string(size) + " positions");
  for (const double number : feature.numbers)
    if (std::isinf(number))
      throw std::invalid_argument("the feature " + feature.name + " is infinite somewhere");
}

// False when all known numbers are the same.
bool add_numbers(const Feature& feature, const std::string& name, const std::vector<bool>& listed,
                 Rows& rows) {
  double count = 0.0;
  double sum = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (listed[i] && !std::isnan(feature.numbers[i])) {
      count += 1.0;
      sum += feature.numbers[i];
      largest = std::max(largest, std::abs(feature.numbers[i]));
    }
  const double mean = sum / count;
  double squares = 0.0;
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (listed[i] && !std::isnan(feature.numbers[i]))
      squares += (feature.numbers[i] - mean) * (feature.numbers[i] - mean);
  const double deviation = std::sqrt(squares / count);
  constexpr double kRounding = 1e-12;
  if (!(deviation > kRounding * largest)) return false;
  rows.begin_column(name);
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (listed[i] && !std::isnan(feature.numbers[i]))
      rows.add(static_cast<Index>(i),
               std::clamp((feature.numbers[i] - mean) / deviation, -kFarthest, kFarthest));
  return true;
}

// False when hardly two positions have one in common.
bool add_categories(const Feature& feature, Rows& rows) {
  std::map<std::string, Index> holders;
  double known = 0.0;
  for (const std::string& words : feature.words) {
    known += words.empty() ? 0.0 : 1.0;
    for (const std::string& word : split(words, feature.separator)) ++holders[word];
  }
  std::vector<std::pair<std::string, Index>> common(holders.begin(), holders.end());
  std::erase_if(common, [](const auto& one) { return one.second < 2; });
  std::stable_sort(common.begin(), common.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (common.size() > kMostCategories) common.resize(kMostCategories);
  std::map<std::string, std::vector<Index>> chosen;
  for (const auto& one : common) chosen[one.first];
  std::vector<double> several(feature.words.size(), 0.0);  // of the chosen categories, for each position
  for (std::size_t i = 0; i < feature.words.size(); ++i)
    for (const std::string& word : split(feature.words[i], feature.separator))
      if (const auto found = chosen.find(word); found != chosen.end()) {
        found->second.push_back(static_cast<Index>(i));
        several[i] += 1.0;
      }
  const auto covered =
      static_cast<double>(std::count_if(several.begin(), several.end(), [](double n) { return n > 0.0; }));
  const bool all_alike = chosen.size() == 1 && covered == static_cast<double>(feature.words.size());
  if (chosen.empty() || covered < kLeastCovered * known || all_alike) return false;
  for (const auto& [word, positions] : chosen) {
    rows.begin_column(feature.name + "=" + word);
    for (const Index i : positions) rows.add(i, 1.0 / std::sqrt(several[i]));
  }
  return true;
}

}  // namespace

SideInformation side_of_features(Index size, const std::vector<Feature>& features,
                                 std::vector<std::string>* left_out) {
  std::vector<bool> listed(size, false);  // positions of which anything is known
  for (const Feature& feature : features) {
    check(size, feature);
    for (Index i = 0; i < size; ++i) listed[i] = listed[i] || is_known(feature, i);
  }
  const auto all = static_cast<double>(std::count(listed.begin(), listed.end(), true));
  Rows rows(size);
  for (const Feature& feature : features) {
    const bool told = feature.words.empty() ? add_numbers(feature, feature.name, listed, rows)
                                            : add_categories(feature, rows);
    if (!told) {
      if (left_out != nullptr)
        left_out->push_back("column " + feature.name + " is left out: " +
                            (feature.words.empty() ? "it is the same everywhere"
                                                   : "hardly any two have the same in it, or all have"));
      continue;
    }
    Feature missing{.name = feature.name + " missing"};
    double lacking = 0.0;
    for (Index i = 0; i < size; ++i) {
      missing.numbers.push_back(is_known(feature, i) ? 0.0 : 1.0);
      lacking += listed[i] && !is_known(feature, i) ? 1.0 : 0.0;
    }
    if (lacking > kOftenMissing * all) (void)add_numbers(missing, missing.name, listed, rows);
  }
  if (rows.columns() == 0) return rows.finished(1.0);
  rows.begin_column("all");
  for (Index i = 0; i < size; ++i) rows.add(i, 1.0);
  return rows.finished(1.0);
}

SideInformation side_of_graph(Index size, const std::vector<GraphEdge>& edges) {
  for (const GraphEdge& edge : edges) {
    if (edge.from >= size || edge.to >= size)
      throw std::invalid_argument("an edge to position " + std::to_string(std::max(edge.from, edge.to)) +
                                  " (0-based) of a mode of size " + std::to_string(size));
    if (!(edge.weight >= 0.0) || !std::isfinite(edge.weight))
      throw std::invalid_argument("an edge of weight " + std::to_string(edge.weight) +
                                  ", expected a number >= 0");
  }
  std::vector<WeightedPair> pairs;
  for (const GraphEdge& edge : edges)
    pairs.push_back({.first = edge.from, .second = edge.to, .weight = edge.weight});
  const GraphVectors found = graph_vectors(size, pairs, kGraphColumns);
  Rows rows(size);
  for (Eigen::Index c = 0; c < found.vectors.cols(); ++c) {
    rows.begin_column("graph " + std::to_string(c + 1));
    const double weight = 1.0 / std::sqrt(kGraphRidge + std::max(0.0, found.laplacian(c)));
    for (Index i = 0; i < size; ++i)
      if (found.connected[i]) rows.add(i, weight * found.vectors(i, c));
  }
  return rows.finished(1.0);
}

SideInformation both_sides(const SideInformation& first, const SideInformation& second) {
  if (first.columns() == 0 || second.columns() == 0) return first.columns() == 0 ? second : first;
  if (first.positions() != second.positions())
    throw std::invalid_argument("side information about " + std::to_string(first.positions()) +
                                " and about " + std::to_string(second.positions()) + " positions");
  SideInformation both{.names = first.names};
  both.names.insert(both.names.end(), second.names.begin(), second.names.end());
  const double half = std::sqrt(0.5);
  for (std::int64_t i = 0; i < first.positions(); ++i) {
    for (std::int64_t j = first.start[i]; j < first.start[i + 1]; ++j) {
      both.column.push_back(first.column[j]);
      both.value.push_back(half * first.value[j]);
    }
    for (std::int64_t j = second.start[i]; j < second.start[i + 1]; ++j) {
      both.column.push_back(static_cast<std::uint32_t>(first.columns() + second.column[j]));
      both.value.push_back(half * second.value[j]);
    }
    both.start.push_back(static_cast<std::int64_t>(both.value.size()));
  }
  return both;
}

}  // namespace lacuna
