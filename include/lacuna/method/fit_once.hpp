// SPDX-License-Identifier: MIT
// A fit with settings that leave nothing open, what comes of it, and its certificate.
#pragma once

#include <functional>
#include <lacuna/base/base.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/model/checkpoint.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/problem/certificate.hpp>
#include <lacuna/solver/stop_reason.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

// A step of one fit of one method, which solves and never searches: `fit` (lacuna/search/fit.hpp) chooses what is left
// open.
struct FitProgress {
  int iteration = 0;     // counts on through the path in lambda
  double lambda = 1.0;   // of this stage of the path, in units of the final one
  double seconds = 0.0;  // fitting only: what measuring took is left out
  double objective = 0.0;
  double gradient_norm = 0.0;
  double relative_gradient = 0.0;
  double train_rmse = 0.0;
  std::optional<double> test_rmse;
  std::optional<double> test_auc;
  std::optional<double> test_mrr;  // of methods that rank links: filtered, of test entries that are all facts
  std::optional<double> gap;       // Certificate::gap(), where it was asked for
  double radius = 0.0;
  double ratio = 0.0;
  int inner_iterations = 0;
  bool accepted = true;
  Count operator_applications = 0;

  // 1 - MRR or 1 - AUC where that is defined, else RMSE; infinite where there is nothing to test on.
  [[nodiscard]] double test_error() const;
};

class Communicator;  // of processes that share the entries (src/dist)

struct FitCallbacks {
  std::function<Flow(const FitProgress&)> progress;  // after every step; may stop the fit
  Interrupted interrupted;                           // polled inside steps
  std::function<void(const std::string&)> notice;    // a sentence for the user, such as a capped rank
  std::function<void(const std::string&)> detail{};  // and for one who asked for more
  // Processes that run this fit together, with the same settings and test entries; null: this one alone. Each has all
  // entries, and gets the whole model; or each has some of them (`shared`), every entry is on one of them, and each gets
  // of a latent model's dual a part likewise. A model to start from is shared in the same way.
  const Communicator* everyone = nullptr;
  bool shared = false;
  // What the fit goes on from, and where it leaves what it needs to go on later; null: nothing is kept. `fit` throws
  // CheckpointError when it is of another fit.
  Checkpoint* checkpoint = nullptr;
};

struct FitResult {
  Model model;
  FitProgress last;
  StopReason reason = StopReason::kMaxIterations;
  std::string stop_reason;  // in words
  bool converged = false;
  std::vector<double> mixture;             // Predictor::mixture()
  std::optional<Certificate> certificate;  // of the end, unless interrupted
  double seconds = 0.0;
  double choosing_seconds = 0.0;  // what automatic choices took before that
  Count choosing_applications = 0;
  // What held-out entries, which look like the missing ones, let expect; nothing where nothing was chosen.
  std::optional<double> held_out_rmse{};
  std::optional<double> held_out_auc{};
  std::optional<double> held_out_mrr{};
};

// Fits with the settings given, and with the method's own where they are open (settled()). Throws
// std::invalid_argument when the settings do not fit the method or the tensor, ValueRangeError when its values
// are so large or small that the result has no finite double, MemoryError before anything is allocated when this machine
// cannot hold it.
[[nodiscard]] FitResult fit_once(ObservedTensor tensor, const Settings& settings,
                                 const FitCallbacks& callbacks = {}, const Entries* test = nullptr);

// How far a fitted model is at most from the best over all ranks, from the model and its data alone.
// `train` holds the entries the model was fitted on, at the model's positions. Throws std::invalid_argument
// when its cells are others, or when the model does not come from problem D; ValueRangeError when the bounds
// are not finite.
[[nodiscard]] Certificate certify(const Model& model, ObservedTensor train);

}  // namespace lacuna
