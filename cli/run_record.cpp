// SPDX-License-Identifier: MIT
#include "run_record.hpp"

#include <fmt/format.h>

#include <lacuna/base/base.hpp>

#include "cluster.hpp"
#include "io/file/checksum.hpp"
#include "kernels/observe_together.hpp"
#include "method/run_record.hpp"

namespace lacuna::cli {
namespace {

std::string& command_line() {
  static std::string line;
  return line;
}

// In single quotes where a shell would read it otherwise.
std::string shell_word(const std::string& word) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

Result<std::optional<RunRecord::File>> about_file(const std::string& path) {
  if (path.empty()) return std::optional<RunRecord::File>();
  auto sum = file_checksum(path);
  if (!sum) return sum.error();
  return std::optional(RunRecord::File{.path = path, .checksum = *sum});
}

}  // namespace

void set_command_line(int argc, char** argv) {
  command_line() = "lacuna";
  for (int i = 1; i < argc; ++i) command_line() += " " + shell_word(argv[i]);
}

Run::Run(std::string train_path, std::string test_path, const TrainingData& data, const FitFlags& flags)
    : train(std::move(train_path)), test(std::move(test_path)), picture(data.picture) {
  if (flags.report.empty()) return;
  const ObservedTensor tensor = data.spread ? gather_entries(data.tensor, everyone()) : data.tensor;
  known = Entries{.cells = tensor.cells(), .value = {tensor.values().begin(), tensor.values().end()}};
}

Result<> Run::keep_record(FitResult& result, const History& history, const FitFlags& flags,
                          std::optional<TuningRecord> tuning) const {
  if (flags.no_record) return Nothing{};
  auto train_file = about_file(train);
  if (!train_file) return train_file.error();
  auto test_file = about_file(test);
  if (!test_file) return test_file.error();
  RunRecord run = run_record(result, command_line(), history.records());
  run.train = *train_file;
  run.test = *test_file;
  run.picture = picture;
  run.tuning = std::move(tuning);
  result.model.record.run = std::move(run);
  return Nothing{};
}

Result<> Run::write_page(const Model& model, const Entries* unseen, const FitFlags& flags) const {
  if (flags.report.empty()) return Nothing{};
  return write_report(flags.report, model, known ? &*known : nullptr, unseen, picture);
}

Result<> write_report(const std::string& path, const Model& model, const Entries* train, const Entries* test,
                      bool picture) {
  const bool known_picture = model.record.run && model.record.run->picture;
  return write_whole(path,
                     report_page(model, {.train = train, .test = test, .picture = picture || known_picture}));
}

}  // namespace lacuna::cli
