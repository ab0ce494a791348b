// SPDX-License-Identifier: MIT
#include <lacuna/model/model.hpp>
#include <utility>

namespace lacuna {

const FitRecord::Value* FitRecord::find(std::string_view name) const {
  for (const Item& item : others)
    if (item.name == name) return &item.value;
  return nullptr;
}

void FitRecord::set(std::string_view name, Value value) {
  for (Item& item : others)
    if (item.name == name) {
      item.value = std::move(value);
      return;
    }
  others.push_back({.name = std::string(name), .value = std::move(value)});
}

}  // namespace lacuna
