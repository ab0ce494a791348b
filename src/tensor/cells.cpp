// SPDX-License-Identifier: MIT
#include <lacuna/tensor/tensor.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace lacuna {
namespace {

void check_order(std::size_t found, int expected) {
  if (found != static_cast<std::size_t>(expected))
    throw std::invalid_argument("cells of " + std::to_string(found) + " modes, expected " +
                                std::to_string(expected));
}

}  // namespace

Cells::Cells(int order) {
  if (order < 0) throw std::invalid_argument("cells need a number of modes >= 0");
  positions_.resize(static_cast<std::size_t>(order));
}

Cells::Cells(std::vector<std::vector<Index>> positions) : positions_(std::move(positions)) {
  for (std::size_t k = 1; k < positions_.size(); ++k)
    if (positions_[k].size() != positions_[0].size())
      throw std::invalid_argument("mode " + std::to_string(k + 1) + " lists " +
                                  std::to_string(positions_[k].size()) + " positions, mode 1 lists " +
                                  std::to_string(positions_[0].size()));
}

void Cells::add(std::span<const Index> cell) {
  check_order(cell.size(), order());
  for (std::size_t k = 0; k < cell.size(); ++k) positions_[k].push_back(cell[k]);
}

void Cells::add(const Cells& from, Count cell) {
  check_order(from.positions_.size(), order());
  for (std::size_t k = 0; k < positions_.size(); ++k) positions_[k].push_back(from.positions_[k][cell]);
}

void Cells::append(const Cells& others) {
  check_order(others.positions_.size(), order());
  for (std::size_t k = 0; k < positions_.size(); ++k)
    positions_[k].insert(positions_[k].end(), others.positions_[k].begin(), others.positions_[k].end());
}

void Cells::reserve(Count cells) {
  for (std::vector<Index>& mode : positions_) mode.reserve(static_cast<std::size_t>(cells));
}

void Cells::keep_first(Count cells) {
  for (std::vector<Index>& mode : positions_) mode.resize(static_cast<std::size_t>(cells));
}

Cells Cells::reordered(std::span<const int> modes) const {
  Cells other;
  for (const int k : modes) other.positions_.push_back(positions_[static_cast<std::size_t>(k)]);
  return other;
}

std::vector<std::vector<Index>> Cells::take() { return std::exchange(positions_, {}); }

}  // namespace lacuna
