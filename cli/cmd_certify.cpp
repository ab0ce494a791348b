// SPDX-License-Identifier: MIT
// lacuna certify MODEL TRAIN
#include <fmt/format.h>

#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/fit_once.hpp>
#include <memory>

#include "certificate.hpp"
#include "command.hpp"
#include "input.hpp"
#include "model/body.hpp"

namespace lacuna::cli {
namespace {

struct CertifyCommand {
  std::string model;
  std::string train;
  double tolerance = 1e-3;
  bool strict = false;
  Output output;
  InputFlags input;

  Result<int> run();
};

Result<int> CertifyCommand::run() {
  set_thread_count(output.threads);
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  auto file = read_cells(train, input, fitted->modes, fitted->index_base);
  if (!file) return file.error();
  keep_valued(file->entries);
  auto options = input.read_options();
  if (!options) return options.error();
  file->modes = fitted->modes;
  auto tensor = observe(train, *file, *options, input.duplicate_policy());
  if (!tensor) return tensor.error();

  if (fitted->latent() != nullptr && tensor->cells() != fitted->latent()->dual.cells())
    return input_error(train, "its cells are not those that the model was fitted on");

  const Certificate found = certify(*fitted, std::move(*tensor));
  const bool tight = found.gap() <= tolerance;
  if (output.json) {
    nlohmann::ordered_json report = certificate_json(found, *fitted);
    report["tolerance"] = tolerance;
    report["certified"] = tight;
    print_json(report);
  } else {
    fmt::print("{}", certificate_text(found, *fitted, tolerance));
  }
  return strict && !tight ? kNotConverged : 0;
}

}  // namespace

Action add_certify(CLI::App& app) {
  auto command = std::make_shared<CertifyCommand>();
  CLI::App& verb =
      *app.add_subcommand("certify", "bound how far a model is from the best possible over all ranks");
  verb.add_option("model", command->model, "a model of tr-mm")->required();
  verb.add_option("train", command->train, "the file it was fitted on")->required();
  verb.add_option("--tolerance", command->tolerance, "the relative gap that counts as none")
      ->check(positive_number())
      ->capture_default_str();
  verb.add_flag("--strict", command->strict, "exit with 4 when the gap is above the tolerance");
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
