// SPDX-License-Identifier: MIT
// lacuna info FILE: what is in a data file or a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/model/structure.hpp>
#include <memory>

#include "base/machine.hpp"
#include "base/number_text.hpp"
#include "command.hpp"
#include "input.hpp"
#include "io/file/fit_record_json.hpp"
#include "io/file/json_list.hpp"
#include "io/file/standard_streams.hpp"
#include "io/file/stream_copy.hpp"
#include "model/body.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/fiber_counts.hpp"
#include "tensor/positions.hpp"

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

// Where the mode's indices lie; null: at the indices.
Json positions_json(const Mode& mode) {
  if (mode.positions.empty()) return nullptr;
  const auto [first, last] = std::minmax_element(mode.positions.begin(), mode.positions.end());
  const auto label = [&](auto at) {
    const auto i = static_cast<std::size_t>(at - mode.positions.begin());
    return i < mode.labels.size() ? Json(mode.labels[i]) : Json(nullptr);
  };
  return {{"from", *first},
          {"to", *last},
          {"first_label", label(first)},
          {"last_label", label(last)},
          {"spacing", typical_spacing(mode)},
          {"regular", regular_spacing(mode) > 0.0},
          {"unit", mode.unit}};
}

// A line for each mode that has positions.
void print_positions(const std::vector<Mode>& modes) {
  for (const Mode& mode : modes) {
    const Json about = positions_json(mode);
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

Json mode_json(const ObservedTensor& tensor, int k, const FiberCount& count) {
  const Mode& mode = tensor.modes()[k];
  // A copy, sorted: a mode may have four billion positions and two entries.
  std::vector<Index> seen(tensor.index(k).begin(), tensor.index(k).end());
  std::sort(seen.begin(), seen.end());
  const auto positions = std::unique(seen.begin(), seen.end()) - seen.begin();
  return {{"name", mode.name},
          {"size", mode.size},
          {"labelled", !mode.labels.empty()},
          {"positions", positions_json(mode)},
          {"empty_slices", mode.size - positions},
          {"fibers", count.fibers},
          {"singleton_fibers", count.singles},
          {"mean_fiber", static_cast<double>(tensor.size()) / static_cast<double>(count.fibers)}};
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

  const auto [low, high] = std::minmax_element(tensor->values().begin(), tensor->values().end());
  const double cells = count_cells(tensor->modes());
  Json about{{"file", shown},
             {"format", format_name(format)},
             {"shape", extents(tensor->modes())},
             {"index_base", base},
             {"observed", tensor->size()},
             {"missing", tensor->missing()},
             {"duplicates", tensor->duplicates()},
             {"density", static_cast<double>(tensor->size()) / cells},
             {"min", *low},
             {"max", *high},
             {"mean", tensor->mean()},
             {"fit_bytes", plain_fit_bytes(*tensor)}};
  const std::vector<FiberCount> fibers = count_fibers(*tensor);
  for (int k = 0; k < tensor->order(); ++k)
    io::list_in(about, "modes").push_back(mode_json(*tensor, k, fibers[k]));
  if (output.json) {
    print_json(about);
    return 0;
  }
  fmt::print("{}: {}, {}\n", shown, format_name(format), shape_text(extents(tensor->modes())));
  fmt::print("{} observed ({:.4g} % of the cells), {} listed without a value, indices from {}\n",
             grouped(tensor->size()), 100.0 * static_cast<double>(tensor->size()) / cells,
             grouped(tensor->missing()), base);
  fmt::print("values {:.6g} to {:.6g}, mean {:.6g}\n\n", *low, *high, tensor->mean());
  fmt::print("{:<12} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "mode", "size", "empty", "fibers", "singletons",
             "entries/fiber");
  for (const Json& mode : about["modes"])
    fmt::print("{:<12} {:>10} {:>12} {:>12} {:>12} {:>12.2f}\n", mode["name"].get<std::string>(),
               grouped(mode["size"].get<Count>()), grouped(mode["empty_slices"].get<Count>()),
               grouped(mode["fibers"].get<Count>()), grouped(mode["singleton_fibers"].get<Count>()),
               mode["mean_fiber"].get<double>());
  print_positions(tensor->modes());
  fmt::print("\nfitting at rank 10 needs about {}\n", bytes_text(about["fit_bytes"].get<double>()));
  return 0;
}

// An open end is null.
Json range_json(const Range& range) {
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return {end(range.low), end(range.high)};
}

Json part_json(const ModelPart& part, const std::vector<Mode>& modes) {
  std::vector<int> agree = part.modes.agree;
  for (int& mode : agree) ++mode;
  Json near = Json::array();
  for (const NearMode& one : part.modes.near)
    near.push_back({{"mode", one.mode + 1}, {"length", one.length}});
  return {{"part", describe(PartOptions{.spec = part.modes}, modes)},
          {"mode", part.modes.mode + 1},  // 0: none
          {"agree", agree},
          {"near", near},
          {"smoothness", part.modes.smoothness},
          {"side", part.modes.side},
          {"row_power", part.modes.row_power},
          {"fiber_power", part.modes.fiber_power},
          {"rank", part.factor.cols()},
          {"lambda", part.lambda}};
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

Result<int> InfoCommand::show_model() const {
  auto model = load_model(path);
  if (!model) return model.error();
  const std::vector<Mode>& modes = model->modes;
  const std::string offsets = describe(spec_of(model->offsets), modes);
  const Predictor predictor(*model);
  const std::vector<double> mixture = predictor.mixture();
  Json about{{"file", shown},
             {"format", "lacuna model"},
             {"kind", kind_name(*model)},
             {"method", model->method},
             {"rank", ranks(*model)},
             {"version", model->version},
             {"shape", extents(modes)},
             {"observed", model->entries},
             {"range", range_json(model->observed)},
             {"clip", model->clip ? range_json(*model->clip) : Json(nullptr)},
             {"offset", model->offsets.mean},
             {"offsets", offsets},
             {"index_base", model->index_base},
             {"mixture", mixture},
             {"tensor_mixture", predictor.tensor_mixture()},
             {"settings", io::to_json(model->record)}};
  about["side"] = Json::object();  // how many columns of side information each mode has
  for (const Mode& mode : modes)
    if (mode.side) about["side"][mode.name] = mode.side->columns();
  for (const Mode& mode : modes)
    io::list_in(about, "modes")
        .push_back({{"name", mode.name},
                    {"size", mode.size},
                    {"labelled", !mode.labels.empty()},
                    {"positions", positions_json(mode)}});
  if (const Latent* latent = model->latent())
    for (const ModelPart& part : latent->parts) io::list_in(about, "parts").push_back(part_json(part, modes));
  if (output.json) {
    print_json(about);
    return 0;
  }
  fmt::print("{}: {} model of {}, fitted to {} entries by version {}\n", shown, model->method,
             shape_text(extents(modes)), grouped(model->entries), model->version);
  fmt::print("values {:.6g} to {:.6g}", model->observed.low, model->observed.high);
  if (model->clip)
    fmt::print(", predictions kept within {:.6g} to {:.6g}", model->clip->low, model->clip->high);
  fmt::print("\noffsets {}, mean {:.6g}, indices from {}\n", offsets, model->offsets.mean, model->index_base);
  print_positions(modes);
  for (const auto& [mode, columns] : about["side"].items())
    fmt::print("{} columns of side information of {}\n", columns.get<Count>(), mode);
  fmt::print("\n");
  if (model->latent() != nullptr)
    print_parts(about["parts"], mixture);
  else
    fmt::print("{}\n", body_text(*model));
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
