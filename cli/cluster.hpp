// SPDX-License-Identifier: MIT
// A run of several processes, started by mpirun or srun: who speaks, how many threads each has, and how all end
// together. Alone, all of this does nothing.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/model/model.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dist/agreement.hpp"
#include "dist/communicator.hpp"

namespace lacuna::cli {

// At the start. From then on only the first process prints.
Result<> join_cluster();
[[nodiscard]] const Communicator& everyone();

// Processes on this machine, this one counted.
[[nodiscard]] int neighbours();

// The threads of each process: those asked for; else the machine's, shared among the processes on it.
void use_threads(int asked);

// Whether a verb can run on several processes; the error says what to do instead.
Result<> check_verb(std::string_view verb);

// The same error on all processes if it is one on any: that of the lowest rank.
template <class T>
Result<> agreed(const Result<T>& here) {
  return lacuna::agreed(everyone(), here);
}

// Predictor::predict(), each process for some of the cells and with all of the model; everyone gets all values.
[[nodiscard]] Predictor::Prediction predict_together(const Predictor& predictor, const Entries& cells);

// rank_facts(), each process for some of the facts; everyone gets the ranking of all.
[[nodiscard]] Ranking rank_together(const Predictor& predictor, const std::vector<Index>& extents,
                                    const Cells& facts, const Cells& known, std::span<const int> modes,
                                    const Interrupted& interrupted);

// At the end: prints the sentence, if there is one, and returns the exit code. When another process has failed that is
// what all say and return; when others do not come to their end, all are stopped.
int end_together(int code, const std::string& sentence);

}  // namespace lacuna::cli
