// SPDX-License-Identifier: MIT
// A checkpoint in the layout of models: its header lists the tasks of its journal, each with its numbers and texts,
// its arrays, and its model if there is one.
#include <cmath>
#include <lacuna/io/files.hpp>
#include <limits>
#include <new>

#include "io/file/array_container.hpp"
#include "io/file/json_list.hpp"
#include "io/file/model_body.hpp"
#include "model/journal.hpp"

namespace lacuna {
namespace {

using io::ArrayReader;
using io::ArrayWriter;
using nlohmann::json;

// JSON has no infinity and no NaN.
json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf";
}

double read_number(const json& described) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (described == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (described == "inf") return kInfinite;
  if (described == "-inf") return -kInfinite;
  return io::finite_number(described, "a number of a task");
}

template <class T>
void describe_arrays(const std::map<std::string, std::vector<T>>& arrays, json& described,
                     ArrayWriter& writer) {
  for (const auto& [name, values] : arrays)
    io::list_in(described, "arrays").push_back(writer.add(name, std::span<const T>(values)));
}

// Without one a model would be taken for one of before there were fallbacks.
void say_fallback(json& model) {
  if (!model.contains("fallback")) model["fallback"] = {{"mean", 0.0}, {"effects", json::array()}};
}

// Models that are alive are kept so until they are written.
json describe_item(const JournalItem& item, ArrayWriter& arrays,
                   std::vector<std::shared_ptr<const Model>>& alive) {
  json described{
      {"key", item.key}, {"about", item.about}, {"finished", item.finished}, {"seconds", item.seconds}};
  json& numbers = described["numbers"] = json::object();
  for (const auto& [name, value] : item.saved.numbers) numbers[name] = number_json(value);
  described["texts"] = item.saved.texts;
  describe_arrays(item.saved.doubles, described, arrays);
  describe_arrays(item.saved.floats, described, arrays);
  describe_arrays(item.saved.words, described, arrays);
  if (const auto model = item.model.lock()) {
    described["model"] = io::describe_model(*model, arrays);
    say_fallback(described["model"]);
    if (described["model"].contains("members"))
      for (json& member : described["model"]["members"]) say_fallback(member);
    alive.push_back(model);
  }
  return described;
}

void read_array(const json& described, const ArrayReader& arrays, Saved& saved) {
  const auto name = described.at("name").get<std::string>();
  const auto dtype = described.at("dtype").get<std::string>();
  if (dtype == io::dtype_name<double>())
    saved.doubles[name] = arrays.get<double>(described);
  else if (dtype == io::dtype_name<float>())
    saved.floats[name] = arrays.get<float>(described);
  else
    saved.words[name] = arrays.get<std::uint64_t>(described);
}

JournalItem read_item(const json& described, const ArrayReader& arrays) {
  JournalItem item{.key = described.at("key").get<std::string>(),
                   .about = described.at("about").get<std::string>(),
                   .finished = described.at("finished").get<bool>(),
                   .seconds = io::finite_number(described.at("seconds"), "seconds")};
  for (const auto& [name, value] : described.at("numbers").items())
    item.saved.numbers[name] = read_number(value);
  for (const auto& [name, value] : described.at("texts").items())
    item.saved.texts[name] = value.get<std::string>();
  if (described.contains("arrays"))
    for (const json& one : described["arrays"]) read_array(one, arrays, item.saved);
  if (described.contains("model"))
    item.held = std::make_shared<const Model>(io::read_model(described["model"], arrays));
  return item;
}

}  // namespace

Result<> save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const Journal& journal = checkpoint.journal();
  ArrayWriter arrays;
  std::vector<std::shared_ptr<const Model>> alive;
  json header{{"kind", io::kCheckpointKind}, {"about", json::array()}, {"tasks", json::array()}};
  for (const auto& [name, value] : journal.about()) header["about"].push_back({name, value});
  for (const JournalItem& item : journal.items())
    header["tasks"].push_back(describe_item(item, arrays, alive));
  return arrays.save(path, header);
}

Result<> load_checkpoint(const std::string& path, Checkpoint& checkpoint) {
  auto arrays = ArrayReader::open(path, "checkpoint");
  if (!arrays) return arrays.error();
  try {
    const json& header = arrays->header();
    if (header.at("kind") != io::kCheckpointKind)
      return input_error(path, "found a model, expected a checkpoint");
    Journal::About about;
    for (const json& one : header.at("about"))
      about.emplace_back(one.at(0).get<std::string>(), one.at(1).get<std::string>());
    std::vector<JournalItem> items;
    for (const json& one : header.at("tasks")) items.push_back(read_item(one, *arrays));
    checkpoint.journal().load(path, std::move(about), std::move(items));
    return Nothing{};
  } catch (const std::bad_alloc&) {  // sizes were held against the file: it is not at fault
    throw;
  } catch (const std::exception& problem) {
    return input_error(path, std::string("the checkpoint is damaged: ") + problem.what());
  }
}

}  // namespace lacuna
