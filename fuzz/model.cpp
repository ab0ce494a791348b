// SPDX-License-Identifier: MIT
// Model files: what is loaded answers questions with finite numbers or says why not, and is saved and loaded again
// without a bit changed.
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/report/report.hpp>

#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;

namespace {

// The first cell, the last, one in between, and one that no mode has.
Cells some_cells(const Model& model) {
  std::vector<std::vector<Index>> cells;
  for (const Mode& mode : model.modes) cells.push_back({0, mode.size - 1, mode.size / 2, kUnseen, 0});
  cells.back().back() = kUnseen;
  return cells;
}

void ask(const Model& model) {
  const auto cells = some_cells(model);
  const Predictor predictor(model);
  const auto prediction = predictor.predict(cells);
  for (const double value : prediction.value)
    fuzz::require(std::isfinite(value), "a prediction that is not finite");
  (void)predictor.support(cells);
  (void)predictor.variance(cells);
  (void)predictor.predict_parts(cells);
  (void)predictor.spectra();
  (void)ranks(model);
  (void)model.calibration.groups.size();
  fuzz::require(!report_page(model).empty(), "an empty page");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  memory.fill({data, size});
  const auto model = load_model(memory.path());
  if (!model) {
    fuzz::check(model.error());
    return 0;
  }
  memory.clear();
  fuzz::require(save_model(memory.path(), *model).ok(), "a model that was loaded cannot be saved");
  const auto saved = memory.bytes();
  const auto again = load_model(memory.path());
  fuzz::require(again.ok(), "a model that was saved cannot be loaded");
  memory.clear();
  fuzz::require(save_model(memory.path(), *again).ok() && memory.bytes() == saved,
                "a model changes when it is saved and loaded");
  try {
    ask(*model);
  } catch (const ValueRangeError&) {  // numbers whose sums are beyond a double: said, not given out
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return fuzz::mutate_file(data, size, most, seed, 0, fuzz::change_model);
}
