// SPDX-License-Identifier: MIT
// bench_fit [--splits DIR] [--only SPLIT] [--threads N] [--quick] [--json]
//
// Seconds, steps and operator applications of TR-MM until the test metric reaches a target, time spent
// measuring left out, next to the seconds the authors' program took on one thread of this kind of machine.
// Splits that are not in DIR are left out; --quick fits one small generated tensor and needs no data.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/fit_once.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/rng.hpp"

namespace {

using namespace lacuna;
using Json = nlohmann::ordered_json;

struct Case {
  std::string split;
  std::vector<int> ranks;
  double lambda;
  bool auc;  // else RMSE
  double target;
  double authors_seconds;  // 0: not measured
};

const std::vector<Case> kCases = {{"baboon", {4, 4, 3}, 10.0, false, 0.1200, 3.6},
                                  {"msi", {5, 5, 5}, 10.0, false, 0.0453, 35.0},
                                  {"youtube", {3, 3, 1}, 0.1, true, 0.948, 14.0},
                                  {"fb15k-237", {20, 20, 1}, 0.1, true, 0.955, 276.0}};

struct Data {
  ObservedTensor train;
  Entries test;
};

Data read_split(const std::string& folder, const std::string& split) {
  auto train = read_tensor(folder + "/" + split + ".train.tns");
  if (!train) throw std::runtime_error(train.error().message());
  ReadOptions options;
  options.known_modes = &train->modes;
  options.index_base = train->index_base;
  auto test = read_tensor(folder + "/" + split + ".test.tns", options);
  if (!test) throw std::runtime_error(test.error().message());
  auto tensor = ObservedTensor::create(train->modes, std::move(train->entries));
  if (!tensor) throw std::runtime_error(tensor.error().message());
  return {.train = std::move(*tensor), .test = std::move(test->entries)};
}

// A sum of two parts of rank 1 along the first two modes, half of it observed.
Data generated() {
  constexpr Index kExtent = 24;
  Rng rng(7);
  const auto draw = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = rng.normal();
    return values;
  };
  const std::vector<double> a = draw(kExtent);
  const std::vector<double> b = draw(kExtent * kExtent);
  const std::vector<double> c = draw(kExtent);
  const std::vector<double> d = draw(kExtent * kExtent);
  Entries train{.cells = Cells(3), .value = {}};
  Entries test = train;
  for (Index i = 0; i < kExtent; ++i)
    for (Index j = 0; j < kExtent; ++j)
      for (Index k = 0; k < kExtent; ++k) {
        Entries& list = rng.uniform() < 0.5 ? train : test;
        list.cells.add({i, j, k});
        list.value.push_back(a[i] * b[j * kExtent + k] + c[j] * d[i * kExtent + k]);
      }
  const std::vector<Mode> modes(3, Mode{.name = "mode", .size = kExtent, .labels = {}});
  return {.train = std::move(*ObservedTensor::create(modes, std::move(train))), .test = std::move(test)};
}

Json run(const Case& wanted, Data data) {
  FitCallbacks callbacks;
  bool reached = false;
  callbacks.progress = [&](const FitProgress& progress) {
    reached = wanted.auc ? progress.test_auc.value_or(0.0) >= wanted.target
                         : progress.test_rmse.value_or(1e300) <= wanted.target;
    return reached ? Flow::kStop : Flow::kContinue;
  };
  const FitResult result = fit_once(std::move(data.train), {.ranks = wanted.ranks, .lambda = wanted.lambda},
                                    callbacks, &data.test);
  return {{"split", wanted.split},
          {"metric", wanted.auc ? "auc" : "rmse"},
          {"target", wanted.target},
          {"reached", reached},
          {"value", wanted.auc ? result.last.test_auc.value_or(0.0) : result.last.test_rmse.value_or(0.0)},
          {"seconds", result.last.seconds},
          {"steps", result.last.iteration},
          {"operator_applications", result.last.operator_applications},
          {"threads", thread_count()},
          {"authors_seconds", wanted.authors_seconds}};
}

void print_row(const Json& row) {
  const double authors = row["authors_seconds"];
  fmt::print("{:<12} {:<5} {:>8.4f} {:>9.5f} {:>8.2f} {:>6} {:>8} {:>8}\n", row["split"].get<std::string>(),
             row["metric"].get<std::string>(), row["target"].get<double>(), row["value"].get<double>(),
             row["seconds"].get<double>(), row["steps"].get<int>(), row["operator_applications"].get<Count>(),
             authors > 0.0 ? fmt::format("{:.1f}x", authors / row["seconds"].get<double>()) : "");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  std::string folder = "build/splits";
  std::string only;
  bool quick = false;
  bool json = false;
  int threads = 0;
  CLI::App flags;
  flags.set_help_flag();
  flags.add_option("--splits", folder);
  flags.add_option("--only", only);
  flags.add_option("--threads", threads);
  flags.add_flag("--quick", quick);
  flags.add_flag("--json", json);
  flags.parse(argc, argv);
  set_thread_count(threads);

  Json rows = Json::array();
  if (!json)
    fmt::print("{:<12} {:<5} {:>8} {:>9} {:>8} {:>6} {:>8} {:>8}\n", "split", "", "target", "value",
               "seconds", "steps", "applied", "authors");
  const auto add = [&](const Json& row) {
    if (!json) print_row(row);
    rows.push_back(row);
  };
  if (quick) add(run({"generated", {2, 2, 1}, 100.0, false, 0.05, 0.0}, generated()));
  for (const Case& wanted : quick ? std::vector<Case>{} : kCases) {
    if (!only.empty() && only != wanted.split) continue;
    if (!std::filesystem::exists(folder + "/" + wanted.split + ".train.tns")) continue;
    add(run(wanted, read_split(folder, wanted.split)));
  }
  if (json) fmt::print("{}\n", rows.dump(1));
  return 0;
} catch (const std::exception& problem) {
  fmt::print(stderr, "bench_fit: {}\n", problem.what());
  return 2;
}
