// SPDX-License-Identifier: MIT
#include "io/file/fit_record_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "io/file/array_container.hpp"
#include "io/file/json_list.hpp"

namespace lacuna::io {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Whole numbers without a decimal point; what is not finite as null.
ordered_json number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

ordered_json number(const std::optional<double>& value) { return value ? number(*value) : ordered_json(); }

template <class List>
ordered_json numbers(const List& list) {
  ordered_json out = ordered_json::array();
  for (const auto& one : list) out.push_back(number(one));
  return out;
}

ordered_json written(const FitRecord::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return numbers(*list);
  return number(std::get<double>(value));
}

ordered_json written(const RunRecord::File& file) {
  return {{"path", file.path}, {"checksum", file.checksum}};
}

// A list for each column.
ordered_json written(const std::vector<StepRecord>& history) {
  ordered_json columns = ordered_json::object();
  for (const StepRecord& step : history) {
    list_in(columns, "iteration").push_back(step.iteration);
    list_in(columns, "seconds").push_back(step.seconds);
    list_in(columns, "objective").push_back(step.objective);
    list_in(columns, "gradient_norm").push_back(step.gradient_norm);
    list_in(columns, "train_rmse").push_back(step.train_rmse);
    list_in(columns, "test_rmse").push_back(number(step.test_rmse));
    list_in(columns, "test_auc").push_back(number(step.test_auc));
    list_in(columns, "test_mrr").push_back(number(step.test_mrr));
    list_in(columns, "gap").push_back(number(step.gap));
    list_in(columns, "operator_applications").push_back(step.operator_applications);
  }
  return columns;
}

double read_number(const json& field) {
  if (field.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!field.is_number()) throw ArrayReader::Bad("settings: expected a number");
  return field.get<double>();
}

std::optional<double> read_optional(const json& field) {
  if (field.is_null()) return std::nullopt;
  return read_number(field);
}

template <class Whole>
Whole read_whole(const json& field) {
  using Limits = std::numeric_limits<Whole>;
  return static_cast<Whole>(whole_number(field, Limits::min(), Limits::max(), "settings"));
}

template <class T>
void take(const json& from, const char* name, T& into) {
  if (from.contains(name) && !from[name].is_null()) into = from[name].get<T>();
}
void take(const json& from, const char* name, int& into) {
  if (from.contains(name)) into = read_whole<int>(from[name]);
}
void take(const json& from, const char* name, bool& into) {
  if (!from.contains(name)) return;
  if (!from[name].is_boolean()) throw ArrayReader::Bad("settings: expected true or false");
  into = from[name].get<bool>();
}
void take(const json& from, const char* name, std::optional<double>& into) {
  if (from.contains(name)) into = read_optional(from[name]);
}
void take(const json& from, const char* name, std::optional<RunRecord::File>& into) {
  if (!from.contains(name) || from[name].is_null()) return;
  into.emplace();
  take(from[name], "path", into->path);
  take(from[name], "checksum", into->checksum);
}

std::vector<StepRecord> read_history(const json& columns) {
  const std::size_t steps = columns.contains("iteration") ? columns["iteration"].size() : 0;
  for (const json& column : columns)
    if (!column.is_array() || column.size() != steps)
      throw ArrayReader::Bad("settings: a history whose columns differ in length");
  std::vector<StepRecord> history(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    StepRecord& step = history[i];
    const auto at = [&](const char* name) { return columns.contains(name) ? columns[name][i] : json(); };
    step.iteration = read_whole<int>(at("iteration"));
    step.seconds = read_number(at("seconds"));
    step.objective = read_number(at("objective"));
    step.gradient_norm = read_number(at("gradient_norm"));
    step.train_rmse = read_number(at("train_rmse"));
    step.test_rmse = read_optional(at("test_rmse"));
    step.test_auc = read_optional(at("test_auc"));
    step.test_mrr = read_optional(at("test_mrr"));
    step.gap = read_optional(at("gap"));
    if (columns.contains("operator_applications"))
      step.operator_applications = read_whole<Count>(at("operator_applications"));
  }
  return history;
}

TuningRecord read_tuning(const json& described) {
  TuningRecord tuning;
  take(described, "metric", tuning.metric);
  take(described, "folds", tuning.folds);
  if (!described.contains("rows")) return tuning;
  for (const json& one : described["rows"]) {
    TuningRecord::Row& row = tuning.rows.emplace_back();
    take(one, "candidate", row.candidate);
    take(one, "lambda", row.lambda);
    take(one, "complete", row.complete);
    take(one, "mean", row.mean);
    take(one, "standard_error", row.standard_error);
    if (one.contains("folds"))
      for (const json& fold : one["folds"]) row.folds.push_back(read_optional(fold));
  }
  return tuning;
}

RunRecord read_run(const json& described) {
  if (!described.is_object()) throw ArrayReader::Bad("settings: a run that is no table");
  RunRecord run;
  take(described, "command", run.command);
  take(described, "train", run.train);
  take(described, "test", run.test);
  take(described, "picture", run.picture);
  take(described, "threads", run.threads);
  take(described, "iterations", run.iterations);
  take(described, "seconds", run.seconds);
  take(described, "choosing_seconds", run.choosing_seconds);
  take(described, "stop_reason", run.stop_reason);
  take(described, "held_out_rmse", run.held_out_rmse);
  take(described, "held_out_auc", run.held_out_auc);
  take(described, "held_out_mrr", run.held_out_mrr);
  if (described.contains("history")) run.history = read_history(described["history"]);
  if (described.contains("tuning")) run.tuning = read_tuning(described["tuning"]);
  return run;
}

// Numbers, or text that lists them, as older files have it.
template <class Number>
std::vector<Number> read_list(const json& field) {
  json list = field;
  if (field.is_number()) list = json::array({field});
  if (field.is_string()) list = json::parse("[" + field.get<std::string>() + "]", nullptr, false);
  if (!list.is_array()) throw ArrayReader::Bad("settings: expected a list of numbers");
  std::vector<Number> numbers;
  for (const json& one : list)
    if constexpr (std::is_integral_v<Number>)
      numbers.push_back(read_whole<Number>(one));
    else
      numbers.push_back(finite_number(one, "settings"));
  return numbers;
}

std::uint64_t read_seed(const json& field) {
  if (!field.is_number_unsigned()) throw ArrayReader::Bad("settings: expected a seed, a whole number >= 0");
  return field.get<std::uint64_t>();
}

FitRecord::Value read_value(const json& field) {
  if (field.is_number()) return field.get<double>();
  if (field.is_string()) return field.get<std::string>();
  const auto is_number = [](const json& one) { return one.is_number(); };
  if (field.is_array() && std::all_of(field.begin(), field.end(), is_number))
    return field.get<std::vector<double>>();
  return field.dump();
}

}  // namespace

ordered_json to_json(const TuningRecord& tuning) {
  ordered_json rows = ordered_json::array();
  for (const TuningRecord::Row& row : tuning.rows)
    rows.push_back({{"candidate", row.candidate},
                    {"lambda", number(row.lambda)},
                    {"complete", row.complete},
                    {"mean", number(row.mean)},
                    {"standard_error", row.standard_error},
                    {"folds", numbers(row.folds)}});
  return {{"metric", tuning.metric}, {"folds", tuning.folds}, {"rows", std::move(rows)}};
}

ordered_json to_json(const RunRecord& run) {
  ordered_json out{{"command", run.command},
                   {"train", run.train ? written(*run.train) : ordered_json()},
                   {"picture", run.picture},
                   {"threads", run.threads},
                   {"iterations", run.iterations},
                   {"seconds", run.seconds},
                   {"choosing_seconds", run.choosing_seconds},
                   {"stop_reason", run.stop_reason},
                   {"history", written(run.history)}};
  if (run.test) out["test"] = written(*run.test);
  if (run.tuning) out["tuning"] = to_json(*run.tuning);
  if (run.held_out_rmse) out["held_out_rmse"] = *run.held_out_rmse;
  if (run.held_out_auc) out["held_out_auc"] = *run.held_out_auc;
  if (run.held_out_mrr) out["held_out_mrr"] = *run.held_out_mrr;
  return out;
}

ordered_json to_json(const FitRecord& record) {
  ordered_json out = ordered_json::object();
  if (!record.parts.empty()) out["parts"] = record.parts;
  if (!record.ranks.empty()) out["rank"] = record.ranks;
  if (record.lambda) out["lambda"] = number(*record.lambda);
  if (!record.lambdas.empty()) out["lambdas"] = numbers(record.lambdas);
  for (const FitRecord::Item& item : record.others) out[item.name] = written(item.value);
  out["seed"] = record.seed;
  if (record.run) out["run"] = to_json(*record.run);
  return out;
}

FitRecord read_fit_record(const json& described) {
  if (!described.is_object()) throw ArrayReader::Bad("settings that are not a table of settings");
  FitRecord record;
  for (const auto& [name, value] : described.items()) {
    if (name == "run")
      record.run = read_run(value);
    else if (name == "seed")
      record.seed = read_seed(value);
    else if (name == "parts")
      record.parts = value.get<std::string>();
    else if (name == "rank")
      record.ranks = read_list<int>(value);
    else if (name == "lambda")
      record.lambda = read_optional(value);
    else if (name == "lambdas")
      record.lambdas = read_list<double>(value);
    else if (name != "method" && !value.is_null())  // older files repeat the method here
      record.set(name, read_value(value));
  }
  return record;
}

}  // namespace lacuna::io
