// SPDX-License-Identifier: MIT
// What is known of a mode's positions beside the data: features, graphs, coordinates.
#include <cmath>
#include <lacuna/io/files.hpp>

#include "support.hpp"

using namespace lacuna;

namespace {

void check_coordinates(const std::string& path, bool known) {
  static fuzz::MemoryFile table;
  constexpr std::string_view kTable = "user,item,value\nann,tea,1\nbob,milk,2\nann,milk,3\n";
  table.fill({reinterpret_cast<const std::uint8_t*>(kTable.data()), kTable.size()});
  const std::vector<Mode> modes = {
      {.name = "user", .size = 2, .labels = {"ann", "bob"}, .positions = {0.0, 1.5}},
      {.name = "item", .size = 2, .labels = {"tea", "milk"}}};
  ReadOptions options{.format = Format::kTable};
  options.coordinates = {{.mode = "user", .path = path}};
  if (known) {
    options.known_modes = &modes;
    options.index_base = 1;
  }
  const auto file = read_tensor(table.path(), options);
  if (!file) return fuzz::check(file.error());
  fuzz::check(*file);
  for (const Mode& mode : file->modes) {
    fuzz::require(mode.positions.size() <= mode.size, "more coordinates than positions");
    for (const double at : mode.positions) fuzz::require(!std::isinf(at), "a coordinate that is infinite");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  const int kind = input.ConsumeIntegralInRange(0, 3);
  const PositionNames names{.index_base = input.ConsumeIntegralInRange(0, 1),
                            .may_grow = input.ConsumeBool()};
  Mode mode{.name = "user", .size = 3};
  if (input.ConsumeBool()) mode.labels = {"ann", "bob", "zoe"};
  memory.fill(input.ConsumeRemainingBytes<std::uint8_t>());
  if (kind >= 2) {
    check_coordinates(memory.path(), kind == 3);
    return 0;
  }
  const auto read =
      kind == 0 ? read_features(memory.path(), names, mode) : read_graph(memory.path(), names, mode);
  if (read && mode.side) check_side(*mode.side, mode.size, mode.name);  // throws
  if (!read) fuzz::check(read.error());
  return 0;
}
