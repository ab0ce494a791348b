// SPDX-License-Identifier: MIT
// lacuna split IN --train A --test B: entries dealt at random into two files.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "base/rng.hpp"
#include "command.hpp"
#include "input.hpp"

namespace lacuna::cli {
namespace {

struct SplitCommand {
  std::string in;
  std::string train;
  std::string test;
  double fraction = 0.8;
  double test_fraction = -1.0;
  std::uint64_t seed = 1;
  Output output;
  InputFlags input;

  Result<int> run();
};

// The entries of `file` at the given positions, as a sparse file of the same modes.
TensorFile take(const TensorFile& file, std::span<const Count> positions) {
  TensorFile part = file;
  part.entries.cells = Cells(file.entries.order());
  part.entries.value.clear();
  part.entries.weight.clear();
  part.dense = false;
  part.missing = 0;
  for (const Count e : positions) {
    part.entries.cells.add(file.entries.cells, e);
    part.entries.value.push_back(file.entries.value[e]);
    if (!file.entries.weight.empty()) part.entries.weight.push_back(file.entries.weight[e]);
  }
  return part;
}

Result<int> SplitCommand::run() {
  auto options = input.read_options();
  if (!options) return options.error();
  if (auto fine = check_writable(test); !fine) return fine.error();  // or the training file would stand alone
  auto file = read_tensor(in, *options);
  if (!file) return file.error();
  for (const std::string& path : {train, test})
    if (auto fine = check_output_name(path, *file); !fine) return fine.error();
  std::vector<Count> order;
  for (Count e = 0; e < file->entries.size(); ++e)
    if (!std::isnan(file->entries.value[e])) order.push_back(e);
  const auto total = static_cast<Count>(order.size());
  if (total < 2)
    return input_error(in, fmt::format("{} entries with a value, expected at least 2 to split", total));

  Rng rng(seed);
  for (Count i = total - 1; i > 0; --i)
    std::swap(order[i], order[rng.below(static_cast<std::uint64_t>(i) + 1)]);
  const double rest = test_fraction < 0.0 ? 1.0 - fraction : test_fraction;
  const auto train_count = static_cast<Count>(std::llround(fraction * static_cast<double>(total)));
  const auto test_count =
      std::min(total - train_count, static_cast<Count>(std::llround(rest * static_cast<double>(total))));
  if (train_count < 1 || test_count < 1)
    return usage_error("--fraction",
                       fmt::format("{} leaves {} training and {} test entries of {}; both need at least one",
                                   fraction, train_count, test_count, total));
  // Within each file the input's order is kept.
  std::sort(order.begin(), order.begin() + train_count);
  std::sort(order.begin() + train_count, order.begin() + train_count + test_count);
  const std::span<const Count> dealt(order);
  if (auto written = write_tensor(train, take(*file, dealt.first(static_cast<std::size_t>(train_count))));
      !written)
    return written.error();
  if (auto written = write_tensor(test, take(*file, dealt.subspan(static_cast<std::size_t>(train_count),
                                                                  static_cast<std::size_t>(test_count))));
      !written)
    return written.error();
  if (output.json)
    fmt::print("{}\n",
               nlohmann::ordered_json{
                   {"entries", total}, {"train", train_count}, {"test", test_count}, {"seed", seed}}
                   .dump());
  else
    fmt::print("{} entries: {} to {}, {} to {}\n", grouped(total), grouped(train_count), train,
               grouped(test_count), test);
  return 0;
}

}  // namespace

Action add_split(CLI::App& app) {
  auto command = std::make_shared<SplitCommand>();
  CLI::App& verb =
      *app.add_subcommand("split", "deal a file's entries at random into a training and a test file");
  verb.add_option("input", command->in, "file to split")->required();
  verb.add_option("--train", command->train, "where to write the training entries")->required();
  verb.add_option("--test", command->test, "where to write the test entries")->required();
  verb.add_option("--fraction", command->fraction, "share of the entries for training")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  verb.add_option("--test-fraction", command->test_fraction, "share for testing; unset: all the others")
      ->check(CLI::Range(0.0, 1.0));
  verb.add_option("--seed", command->seed, "of the shuffle")->capture_default_str();
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
