// SPDX-License-Identifier: MIT
// What a fit needs, roughly. Bytes: before anything is allocated; ranks left open count as the largest that can
// occur. Work: multiply-adds of one operator application, or of one step of a method that counts none; a
// currency that compares methods and does not depend on the clock.
#pragma once

#include <lacuna/method/settings.hpp>

namespace lacuna {

// Scores of a pass of method complex; where all candidates would be more, some are drawn.
inline constexpr double kMostLinkScores = 6e9;

[[nodiscard]] double latent_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double ffw_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double als_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double tucker_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double cp_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double complex_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double dense_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double offsets_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);

// Of a fit that several processes share.
struct Sharing {
  Count entries = 0;  // of all processes
  int processes = 1;
  int other_layouts = 0;  // beside the one in which a process has its share
  Count test = 0;         // cells, on every process
};
// The most that one of them ever needs, the program itself and reading counted; `first` also gathers the model.
[[nodiscard]] double shared_bytes(const Sharing& sharing, const std::vector<Mode>& modes,
                                  const Settings& settings, bool first);

[[nodiscard]] double latent_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double als_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double tucker_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double cp_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double complex_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double dense_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double offsets_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);

}  // namespace lacuna
