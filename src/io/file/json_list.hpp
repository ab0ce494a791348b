// SPDX-License-Identifier: MIT
// Lists inside of JSON objects, made where there is none yet. `object[key].push_back(...)` does the same, but when memory
// runs out between its steps it leaves an array without content behind, and the object's destructor crashes.
#pragma once

#include <nlohmann/json.hpp>

namespace lacuna::io {

template <class Json>
Json& list_in(Json& object, const char* key) {
  return object.emplace(key, Json::array()).first.value();
}

}  // namespace lacuna::io
