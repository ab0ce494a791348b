// SPDX-License-Identifier: MIT
// Fits and predicts with an installed lacuna; ends with 0 when the answer makes sense.
#include <cmath>
#include <lacuna/lacuna.hpp>

#ifdef WITH_FILES
bool reads_a_table();
#endif

int main() {
#ifdef WITH_FILES
  if (!reads_a_table()) return 3;
#endif
  lacuna::Entries entries{.cells = {{0, 0, 1, 1, 2}, {0, 1, 0, 1, 0}}, .value = {1, 2, 2, 4, 3}};
  std::vector<lacuna::Mode> modes = {{.name = "row", .size = 3}, {.name = "column", .size = 2}};
  auto tensor = lacuna::ObservedTensor::create(modes, entries);
  if (!tensor) return 1;
  const lacuna::FitResult result = lacuna::fit(std::move(*tensor), {.ranks = {1}, .lambda = 100.0});
  const double value = lacuna::Predictor(result.model).predict({{1}, {1}}).value[0];  // was observed to be 4
  return std::abs(value - 4.0) < 0.1 ? 0 : 2;
}
