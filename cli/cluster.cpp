// SPDX-License-Identifier: MIT
#include "cluster.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "dist/world.hpp"

namespace lacuna::cli {
namespace {

// How long a process that failed waits for the others to fail as well, before it stops them.
constexpr double kPatience = 3.0;
constexpr double kForEver = 1e9;

std::unique_ptr<World> world;
int own_stderr = STDERR_FILENO;

// Processes other than the first say nothing, but for the last words of one that stops the others.
void be_quiet() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  std::fflush(nullptr);
  own_stderr = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

}  // namespace

Result<> join_cluster() {
  auto joined = join_world();
  if (!joined) return joined.error();
  world = std::move(*joined);
  if (!everyone().first()) be_quiet();
  return Nothing{};
}

const Communicator& everyone() { return world ? world->everyone() : serial_communicator(); }

int neighbours() { return world ? world->neighbours() : 1; }

void use_threads(int asked) {
  if (asked == 0 && world) asked = std::max(1, omp_get_num_procs() / neighbours());
  set_thread_count(asked);
}

Result<> check_verb(std::string_view verb) {
  const bool shared =
      verb == "fit" || verb == "complete" || verb == "tune" || verb == "predict" || verb == "evaluate";
  if (everyone().alone() || shared) return Nothing{};
  return usage_error(std::string(verb), fmt::format("runs on one process, found {}; start it without mpirun",
                                                    everyone().size()));
}

Ranking rank_together(const Predictor& predictor, const std::vector<Index>& extents, const Cells& facts,
                      const Cells& known, std::span<const int> modes, const Interrupted& interrupted) {
  if (everyone().alone()) return rank_facts(predictor, extents, facts, known, modes, interrupted);
  Cells own(facts.order());
  Cells others = known;
  const Count begin = facts.size() * everyone().rank() / everyone().size();
  const Count end = facts.size() * (everyone().rank() + 1) / everyone().size();
  for (Count e = 0; e < facts.size(); ++e) (e >= begin && e < end ? own : others).add(facts, e);
  Ranking found = rank_facts(predictor, extents, own, others, modes, interrupted);
  const auto here = static_cast<double>(found.queries);
  found.queries = everyone().sum(found.queries);
  for (double* mean : {&found.mrr, &found.hits1, &found.hits3, &found.hits10}) {
    const double sum = everyone().sum(*mean * here);
    *mean = found.queries > 0 ? sum / static_cast<double>(found.queries) : 0.0;
  }
  return found;
}

Predictor::Prediction predict_together(const Predictor& predictor, const Entries& cells) {
  if (everyone().alone()) return predictor.predict(cells.cells, cells.coordinates);
  const Count begin = cells.size() * everyone().rank() / everyone().size();
  const Count end = cells.size() * (everyone().rank() + 1) / everyone().size();
  const auto slice = [&](const auto& list) {
    return list.empty() ? std::vector(list.begin(), list.end())
                        : std::vector(list.begin() + begin, list.begin() + end);
  };
  std::vector<std::vector<Index>> own(static_cast<std::size_t>(cells.order()));
  for (int k = 0; k < cells.order(); ++k) own[k] = slice(cells.cells.mode(k));
  std::vector<std::vector<double>> coordinates;
  for (const std::vector<double>& along : cells.coordinates) coordinates.push_back(slice(along));
  const Predictor::Prediction mine = predictor.predict(Cells(std::move(own)), coordinates);

  Predictor::Prediction all;
  all.value = everyone().gather(std::span<const double>(mine.value));
  all.cold = everyone().sum(mine.cold);
  all.unseen = everyone().sum(mine.unseen);
  std::vector<std::int64_t> first;
  if (mine.first_unseen_cell >= 0) first = {mine.first_unseen_cell + begin, mine.first_unseen_mode};
  first = everyone().gather(std::span<const std::int64_t>(first));
  if (!first.empty()) {
    all.first_unseen_cell = first[0];
    all.first_unseen_mode = static_cast<int>(first[1]);
  }
  return all;
}

int end_together(int code, const std::string& sentence) {
  const auto print = [&](const std::string& text) {
    if (!text.empty()) fmt::print(stderr, "lacuna: {}\n", text);
  };
  if (!world) {
    print(sentence);
    return code;
  }
  std::fflush(stdout);
  if (!world->all_have_ended(code == 0 ? kForEver : kPatience)) {
    const std::string last = fmt::format("lacuna: process {}: {}\n", everyone().rank(), sentence);
    (void)!::write(own_stderr, last.data(), last.size());
    world->abort(code);
  }
  const std::vector<std::int64_t> codes =
      everyone().gather(std::span<const std::int64_t>(std::vector<std::int64_t>{code}));
  const auto failed = std::find_if(codes.begin(), codes.end(), [](std::int64_t one) { return one != 0; });
  if (failed != codes.end()) {
    print(everyone().broadcast(sentence, static_cast<int>(failed - codes.begin())));
    code = static_cast<int>(*failed);
  }
  world->leave();
  return code;
}

}  // namespace lacuna::cli
