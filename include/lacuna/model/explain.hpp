// SPDX-License-Identifier: MIT
// What a prediction rests on: a sum of terms, each with what it is the sum of in turn.
//
//   value = mean + effects + what each part of the body says + clip
//
// A latent part is kernel regression, so what it says of a cell is a sum over observed entries:
//
//   dual form (tr-mm, tr-ls)   lambda u_cell . v_c = sum_{e in c} k(cell, e) z_e,   k = lambda kappa u_cell . u_e
//                              exactly: z_e is the dual variable of the entry, for tr-mm twice what the fit leaves of it
//   factored form (als, ffw)   v_c is close to a ridge regression of its entries, with the rows u, the other parts and
//                              the effects held fixed:
//                                v_c = A^-1 sum_{e in c} w_e u_e r_e + prior,   A = sum_e w_e u_e u_e' + P
//                              r_e is what all else leaves of entry e, P the ridge that update() has: noise variance
//                              times the inverse covariance of the fibers' vectors. The prior is what is then left to
//                              v_c: what rests on no entry of the fiber. The same holds of u_cell, with the v held fixed.
//
// and, in other coordinates, a sum over components, which are the singular vectors of the part as a matrix of
// rows by fibers.
#pragma once

#include <lacuna/model/model.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

struct ExplainOptions {
  enum class By {
    kFibers,      // the entries on the cell's fiber of each part
    kRows,        // the entries in the cell's row; for parts in factored form, else as above
    kComponents,  // no entries
  };
  By by = By::kFibers;
  int count = 5;  // of the strongest entries, and of the strongest components, of each part; >= 0
};

// An observed entry, or one of its doings.
struct ExplainedEntry {
  std::vector<Index> cell{};
  std::optional<double> value{};  // that was observed; nothing where the model does not tell (tr-ls)
  double weight = 0.0;            // k, or of the ridge regression
  double left = 0.0;              // z_e or r_e
  double adds = 0.0;              // weight * left
};

struct ExplainedComponent {
  std::vector<int> number{};  // from 0; of a Tucker tensor one for each mode, else one
  double adds = 0.0;
};

// Those that are not listed.
struct ExplainedOthers {
  Count count = 0;
  double adds = 0.0;
};

struct ExplainedTerm {
  enum class Kind {
    kMean,
    kEffect,
    kPart,    // of a latent model
    kTensor,  // all that a Tucker or CP tensor says
    kCell,    // a number that the method found for this very cell
    kLink,    // a probability
  };
  Kind kind = Kind::kMean;
  std::vector<int> modes{};  // of an effect; of a part: those that tell its fibers apart
  bool known = true;         // false: of a position, row or fiber without entries
  double adds = 0.0;
  const Model* member = nullptr;  // of a blend: whose term it is, its weight taken into all that it adds

  // Of a part.
  std::string part{};     // as parts are written
  bool near = false;      // entries on other fibers speak, too: as much as they are near
  bool factored = false;  // told by a ridge regression, which leaves a prior
  bool by_rows = false;
  Count support = 0;                      // entries that speak
  std::vector<ExplainedEntry> entries{};  // the strongest first
  ExplainedOthers other_entries{};
  double prior = 0.0;  // of a part in factored form; of others what rounding leaves

  std::vector<ExplainedComponent> components{};  // of a part, tensor or link: the strongest first
  ExplainedOthers other_components{};

  // Of a link, in log-odds: constant + biases + components = log_odds, and adds = 1 / (1 + exp(-log_odds)).
  double constant = 0.0;
  double log_odds = 0.0;
  std::vector<double> biases{};  // of each mode's position
};

struct Explanation {
  std::vector<ExplainedTerm> terms{};
  double sum = 0.0;    // of what they add
  double value = 0.0;  // the prediction: the sum, kept within the model's range
  Count support = 0;   // Predictor::support()
  bool guess = false;  // the body says nothing of the cell: the terms are the main effects that stand for it
};

class Explainer {
 public:
  // The model must outlive it. Set-up is as a Predictor's.
  explicit Explainer(const Model& model);
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;
  ~Explainer();

  // Of one of these cells, at which a position may be kUnseen. O(N r) at most. Throws std::invalid_argument
  // on another number of modes.
  [[nodiscard]] Explanation explain(const Cells& cells, Count cell, const ExplainOptions& options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
