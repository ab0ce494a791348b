// SPDX-License-Identifier: MIT
// lacuna report MODEL -o PAGE.html
#include <fmt/format.h>

#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <memory>

#include "command.hpp"
#include "input.hpp"
#include "report/picture_modes.hpp"
#include "run_record.hpp"

namespace lacuna::cli {
namespace {

struct ReportCommand {
  std::string model;
  std::string train;
  std::string test;
  std::string out;
  bool picture = false;
  Output output;
  InputFlags input;

  Result<int> run();
  Result<std::optional<Entries>> read(const std::string& path, const Model& fitted) const;
};

Result<std::optional<Entries>> ReportCommand::read(const std::string& path, const Model& fitted) const {
  if (path.empty()) return std::optional<Entries>();
  auto file = read_cells(path, input, fitted.modes, fitted.index_base);
  if (!file) return file.error();
  keep_valued(file->entries);
  if (file->entries.size() == 0)
    return input_error(path, "no cell has a value, expected at least one to compare with");
  return std::optional<Entries>(std::move(file->entries));
}

Result<int> ReportCommand::run() {
  set_thread_count(output.threads);
  if (auto fine = check_writable(out); !fine) return fine.error();
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  auto known = read(train, *fitted);
  if (!known) return known.error();
  auto unseen = read(test, *fitted);
  if (!unseen) return unseen.error();
  if (picture && !report::picture_modes(fitted->modes))
    return usage_error(
        "--picture",
        fmt::format("needs rows, columns and at most three channels and one mode more; {} has {}", model,
                    shape_text(extents(fitted->modes))));
  if (auto written =
          write_report(out, *fitted, *known ? &**known : nullptr, *unseen ? &**unseen : nullptr, picture);
      !written)
    return written.error();
  if (output.json)
    print_json(nlohmann::ordered_json{{"model", model}, {"output", out}});
  else
    fmt::print("report of {} written to {}\n", model, out);
  return 0;
}

}  // namespace

Action add_report(CLI::App& app) {
  auto command = std::make_shared<ReportCommand>();
  CLI::App& verb = *app.add_subcommand("report", "a page about a model, to look at in a browser");
  verb.add_option("model", command->model, "a fitted model")->required();
  verb.add_option("-o,--output", command->out, "where to write the page, such as report.html")->required();
  verb.add_option("--test", command->test, "known entries that the model has not seen: errors, coverage");
  verb.add_option("--train", command->train,
                  "the file it was fitted on: the picture before, training errors");
  verb.add_flag("--picture", command->picture, "show slices as pictures, whatever file the data came from");
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
