// SPDX-License-Identifier: MIT
#include "model/update_parts.hpp"

#include <algorithm>
#include <optional>

namespace lacuna {
namespace {

std::vector<Index> fibers_of(const FiberView& view, Count entries) {
  std::vector<Index> fiber(static_cast<std::size_t>(entries));
  for (Count f = 0; f < view.listed_fibers(); ++f)
    for (Count j = view.span(f).begin; j < view.span(f).end; ++j)
      fiber[view.entry()[j]] = static_cast<Index>(f);
  view.for_each_single(0, entries, [&](Count e) { fiber[e] = static_cast<Index>(view.fiber_of_single(e)); });
  return fiber;
}

// What a part in either form says of its rows and fibers, by their numbers.
class OldPart {
 public:
  OldPart(const Latent& latent, std::size_t p, const LatentPredictor* predictor)
      : part_(&latent.parts[p]), p_(p), predictor_(predictor) {
    if (predictor == nullptr) own_.emplace(latent.dual, latent.parts[p].modes);
    view_ = predictor != nullptr ? &predictor->kernels(p).view() : &*own_;
    if (predictor == nullptr) fiber_of_ = fibers_of(*view_, latent.dual.size());
  }

  [[nodiscard]] const double* row(Index i) const {
    return predictor_ != nullptr ? predictor_->left_row(p_, i) : part_->factor.row(i).data();
  }
  [[nodiscard]] Index rows() const { return static_cast<Index>(view_->rows()); }

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
  std::optional<FiberView> own_;
  const FiberView* view_ = nullptr;
  std::vector<Index> fiber_of_;
};

UpdatePart grown_part(const OldPart& old, const ModelPart& part, const ObservedTensor& fitted_on,
                      const JoinedEntries& joined) {
  const PartSpec spec{.mode = part.modes.mode, .agree = part.modes.agree};
  const ObservedTensor& tensor = joined.tensor;
  const FiberView view(tensor, spec);
  const auto rank = part.factor.cols();
  Matrix<double> rows = Matrix<double>::Zero(view.rows(), rank);
  std::vector<char> known_rows(static_cast<std::size_t>(view.rows()), 0);
  std::fill_n(known_rows.begin(), old.rows(), part.modes.side > 0.0 || !spec.learns() ? 1 : 0);
  if (spec.learns())
    for (const Index i : fitted_on.index(spec.mode)) known_rows[i] = 1;
  for (Index i = 0; i < old.rows(); ++i)
    if (known_rows[i] != 0) std::copy_n(old.row(i), rank, rows.row(i).data());

  std::vector<Index> fiber_of = fibers_of(view, tensor.size());
  Matrix<double> fibers = Matrix<double>::Zero(view.fibers(), rank);
  std::vector<char> known_fibers(static_cast<std::size_t>(view.fibers()), 0);
  for (Count e = 0; e < tensor.size(); ++e) {
    const Index f = fiber_of[e];
    if (known_fibers[f] != 0 || joined.old_of[e] == kUnseen) continue;
    known_fibers[f] = 1;
    old.fiber_of_entry(joined.old_of[e], fibers.row(f).data());
  }
  std::vector<Index> row_of(fiber_of.size(), 0);
  if (spec.learns()) row_of.assign(tensor.index(spec.mode).begin(), tensor.index(spec.mode).end());
  return {.spec = spec,
          .rows = UpdateSide(std::move(rows), std::move(known_rows), std::move(row_of)),
          .fibers = UpdateSide(std::move(fibers), std::move(known_fibers), std::move(fiber_of))};
}

}  // namespace

JoinedEntries compared(ObservedTensor joined, const ObservedTensor& old,
                       const std::vector<double>& old_value) {
  JoinedEntries found{.tensor = std::move(joined), .old_of = {}, .is_fresh = {}};
  const ObservedTensor& tensor = found.tensor;
  found.is_fresh.assign(static_cast<std::size_t>(tensor.size()), 1);
  found.old_of.assign(found.is_fresh.size(), kUnseen);
  Count o = 0;
  for (Count e = 0; e < tensor.size() && o < old.size(); ++e) {
    bool same = true;
    for (int k = 0; k < tensor.order(); ++k) same = same && tensor.index(k)[e] == old.index(k)[o];
    if (!same) continue;
    found.is_fresh[e] = tensor.values()[e] == old_value[o] ? 0 : 1;
    found.old_of[e] = static_cast<Index>(o);
    ++o;
  }
  return found;
}

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
