// SPDX-License-Identifier: MIT
// bench_operator [--splits DIR] [--generated FILE.tns] [--quick] [--json]
//
// Nanoseconds per observed entry of one application of A(u), next to a bound measured in the same run on the
// same arrays: the time to stream every entry's index, value and result and to touch each line of the factor
// rows that long fibers select, once, with no arithmetic. Splits that are not in DIR are left out; --quick
// uses one small generated tensor and needs no data.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <lacuna/io/files.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "base/stopwatch.hpp"
#include "kernels/data_operator.hpp"
#include "kernels/fiber_kernels.hpp"

namespace {

using namespace lacuna;
using Json = nlohmann::ordered_json;

struct Case {
  std::string name;
  std::string file;  // empty: generated here
  std::vector<int> ranks;
};

ObservedTensor generated_cube(Index extent, double share, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Mode> modes(3, Mode{.name = "mode", .size = extent, .labels = {}});
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < extent; ++i)
    for (Index j = 0; j < extent; ++j)
      for (Index k = 0; k < extent; ++k) {
        if (rng.uniform() >= share) continue;
        entries.cells.add({i, j, k});
        entries.value.push_back(rng.normal());
      }
  return std::move(*ObservedTensor::create(modes, std::move(entries)));
}

// The best of several runs, in nanoseconds per entry: noise only ever adds.
template <class Body>
double best_of(Count entries, double seconds, Body&& body) {
  body();
  double best = 1e300;
  Stopwatch whole;
  do {
    Stopwatch watch;
    body();
    best = std::min(best, watch.seconds());
  } while (whole.seconds() < seconds);
  return 1e9 * best / static_cast<double>(entries);
}

// What memory alone costs: see the head of this file.
template <class Real>
void touch(const std::vector<PartKernels>& parts, const DataOperator<Real>& op, const std::vector<Real>& z,
           std::vector<Real>& y) {
  constexpr Count kLine = 64 / static_cast<Count>(sizeof(Real));
  parallel_blocks(static_cast<Count>(z.size()), [&](Count begin, Count end) {
    std::copy(z.begin() + begin, z.begin() + end, y.begin() + begin);
  });
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto& pieces = parts[p].pieces();
    const FactorTable<Real>& u = op.factor(static_cast<int>(p));
    const Count count = static_cast<Count>(pieces.size());
#pragma omp parallel for num_threads(thread_count()) schedule(dynamic)
    for (Count i = 0; i < count; ++i) {
      const kernels::FiberRange& piece = pieces[i];
      const Count begin = piece.start != nullptr ? piece.start[0] : 0;
      const Count end = piece.start != nullptr ? piece.start[piece.fibers] : piece.fibers * piece.length;
      for (Count j = begin; j < end; ++j) {
        Real seen = z[piece.entry[j]];
        if (piece.start != nullptr)
          for (Count line = 0; line < u.stride(); line += kLine)
            seen = std::max(seen, u.row(piece.row[j])[line]);
        y[piece.entry[j]] = seen;
      }
    }
  }
}

template <class Real>
void measure(const Case& which, const ObservedTensor& tensor, const std::vector<PartKernels>& parts,
             double seconds, Json& rows) {
  Rng rng(1);
  std::vector<Matrix<Real>> u;
  std::vector<double> lambda;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const int rank = std::min<int>(which.ranks[p], static_cast<int>(parts[p].rows()));
    u.emplace_back(parts[p].rows(), rank);
    for (Real& value : flat(u.back())) value = static_cast<Real>(rng.normal());
    u.back() /= u.back().norm();
    lambda.push_back(static_cast<double>(parts[p].rows()));
  }
  DataOperator<Real> op(parts, tensor.size());
  op.set_point(u, lambda, 0.5);
  std::vector<Real> z(static_cast<std::size_t>(tensor.size()));
  std::vector<Real> y(z.size());
  for (Real& value : z) value = static_cast<Real>(rng.normal());
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const double time = best_of(tensor.size(), seconds, [&] { op.apply(z, y); });
    const double bound = best_of(tensor.size(), seconds, [&] { touch<Real>(parts, op, z, y); });
    rows.push_back({{"split", which.name},
                    {"entries", tensor.size()},
                    {"rank", which.ranks},
                    {"threads", threads},
                    {"precision", sizeof(Real) == 8 ? "double" : "float"},
                    {"ns_per_entry", time},
                    {"bound_ns_per_entry", bound}});
  }
  set_thread_count(0);
}

}  // namespace

int main(int argc, char** argv) try {
  std::string splits = "build/splits";
  std::string generated;
  bool json = false;
  bool quick = false;
  CLI::App flags;
  flags.set_help_flag();
  flags.add_option("--splits", splits);
  flags.add_option("--generated", generated);
  flags.add_flag("--quick", quick);
  flags.add_flag("--json", json);
  flags.parse(argc, argv);

  std::vector<Case> cases = {{"fb15k-237", splits + "/fb15k-237.train.tns", {20, 20, 1}},
                             {"movielens-1m", splits + "/movielens-1m.train.tns", {20, 10, 1}},
                             {"movielens-10m-shape", generated, {20, 10, 1}},
                             {"msi", splits + "/msi.train.tns", {5, 5, 5}},
                             {"baboon", splits + "/baboon.train.tns", {4, 4, 3}}};
  if (quick) cases = {{"cube", "", {5, 5, 5}}};
  const double seconds = quick ? 0.05 : 1.0;

  Json rows = Json::array();
  for (const Case& which : cases) {
    ObservedTensor tensor;
    if (quick) {
      tensor = generated_cube(60, 0.1, 1);
    } else {
      if (which.file.empty() || !std::filesystem::exists(which.file)) {
        fmt::print(stderr, "{}: left out, '{}' is not there\n", which.name, which.file);
        continue;
      }
      auto file = read_tensor(which.file, {.index_base = 1});
      if (!file) {
        fmt::print(stderr, "bench_operator: {}\n", file.error().message());
        return 3;
      }
      tensor = std::move(*ObservedTensor::create(file->modes, std::move(file->entries)));
    }
    std::vector<PartKernels> parts;
    for (const PartSpec& part : full_parts(tensor.order())) parts.emplace_back(tensor, part);
    measure<double>(which, tensor, parts, seconds, rows);
    measure<float>(which, tensor, parts, seconds, rows);
  }
  if (json) {
    fmt::print("{}\n", rows.dump(1));
    return 0;
  }
  fmt::print("{:<20} {:>10} {:>9} {:>8} {:>8} {:>9} {:>9} {:>6}\n", "split", "entries", "precision", "rank",
             "threads", "ns/entry", "bound", "ratio");
  for (const Json& row : rows) {
    const auto time = row["ns_per_entry"].get<double>();
    const auto bound = row["bound_ns_per_entry"].get<double>();
    fmt::print("{:<20} {:>10} {:>9} {:>8} {:>8} {:>9.2f} {:>9.2f} {:>6.2f}\n",
               row["split"].get<std::string>(), row["entries"].get<Count>(),
               row["precision"].get<std::string>(),
               fmt::format("{}", fmt::join(row["rank"].get<std::vector<int>>(), ",")),
               row["threads"].get<int>(), time, bound, time / bound);
  }
  return 0;
} catch (const std::exception& problem) {
  fmt::print(stderr, "bench_operator: {}\n", problem.what());
  return 2;
}
