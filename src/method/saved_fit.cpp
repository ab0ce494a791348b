// SPDX-License-Identifier: MIT
#include "method/saved_fit.hpp"

#include <fmt/format.h>

#include "model/body.hpp"
#include "tensor/checksum.hpp"

namespace lacuna {
namespace {

void add_modes(const std::vector<Mode>& modes, Checksum& sum) {
  for (const Mode& mode : modes) {
    sum.add(static_cast<std::uint64_t>(mode.size));
    sum.add_all(std::span<const double>(mode.positions));
    if (!mode.side) continue;
    sum.add_all(std::span<const std::int64_t>(mode.side->start));
    sum.add_all(std::span<const std::uint32_t>(mode.side->column));
    sum.add_all(std::span<const double>(mode.side->value));
  }
}

// Modes may have any name, and not every text is one that JSON can hold.
std::string in_ascii(const std::string& text) {
  std::string plain;
  for (const char c : text)
    plain +=
        c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return plain;
}

std::string text_of(const Checksum& sum) { return fmt::format("{:016x}", sum.value()); }

// So that every bit depends on every other one: in a sum of checksums what differs alike would cancel. The finalizer of
// SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27U) * 0x94d049bb133111ebULL;
  return x ^ x >> 31U;
}

void add_factors(const Model& model, Checksum& sum) {
  sum.add(std::string_view(model.method));
  for (const int rank : ranks(model)) sum.add(static_cast<std::uint64_t>(rank));
  if (const Latent* latent = model.latent()) {
    for (const ModelPart& part : latent->parts) sum.add_all(flat(part.factor));
  } else if (const auto* tucker = std::get_if<Tucker>(&*model.body)) {
    for (const Matrix<double>& factor : tucker->factors) sum.add_all(flat(factor));
  }
}

}  // namespace

void fields_of(Archive& archive, FitProgress& progress) {
  archive("iteration", progress.iteration);
  archive("lambda", progress.lambda);
  archive("seconds", progress.seconds);
  archive("objective", progress.objective);
  archive("gradient_norm", progress.gradient_norm);
  archive("relative_gradient", progress.relative_gradient);
  archive("train_rmse", progress.train_rmse);
  archive("test_rmse", progress.test_rmse);
  archive("test_auc", progress.test_auc);
  archive("test_mrr", progress.test_mrr);
  archive("gap", progress.gap);
  archive("radius", progress.radius);
  archive("ratio", progress.ratio);
  archive("inner_iterations", progress.inner_iterations);
  archive("accepted", progress.accepted);
  archive("operator_applications", progress.operator_applications);
}

void fields_of(Archive& archive, PartBound& bound) {
  archive("inside", bound.inside);
  archive("most", bound.most);
}

void fields_of(Archive& archive, Certificate& certificate) {
  archive("upper", certificate.upper);
  archive("lower", certificate.lower);
  archive("parts", certificate.parts);
  archive("lambda", certificate.lambda);
  if (certificate.parts.size() != certificate.lambda.size())
    Archive::refuse("certificate", "as many bounds as lambdas");
}

void fields_of(Archive& archive, FitResult& result) {
  archive("last", result.last);
  archive("reason", result.reason);
  archive("stop_reason", result.stop_reason);
  archive("converged", result.converged);
  archive("mixture", result.mixture);
  archive("certificate", result.certificate);
  archive("seconds", result.seconds);
}

Journal::About about_settings(const Settings& settings, const std::vector<Mode>& modes) {
  Journal::About about;
  for (const SettingField& field : setting_fields())
    about.emplace_back(field.name, in_ascii(field.write(settings, modes)));
  const auto number = [&](const char* name, double value) {
    about.emplace_back(name, fmt::format("{}", value));
  };
  // At the end or at every step: what a fit comes to is the same.
  number("certify", settings.latent.certify == Certify::kNever ? 0.0 : 1.0);
  number("intervals", settings.search.calibrate);
  number("keep-best", settings.search.keep_best ? 1.0 : 0.0);
  number("negatives", settings.links.negatives.value_or(0));
  std::string corrupted;
  for (const int mode : settings.links.corrupted) corrupted += std::to_string(mode) + " ";
  about.emplace_back("corrupt", corrupted);
  return about;
}

std::string checksum_text(std::string_view what, const Settings& settings, const std::vector<Mode>& modes) {
  Checksum sum;
  sum.add(what);
  for (const auto& [name, value] : about_settings(settings, modes)) {
    if (name == "max-time") continue;
    sum.add(std::string_view(name));
    sum.add(std::string_view(value));
  }
  return text_of(sum);
}

std::string checksum_text(const ObservedTensor& tensor, const Communicator& everyone) {
  std::uint64_t entries = 0;
  for (Count e = 0; e < tensor.size(); ++e) {
    Checksum one;
    for (int k = 0; k < tensor.order(); ++k) one.add(static_cast<std::uint64_t>(tensor.index(k)[e]));
    one.add(tensor.values()[e]);
    one.add(tensor.weights().empty() ? 1.0 : tensor.weights()[e]);
    entries += mixed(one.value());
  }
  Checksum sum;
  std::uint64_t total = 0;
  for (const std::uint64_t one : everyone.gather(std::span<const std::uint64_t>(&entries, 1))) total += one;
  sum.add(total);
  add_modes(tensor.modes(), sum);
  return text_of(sum);
}

std::string checksum_text(const Entries& entries) {
  Checksum sum;
  for (int k = 0; k < entries.order(); ++k) sum.add_all(entries.cells.mode(k));
  sum.add_all(std::span<const double>(entries.value));
  sum.add_all(std::span<const double>(entries.weight));
  for (const std::vector<double>& along : entries.coordinates) sum.add_all(std::span<const double>(along));
  return text_of(sum);
}

std::string checksum_text(const Model& model) {
  Checksum sum;
  add_factors(model, sum);
  if (const Latent* latent = model.latent()) sum.add_all(latent->dual.values());
  return text_of(sum);
}

std::string checksum_text(const Model& model, const Communicator& everyone) {
  const Latent* const latent = model.latent();
  return factors_text(model) + (latent == nullptr ? "" : checksum_text(latent->dual, everyone));
}

std::string factors_text(const Model& model) {
  Checksum sum;
  add_factors(model, sum);
  return text_of(sum);
}

}  // namespace lacuna
