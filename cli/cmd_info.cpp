// SPDX-License-Identifier: MIT
// lacuna info FILE: what is in a data file or a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/model/structure.hpp>
#include <lacuna/model/update.hpp>
#include <memory>

#include "base/machine.hpp"
#include "base/number_text.hpp"
#include "command.hpp"
#include "input.hpp"
#include "io/file/info_json.hpp"
#include "io/file/standard_streams.hpp"
#include "io/file/stream_copy.hpp"
#include "model/body.hpp"

namespace lacuna::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoCommand {
  std::string path;
  std::string shown;  // what it is called
  Output output;
  InputFlags input;

  Result<int> run();
  Result<int> show_model() const;
  Result<int> show_data() const;
};

// A line for each mode that has positions.
void print_positions(const std::vector<Mode>& modes) {
  for (const Mode& mode : modes) {
    const Json about = io::positions_json(mode);
    if (about.is_null()) continue;
    const auto end = [&](const char* number, const char* label) {
      const double x = about[number].get<double>();
      return about[label].is_string() && about[label] != shortest(x)
                 ? fmt::format("{} ({})", shortest(x), about[label].get<std::string>())
                 : shortest(x);
    };
    fmt::print("{}: positions {} to {}{}, {} {:.6g} apart\n", mode.name, end("from", "first_label"),
               end("to", "last_label"), mode.unit.empty() ? "" : " " + mode.unit,
               about["regular"].get<bool>() ? "all" : "typically", about["spacing"].get<double>());
  }
}

// Of the paper's model at the default rank.
double plain_fit_bytes(const ObservedTensor& tensor) {
  Settings plain = paper_preset({}, tensor.order());
  plain.ranks = {Settings::kDefaultRank};
  return lacuna::info(*plain.method).bytes(tensor.size(), tensor.modes(), plain);
}

// A stream is looked at, and then read.
Result<int> InfoCommand::run() {
  set_thread_count(output.threads);
  shown = path;
  if (path != "-") return is_model_file(path) ? show_model() : show_data();
  const auto copy = io::StreamCopy::take(path);
  if (!copy) return copy.error();
  path = copy->path();
  shown = io::kStandardInput;
  const auto code = is_model_file(path) ? show_model() : show_data();
  return code ? code : copy->of_stream(code.error());
}

Result<int> InfoCommand::show_data() const {
  auto options = input.read_options();
  if (!options) return options.error();
  auto file = read_tensor(path, *options);
  if (!file) return file.error();
  const Format format = file->format;
  const int base = file->index_base;
  auto tensor = observe(path, *file, *options, input.duplicate_policy());
  if (!tensor) return tensor.error();
  for (const std::string& note : file->notes) output.say("note: " + note);

  Json about{{"file", shown}, {"format", format_name(format)}, {"index_base", base}};
  about.update(io::data_json(*tensor));
  about["fit_bytes"] = plain_fit_bytes(*tensor);
  if (output.json) {
    print_json(about);
    return 0;
  }
  fmt::print("{}: {}, {}\n", shown, format_name(format), shape_text(extents(tensor->modes())));
  fmt::print("{} observed ({:.4g} % of the cells), {} listed without a value, indices from {}\n",
             grouped(tensor->size()), 100.0 * about["density"].get<double>(), grouped(tensor->missing()),
             base);
  fmt::print("values {:.6g} to {:.6g}, mean {:.6g}\n\n", about["min"].get<double>(),
             about["max"].get<double>(), tensor->mean());
  fmt::print("{:<12} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "mode", "size", "empty", "fibers", "singletons",
             "entries/fiber");
  for (const Json& mode : about["modes"])
    fmt::print("{:<12} {:>10} {:>12} {:>12} {:>12} {:>12.2f}\n", mode["name"].get<std::string>(),
               grouped(mode["size"].get<Count>()), grouped(mode["empty_slices"].get<Count>()),
               grouped(mode["fibers"].get<Count>()), grouped(mode["singleton_fibers"].get<Count>()),
               mode["mean_fiber"].get<double>());
  print_positions(tensor->modes());
  fmt::print("\ntr-mm with the paper's parts at rank 10 needs about {}\n",
             bytes_text(about["fit_bytes"].get<double>()));
  return 0;
}

void print_parts(const Json& parts, const std::vector<double>& mixture) {
  std::size_t width = 4;
  for (const Json& part : parts) width = std::max(width, part["part"].get_ref<const std::string&>().size());
  fmt::print("{:<{}} {:>6} {:>12} {:>8}\n", "part", width, "rank", "lambda", "mixture");
  for (std::size_t p = 0; p < parts.size(); ++p)
    fmt::print("{:<{}} {:>6} {:>12.6g} {:>8.3f}\n", parts[p]["part"].get<std::string>(), width,
               parts[p]["rank"].get<int>(), parts[p]["lambda"].get<double>(), mixture[p]);
}

// One line about a body that has no parts.
std::string body_text(const Model& model) {
  const std::vector<int> rank = ranks(model);
  if (std::holds_alternative<Tucker>(*model.body))
    return fmt::format("a Tucker tensor with a core of {}", fmt::join(rank, " x "));
  if (const auto* cp = std::get_if<Cp>(&*model.body))
    return fmt::format("a sum of {} rank-one tensors{}", rank[0],
                       cp->covariance.empty() ? "" : ", with the covariance of its rows");
  if (std::holds_alternative<Dense>(*model.body)) return "a value for every cell";
  if (const auto* blend = std::get_if<Blend>(&*model.body)) return "a blend: " + describe(*blend);
  if (const auto* links = std::get_if<ComplEx>(&*model.body))
    return fmt::format("{} entities and {} relations of {} complex numbers each",
                       grouped(links->entity_count()), grouped(links->relation_count()), links->rank);
  return "nothing but the offsets";
}

// Each with its parts or, where it has none, its settings.
void print_members(const Json& members) {
  for (const Json& member : members) {
    fmt::print("\n{:.3g} of {}, offsets {}\n", member["weight"].get<double>(),
               member["method"].get<std::string>(), member["offsets"].get<std::string>());
    if (member.contains("parts")) {
      print_parts(member["parts"], member["mixture"].get<std::vector<double>>());
      continue;
    }
    Json settings = member["settings"];
    settings.erase("run");
    fmt::print("settings {}\n", settings.dump());
  }
}

// And what `lacuna update` can make of it.
void print_body(const Model& model, const Json& parts, const std::vector<double>& mixture) {
  if (model.latent() != nullptr)
    print_parts(parts, mixture);
  else
    fmt::print("{}\n", body_text(model));
  const std::string again = why_not_refitted(model);
  if (why_not_updated(model).empty())
    fmt::print("\nlacuna update takes new entries up without fitting again\n");
  else
    fmt::print("\n{}\n",
               again.empty() ? "lacuna update --refit takes new entries up by fitting again" : again);
}

Result<int> InfoCommand::show_model() const {
  auto model = load_model(path);
  if (!model) return model.error();
  const std::vector<Mode>& modes = model->modes;
  Json about{{"file", shown}, {"format", "lacuna model"}};
  about.update(io::model_json(*model));
  if (output.json) {
    print_json(about);
    return 0;
  }
  fmt::print("{}: {} model of {}, fitted to {} entries by version {}\n", shown, model->method,
             shape_text(extents(modes)), grouped(model->entries), model->version);
  fmt::print("values {:.6g} to {:.6g}", model->observed.low, model->observed.high);
  if (model->clip)
    fmt::print(", predictions kept within {:.6g} to {:.6g}", model->clip->low, model->clip->high);
  fmt::print("\noffsets {}, mean {:.6g}, indices from {}\n", about["offsets"].get<std::string>(),
             model->offsets.mean, model->index_base);
  print_positions(modes);
  for (const auto& [mode, columns] : about["side"].items())
    fmt::print("{} columns of side information of {}\n", columns.get<Count>(), mode);
  fmt::print("\n");
  const auto mixture = about["mixture"].get<std::vector<double>>();
  print_body(*model, about.value("parts", Json::array()), mixture);
  if (about.contains("members")) print_members(about["members"]);
  Json settings = about["settings"];
  settings.erase("run");
  fmt::print("\nsettings {}\n", settings.dump());
  if (const auto& run = model->record.run; run && !run->command.empty())
    fmt::print("fitted by: {}\n", run->command);
  return 0;
}

}  // namespace

Action add_info(CLI::App& app) {
  auto command = std::make_shared<InfoCommand>();
  CLI::App& verb = *app.add_subcommand("info", "what is in a data file or a model");
  verb.add_option("file", command->path, "data file or model")->required();
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
