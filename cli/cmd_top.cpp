// SPDX-License-Identifier: MIT
// lacuna top MODEL QUERIES -k 10
#include <fmt/format.h>

#include <filesystem>
#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/top.hpp>
#include <lacuna/io/files.hpp>
#include <map>
#include <memory>

#include "base/machine.hpp"
#include "cell_queries.hpp"
#include "clip.hpp"
#include "command.hpp"
#include "input.hpp"
#include "interval_flag.hpp"
#include "io/text/number.hpp"
#include "signals.hpp"
#include "top_output.hpp"

namespace lacuna::cli {
namespace {

constexpr std::size_t kQuestionsAtOnce = 4096;

struct TopCommand {
  std::string model;
  std::vector<std::string> queries;
  int count = 10;
  std::vector<std::string> open;
  std::string each;
  std::vector<std::string> exclude;
  bool observed = false;
  bool lowest = false;
  std::vector<std::string> candidates;
  std::string out;
  IntervalFlag interval;
  Output output;
  InputFlags input;
  ClipFlag clip;

  Result<int> run();
  Result<std::vector<int>> open_modes(const ModeNames& names) const;
  Result<Cells> excluded_cells(const Model& fitted) const;
  Result<> read_candidates(const ModeNames& names);
  Result<> ask_once(const QueryRules& rules);
  Result<> ask_all(const QueryRules& rules);
  Result<> answer(const std::vector<Query>& questions);
  Result<const TopFinder*> finder(const std::vector<Asked>& role);

  const Predictor* predictor = nullptr;
  TopOutput* lists = nullptr;
  Cells excluded;
  std::map<int, std::vector<Index>> chosen;         // candidates, by mode
  std::string unnamed_candidates;                   // a file: they are of the one mode that is open
  std::map<std::vector<Asked>, TopFinder> finders;  // by what questions leave open
};

Result<std::vector<int>> TopCommand::open_modes(const ModeNames& names) const {
  std::vector<int> modes;
  for (const std::string& name : open) {
    const auto mode = names.find_mode(name);
    if (!mode) return usage_error("--open", names.no_such_mode(name));
    modes.push_back(*mode);
  }
  return modes;
}

Result<Cells> TopCommand::excluded_cells(const Model& fitted) const {
  Cells cells(fitted.order());
  if (!observed) {
    cells = observed_cells(fitted);
    if (cells.size() == 0 && exclude.empty())
      output.say(fmt::format(
          "note: {} does not keep the cells it was fitted on; --exclude FILE leaves them out", model));
  }
  for (const std::string& path : exclude) {
    auto file = read_cells(path, input, fitted.modes, fitted.index_base);
    if (!file) return file.error();
    cells.append(file->entries.cells);
  }
  return cells;
}

// A label on each line, of the mode that --candidates names.
Result<std::vector<Index>> read_labels(const std::string& path, const ModeNames& names, int mode) {
  auto reader = io::TextReader::open_input(path);
  if (!reader) return reader.error();
  std::vector<Index> positions;
  std::string_view line;
  while (reader->next(line)) {
    const std::string_view label = io::trim(line);
    if (label.empty()) continue;
    const Index position = names.find(mode, label);
    if (position == kUnseen) return input_error(reader->where(), names.no_such_position(mode, label));
    positions.push_back(position);
  }
  if (auto fine = reader->status(); !fine) return fine.error();
  if (positions.empty())
    return input_error(reader->path(), "found no candidate, expected a label on each line");
  return positions;
}

Result<> TopCommand::read_candidates(const ModeNames& names) {
  for (const std::string& one : candidates) {
    const std::size_t equals = one.find('=');
    const auto mode = equals == std::string::npos ? std::nullopt : names.find_mode(one.substr(0, equals));
    if (!mode) {
      std::error_code ignored;
      if (equals != std::string::npos && !std::filesystem::exists(one, ignored))
        return usage_error("--candidates", names.no_such_mode(one.substr(0, equals)));
      unnamed_candidates = one;  // whose they are is known with the questions
      continue;
    }
    auto positions = read_labels(one.substr(equals + 1), names, *mode);
    if (!positions) return positions.error();
    chosen[*mode] = std::move(*positions);
  }
  return Nothing{};
}

Result<const TopFinder*> TopCommand::finder(const std::vector<Asked>& role) {
  const auto known = finders.find(role);
  if (known != finders.end()) return &known->second;
  const ModeNames names(predictor->model());
  TopOptions options{.count = count, .lowest = lowest, .excluded = excluded};
  for (int k = 0; k < names.order(); ++k) {
    if (role[k] == Asked::kOpen) options.open.push_back(k);
    if (role[k] == Asked::kLeftOut) options.either.push_back(k);
  }
  if (options.open.empty() && !open.empty())
    return usage_error("--open",
                       fmt::format("found {}, which the question gives, expected a mode that it leaves open",
                                   fmt::join(open, ",")));
  if (options.open.empty())
    return usage_error("QUERIES", "the question leaves no mode open, expected MODE=? or a mode not named");
  if (!unnamed_candidates.empty()) {
    if (options.open.size() != 1)
      return usage_error("--candidates",
                         fmt::format("{} modes are open, expected MODE=FILE to say whose candidates {} has",
                                     options.open.size(), unnamed_candidates));
    auto positions = read_labels(unnamed_candidates, names, options.open[0]);
    if (!positions) return positions.error();
    chosen[options.open[0]] = std::move(*positions);
  }
  for (const int mode : options.open) options.candidates.push_back(chosen[mode]);
  if (auto fits = check_memory(top_bytes(predictor->model(), options), "this question"); !fits)
    return fits.error();
  return &finders.emplace(role, TopFinder(*predictor, std::move(options))).first->second;
}

// Questions in a row that leave the same modes open are answered together.
Result<> TopCommand::answer(const std::vector<Query>& questions) {
  for (std::size_t first = 0; first < questions.size();) {
    Cells cells(predictor->model().order());
    std::size_t last = first;
    for (; last < questions.size() && questions[last].role == questions[first].role; ++last)
      cells.add(questions[last].at);
    auto found = finder(questions[first].role);
    if (!found) return found.error();
    if (auto written = lists->write(questions, first, (*found)->find(cells)); !written) return written;
    first = last;
  }
  return Nothing{};
}

// The question of the words, or one for each position of --each.
Result<> TopCommand::ask_once(const QueryRules& rules) {
  auto query = queries.empty() ? Result<Query>(rules.blank()) : rules.from_words(queries);
  if (!query) return query.error();
  if (each.empty()) return answer({*query});
  const auto mode = rules.names().find_mode(each);
  if (!mode) return usage_error("--each", rules.names().no_such_mode(each));
  if (query->role[*mode] == Asked::kFixed)
    return usage_error(
        "--each", fmt::format("asks for each position of mode {}, and the question for {} alone, expected "
                              "one of them",
                              rules.names().name(*mode), rules.names().text(*mode, query->at[*mode])));
  query->role[*mode] = Asked::kFixed;
  const Index size = predictor->model().modes[*mode].size;
  for (Index i = 0; i < size;) {
    std::vector<Query> questions;
    for (; i < size && questions.size() < kQuestionsAtOnce; ++i) {
      query->at[*mode] = i;
      questions.push_back(*query);
    }
    if (auto answered = answer(questions); !answered) return answered;
  }
  return Nothing{};
}

Result<> TopCommand::ask_all(const QueryRules& rules) {
  auto reader = QueryReader::open(queries[0], input.delimiter, rules);
  if (!reader) return reader.error();
  for (;;) {
    std::vector<Query> questions;
    auto more = reader->next(kQuestionsAtOnce, questions);
    // Those before a line that cannot be read have been asked, and are answered.
    if (auto answered = answer(questions); !answered) return answered;
    if (!more) return more.error();
    if (!*more) return Nothing{};
  }
}

Result<int> TopCommand::run() {
  set_thread_count(output.threads);
  if (out == "-") out.clear();  // where lists go anyway
  if (queries.empty() && each.empty())
    return usage_error("QUERIES", "expected MODE=LABEL, a file, - for the standard input, or --each MODE");
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  clip.apply_to(*fitted);
  const ModeNames names(*fitted);
  auto modes = open_modes(names);
  if (!modes) return modes.error();
  const QueryRules rules(names, *modes);
  auto level = interval.level(*fitted, model);
  if (!level) return level.error();
  if (auto read = read_candidates(names); !read) return read.error();
  auto cells = excluded_cells(*fitted);
  if (!cells) return cells.error();
  excluded = std::move(*cells);
  const Predictor answers(*fitted);
  predictor = &answers;
  auto opened = TopOutput::open(answers, names, {.path = out, .json = output.json, .interval = *level});
  if (!opened) return opened.error();
  lists = &*opened;
  const bool words = queries.empty() || queries.size() > 1 || rules.is_question(queries[0]);
  if (!words && !each.empty())
    return usage_error("--each", "asks for each position by itself, expected no file of questions");
  if (auto asked = words ? ask_once(rules) : ask_all(rules); !asked) return asked.error();
  if (auto finished = opened->finish(); !finished) return finished.error();
  return 0;
}

}  // namespace

Action add_top(CLI::App& app) {
  auto command = std::make_shared<TopCommand>();
  CLI::App& verb = *app.add_subcommand("top", "list the best cells that a question leaves open, by label");
  verb.add_option("model", command->model, "a fitted model")->required();
  verb.add_option(
      "queries", command->queries,
      "MODE=LABEL ..., or a row such as head,relation,?; or a file of such rows; - reads them from "
      "the standard input and answers as they come");
  verb.add_option("-k,--count", command->count, "cells to a list")->check(whole_number_in(1, 1000000000));
  verb.add_option(
          "--open", command->open,
          "the modes that answers name; others that a question does not fix do not matter then. Unset: "
          "all that a question does not name")
      ->delimiter(',');
  verb.add_option("--each", command->each, "ask for each position of this mode");
  verb.add_option("--exclude", command->exclude,
                  "leave out the cells of this file, besides those the model was fitted on; may repeat");
  verb.add_flag("--observed", command->observed, "list the cells the model was fitted on, too");
  verb.add_flag("--lowest", command->lowest, "the lowest values instead of the highest");
  verb.add_option(
      "--candidates", command->candidates,
      "choose among the labels in FILE, one on each line; MODE=FILE where several modes are open");
  verb.add_option("-o,--output", command->out, "where to write the lists; unset: standard output");
  command->interval.add_flag(verb);
  command->clip.add_flag(verb);
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
