// SPDX-License-Identifier: MIT
// How a model came to be: what its fit was told and settled on, and, where that is kept, how it went.
#pragma once

#include <lacuna/tensor/cells.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lacuna {

// One step of a fit. A number that was not measured is NaN, or nothing.
struct StepRecord {
  int iteration = 0;
  double seconds = 0.0;
  double objective = 0.0;
  double gradient_norm = 0.0;
  double train_rmse = 0.0;
  std::optional<double> test_rmse{};
  std::optional<double> test_auc{};
  std::optional<double> gap{};
  Count operator_applications = 0;
};

// What cross-validation found: the errors, or AUCs, of each setting on each fold.
struct TuningRecord {
  struct Row {
    std::string candidate;
    double lambda = 0.0;
    bool complete = false;         // it went through all folds
    std::optional<double> mean{};  // over the folds there are
    double standard_error = 0.0;
    std::vector<std::optional<double>> folds{};
  };
  std::string metric;  // "RMSE", "MAE", "AUC"
  int folds = 0;
  std::vector<Row> rows{};
};

// How the fit went. Kept on request only: it differs from run to run.
struct RunRecord {
  struct File {
    std::string path;
    std::string checksum;
  };
  std::string command{};
  std::optional<File> train{};
  std::optional<File> test{};
  bool picture = false;  // the modes are rows, columns, and maybe channels or frames
  int threads = 0;
  int iterations = 0;
  double seconds = 0.0;  // fitting
  double choosing_seconds = 0.0;
  std::string stop_reason{};
  std::optional<double> held_out_rmse{};  // FitResult::held_out_rmse
  std::optional<double> held_out_auc{};
  std::vector<StepRecord> history{};
  std::optional<TuningRecord> tuning{};
};

struct FitRecord {
  using Value = std::variant<double, std::string, std::vector<double>>;
  struct Item {
    std::string name;
    Value value;

    bool operator==(const Item&) const = default;
  };

  std::uint64_t seed = 1;
  std::string parts{};             // of a latent model, as the setting is written
  std::vector<int> ranks{};        // that the fit was given or planned; ranks(model) are those it has
  std::optional<double> lambda{};  // the one number, where one was given or chosen
  std::vector<double> lambdas{};   // of each part
  std::vector<Item> others{};      // every other setting, and what the method found out, by name
  std::optional<RunRecord> run{};

  // Null when there is no such item among the others.
  [[nodiscard]] const Value* find(std::string_view name) const;
  void set(std::string_view name, Value value);
};

}  // namespace lacuna
