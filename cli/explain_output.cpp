// SPDX-License-Identifier: MIT
#include "explain_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lacuna::cli {
namespace {

using Kind = ExplainedTerm::Kind;
using nlohmann::ordered_json;

constexpr double kRounding = 1e-8;  // of the largest number that is added: less than that is not shown

std::string line(double adds, const std::string& what) { return fmt::format("{:>+12.5g}  {}\n", adds, what); }
std::string inner_line(double adds, const std::string& what) {
  return fmt::format("{:>16}{:>+12.5g}  {}\n", "", adds, what);
}

std::string number_text(const std::vector<int>& number) {
  std::string text;
  for (const int one : number) text += (text.empty() ? "" : ",") + std::to_string(one + 1);
  return text;
}

std::string entries_text(Count count) {
  return count == 1 ? "1 entry" : fmt::format("{} entries", grouped(count));
}

ordered_json others_object(const ExplainedOthers& others) {
  return {{"count", others.count}, {"adds", others.adds}};
}

const char* kind_text(Kind kind) {
  constexpr const char* kNames[] = {"mean", "effect", "part", "tensor", "cell", "link"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<int> all_modes(const Model& model) {
  std::vector<int> modes(model.modes.size());
  std::iota(modes.begin(), modes.end(), 0);
  return modes;
}

}  // namespace

// "user=u7 film=Gilda"
std::string ExplainOutput::at(const Query& query, const std::vector<int>& modes) const {
  std::string text;
  for (const int k : modes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", names_->name(k),
                        query.role[k] == Asked::kFixed ? names_->text(k, query.at[k]) : "*");
  return text;
}

std::string ExplainOutput::part_text(const Query& query, const ExplainedTerm& term) const {
  std::string name = "part " + term.part;
  const std::string fiber = term.modes.empty() ? "the one fiber" : "the fiber " + at(query, term.modes);
  if (!term.known) return fmt::format("{}: nothing is known of {}", name, fiber);
  const std::string count = entries_text(term.support);
  if (term.by_rows) {
    const std::string row = term.part.substr(0, term.part.find('|'));
    return fmt::format("{}: {} in the row of {}", name, count, at(query, {*names_->find_mode(row)}));
  }
  if (term.near && term.support == 0) return name;
  return fmt::format("{}: {} {} {}", name, count, term.near ? "near" : "on", fiber);
}

std::string ExplainOutput::what(const Query& query, const ExplainedTerm& term) const {
  const std::string text = what_of(term.member != nullptr ? *term.member : *model_, query, term);
  return term.member != nullptr ? term.member->method + ", " + text : text;
}

std::string ExplainOutput::what_of(const Model& model, const Query& query, const ExplainedTerm& term) const {
  switch (term.kind) {
    case Kind::kMean:
      return "mean";
    case Kind::kEffect:
      return fmt::format("effect of {}{}", at(query, term.modes), term.known ? "" : ", which has no entry");
    case Kind::kPart:
      return part_text(query, term);
    case Kind::kTensor:
      return fmt::format("{} tensor{}", kind_name(model) == "cp" ? "CP" : "Tucker",
                         term.known ? "" : ", which says nothing of a position never seen");
    case Kind::kLink:
      return fmt::format("probability of the link, at log-odds of {:+.5g}:", term.log_odds);
    case Kind::kCell:
      break;
  }
  return fmt::format("what {} found for this cell, with all others at once: it has no parts to tell apart",
                     model.method);
}

void ExplainOutput::add_entries(const ExplainedTerm& term, double scale, std::string& text) const {
  ExplainedOthers others = term.other_entries;
  for (const ExplainedEntry& entry : term.entries) {
    if (std::abs(entry.adds) <= kRounding * scale) {
      ++others.count;
      others.adds += entry.adds;
      continue;
    }
    std::string cell;
    for (int k = 0; k < model_->order(); ++k)
      cell += fmt::format("{}{}={}", k == 0 ? "" : " ", names_->name(k), names_->text(k, entry.cell[k]));
    // Z tells a value in dual form, up to what a fit that stopped early leaves.
    const bool about = entry.value && !term.factored && *entry.value != std::round(*entry.value);
    const std::string value =
        entry.value ? fmt::format(", observed {}{:.5g}", about ? "about " : "", *entry.value) : "";
    text +=
        inner_line(entry.adds, fmt::format("{}{}: {:.4g} of {:.4g}", cell, value, entry.weight, entry.left));
  }
  if (others.count > 0)
    text += inner_line(others.adds,
                       others.count == term.support
                           ? entries_text(others.count)
                           : fmt::format("{} other{}", grouped(others.count), others.count == 1 ? "" : "s"));
  if (term.support > 0 && std::abs(term.prior) > kRounding * scale)
    text +=
        inner_line(term.prior, term.factored ? "the prior: what rests on none of these entries" : "rounding");
}

void ExplainOutput::add_details(const ExplainedTerm& term, double scale, std::string& text) const {
  if (term.kind == Kind::kPart) add_entries(term, scale, text);
  if (term.kind == Kind::kLink) {
    text += inner_line(term.constant, "constant");
    for (std::size_t k = 0; k < term.biases.size(); ++k)
      text += inner_line(term.biases[k], "bias of the " + names_->name(static_cast<int>(k)));
  }
  for (const ExplainedComponent& component : term.components)
    text += inner_line(component.adds, "component " + number_text(component.number));
  if (term.other_components.count > 0)
    text += inner_line(term.other_components.adds,
                       fmt::format("{} other components", grouped(term.other_components.count)));
}

IntervalEnds ExplainOutput::ends_of(const Explanation& explanation) const {
  return interval_ends(model_->calibration, range_, explanation.value, explanation.support, interval_);
}

std::string ExplainOutput::block(const Query& query, const Explanation& explanation) const {
  const IntervalEnds ends = ends_of(explanation);
  std::string text = fmt::format("{}: {:.6g}", at(query, all_modes(*model_)), explanation.value);
  if (ends.low)
    text += fmt::format(", from {:.6g} to {:.6g} with probability {}", *ends.low, *ends.high, interval_);
  text += "\n";
  if (explanation.guess)
    text += "the model has nothing else to say of this cell than the main effects of its known positions\n";
  double scale = 0.0;
  for (const ExplainedTerm& term : explanation.terms) scale = std::max(scale, std::abs(term.adds));
  for (const ExplainedTerm& term : explanation.terms) {
    text += line(term.adds, what(query, term));
    add_details(term, scale, text);
  }
  if (explanation.value != explanation.sum)
    text += line(explanation.value - explanation.sum,
                 fmt::format("clip: predictions are kept from {:.6g} to {:.6g}", range_->low, range_->high));
  return text;
}

ordered_json ExplainOutput::place(const Query& query, const std::vector<int>& modes) const {
  ordered_json object = ordered_json::object();
  for (const int k : modes)
    object[names_->name(k)] =
        query.role[k] == Asked::kFixed ? ordered_json(names_->text(k, query.at[k])) : ordered_json();
  return object;
}

void ExplainOutput::add_part(const Query& query, const ExplainedTerm& term, ordered_json& object) const {
  object["part"] = term.part;
  object["fiber"] = place(query, term.modes);
  object["near"] = term.near;
  if (term.support == 0 || (term.entries.empty() && term.other_entries.count == 0)) return;
  object["by"] = term.by_rows ? "row" : "fiber";
  object["support"] = term.support;
  ordered_json entries = ordered_json::array();
  for (const ExplainedEntry& entry : term.entries) {
    ordered_json cell = ordered_json::object();
    for (int k = 0; k < model_->order(); ++k) cell[names_->name(k)] = names_->text(k, entry.cell[k]);
    entries.push_back({{"cell", std::move(cell)},
                       {"value", or_null(entry.value)},
                       {"weight", entry.weight},
                       {"left", entry.left},
                       {"adds", entry.adds}});
  }
  object["entries"] = std::move(entries);
  object["other_entries"] = others_object(term.other_entries);
  object["prior"] = term.prior;
}

ordered_json ExplainOutput::term_object(const Query& query, const ExplainedTerm& term) const {
  ordered_json object{{"kind", kind_text(term.kind)}, {"adds", term.adds}, {"known", term.known}};
  if (term.member != nullptr) object["member"] = term.member->method;
  if (term.kind == Kind::kEffect) object["of"] = place(query, term.modes);
  if (term.kind == Kind::kPart) add_part(query, term, object);
  if (term.kind == Kind::kLink) {
    object["log_odds"] = term.log_odds;
    object["constant"] = term.constant;
    ordered_json biases = ordered_json::object();
    for (std::size_t k = 0; k < term.biases.size(); ++k)
      biases[names_->name(static_cast<int>(k))] = term.biases[k];
    object["biases"] = std::move(biases);
  }
  if (term.components.empty() && term.other_components.count == 0) return object;
  ordered_json components = ordered_json::array();
  for (const ExplainedComponent& component : term.components)
    components.push_back({{"component", number_text(component.number)}, {"adds", component.adds}});
  object["components"] = std::move(components);
  object["other_components"] = others_object(term.other_components);
  return object;
}

ordered_json ExplainOutput::object(const Query& query, const Explanation& explanation) const {
  const IntervalEnds ends = ends_of(explanation);
  ordered_json terms = ordered_json::array();
  for (const ExplainedTerm& term : explanation.terms) terms.push_back(term_object(query, term));
  ordered_json object{{"cell", place(query, all_modes(*model_))}, {"value", explanation.value}};
  if (interval_ > 0.0) {
    object["low"] = or_null(ends.low);
    object["high"] = or_null(ends.high);
  }
  object["guess"] = explanation.guess;
  object["terms"] = std::move(terms);
  object["sum"] = explanation.sum;
  object["clip"] = explanation.value - explanation.sum;
  return object;
}

}  // namespace lacuna::cli
