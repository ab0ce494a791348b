// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <lacuna/base/base.hpp>
#include <lacuna/model/model.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "kernels/tucker_kernels.hpp"
#include "linalg/decompose.hpp"
#include "model/body.hpp"
#include "model/cold_guess.hpp"

namespace lacuna {
namespace {

// Counts the cells of unseen positions and those that the body is silent about, and makes the guess at them.
void guess_cold(const Model& model, const Cells& cells, const std::optional<std::vector<bool>>& silent,
                Predictor::Prediction& prediction) {
  const ColdGuess guess(model);
  const std::span<const int> spanned = spanned_modes(*model.body);
  std::vector<Count> replaced;
  for (Count i = 0; i < cells.size(); ++i) {
    const int mode = guess.unseen_mode(cells, i);
    if (mode >= 0 && prediction.unseen++ == 0) {
      prediction.first_unseen_cell = i;
      prediction.first_unseen_mode = mode;
    }
    const bool is_silent = silent ? (*silent)[i] : mode >= 0 && guess.unseen_mode(cells, i, spanned) >= 0;
    prediction.cold += is_silent ? 1 : 0;
    if (guess.replaces(cells, i, is_silent)) replaced.push_back(i);
  }
  const std::vector<double> guessed = guess.at(cells, replaced);
  for (std::size_t j = 0; j < replaced.size(); ++j) prediction.value[replaced[j]] = guessed[j];
}

}  // namespace

BodyBox::BodyBox() : body_(std::make_unique<ModelBody>()) {}
BodyBox::BodyBox(ModelBody body) : body_(std::make_unique<ModelBody>(std::move(body))) {}
BodyBox::BodyBox(const BodyBox& other) : body_(std::make_unique<ModelBody>(*other)) {}
BodyBox::BodyBox(BodyBox&& other) noexcept
    : body_(std::exchange(other.body_, std::make_unique<ModelBody>())) {}
BodyBox& BodyBox::operator=(const BodyBox& other) {
  *body_ = *other;
  return *this;
}
BodyBox& BodyBox::operator=(BodyBox&& other) noexcept {
  std::swap(body_, other.body_);
  return *this;
}
BodyBox::~BodyBox() = default;

const Latent* Model::latent() const { return std::get_if<Latent>(&*body); }

std::string_view kind_name(const Model& model) {
  constexpr std::string_view kNames[] = {"offsets", "latent", "tucker", "cp", "dense", "complex", "blend"};
  return kNames[model.body->index()];
}

std::vector<int> ranks(const Model& model) {
  const ModelBody& body = *model.body;
  std::vector<int> found;
  if (const auto* latent = std::get_if<Latent>(&body))
    for (const ModelPart& part : latent->parts) found.push_back(static_cast<int>(part.factor.cols()));
  if (const auto* tucker = std::get_if<Tucker>(&body))
    for (int k = 0; k < tucker->order(); ++k) found.push_back(tucker->rank(k));
  if (const auto* cp = std::get_if<Cp>(&body)) found.push_back(static_cast<int>(cp->factors[0].cols()));
  if (const auto* complex = std::get_if<ComplEx>(&body)) found.push_back(complex->rank);
  return found;
}

Predictor::Predictor(const Model& model) : model_(&model), range_(prediction_range(model)) {
  if (model.latent() != nullptr) latent_ = std::make_unique<LatentPredictor>(*model.latent());
  if (std::holds_alternative<Blend>(*model.body))
    for (const Model* member : members(model)) members_.emplace_back(*member);
}

Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;
Predictor::~Predictor() = default;

void Predictor::check_order(const Cells& cells) const {
  if (cells.order() != model_->order())
    throw std::invalid_argument("cells have " + std::to_string(cells.order()) + " indices, the model has " +
                                std::to_string(model_->order()) + " modes");
}

Predictor::Prediction Predictor::unclipped(const Cells& cells,
                                           const std::vector<std::vector<double>>& coordinates) const {
  check_order(cells);
  for (const std::vector<double>& along : coordinates)
    if (!along.empty() && static_cast<Count>(along.size()) != cells.size())
      throw std::invalid_argument("got " + std::to_string(along.size()) + " coordinates for " +
                                  std::to_string(cells.size()) + " cells");
  if (!members_.empty()) return blend_of(cells, coordinates);
  Prediction prediction;
  prediction.value = model_->offsets.at(cells);
  const std::span<double> out(prediction.value);
  std::optional<std::vector<bool>> silent;  // none: about cells of unseen positions
  if (latent_) {
    silent = latent_->add_values(cells, out, coordinates);
  } else {
    const std::vector<Index> sizes = extents(model_->modes);
    if (const auto* tucker = std::get_if<Tucker>(&*model_->body))
      add_values(*tucker, SortedCells(cells), out);
    if (const auto* cp = std::get_if<Cp>(&*model_->body)) add_values(*cp, cells, out);
    if (const auto* dense = std::get_if<Dense>(&*model_->body)) add_values(*dense, sizes, cells, out);
    if (const auto* complex = std::get_if<ComplEx>(&*model_->body)) add_values(*complex, cells, out);
  }
  guess_cold(*model_, cells, silent, prediction);
  return prediction;
}

// What one of the members has to say counts: as many cells are cold as for the one with fewest.
Predictor::Prediction Predictor::blend_of(const Cells& cells,
                                          const std::vector<std::vector<double>>& coordinates) const {
  const std::vector<double>& weights = std::get<Blend>(*model_->body).weights;
  Prediction blend;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Prediction one = members_[m].unclipped(cells, coordinates);
    if (m == 0) {
      blend = one;
      std::fill(blend.value.begin(), blend.value.end(), 0.0);
    }
    blend.cold = std::min(blend.cold, one.cold);
    for (std::size_t i = 0; i < one.value.size(); ++i) blend.value[i] += weights[m] * one.value[i];
  }
  return blend;
}

void Predictor::check_finite(const Cells& cells, const std::vector<double>& value) const {
  const auto wrong = std::find_if_not(value.begin(), value.end(), [](double v) { return std::isfinite(v); });
  if (wrong != value.end())
    throw ValueRangeError("the model's numbers are too large: its prediction of cell " +
                          describe_cell(model_->modes, cells, wrong - value.begin(), model_->index_base) +
                          " is not finite");
}

Predictor::Prediction Predictor::predict_within(const std::optional<Range>& range, const Cells& cells,
                                                const std::vector<std::vector<double>>& coordinates) const {
  Prediction prediction = unclipped(cells, coordinates);
  if (range)
    for (double& value : prediction.value) value = std::clamp(value, range->low, range->high);
  check_finite(cells, prediction.value);
  return prediction;
}

Predictor::Prediction Predictor::predict(const Cells& cells,
                                         const std::vector<std::vector<double>>& coordinates) const {
  return predict_within(range_, cells, coordinates);
}

Predictor::Prediction Predictor::predict_as_told(const Cells& cells,
                                                 const std::vector<std::vector<double>>& coordinates) const {
  return predict_within(model_->clip, cells, coordinates);
}

std::vector<double> Predictor::scores(const Cells& cells) const {
  std::vector<double> values = unclipped(cells, {}).value;
  check_finite(cells, values);
  return values;
}

std::vector<Count> Predictor::support(const Cells& cells,
                                      const std::vector<std::vector<double>>& coordinates) const {
  check_order(cells);
  if (latent_) return latent_->support(cells, coordinates);
  std::vector<Count> found(static_cast<std::size_t>(cells.size()), 0);
  for (const Predictor& member : members_) {  // of a blend: as well as the best supported member
    const std::vector<Count> one = member.support(cells, coordinates);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = std::max(found[i], one[i]);
  }
  return found;
}

std::vector<double> Predictor::variance(const Cells& cells) const {
  check_order(cells);
  const auto* cp = std::get_if<Cp>(&*model_->body);
  if (cp == nullptr || cp->covariance.empty()) return {};
  std::vector<double> found(static_cast<std::size_t>(cells.size()), 0.0);
  add_variances(*cp, cells, found);
  return found;
}

std::vector<std::vector<double>> Predictor::predict_parts(const Cells& cells) const {
  check_order(cells);
  if (!latent_) return {};
  return latent_->parts(cells);
}

std::vector<double> Predictor::mixture() const {
  return latent_ ? latent_->mixture() : std::vector<double>{};
}

namespace {

std::vector<std::vector<double>> spectra_of(const Tucker& x) {
  const Tucker flat = orthonormalized(x);
  std::vector<std::vector<double>> found;
  for (int k = 0; k < flat.order(); ++k) {
    const Eigen::MatrixXd gram = unfolding_product(flat.core, flat.ranks(), flat.core, flat.ranks(), k);
    const Eigen::VectorXd squares = symmetric_eigen(gram).values;
    found.emplace_back();
    for (Eigen::Index i = squares.size(); i-- > 0;)
      found.back().push_back(std::sqrt(std::max(0.0, squares[i])));
  }
  return found;
}

std::vector<std::vector<double>> spectra_of(const Cp& x) {
  Eigen::VectorXd norms = Eigen::VectorXd::Ones(x.factors.front().cols());
  for (const Matrix<double>& factor : x.factors)
    norms = norms.cwiseProduct(factor.colwise().norm().transpose());
  std::vector<double> sorted(norms.begin(), norms.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return {sorted};
}

}  // namespace

std::vector<std::vector<double>> Predictor::spectra() const {
  if (latent_) return latent_->spectra();
  if (const auto* tucker = std::get_if<Tucker>(&*model_->body)) return spectra_of(*tucker);
  if (const auto* cp = std::get_if<Cp>(&*model_->body)) return spectra_of(*cp);
  return {};
}

std::vector<double> Predictor::tensor_mixture() const {
  return latent_ ? latent_->tensor_mixture() : std::vector<double>{};
}

}  // namespace lacuna
