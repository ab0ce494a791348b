// SPDX-License-Identifier: MIT
#include "certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lacuna/model/structure.hpp>

#include "model/body.hpp"

namespace lacuna::cli {
namespace {

constexpr double kBinds = 0.1;  // a part binds when it brings this much of the largest share

std::string part_name(const Model& model, std::size_t p) {
  return describe(PartOptions{.spec = model.latent()->parts[p].modes}, model.modes);
}

bool at_full_rank(const Model& model, std::size_t p) {
  return model.latent()->parts[p].factor.cols() >= model.latent()->parts[p].factor.rows();
}

}  // namespace

nlohmann::ordered_json certificate_json(const Certificate& certificate, const Model& model) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (std::size_t p = 0; p < certificate.parts.size(); ++p)
    parts.push_back({{"part", part_name(model, p)},
                     {"rank", model.latent()->parts[p].factor.cols()},
                     {"share", certificate.share(p)},
                     {"inside", certificate.parts[p].inside},
                     {"most", certificate.parts[p].most}});
  return {{"gap", certificate.gap()},
          {"upper", certificate.upper},
          {"lower", certificate.lower},
          {"parts", std::move(parts)}};
}

std::string certificate_text(const Certificate& certificate, const Model& model, double tolerance) {
  std::string text = fmt::format(
      "objective at most {:.8g}; the best over all ranks is at least {:.8g}\ngap {:.3g}: ", certificate.upper,
      certificate.lower, certificate.gap());
  if (certificate.gap() <= tolerance)
    return text + fmt::format("certified, no rank does better by more than {:.3g} of it\n", tolerance);
  text += fmt::format("above {:.3g}, so a larger rank may lower the objective\n", tolerance);
  double largest = 0.0;
  for (std::size_t p = 0; p < certificate.parts.size(); ++p)
    largest = std::max(largest, certificate.share(p));
  bool rank_binds = false;
  for (std::size_t p = 0; p < certificate.parts.size(); ++p) {
    if (!(certificate.share(p) > std::max(kBinds * largest, tolerance / 10))) continue;
    const bool full = at_full_rank(model, p);
    rank_binds = rank_binds || !full;
    text += fmt::format("  {:<24} rank {:>3} {}: {:.3g} of the objective\n", part_name(model, p),
                        model.latent()->parts[p].factor.cols(),
                        full ? "is full, the fit is not at its end" : "binds", certificate.share(p));
  }
  if (!rank_binds) return text + "fit on: more steps, or a smaller --tolerance\n";
  return text +
         "to certify: a larger --rank there, or a smaller --lambda. A low rank at a large lambda is a "
         "regulariser of\n"
         "its own and often predicts better: let the error on held-out entries decide, not the gap\n";
}

}  // namespace lacuna::cli
