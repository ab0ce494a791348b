// SPDX-License-Identifier: MIT
// What of BayesCp a checkpoint keeps.
#include "method/cp/bayes_cp.hpp"

namespace lacuna {

void BayesCp::fields(Archive& archive) {
  int kept = rank();
  archive("rank", kept);
  if (kept < 1 || kept > rank()) Archive::refuse("rank", "at most the one it began with");
  if (archive.loading()) resize(kept);
  for (std::size_t k = 0; k < mode_.size(); ++k)
    archive.within(std::to_string(k), [&] {
      archive("mean", mode_[k].mean);
      archive("covariance", mode_[k].covariance);
      archive("second", mode_[k].second);
      archive("log_determinant", mode_[k].log_determinant);
    });
  archive("gamma", gamma_);
  archive("gamma_rate", gamma_rate_);
  archive("noise", noise_);
  archive("noise_rate", noise_rate_);
  archive("misfit", misfit_);
  archive("bound", bound_);
}

}  // namespace lacuna
