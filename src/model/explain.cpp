// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/model/explain.hpp>
#include <stdexcept>

#include "model/body.hpp"
#include "model/cold_guess.hpp"
#include "model/explain_part.hpp"

namespace lacuna {
namespace {

using Kind = ExplainedTerm::Kind;

void add_offsets(const Offsets& offsets, const Cells& cells, Count cell, std::vector<ExplainedTerm>& terms) {
  if (offsets.empty()) return;
  terms.push_back({.kind = Kind::kMean, .adds = offsets.mean});
  for (const Effect& effect : offsets.effects) {
    const std::uint64_t key = effect.key_of(cells, cell);
    terms.push_back(
        {.kind = Kind::kEffect, .modes = effect.modes, .known = effect.knows(key), .adds = effect.at(key)});
  }
}

void tell_components(std::vector<Doing> doings, int count, ExplainedTerm& term) {
  term.other_components = keep_strongest(doings, count);
  for (const Doing& doing : doings)
    term.components.push_back({.number = {static_cast<int>(doing.of)}, .adds = doing.adds()});
}

bool inside(const Model& model, const Cells& cells, Count cell) {
  for (int k = 0; k < model.order(); ++k)
    if (cells.mode(k)[cell] >= model.modes[k].size) return false;
  return true;
}

void explain_body(const Cp& cp, const Cells& cells, Count cell, int count, ExplainedTerm& term) {
  std::vector<Doing> doings;
  for (Eigen::Index j = 0; j < cp.factors[0].cols(); ++j) {
    double product = 1.0;
    for (std::size_t k = 0; k < cp.factors.size(); ++k) product *= cp.factors[k](cells[k][cell], j);
    doings.push_back({.of = static_cast<Index>(j), .weight = product});
  }
  tell_components(std::move(doings), count, term);
}

// The elements of the core times their columns' numbers at the cell.
void explain_body(const Tucker& tucker, const Cells& cells, Count cell, int count, ExplainedTerm& term) {
  std::vector<Doing> doings;
  for (Eigen::Index number = 0; number < tucker.core.size(); ++number) {
    double product = tucker.core(number);
    Eigen::Index rest = number;
    for (int k = 0; k < tucker.order(); ++k) {
      product *= tucker.factors[k](cells[k][cell], rest % tucker.rank(k));
      rest /= tucker.rank(k);
    }
    doings.push_back({.of = static_cast<Index>(number), .weight = product});
  }
  tell_components(std::move(doings), count, term);
  for (ExplainedComponent& component : term.components) {
    int rest = component.number[0];
    component.number.clear();
    for (int k = 0; k < tucker.order(); ++k) {
      component.number.push_back(rest % tucker.rank(k));
      rest /= tucker.rank(k);
    }
  }
}

void explain_body(const ComplEx& x, const Cells& cells, Count cell, int count, ExplainedTerm& term) {
  const Index head = cells[x.roles.head][cell];
  const Index relation = cells[x.roles.relation][cell];
  const Index tail = cells[x.roles.tail][cell];
  const LinkScore score = link_score(x, head, relation, tail);
  term.constant = x.constant;
  term.log_odds = x.constant + x.forward * score.forward + x.backward * score.backward;
  term.biases.assign(3, 0.0);
  const double both = x.forward + x.backward;
  const auto number = [](float value) { return static_cast<double>(value); };
  if (head < x.head_count()) term.biases[x.roles.head] = both * number(x.entities(head, x.head_bias()));
  if (tail < x.tail_count())
    term.biases[x.roles.tail] = both * number(x.entities(x.tails_from + tail, x.tail_bias()));
  if (relation < x.relation_count())
    term.biases[x.roles.relation] = both * number(x.relations(relation, x.relation_bias()));
  if (head >= x.head_count() || tail >= x.tail_count() || relation >= x.relation_count()) return;
  const float* const h = x.entities.row(head).data();
  const float* const t = x.entities.row(x.tails_from + tail).data();
  const float* const there = x.relations.row(relation).data();
  const float* const back = x.relations.row(x.relation_count() + relation).data();
  // Re(a_j w_j conj c_j)
  const auto product = [&](const float* a, const float* w, const float* c, int j) {
    const int i = x.rank + j;
    return (number(a[j]) * number(w[j]) - number(a[i]) * number(w[i])) * number(c[j]) +
           (number(a[j]) * number(w[i]) + number(a[i]) * number(w[j])) * number(c[i]);
  };
  std::vector<Doing> doings;
  for (int j = 0; j < x.rank; ++j)
    doings.push_back({.of = static_cast<Index>(j),
                      .weight = x.forward * product(h, there, t, j) +
                                (x.backward != 0.0 ? x.backward * product(t, back, h, j) : 0.0)});
  tell_components(std::move(doings), count, term);
}

}  // namespace

namespace {

// The term of a member of a blend, which adds so much less to it.
void weigh(double weight, ExplainedTerm& term) {
  for (double* adds : {&term.adds, &term.prior, &term.other_entries.adds, &term.other_components.adds})
    *adds *= weight;
  for (ExplainedEntry& entry : term.entries) {
    entry.weight *= weight;
    entry.adds *= weight;
  }
  for (ExplainedComponent& component : term.components) component.adds *= weight;
}

}  // namespace

struct Explainer::State {
  explicit State(const Model& of) : model(&of), range(prediction_range(of)) {
    if (std::holds_alternative<Blend>(*of.body))
      for (const Model* member : lacuna::members(of)) members.emplace_back(*member);
    else if (of.latent() != nullptr)
      parts.emplace(of);
    else
      predictor.emplace(of);
    // The coordinates in which the components of a Tucker tensor are those of its unfoldings.
    if (const auto* found = std::get_if<Tucker>(&*of.body))
      tucker = truncated_hosvd(*found, orthonormalized(*found).ranks());
  }

  // Of the parts at the cell; true where none of them says anything.
  bool add_parts(const Cells& cells, Count cell, const ExplainOptions& options, Explanation& found) {
    Cells one(cells.order());
    one.add(cells, cell);
    double all = 0.0;
    const bool silent = parts->latent().add_values(one, std::span(&all, 1))[0];
    found.support = parts->latent().support(one)[0];
    if (ColdGuess(*model).replaces(one, 0, silent)) return true;
    const std::vector<std::vector<double>> values = parts->latent().parts(one);
    for (std::size_t p = 0; p < values.size(); ++p)
      found.terms.push_back(parts->explain(p, one, 0, values[p][0], options));
    parts->tell_values(found.terms);
    return false;
  }

  // Of another body: the one term it has.
  bool add_body(const Cells& cells, Count cell, const ExplainOptions& options, Explanation& found) const {
    const bool known = inside(*model, cells, cell);
    const bool silent = ColdGuess(*model).unseen_mode(cells, cell, spanned_modes(*model->body)) >= 0;
    if (ColdGuess(*model).replaces(cells, cell, silent)) return true;
    const ModelBody& body = *model->body;
    if (std::holds_alternative<std::monostate>(body)) return false;
    Cells one(cells.order());
    one.add(cells, cell);
    ExplainedTerm& term = found.terms.emplace_back();
    term.kind = Kind::kTensor;
    term.known = known;
    const double whole = predictor->scores(one)[0];
    term.adds = whole - model->offsets.at(one)[0];
    if (const auto* link = std::get_if<ComplEx>(&body)) {
      term.kind = Kind::kLink;
      explain_body(*link, cells, cell, options.count, term);
    }
    if (std::holds_alternative<Dense>(body)) term.kind = Kind::kCell;
    if (!known) return false;
    if (const auto* cp = std::get_if<Cp>(&body)) explain_body(*cp, cells, cell, options.count, term);
    if (tucker) explain_body(*tucker, cells, cell, options.count, term);
    return false;
  }

  // Of a blend: the terms of all members. A guess where all of them guess.
  void add_members(const Cells& cells, Count cell, const ExplainOptions& options, Explanation& found) {
    const auto& blend = std::get<Blend>(*model->body);
    found.guess = true;
    for (std::size_t m = 0; m < members.size(); ++m) {
      Explanation one = members[m].explain(cells, cell, options);
      found.guess = found.guess && one.guess;
      found.support = std::max(found.support, one.support);
      for (ExplainedTerm& term : one.terms) {
        weigh(blend.weights[m], term);
        term.member = &blend.members[m];
        found.terms.push_back(std::move(term));
      }
    }
  }

  const Model* model;
  std::optional<Range> range;      // where predictions are kept
  std::vector<Explainer> members;  // of a blend
  std::optional<PartExplainer> parts;
  std::optional<Predictor> predictor;
  std::optional<Tucker> tucker;
};

namespace {

// A sum may be finite whose summands are not all, as a product is that was taken in another order.
bool all_finite(const ExplainedTerm& term) {
  const auto finite = [](const auto&... numbers) { return (std::isfinite(numbers) && ...); };
  return finite(term.adds, term.prior, term.other_entries.adds, term.other_components.adds, term.constant,
                term.log_odds) &&
         std::all_of(term.biases.begin(), term.biases.end(), finite) &&
         std::all_of(term.entries.begin(), term.entries.end(),
                     [&](const ExplainedEntry& one) { return finite(one.weight, one.left, one.adds); }) &&
         std::all_of(term.components.begin(), term.components.end(),
                     [&](const ExplainedComponent& one) { return finite(one.adds); });
}

}  // namespace

Explainer::Explainer(const Model& model) : state_(std::make_unique<State>(model)) {}
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;
Explainer::~Explainer() = default;

Explanation Explainer::explain(const Cells& cells, Count cell, const ExplainOptions& options) {
  const Model& model = *state_->model;
  if (cells.order() != model.order())
    throw std::invalid_argument("a cell has " + std::to_string(cells.order()) + " indices, the model has " +
                                std::to_string(model.order()) + " modes");
  Explanation found;
  if (!state_->members.empty()) {
    state_->add_members(cells, cell, options, found);
  } else {
    add_offsets(model.offsets, cells, cell, found.terms);
    found.guess = state_->parts ? state_->add_parts(cells, cell, options, found)
                                : state_->add_body(cells, cell, options, found);
    if (found.guess) {
      found.terms.clear();
      add_offsets(model.fallback, cells, cell, found.terms);
    }
  }
  for (const ExplainedTerm& term : found.terms) found.sum += term.adds;
  const std::optional<Range>& range = state_->range;
  found.value = range ? std::clamp(found.sum, range->low, range->high) : found.sum;
  const bool finite = std::isfinite(found.sum);
  if (!finite || !std::all_of(found.terms.begin(), found.terms.end(), all_finite))
    throw ValueRangeError("the model's numbers are too large: its prediction of cell " +
                          describe_cell(model.modes, cells, cell, model.index_base) +
                          (finite ? " has summands that are not finite" : " is not finite"));
  return found;
}

}  // namespace lacuna
