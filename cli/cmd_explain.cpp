// SPDX-License-Identifier: MIT
// lacuna explain MODEL CELL
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/model/explain.hpp>
#include <memory>

#include "base/system_text.hpp"
#include "clip.hpp"
#include "command.hpp"
#include "explain_output.hpp"
#include "model/body.hpp"

namespace lacuna::cli {
namespace {

constexpr std::size_t kCellsAtOnce = 256;

struct ExplainCommand {
  std::string model;
  std::vector<std::string> cell;
  std::string by = "fibers";
  int count = 5;
  std::string out;
  std::string delimiter;
  IntervalFlag interval;
  ClipFlag clip;
  Output output;

  Result<int> run();
  Result<> answer(const std::vector<Query>& queries, Explainer& explainer, const ExplainOutput& writer);
  Result<> answer_all(const QueryRules& rules, Explainer& explainer, const ExplainOutput& writer);

  std::string written;  // what is to be in the file
  bool first = true;
};

ExplainOptions::By by_name(const std::string& name) {
  using By = ExplainOptions::By;
  return name == "rows" ? By::kRows : name == "components" ? By::kComponents : By::kFibers;
}

// Whether a part has a row of its own that its entries could be regressed on.
bool has_factored_parts(const Model& fitted) {
  const std::vector<const Model*> all = members(fitted);
  return std::any_of(all.begin(), all.end(),
                     [](const Model* one) { return one->latent() != nullptr && one->latent()->factored(); });
}

Result<> ExplainCommand::answer(const std::vector<Query>& queries, Explainer& explainer,
                                const ExplainOutput& writer) {
  for (const Query& query : queries) {
    Cells cells(static_cast<int>(query.at.size()));
    cells.add(query.at);
    const Explanation found = explainer.explain(cells, 0, {.by = by_name(by), .count = count});
    const std::string text = output.json ? as_json_line(writer.object(query, found))
                                         : (first ? "" : "\n") + writer.block(query, found);
    first = false;
    if (!out.empty())
      written += text;
    else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      return output_error("stdout", system_text(errno));
  }
  return Nothing{};
}

Result<> ExplainCommand::answer_all(const QueryRules& rules, Explainer& explainer,
                                    const ExplainOutput& writer) {
  auto reader = QueryReader::open(cell[0], delimiter, rules);
  if (!reader) return reader.error();
  for (;;) {
    std::vector<Query> queries;
    auto more = reader->next(kCellsAtOnce, queries);
    // Those before a line that cannot be read have been asked, and are answered.
    if (auto answered = answer(queries, explainer, writer); !answered) return answered;
    if (!more) return more.error();
    if (!*more) return Nothing{};
  }
}

Result<int> ExplainCommand::run() {
  set_thread_count(output.threads);
  auto fitted = load_model(model);
  if (!fitted) return fitted.error();
  if (by == "rows" && !has_factored_parts(*fitted))
    return usage_error("--by",
                       fmt::format("found rows, expected fibers or components: {} has no part with rows "
                                   "that are regressed on their entries, as als and ffw have",
                                   model));
  clip.apply_to(*fitted);
  const ModeNames names(*fitted);
  const QueryRules rules(names);
  auto level = interval.level(*fitted, model);
  if (!level) return level.error();
  const bool words = cell.size() > 1 || rules.is_question(cell[0]);
  std::vector<Query> query;
  if (words) {
    auto one = rules.from_words(cell);
    if (!one) return one.error();
    query.push_back(std::move(*one));
  }
  if (!out.empty())
    if (auto fine = check_writable(out); !fine) return fine.error();
  Explainer explainer(*fitted);
  const ExplainOutput writer(*fitted, names, *level);
  auto answered = words ? answer(query, explainer, writer) : answer_all(rules, explainer, writer);
  if (!answered) return answered.error();
  if (!out.empty())
    if (auto saved = write_whole(out, written); !saved) return saved.error();
  return 0;
}

}  // namespace

Action add_explain(CLI::App& app) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App& verb = *app.add_subcommand(
      "explain", "which parts and observed entries a prediction rests on, and how much each adds");
  verb.add_option("model", command->model, "a fitted model")->required();
  verb.add_option("cell", command->cell,
                  "MODE=LABEL ..., one for each mode, or a row such as u7,Gilda,4; or a file of such rows; - "
                  "reads them from the standard input and answers as they come")
      ->required();
  verb.add_option("--by", command->by,
                  "what the parts of a latent model are told by: fibers, the entries on the cell's fibers; "
                  "rows, those in its rows (als, ffw); or components")
      ->check(one_of({"fibers", "rows", "components"}));
  verb.add_option("-k,--count", command->count,
                  "how many entries or components of a part, the strongest first")
      ->check(whole_number_in(0, 1000000000));
  verb.add_option("-o,--output", command->out, "where to write the answers; unset: standard output");
  verb.add_option("--delimiter", command->delimiter,
                  "between the fields of a file of cells; unset: found out");
  command->interval.add_flag(verb);
  command->clip.add_flag(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
