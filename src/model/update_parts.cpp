// SPDX-License-Identifier: MIT
#include "model/update_parts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tensor/fiber_numbers.hpp"

namespace lacuna {
namespace {

// What a part in either form says of its rows and fibers, by their numbers.
class OldPart {
 public:
  OldPart(const Latent& latent, std::size_t p, const LatentPredictor* predictor)
      : part_(&latent.parts[p]), p_(p), predictor_(predictor) {
    rows_ = part_->modes.learns() ? latent.dual.extent(part_->modes.mode) : 1;
    if (predictor == nullptr)
      fiber_of_ = fiber_numbers(latent.dual, latent.parts[p].modes).of_entry;
    else
      view_ = &predictor->kernels(p).view();
  }

  [[nodiscard]] const double* row(Index i) const {
    return predictor_ != nullptr ? predictor_->left_row(p_, i) : part_->factor.row(i).data();
  }
  [[nodiscard]] Index rows() const { return rows_; }

  // The fiber of an old entry, of a part in factored form.
  [[nodiscard]] Index fiber_number(Index entry) const { return fiber_of_[entry]; }
  // The vector of the fiber that an old entry is on.
  void fiber_of_entry(Index entry, double* out) const {
    if (predictor_ == nullptr) {
      Eigen::Map<Eigen::RowVectorXd>(out, part_->factor.cols()) =
          part_->lambda * part_->right->row(fiber_of_[entry]);
      return;
    }
    const FiberLookup::Hit hit = view_->is_single(entry)
                                     ? FiberLookup::Hit{FiberLookup::Kind::kSingle, entry}
                                     : predictor_->lookup(p_).find(predictor_->latent().dual.cells(), entry);
    predictor_->fiber_vector(p_, hit, out);
  }

 private:
  const ModelPart* part_;
  std::size_t p_;
  const LatentPredictor* predictor_;  // of parts in dual form
  Index rows_ = 1;
  const FiberView* view_ = nullptr;  // of parts in dual form
  std::vector<Index> fiber_of_;      // of those in factored form
};

// In dual form, given U, the vectors s_c = lambda v_c of the fibers are those that minimise
//   sum_e w_e (y_e - u . s_c)^2 + 1/(2 lambda) sum_c |s_c|^2                            (A(u) Z = Y, seen from its fibers)
// and a stationary row of U, of all the rows whose squares add up to 1, has the ridge sum_c |s_c|^2 / (2 lambda) in their
// place (math.md). Weighted norms and side information have no such constants.
std::optional<PartPrior> dual_prior(const ModelPart& part, const Matrix<double>& fibers) {
  if (part.modes.row_power != 0.0 || part.modes.fiber_power != 0.0 || part.modes.side > 0.0)
    return std::nullopt;
  const auto rank = static_cast<std::size_t>(part.factor.cols());
  const double of_fibers = 0.5 / part.lambda;
  const double of_rows = of_fibers * fibers.squaredNorm();
  if (!(std::isfinite(of_fibers) && std::isfinite(of_rows) && of_rows > 0.0)) return std::nullopt;
  return PartPrior{.rows = {.ridge = std::vector<double>(rank, of_rows)},
                   .fibers = {.ridge = std::vector<double>(rank, of_fibers)}};
}

// What is shared with rows and fibers that are new is 0, as of all that were not seen. `old_fiber`: of each fiber.
void grow(PartPrior& prior, const std::vector<Index>& old_fiber, Eigen::Index rows) {
  Matrix<float>& by_fibers = prior.rows.shared;
  if (by_fibers.size() > 0) {
    Matrix<float> grown = Matrix<float>::Zero(static_cast<Eigen::Index>(old_fiber.size()), by_fibers.cols());
    for (std::size_t f = 0; f < old_fiber.size(); ++f)
      if (old_fiber[f] != kUnseen) grown.row(static_cast<Eigen::Index>(f)) = by_fibers.row(old_fiber[f]);
    by_fibers = std::move(grown);
  }
  Matrix<float>& by_rows = prior.fibers.shared;
  if (by_rows.size() == 0) return;
  const auto before = by_rows.rows();
  by_rows.conservativeResize(rows, Eigen::NoChange);
  by_rows.bottomRows(rows - before).setZero();
}

UpdatePart grown_part(const OldPart& old, const ModelPart& part, const ObservedTensor& fitted_on,
                      const JoinedEntries& joined) {
  const PartSpec spec{.mode = part.modes.mode, .agree = part.modes.agree};
  const ObservedTensor& tensor = joined.tensor;
  const Index row_count = spec.learns() ? tensor.extent(spec.mode) : 1;
  const auto rank = part.factor.cols();
  Matrix<double> rows = Matrix<double>::Zero(row_count, rank);
  std::vector<char> known_rows(row_count, 0);
  std::fill_n(known_rows.begin(), old.rows(), part.modes.side > 0.0 || !spec.learns() ? 1 : 0);
  if (spec.learns())
    for (const Index i : fitted_on.index(spec.mode)) known_rows[i] = 1;
  for (Index i = 0; i < old.rows(); ++i)
    if (known_rows[i] != 0) std::copy_n(old.row(i), rank, rows.row(i).data());

  auto [fiber_of, fiber_count] = fiber_numbers(tensor, spec);
  Matrix<double> fibers = Matrix<double>::Zero(fiber_count, rank);
  std::vector<char> known_fibers(static_cast<std::size_t>(fiber_count), 0);
  std::vector<Index> old_fiber(known_fibers.size(), kUnseen);
  for (Count e = 0; e < tensor.size(); ++e) {
    const Index f = fiber_of[e];
    if (known_fibers[f] != 0 || joined.old_of[e] == kUnseen) continue;
    known_fibers[f] = 1;
    if (part.prior) old_fiber[f] = old.fiber_number(joined.old_of[e]);
    old.fiber_of_entry(joined.old_of[e], fibers.row(f).data());
  }
  std::vector<Index> row_of(fiber_of.size(), 0);
  if (spec.learns()) row_of.assign(tensor.index(spec.mode).begin(), tensor.index(spec.mode).end());
  std::optional<PartPrior> prior = part.prior;
  if (prior) grow(*prior, old_fiber, row_count);
  if (!part.right) prior = dual_prior(part, fibers);
  return {.spec = spec,
          .rows = UpdateSide(std::move(rows), std::move(known_rows), std::move(row_of),
                             prior ? std::optional(std::move(prior->rows)) : std::nullopt),
          .fibers = UpdateSide(std::move(fibers), std::move(known_fibers), std::move(fiber_of),
                               prior ? std::optional(std::move(prior->fibers)) : std::nullopt)};
}

}  // namespace

std::vector<UpdatePart> grown_parts(const Latent& latent, const JoinedEntries& joined) {
  std::optional<LatentPredictor> predictor;
  if (std::any_of(latent.parts.begin(), latent.parts.end(),
                  [](const ModelPart& part) { return !part.right; }))
    predictor.emplace(latent);
  std::vector<UpdatePart> parts;
  for (std::size_t p = 0; p < latent.parts.size(); ++p)
    parts.push_back(grown_part(OldPart(latent, p, predictor ? &*predictor : nullptr), latent.parts[p],
                               latent.dual, joined));
  return parts;
}

}  // namespace lacuna
