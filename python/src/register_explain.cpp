// SPDX-License-Identifier: MIT
// What a prediction rests on. Cells are indices here, one for each mode, None where it was never seen; the face of the
// package puts labels in their place.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <lacuna/model/explain.hpp>

#include "fitted_model.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace lacuna::python {
namespace {

using By = ExplainOptions::By;
using Kind = ExplainedTerm::Kind;

By by_name(const std::string& name) {
  if (name == "fibers") return By::kFibers;
  if (name == "rows") return By::kRows;
  if (name == "components") return By::kComponents;
  throw std::invalid_argument("by: found '" + name + "', expected fibers, rows or components");
}

const char* kind_text(Kind kind) {
  constexpr const char* kNames[] = {"mean", "effect", "part", "tensor", "cell", "link"};
  return kNames[static_cast<std::size_t>(kind)];
}

nb::dict others(const ExplainedOthers& left) {
  nb::dict all;
  all["count"] = left.count;
  all["adds"] = left.adds;
  return all;
}

void add_part(const ExplainedTerm& term, nb::dict& all) {
  all["part"] = term.part;
  all["fiber"] = term.modes;
  all["near"] = term.near;
  if (term.support == 0 || (term.entries.empty() && term.other_entries.count == 0)) return;
  all["by"] = term.by_rows ? "row" : "fiber";
  all["support"] = term.support;
  nb::list entries;
  for (const ExplainedEntry& entry : term.entries) {
    nb::dict one;
    one["cell"] = entry.cell;
    one["value"] = entry.value;
    one["weight"] = entry.weight;
    one["left"] = entry.left;
    one["adds"] = entry.adds;
    entries.append(one);
  }
  all["entries"] = entries;
  all["other_entries"] = others(term.other_entries);
  all["prior"] = term.prior;
}

nb::dict term_dict(const ExplainedTerm& term) {
  nb::dict all;
  all["kind"] = kind_text(term.kind);
  all["adds"] = term.adds;
  all["known"] = term.known;
  if (term.member != nullptr) all["member"] = term.member->method;
  if (term.kind == Kind::kEffect) all["of"] = term.modes;
  if (term.kind == Kind::kPart) add_part(term, all);
  if (term.kind == Kind::kLink) {
    all["log_odds"] = term.log_odds;
    all["constant"] = term.constant;
    all["biases"] = term.biases;
  }
  if (term.components.empty() && term.other_components.count == 0) return all;
  nb::list components;
  for (const ExplainedComponent& component : term.components) {
    nb::dict one;
    one["component"] = component.number;
    one["adds"] = component.adds;
    components.append(one);
  }
  all["components"] = components;
  all["other_components"] = others(term.other_components);
  return all;
}

nb::list explain(const FittedModel& fitted, const std::vector<std::vector<std::optional<Index>>>& cells,
                 const std::string& by, int count) {
  const ExplainOptions options{.by = by_name(by), .count = count};
  Cells asked(fitted.model.order());
  for (const auto& cell : cells) {
    std::vector<Index> at;
    for (const auto& index : cell) at.push_back(index.value_or(kUnseen));
    asked.add(at);
  }
  std::vector<Explanation> found;
  {
    const nb::gil_scoped_release free;
    Explainer explainer(fitted.model);
    for (Count c = 0; c < asked.size(); ++c) found.push_back(explainer.explain(asked, c, options));
  }
  nb::list all;
  for (const Explanation& one : found) {
    nb::list terms;
    for (const ExplainedTerm& term : one.terms) terms.append(term_dict(term));
    nb::dict answer;
    answer["value"] = one.value;
    answer["support"] = one.support;
    answer["guess"] = one.guess;
    answer["terms"] = terms;
    answer["sum"] = one.sum;
    answer["clip"] = one.value - one.sum;
    all.append(answer);
  }
  return all;
}

}  // namespace

void register_explain(nb::module_& m) {
  m.def("explain", &explain, nb::arg("model"), nb::arg("cells"), nb::arg("by"), nb::arg("count"));
}

}  // namespace lacuna::python
