// SPDX-License-Identifier: MIT
// A fitted model: everything needed to predict any cell.
//
//   prediction(cell) = offset(cell) + body(cell)
//
// The body is what the method found: latent parts, a Tucker tensor, a sum of rank-one tensors, every cell's value,
// vectors of entities and relations that make links likely, or nothing.
#pragma once

#include <lacuna/model/calibration.hpp>
#include <lacuna/model/clip.hpp>
#include <lacuna/model/fit_record.hpp>
#include <lacuna/model/offsets.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

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
  std::optional<Range> clip{};  // predictions are kept within
  BodyBox body{};
  Calibration calibration{};  // empty unless asked for

  [[nodiscard]] int order() const { return static_cast<int>(modes.size()); }
  [[nodiscard]] const Latent* latent() const;  // null for another kind of body
};

// "offsets", "latent", "tucker", "cp", "dense", "complex"
[[nodiscard]] std::string_view kind_name(const Model& model);

// The ranks of the body: of each part, of each mode, or the one of a CP tensor; none where there is none.
[[nodiscard]] std::vector<int> ranks(const Model& model);

// Answers questions about a model. Set-up is O(N) for each latent part, nothing otherwise.
class Predictor {
 public:
  // The model must outlive the predictor.
  explicit Predictor(const Model& model);
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;
  ~Predictor();

  [[nodiscard]] const Model& model() const { return *model_; }

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

  // The same values as they come, not kept within the model's range: what an order of cells goes by.
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
  [[nodiscard]] Prediction unclipped(const Cells& cells,
                                     const std::vector<std::vector<double>>& coordinates) const;
  void check_finite(const Cells& cells, const std::vector<double>& value) const;

  const Model* model_;
  std::unique_ptr<class LatentPredictor> latent_;  // for a latent body
};

}  // namespace lacuna
