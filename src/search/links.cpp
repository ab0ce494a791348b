// SPDX-License-Identifier: MIT
#include "search/links.hpp"

#include <fmt/format.h>

#include "base/number_text.hpp"
#include "method/links/penalty.hpp"

namespace lacuna {
namespace {

// Work of a trial, about 20 seconds, beyond which one has to do: the default penalty and rank were found on
// validation parts of data of that size.
constexpr double kCheap = 4e10;
constexpr double kPenaltyStep = 3.0;
constexpr int kMostRank = 200;
constexpr int kMostRankOfValues = 100;  // beside other methods, where zeros are given

void choose_penalty(Contest& contest, double first) {
  contest.walk({1.0 / kPenaltyStep, kPenaltyStep}, [&](double factor) -> std::optional<Candidate> {
    Settings other = contest.settings();
    const double penalty = factor * other.links.penalty.value_or(first);
    other.links.penalty = std::stod(fmt::format("{:.2g}", penalty));
    return Candidate{other, "complex, penalty " + shortest(*other.links.penalty)};
  });
}

}  // namespace

bool could_be_links(const Evaluator& evaluator) {
  const auto& offsets = evaluator.asked().offsets;
  return evaluator.is_binary() && (offsets.open() || (!offsets->mean && offsets->effects.empty()));
}

bool choose_complex(Evaluator& evaluator) {
  Settings settings = evaluator.asked();
  settings.method = Method::kComplEx;
  settings.offsets.settle({});
  const bool softmax = settings.loss.open() ? evaluator.has_facts_alone() : *settings.loss == Loss::kSoftmax;
  Contest contest(evaluator);
  contest.consider(settings, "complex, rank " + std::to_string(ranks_or_default(settings).front()));
  if (contest.empty() || contest.best().work > kCheap) return false;
  if (contest.far_behind()) return true;
  const int most = evaluator.has_facts_alone() ? kMostRank : kMostRankOfValues;
  if (settings.ranks.open()) {
    for (int rank = 2 * ranks_or_default(settings).front(); rank <= most; rank *= 2) {
      Settings other = contest.settings();
      other.ranks = {rank};
      if (!contest.consider(other, "complex, rank " + std::to_string(rank))) break;
    }
  }
  const bool alone = evaluator.has_facts_alone() || evaluator.asked().method.given();
  if (alone && settings.links.penalty.open()) choose_penalty(contest, default_penalty(softmax));
  return true;
}

}  // namespace lacuna
