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
[[nodiscard]] double edges_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double offsets_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);

[[nodiscard]] double latent_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double als_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double tucker_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double cp_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double complex_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double dense_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double edges_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double offsets_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);

}  // namespace lacuna
