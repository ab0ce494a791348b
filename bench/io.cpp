// SPDX-License-Identifier: MIT
// bench_io [--entries N] [--folder DIR] [--quick] [--json]
//
// What stands around the solver, on a generated tensor of MovieLens 1M's shape: reading and writing .tns with
// short and with 17-digit values and a table of labels (MB/s of one core), building the fiber index
// (microseconds per entry and mode of one core), and predicting 1e6 cells (seconds, all threads). The files,
// some 130 bytes an entry together, are made in DIR (the system's folder for temporary files) and removed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/fit_once.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "base/stopwatch.hpp"
#include "tensor/fiber_view.hpp"

namespace {

using namespace lacuna;
using Json = nlohmann::ordered_json;

constexpr int kRuns = 3;

template <class Value>
Value checked(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The least of several runs: noise only ever adds.
template <class Body>
double least(const Stopwatch::Clock& clock, Body&& body) {
  double best = 1e300;
  for (int run = 0; run < kRuns; ++run) {
    const Stopwatch watch(clock);
    body();
    best = std::min(best, watch.seconds());
  }
  return best;
}

// Each user rates every so many items, so that no cell comes twice; values of 1 to 5 in halves, or any.
TensorFile ratings(Count entries, bool short_values) {
  constexpr Index kItems = 3952;
  constexpr Index kWeeks = 149;
  constexpr Index kStride = 31;
  const Count per_user = kItems / kStride;
  Rng rng(1);
  TensorFile file;
  file.entries.cells = Cells(3);
  for (Count e = 0; e < entries; ++e) {
    file.entries.cells.add({static_cast<Index>(e / per_user),
                            static_cast<Index>(e % per_user * kStride + e / per_user % kStride),
                            static_cast<Index>(rng.below(kWeeks))});
    file.entries.value.push_back(short_values ? 0.5 * static_cast<double>(2 + rng.below(9)) : rng.normal());
  }
  const auto users = static_cast<Index>((entries - 1) / per_user + 1);
  file.modes = {
      {.name = "user", .size = users}, {.name = "item", .size = kItems}, {.name = "week", .size = kWeeks}};
  return file;
}

void name_positions(TensorFile& file) {
  file.format = Format::kTable;
  file.index_base = 0;
  for (Mode& mode : file.modes)
    for (Index i = 0; i < mode.size; ++i) mode.labels.push_back(fmt::format("{}-{:05}", mode.name, i));
}

Json row(const std::string& what, double value, const std::string& unit, double aim) {
  return {{"what", what}, {"value", value}, {"unit", unit}, {"aim", aim}};
}

void read_and_write(const std::string& name, const std::string& path, const TensorFile& file, double aim,
                    Json& rows) {
  const double writing = least(cpu_seconds, [&] {
    if (const Result<> written = write_tensor(path, file); !written)
      throw std::runtime_error(written.error().message());
  });
  const double megabytes = 1e-6 * static_cast<double>(std::filesystem::file_size(path));
  const double reading = least(cpu_seconds, [&] {
    if (checked(read_tensor(path)).entries.size() != file.entries.size())
      throw std::runtime_error(path + ": not all entries came back");
  });
  std::filesystem::remove(path);
  rows.push_back(row("read " + name, megabytes / reading, "MB/s", aim));
  rows.push_back(row("write " + name, megabytes / writing, "MB/s", 0.0));
}

void index_and_predict(const TensorFile& file, Count cells, Json& rows) {
  set_thread_count(1);
  const auto entries = static_cast<double>(file.entries.size());
  const double sorting =
      least(cpu_seconds, [&] { checked(ObservedTensor::create(file.modes, file.entries)); });
  ObservedTensor tensor = checked(ObservedTensor::create(file.modes, file.entries));
  const double grouping = least(cpu_seconds, [&] {
    for (const PartSpec& part : full_parts(3)) FiberView(tensor, part);
  });
  rows.push_back(row("index", 1e6 * (sorting + grouping) / entries / 3.0, "us/entry/mode", 0.5));

  set_thread_count(0);
  Rng rng(2);
  std::vector<std::vector<Index>> index(3);
  for (Count c = 0; c < cells; ++c)
    for (int k = 0; k < 3; ++k)
      index[k].push_back(static_cast<Index>(rng.below(file.modes[static_cast<std::size_t>(k)].size)));
  const FitResult fitted =
      fit_once(std::move(tensor), {.ranks = {20, 10, 1}, .lambda = 0.1, .max_iterations = 2});
  const double predicting = least(Stopwatch::steady_seconds, [&] {
    if (Predictor(fitted.model).predict(index).value.size() != static_cast<std::size_t>(cells))
      throw std::runtime_error("not all cells were predicted");
  });
  rows.push_back(row(fmt::format("predict {} cells", cells), predicting, "s", 1.0));
}

}  // namespace

int main(int argc, char** argv) try {
  Count entries = 1000000;
  std::string folder = std::filesystem::temp_directory_path();
  bool quick = false;
  bool json = false;
  CLI::App flags;
  flags.set_help_flag();
  flags.add_option("--entries", entries)->check(CLI::Range(1, 1000000000));
  flags.add_option("--folder", folder);
  flags.add_flag("--quick", quick);
  flags.add_flag("--json", json);
  flags.parse(argc, argv);
  if (quick) entries = 20000;

  Json rows = Json::array();
  const std::string stem = fmt::format("{}/bench_io.{}", folder, Stopwatch::steady_seconds());
  set_thread_count(1);
  TensorFile file = ratings(entries, false);
  read_and_write(".tns, 17 digits", stem + ".tns", file, 200.0, rows);
  file = ratings(entries, true);
  read_and_write(".tns, short values", stem + ".tns", file, 200.0, rows);
  TensorFile labelled = file;
  name_positions(labelled);
  read_and_write("labels .csv", stem + ".csv", labelled, 100.0, rows);
  index_and_predict(file, quick ? 10000 : 1000000, rows);

  if (json) {
    fmt::print("{}\n", rows.dump(1));
    return 0;
  }
  for (const Json& line : rows)
    fmt::print("{:<24} {:>9.3f} {:<14} {}\n", line["what"].get<std::string>(), line["value"].get<double>(),
               line["unit"].get<std::string>(),
               line["aim"] > 0.0 ? fmt::format("aim {}", line["aim"].get<double>()) : "");
  return 0;
} catch (const std::exception& problem) {
  fmt::print(stderr, "bench_io: {}\n", problem.what());
  return 2;
}
