// SPDX-License-Identifier: MIT
// bench_checkpoint FILE [--rank R,...] [--steps N] [--every SECONDS]
//
// What a checkpoint costs: processor seconds from the end of a step to the end of writing its checkpoint, and their share
// of an interval. TR-MM with the paper's parts on the entries of the file, one thread.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/search/fit.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace lacuna;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

ObservedTensor read(const std::string& path) {
  auto file = read_tensor(path);
  if (!file) throw std::runtime_error(file.error().message());
  auto tensor = ObservedTensor::create(file->modes, std::move(file->entries));
  if (!tensor) throw std::runtime_error(tensor.error().message());
  return std::move(*tensor);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("processor seconds of writing a checkpoint");
  std::string data;
  std::vector<int> ranks{20, 10, 1};
  int steps = 2;
  double every = Checkpoint::kEvery;
  app.add_option("file", data, "entries to fit")->required();
  app.add_option("--rank", ranks, "of the parts")->delimiter(',');
  app.add_option("--steps", steps, "of the fit, each of which leaves a checkpoint");
  app.add_option("--every", every, "seconds between two, to give the share of");
  CLI11_PARSE(app, argc, argv);
  try {
    set_thread_count(1);
    ObservedTensor tensor = read(data);
    Settings settings =
        paper_preset({.method = Method::kTrMm, .ranks = ranks, .lambda = 1e-3}, tensor.order());
    settings.max_iterations = steps;
    settings.search.early_stop = 0.0;
    const std::string path = data + ".ckpt";
    double step_ended = 0.0;
    std::vector<double> seconds;
    Checkpoint checkpoint(
        [&](const Checkpoint& state) {
          auto saved = save_checkpoint(path, state);
          seconds.push_back(processor_seconds() - step_ended);
          return saved;
        },
        0.0);
    FitCallbacks callbacks;
    callbacks.checkpoint = &checkpoint;
    callbacks.progress = [&](const FitProgress&) {
      step_ended = processor_seconds();
      return Flow::kContinue;
    };
    const Count entries = tensor.size();
    (void)fit(std::move(tensor), settings, callbacks);
    if (checkpoint.problem()) throw std::runtime_error(checkpoint.problem()->message());
    const double most = *std::max_element(seconds.begin(), seconds.end());
    fmt::print(
        "{} entries, {} checkpoints of {} bytes, at most {:.3f} processor seconds: {:.3f} % of {:g} s\n",
        entries, seconds.size(), std::filesystem::file_size(path), most, 100.0 * most / every, every);
    std::filesystem::remove(path);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "bench_checkpoint: {}\n", problem.what());
    return 1;
  }
  return 0;
}
