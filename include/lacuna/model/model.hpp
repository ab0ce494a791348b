// SPDX-License-Identifier: MIT
// The model: what it knows of its fit, its bounds, how sure it is, and the questions it answers.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/model/structure.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lacuna {

// How far predictions were off on entries the model had not seen, and from that intervals that hold: split
// conformal prediction (Vovk, Gammerman, Shafer 2005), separately for groups of cells that are equally well
// supported.

struct Calibration {
  struct Group {
    Count support_from = 0;           // cells with at least this support, and less than the next group's
    std::vector<double> residuals{};  // |value - prediction| of held-out entries, ascending
  };
  std::vector<Group> groups{};  // by ascending support, the first from 0

  // Half the width of an interval that holds the value with this probability, for a cell of this support.
  // Infinite when there were too few held-out entries to say.
  [[nodiscard]] double half_width(Count support, double level) const;
};

// Groups of about equally many held-out entries each; where there are many, evenly spaced residuals of them
// are kept.
[[nodiscard]] Calibration calibrate(std::span<const double> residuals, std::span<const Count> support);

// Where predictions are kept. An end may be infinite.
struct Range {
  double low = 0.0;
  double high = 0.0;

  bool operator==(const Range&) const = default;
};

// Anywhere, within the values that were observed, or within a given range. Anywhere is told, too: where nothing is
// said, predictions stay where values of their kind are (prediction_range() below).
class Clip {
 public:
  Clip() = default;   // anywhere
  Clip(Range range);  // NOLINT(google-explicit-constructor); throws std::invalid_argument unless low < high
  [[nodiscard]] static Clip to_observed();

  // The range for data of these values; nothing: anywhere.
  [[nodiscard]] std::optional<Range> range(const Range& observed) const;

  // "none", "auto" (within the observed values) or "LOW,HIGH", of which an end may be inf or -inf.
  [[nodiscard]] static Result<Clip> parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  bool operator==(const Clip&) const = default;

 private:
  struct Observed {
    bool operator==(const Observed&) const = default;
  };
  std::variant<std::monostate, Observed, Range> where_;
};

// How a model came to be: what its fit was told and settled on, and, where that is kept, how it went.

// One step of a fit. A number that was not measured is NaN, or nothing.
struct StepRecord {
  int iteration = 0;
  double seconds = 0.0;
  double objective = 0.0;
  double gradient_norm = 0.0;
  double train_rmse = 0.0;
  std::optional<double> test_rmse{};
  std::optional<double> test_auc{};
  std::optional<double> test_mrr{};  // filtered
  std::optional<double> gap{};
  Count operator_applications = 0;
};

// What cross-validation found: the errors, or AUCs, of each setting on each fold.
struct TuningRecord {
  struct Row {
    std::string candidate;
    std::optional<double> lambda{};
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
  std::optional<double> held_out_mrr{};
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

// A fitted model: everything needed to predict any cell.
//
//   prediction(cell) = offset(cell) + body(cell)
//
// The body is what the method found: latent parts, a Tucker tensor, a sum of rank-one tensors, every cell's value,
// vectors of entities and relations that make links likely, a weighted mean of other models, or nothing.

struct ModelBody;  // one of the kinds above; private to the library (src/model/body.hpp)
struct Latent;

// A body as a value: copies are deep, there is always one.
class BodyBox {
 public:
  BodyBox();
  BodyBox(ModelBody body);  // NOLINT(google-explicit-constructor)
  BodyBox(const BodyBox& other);
  BodyBox(BodyBox&& other) noexcept;
  BodyBox& operator=(const BodyBox& other);
  BodyBox& operator=(BodyBox&& other) noexcept;
  ~BodyBox();

  [[nodiscard]] ModelBody& operator*() { return *body_; }
  [[nodiscard]] const ModelBody& operator*() const { return *body_; }
  [[nodiscard]] ModelBody* operator->() { return body_.get(); }
  [[nodiscard]] const ModelBody* operator->() const { return body_.get(); }

 private:
  std::unique_ptr<ModelBody> body_;
};

struct Model {
  std::string method;   // "tr-mm", "geomcg", ...
  std::string version;  // of the library that fitted it
  FitRecord record;     // how it was fitted
  int index_base = 1;   // of the numbers in the files it was fitted on
  std::vector<Mode> modes;
  Count entries = 0;  // how many it was fitted on
  Offsets offsets;
  // Said instead of a cell's offset where the body says nothing of it; empty: the offsets are as good.
  Offsets fallback{};
  Range observed;               // the smallest and largest value it was fitted on
  std::optional<Range> clip{};  // what its fit was told to keep predictions within
  BodyBox body{};
  Calibration calibration{};  // empty unless asked for
  // What it was fitted on, without labels, where the body does not tell it; null: it does, or it is not kept.
  std::shared_ptr<const ObservedTensor> kept{};

  [[nodiscard]] int order() const { return static_cast<int>(modes.size()); }
  [[nodiscard]] const Latent* latent() const;  // null for another kind of body
};

// "offsets", "latent", "tucker", "cp", "dense", "complex", "blend"
[[nodiscard]] std::string_view kind_name(const Model& model);

// The ranks of the body: of each part, of each mode, or the one of a CP tensor; none where there is none.
[[nodiscard]] std::vector<int> ranks(const Model& model);

// Where its predictions are kept: within its clip; else, unless its fit was told anywhere, where values of the kind it was
// fitted on are: ratings, counts, shares. Nothing: anywhere.
[[nodiscard]] std::optional<Range> prediction_range(const Model& model);
// Keeps them there from now on, whatever the fit was told.
void set_clip(Model& model, const Clip& clip);

// Answers questions about a model. Set-up is O(N) for each latent part, nothing otherwise.
class Predictor {
 public:
  // The model must outlive the predictor.
  explicit Predictor(const Model& model);
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;
  ~Predictor();

  [[nodiscard]] const Model& model() const { return *model_; }
  // prediction_range(model()), as it was when the predictor was made.
  [[nodiscard]] const std::optional<Range>& range() const { return range_; }

  struct Prediction {
    std::vector<double> value;
    // Cells the body says nothing about, which get their offsets or the model's fallback: on no observed fiber of
    // latent parts; with an unseen position, for other bodies.
    Count cold = 0;
    // Cells with an unseen position, one at which no entry was observed, and where the first one is.
    Count unseen = 0;
    Count first_unseen_cell = -1;
    int first_unseen_mode = -1;
  };
  // A position may be kUnseen. Throws std::invalid_argument on another number of modes.
  // coordinates[k], where not empty, say where along mode k the cells lie, in units of
  // Mode::positions, which may be between them: parts to which the mode is near go by them, all else by the
  // index.
  [[nodiscard]] Prediction predict(const Cells& cells,
                                   const std::vector<std::vector<double>>& coordinates = {}) const;

  // The same kept within the model's clip only, not where values of their kind are: what a search compares, whose errors
  // are to tell a model that leaves that range from one that does not.
  [[nodiscard]] Prediction predict_as_told(const Cells& cells,
                                           const std::vector<std::vector<double>>& coordinates = {}) const;

  // The same values as they come, not kept within any range: what an order of cells goes by.
  [[nodiscard]] std::vector<double> scores(const Cells& cells) const;

  // How well each cell is supported: the observed entries on its fibers for latent parts (those on near
  // fibers as much as the kernel between them), 0 for other bodies. coordinates: as above.
  [[nodiscard]] std::vector<Count> support(const Cells& cells,
                                           const std::vector<std::vector<double>>& coordinates = {}) const;

  // The variance that the model itself gives the value at each cell; empty unless its fit was Bayesian.
  [[nodiscard]] std::vector<double> variance(const Cells& cells) const;

  // The latent parts W^(p) at the cells, one list for each part, without the offset and unclipped. Empty for
  // a body without parts.
  [[nodiscard]] std::vector<std::vector<double>> predict_parts(const Cells& cells) const;

  // ||W^(p)||_F / sum_q ||W^(q)||_F (the paper's Figure 1), over the observed entries: what each part has to
  // say of the data. Over the whole tensor a part whose few fibers reach few cells counts for less. Empty for
  // a body without parts.
  [[nodiscard]] std::vector<double> mixture() const;
  [[nodiscard]] std::vector<double> tensor_mixture() const;

  // Singular values, descending: of each latent part unfolded along its mode, of a Tucker tensor's
  // unfoldings, the norms of a CP tensor's terms (one list). Empty for other bodies.
  [[nodiscard]] std::vector<std::vector<double>> spectra() const;

 private:
  friend class BlockScorer;  // the same answers for many cells at once (src/model/block_scorer.hpp)

  void check_order(const Cells& cells) const;
  [[nodiscard]] Prediction predict_within(const std::optional<Range>& range, const Cells& cells,
                                          const std::vector<std::vector<double>>& coordinates) const;
  [[nodiscard]] Prediction unclipped(const Cells& cells,
                                     const std::vector<std::vector<double>>& coordinates) const;
  [[nodiscard]] Prediction blend_of(const Cells& cells,
                                    const std::vector<std::vector<double>>& coordinates) const;
  void check_finite(const Cells& cells, const std::vector<double>& value) const;

  const Model* model_;
  std::optional<Range> range_;
  std::unique_ptr<class LatentPredictor> latent_;  // for a latent body
  std::vector<Predictor> members_;                 // of a blend
};

}  // namespace lacuna
