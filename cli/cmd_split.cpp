// SPDX-License-Identifier: MIT
// lacuna split IN --train A --test B: entries dealt at random into two files.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command.hpp"
#include "input.hpp"
#include "io/file/atomic_file.hpp"
#include "tensor/deal.hpp"

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

// The entries `valued[p]` of the file, for the positions p of one part, as a sparse file of the same modes.
TensorFile take(const TensorFile& file, const std::vector<Count>& valued, const std::vector<Count>& part_of) {
  TensorFile part = file;
  part.entries.cells = Cells(file.entries.order());
  part.entries.value.clear();
  part.entries.weight.clear();
  part.dense = false;
  part.missing = 0;
  for (const Count position : part_of) {
    const Count e = valued[position];
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
  std::vector<Count> valued;
  for (Count e = 0; e < file->entries.size(); ++e)
    if (!std::isnan(file->entries.value[e])) valued.push_back(e);
  const auto total = static_cast<Count>(valued.size());
  if (total < 2)
    return input_error(in, fmt::format("{} entries with a value, expected at least 2 to split", total));

  const double rest = test_fraction < 0.0 ? 1.0 - fraction : test_fraction;
  const Deal dealt = deal(total, fraction, rest, seed);
  const auto train_count = static_cast<Count>(dealt.train.size());
  const auto test_count = static_cast<Count>(dealt.test.size());
  if (train_count < 1 || test_count < 1)
    return usage_error("--fraction",
                       fmt::format("{} leaves {} training and {} test entries of {}; both need at least one",
                                   fraction, train_count, test_count, total));
  OutputsTogether both;
  for (const auto& [path, part] : {std::pair(train, &dealt.train), std::pair(test, &dealt.test)})
    if (auto written = write_tensor(path, take(*file, valued, *part)); !written) return written.error();
  if (auto written = both.commit(); !written) return written.error();
  if (output.json)
    print_json(nlohmann::ordered_json{
        {"entries", total}, {"train", train_count}, {"test", test_count}, {"seed", seed}});
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
