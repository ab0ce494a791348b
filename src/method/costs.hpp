// SPDX-License-Identifier: MIT
// What a fit needs, roughly. Bytes: before anything is allocated; ranks left open count as the largest that can
// occur. Work: multiply-adds of one operator application, or of one step of a method that counts none; a
// currency that compares methods and does not depend on the clock.
#pragma once

#include <lacuna/method/settings.hpp>

#include "kernels/share_plan.hpp"

namespace lacuna {

// Scores of a pass of method complex; where all candidates would be more, some are drawn.
inline constexpr double kMostLinkScores = 6e9;

// Residuals of a subproblem that TR-LS keeps, at a point of so many numbers. Its steps end far from any optimum and take as
// many products as they may: unless all residuals are orthogonal they depend on how sums are rounded, and a fit ends
// elsewhere on another number of processes. None where they would be more than a gigabyte.
[[nodiscard]] int kept_residuals(double numbers);

[[nodiscard]] double latent_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double ffw_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double als_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double tucker_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double cp_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double complex_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double dense_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double edges_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double offsets_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings);

// Whether this process's memory holds a fit by the method, of so many entries.
[[nodiscard]] bool memory_holds(Method method, Count entries, const std::vector<Mode>& modes,
                                const Settings& settings);

// Of a fit that several processes share.
struct Sharing {
  SharePlan plan{};         // of its parts
  Count entries = 0;        // of all processes
  Count test = 0;           // cells, on every process
  Count start = 0;          // entries of a model to start from, which every process has read
  bool checkpoint = false;  // the first process gathers the state of the fit now and then
};
// The most that this process ever needs, the program itself and reading counted. The first also gathers the model.
[[nodiscard]] double shared_bytes(const Sharing& sharing, const std::vector<Mode>& modes,
                                  const Settings& settings, int process);

// What of it are the factors of a latent method, with all that is as large as they are: every process has all of them.
[[nodiscard]] double shared_factor_bytes(const std::vector<Mode>& modes, const Settings& settings);

[[nodiscard]] double latent_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double als_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double tucker_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double cp_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double complex_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double dense_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double edges_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);
[[nodiscard]] double offsets_work(Count entries, const std::vector<Mode>& modes, const Settings& settings);

}  // namespace lacuna
