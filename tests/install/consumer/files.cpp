// SPDX-License-Identifier: MIT
// Reads a table, as only lacuna::io can.
#include <fstream>
#include <lacuna/lacuna.hpp>

bool reads_a_table() {
  std::ofstream("consumer.csv") << "row,column,value\na,x,1\nb,y,2\n";
  const auto file = lacuna::read_tensor("consumer.csv");
  return file && file->entries.size() == 2;
}
