// SPDX-License-Identifier: MIT
#include "method/unit_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <limits>

#include "base/parallel.hpp"
#include "model/body.hpp"

namespace lacuna {
namespace {

// The sum of the values' squares lies between these powers of two. An objective may be a thousand times
// that sum at a bad starting point, and a certificate tells a millionth of it.
constexpr int kLargestSum = 1013;
constexpr int kSmallestSum = -1000;

double largest_magnitude(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

template <class Numbers>
void multiply(Numbers&& numbers, int exponent) {
  for (double& value : numbers) value = std::ldexp(value, exponent);
}

void multiply(ObservedTensor& tensor, int exponent) {
  std::vector<double> values(tensor.values().begin(), tensor.values().end());
  multiply(values, exponent);
  tensor.replace_values(std::move(values));
}

void multiply(std::monostate&, int) {}

void multiply(float& value, int exponent) { value = std::ldexp(value, exponent); }

// The fibers' vectors have the values' unit, the rows have none; effects have it on either side. False: in this unit the
// numbers are too large or too small for their types.
bool multiply(PartPrior& prior, int exponent) {
  bool fits = true;
  for (double& ridge : prior.rows.ridge) {
    const bool solved = ridge > 0.0;
    ridge = std::ldexp(ridge, 2 * exponent);
    fits = fits && std::isfinite(ridge) && (ridge > 0.0) == solved;
  }
  Matrix<float>& of_rows = prior.rows.shared;
  for (Eigen::Index i = 0; i < of_rows.rows(); ++i) multiply(of_rows(i, of_rows.cols() - 1), exponent);
  for (float& value : flat(prior.fibers.shared)) multiply(value, exponent);
  return fits && of_rows.allFinite() && prior.fibers.shared.allFinite();
}

void multiply(Latent& latent, int exponent) {
  multiply(latent.dual, exponent);
  for (ModelPart& part : latent.parts) {
    if (part.right) multiply(part.right->reshaped(), exponent);
    if (part.prior && !multiply(*part.prior, exponent)) part.prior.reset();
  }
}

void multiply(Tucker& tucker, int exponent) { multiply(tucker.core, exponent); }

// In equal shares, for a shared prior on all factors is what a fit goes on from.
void multiply(Cp& cp, int exponent) {
  const int order = static_cast<int>(cp.factors.size());
  for (int k = 0; k < order; ++k) {
    const int left = exponent % order;  // has the sign of the exponent, so that -exponent undoes it
    const int share = exponent / order + (k < std::abs(left) ? (left > 0 ? 1 : -1) : 0);
    multiply(cp.factors[k].reshaped(), share);
    if (!cp.covariance.empty()) multiply(cp.covariance[k].reshaped(), 2 * share);
  }
  // Where values are tiny and the fit is exact the noise's variance is below all doubles: it is then the least one.
  if (std::isfinite(cp.noise_precision))
    cp.noise_precision =
        std::min(std::ldexp(cp.noise_precision, -2 * exponent), std::numeric_limits<double>::max());
}

void multiply(Dense& dense, int exponent) { multiply(dense.value, exponent); }

void multiply(ComplEx&, int) {}  // its values are probabilities

void multiply(Model& model, int exponent);
void multiply(Blend& blend, int exponent) {
  for (Model& member : blend.members) multiply(member, exponent);
}

void multiply(Model& model, int exponent) {
  for (Offsets* offsets : {&model.offsets, &model.fallback}) {
    offsets->mean = std::ldexp(offsets->mean, exponent);
    for (Effect& effect : offsets->effects) multiply(effect.value, exponent);
  }
  std::visit([&](auto& body) { multiply(body, exponent); }, *model.body);
  // The one number of a record that has the values' unit.
  if (const FitRecord::Value* noise = model.record.find("noise"))
    if (const double* deviation = std::get_if<double>(noise))
      model.record.set("noise", std::ldexp(*deviation, exponent));
}

template <class Numbers>
bool is_finite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); });
}

bool is_finite(const std::monostate&) { return true; }
bool is_finite(const Blend&) { return true; }  // of models that have come through here one by one
bool is_finite(const Latent& latent) {
  return is_finite(latent.dual.values()) &&
         std::all_of(latent.parts.begin(), latent.parts.end(), [](const ModelPart& part) {
           return std::isfinite(part.lambda) && part.factor.allFinite() &&
                  (!part.right || part.right->allFinite());
         });
}
bool is_finite(const Tucker& tucker) {
  return is_finite(tucker.core) && std::all_of(tucker.factors.begin(), tucker.factors.end(),
                                               [](const auto& factor) { return factor.allFinite(); });
}
bool is_finite(const Cp& cp) {
  const auto all = [](const auto& factor) { return factor.allFinite(); };
  return std::all_of(cp.factors.begin(), cp.factors.end(), all) &&
         std::all_of(cp.covariance.begin(), cp.covariance.end(), all) && std::isfinite(cp.noise_precision);
}
bool is_finite(const Dense& dense) { return is_finite(dense.value); }
bool is_finite(const ComplEx& x) {
  return x.entities.allFinite() && x.relations.allFinite() && std::isfinite(x.constant) &&
         std::isfinite(x.forward) && std::isfinite(x.backward);
}

bool is_finite(const Offsets& offsets) {
  return std::isfinite(offsets.mean) &&
         std::all_of(offsets.effects.begin(), offsets.effects.end(),
                     [](const Effect& effect) { return is_finite(effect.value); });
}

bool is_finite(const Model& model) {
  return is_finite(model.offsets) && is_finite(model.fallback) &&
         std::visit([](const auto& body) { return is_finite(body); }, *model.body);
}

bool is_finite(const Certificate& certificate) {
  return std::isfinite(certificate.upper) && std::isfinite(certificate.lower) &&
         std::all_of(certificate.parts.begin(), certificate.parts.end(), [](const PartBound& part) {
           return std::isfinite(part.inside) && std::isfinite(part.most);
         });
}

}  // namespace

UnitPowers unit_powers(Method method) {
  const std::string_view model = info(method).model;
  if (model == "tucker") return {.objective = 2, .gradient = 1};  // by X itself
  if (model == "dense") return {.objective = 1, .gradient = 1};   // a norm, and how far a step moved
  if (model == "cp" || method == Method::kAls) return {};         // log evidence, of scaled values
  if (model == "complex") return {};                              // log probability
  return {.objective = 2, .gradient = 2};                         // squares, by factors of unit trace
}

UnitScale::UnitScale(const ObservedTensor& tensor, const Communicator& everyone) {
  const double largest = everyone.max(largest_magnitude(tensor.values()));
  if (!(largest > 0.0)) return;
  const int most = std::ilogb(largest);
  const double squares = everyone.sum(parallel_sum(tensor.size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const double value = std::ldexp(tensor.values()[e], -most);
      sum += value * value;
    }
    return sum;
  }));
  const int sum = 2 * most + std::ilogb(squares);
  if (sum > kLargestSum)
    throw ValueRangeError(fmt::format(
        "the values are too large, up to {:.3g}: their squares cannot be summed; divide them by a constant",
        largest));
  if (sum < kSmallestSum)
    throw ValueRangeError(fmt::format(
        "the values are too small, at most {:.3g}: their squares vanish; multiply them by a constant",
        largest));
  const int exponent =
      most + std::ilogb(std::sqrt(squares / static_cast<double>(everyone.sum(tensor.size()))));
  exponent_ = exponent & ~1;  // the next even one below
}

double UnitScale::scaled(double value) const { return std::ldexp(value, -exponent_); }
double UnitScale::restored(double value, int power) const { return std::ldexp(value, power * exponent_); }

void UnitScale::scale(ObservedTensor& tensor) const {
  if (exponent_ != 0) multiply(tensor, -exponent_);
}

Model UnitScale::scaled(Model model) const {
  multiply(model, -exponent_);
  return model;
}

void UnitScale::restore(Model& model) const {
  if (exponent_ != 0) multiply(model, exponent_);
  if (!is_finite(model))
    throw ValueRangeError(fmt::format(
        "the fitted model is not finite: values between {:.3g} and {:.3g} led to numbers that no double "
        "holds",
        model.observed.low, model.observed.high));
}

void UnitScale::restore(Certificate& certificate) const {
  certificate.upper = restored(certificate.upper, 2);
  certificate.lower = restored(certificate.lower, 2);
  for (PartBound& part : certificate.parts) {
    part.inside = restored(part.inside, 2);
    part.most = restored(part.most, 2);
  }
  if (!is_finite(certificate))
    throw ValueRangeError(fmt::format(
        "the bounds of the certificate, {:.3g} and {:.3g}, are not finite: the values it is about are too "
        "large or the model is not of them",
        certificate.lower, certificate.upper));
}

}  // namespace lacuna
