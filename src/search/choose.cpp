// SPDX-License-Identifier: MIT
#include "search/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lacuna/method/settings.hpp>
#include <stdexcept>

#include "base/number_text.hpp"
#include "method/rank_limits.hpp"
#include "method/ranks.hpp"
#include "search/edges.hpp"
#include "search/links.hpp"
#include "search/near.hpp"
#include "search/offsets.hpp"
#include "search/ordered.hpp"
#include "search/rank.hpp"
#include "search/structure.hpp"
#include "tensor/count_cells.hpp"

namespace lacuna {
namespace {

constexpr int kFirstAlsRank = 6;       // of a pair's part, at first: a sweep costs with its square
constexpr int kAddedAlsRank = 6;       // of parts that als has beside its first
constexpr int kMoreAlsRank = 20;       // likewise, where more helps
constexpr int kWholeFiberRank = 15;    // of the one part that als has where fibers are all but whole
constexpr double kAllButWhole = 0.5;   // share of observed cells from which that is so
constexpr double kUsualSteps = 120.0;  // of halrtc, by the splits of metro passengers
// Entries beyond which als with parts of pairs of modes stands for all that learn without nearness: on ten million ratings
// tr-mm was far from its own lambda after three times the work of that fit, als with the paper's parts took three
// times its time for 0.7 % more error, bayescp twice for 3.5 %.
constexpr Count kMostForAll = 5'000'000;
constexpr double kDenseEnough = 0.02;  // share of observed cells for a method that holds all cells

// als has no parts to which modes are near, nor ones that learn no mode.
bool has_parts_of_als(const Settings& asked) {
  return asked.latent.parts.open() ||
         std::all_of(asked.latent.parts->begin(), asked.latent.parts->end(),
                     [](const PartOptions& part) { return part.spec.near.empty() && part.spec.learns(); });
}

Settings with_method(Settings settings, Method method) {
  settings.method = method;
  return settings;
}

// Whether the method may be tried: it takes what is given, the tensor's order and the machine's memory.
bool is_candidate(Method method, const Evaluator& evaluator) {
  const Settings& asked = evaluator.asked();
  const ObservedTensor& kept = evaluator.kept();
  const MethodInfo& row = info(method);
  if (asked.method.given()) return *asked.method == method;
  if (!evaluator.sharers().alone() && !row.shares) return false;
  if (method == Method::kAls && !has_parts_of_als(asked)) return false;
  const double cells = count_cells(kept.modes());
  if (row.scale == Scale::kDense && static_cast<double>(evaluator.entries()) < kDenseEnough * cells)
    return false;
  return takes_everything_given(method, asked) && (row.order == 0 || row.order == kept.order()) &&
         evaluator.can_hold(with_method(asked, method));
}

std::string names_of_sharing_methods() {
  std::string names;
  for (const MethodInfo& row : methods())
    if (row.shares) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

// Ranks for which neither modes nor parts are as many.
void check_ranks(const Evaluator& evaluator) {
  Settings asked = evaluator.asked();
  asked.method.settle(Method::kTrMm);
  const int order = evaluator.kept().order();
  if (takes_so_many_ranks(asked, order)) return;
  if (!takes(*asked.method, kTakesParts) && info(*asked.method).model != "tucker") (void)one_rank(asked);
  throw std::invalid_argument(
      fmt::format("got {} ranks for {} modes; give one, or one for each mode", asked.ranks->size(), order));
}

void judge_floors(Evaluator& evaluator, const OffsetSpec& alone) {
  Settings floor;
  floor.seed = evaluator.asked().seed;
  floor.clip = evaluator.asked().clip;
  floor.method = Method::kMean;
  (void)evaluator.judge(floor, "the mean");
  floor.method = Method::kOffsets;
  floor.offsets = alone;
  if (!alone.effects.empty())
    (void)evaluator.judge(floor, "main effects: " + describe(alone, evaluator.kept().modes()));
}

// Parts, offsets and lambda at a small rank, then the rank, then lambda again.
void choose_latent(Evaluator& evaluator, const OffsetSpec& alone) {
  Contest contest(evaluator);
  choose_structure(contest, alone);
  if (contest.empty() || contest.far_behind()) return;
  if (evaluator.asked().ranks.open()) {
    grow_latent_ranks(contest);
    if (evaluator.asked().lambda.open() && evaluator.asked().latent.lambdas.open())
      choose_lambda(contest, 2.0);
  }
}

// Parts that are near along the modes whose neighbours are alike.
bool may_have_near_parts(const Evaluator& evaluator) {
  const Settings& asked = evaluator.asked();
  const bool learned =
      asked.method.open() ? is_candidate(Method::kTrMm, evaluator) : *asked.method != Method::kEdges;
  return learned && !evaluator.is_binary() && asked.latent.parts.open() && asked.latent.lambdas.open();
}

// Fields with edges learn from any values but links, and have one part.
bool may_have_edges(const Evaluator& evaluator) {
  const Settings& asked = evaluator.asked();
  return is_candidate(Method::kEdges, evaluator) && !evaluator.is_binary() &&
         (asked.latent.parts.open() || asked.method.given());
}

// Fields with edges and near parts, which are good for the same: each begins before more of either is tried, the better one
// first.
void choose_along_order(Evaluator& evaluator, const OffsetSpec& alone) {
  std::optional<EdgeFields> edges;
  std::optional<NearParts> near;
  if (may_have_edges(evaluator)) edges.emplace(evaluator, alone);
  if (may_have_near_parts(evaluator)) near.emplace(evaluator, alone);
  const bool near_first = edges && near && near->best().error < edges->error();
  if (near_first) near->refine();
  if (edges) edges->refine();
  if (near && !near_first) near->refine();
}

bool only_pairs(const Evaluator& evaluator) {
  return evaluator.asked().method.open() && evaluator.entries() > kMostForAll;
}

std::vector<PartSpec> parts_of_pairs(int order) {
  std::vector<PartSpec> specs;
  for (int a = 0; a < order; ++a)
    for (int b = a + 1; b < order; ++b) specs.push_back({.mode = a, .agree = {b}});
  return specs;
}

// One part for each pair of modes, then the paper's where there are more than two modes.
std::vector<PartSpec> als_candidates(const Evaluator& evaluator) {
  const ObservedTensor& kept = evaluator.kept();
  std::vector<PartSpec> specs = parts_of_pairs(kept.order());
  if (kept.order() > 2 && !only_pairs(evaluator))
    for (const PartSpec& part : full_parts(kept.order()))
      if (says_something(kept, part, serial_communicator())) specs.push_back(part);
  return specs;
}

// No more columns than the part's mode has rows.
int at_most(int rank, const PartSpec& part, const ObservedTensor& tensor) {
  return std::min(rank, static_cast<int>(std::min<Index>(tensor.extent(part.mode), kAlsRank)));
}

// Where fibers are all but whole, what is missing follows from the rest of its fiber, as by regression: als with
// one of the paper's parts, along the shortest mode and the next.
void choose_als_of_whole_fibers(Evaluator& evaluator) {
  const ObservedTensor& kept = evaluator.kept();
  if (evaluator.asked().latent.parts.given() ||
      static_cast<double>(kept.size()) < kAllButWhole * count_cells(kept.modes()))
    return;
  Settings settings = evaluator.asked();
  settings.method = Method::kAls;
  std::vector<PartSpec> parts = full_parts(kept.order());
  std::stable_sort(parts.begin(), parts.end(), [&](const PartSpec& a, const PartSpec& b) {
    return kept.extent(a.mode) < kept.extent(b.mode);
  });
  parts.resize(std::min<std::size_t>(parts.size(), 2));
  Contest contest(evaluator);
  for (const PartSpec& spec : parts) {
    settings.latent.parts = std::vector<PartOptions>{{.spec = spec}};
    if (evaluator.asked().ranks.open()) settings.ranks = {at_most(kWholeFiberRank, spec, kept)};
    contest.consider(settings, "als, parts " + describe(*settings.latent.parts, kept.modes()));
  }
}

// More and more columns for the only part of als, while that helps.
void grow_als_rank(Contest& contest) {
  const ObservedTensor& kept = contest.evaluator().kept();
  for (;;) {
    Settings more = contest.settings();
    const int rank = more.ranks->front();
    const int next = at_most(2 * rank, more.latent.parts->front().spec, kept);
    if (next == rank) return;
    more.ranks = {next};
    if (!contest.consider(more, fmt::format("als, rank {}", next))) return;
  }
}

// als with one part, of a pair of modes, or with the parts given: a good answer where values are ratings of one thing by
// another, in hardly any time.
Contest choose_als_of_a_pair(Evaluator& evaluator) {
  Settings settings = evaluator.asked();
  settings.method = Method::kAls;
  Contest contest(evaluator);
  if (settings.latent.parts.given()) {
    contest.consider(settings, "als");
    return contest;
  }
  const bool open_rank = settings.ranks.open();
  for (const PartSpec& spec : parts_of_pairs(evaluator.kept().order())) {
    settings.latent.parts = std::vector<PartOptions>{{.spec = spec}};
    if (open_rank) settings.ranks = {at_most(kFirstAlsRank, spec, evaluator.kept())};
    contest.consider(settings, "als, parts " + describe(*settings.latent.parts, evaluator.kept().modes()));
  }
  if (open_rank && !contest.empty()) grow_als_rank(contest);
  return contest;
}

// als has nothing to choose but its parts and their ranks: the best pair of modes first, then whatever helps
// beside it, then more rank for what was added.
Contest choose_als(Evaluator& evaluator) {
  Contest contest = choose_als_of_a_pair(evaluator);
  const Settings& settings = evaluator.asked();
  if (contest.empty() || settings.latent.parts.given()) return contest;
  const std::vector<Mode>& modes = evaluator.kept().modes();
  const std::vector<PartSpec> candidates = als_candidates(evaluator);
  const PartSpec first = contest.settings().latent.parts->front().spec;
  for (const PartSpec& spec : candidates) {
    if (spec == first) continue;
    Settings other = contest.settings();
    other.latent.parts->push_back({.spec = spec});
    if (settings.ranks.open())
      other.latent.parts->back().rank = at_most(kAddedAlsRank, spec, evaluator.kept());
    contest.consider(other, "als, also " + describe(PartOptions{.spec = spec}, modes));
  }
  if (settings.ranks.given() || contest.settings().latent.parts->size() == 1) return contest;
  Settings richer = contest.settings();
  for (PartOptions& part : *richer.latent.parts)
    if (part.rank > 0) part.rank = at_most(kMoreAlsRank, part.spec, evaluator.kept());
  contest.consider(richer, fmt::format("als, rank {} for what was added", kMoreAlsRank));
  return contest;
}

// halrtc with more and more of the singular values unshrunk, where its usual number of steps is affordable:
// only its end counts.
void choose_unshrunk(Evaluator& evaluator) {
  Settings settings = evaluator.asked();
  settings.method = Method::kHalrtc;
  const ObservedTensor& kept = evaluator.kept();
  if (kUsualSteps * info(Method::kHalrtc).work(kept.size(), kept.modes(), settings) > evaluator.work_limit())
    return;
  settings.offsets.settle({});
  settings.tolerance.settle(1e-4);
  Contest contest(evaluator);
  for (const double share : {0.1, 0.2, 0.3, 0.05}) {
    settings.dense.unshrunk = share;
    contest.consider(settings, "halrtc, unshrunk " + shortest(share));
    if (contest.empty()) return;  // too much work
  }
}

// A higher bound for a method that finds its rank, while it finds as much as it may.
void raise_bound(Contest& contest) {
  for (;;) {
    const int bound = ranks_or_default(contest.settings()).front();
    if (contest.empty() || contest.best().ranks != std::vector<int>{bound}) return;
    Settings more = contest.settings();
    more.ranks = {2 * bound};
    if (!contest.consider(more, fmt::format("{}, rank {} at most", name(*more.method), 2 * bound))) return;
  }
}

// A method without parts: its offsets, its rank, then what it alone takes.
void choose_plain(Evaluator& evaluator, Method method, const OffsetSpec& alone) {
  Settings settings = evaluator.asked();
  settings.method = method;
  const std::string name(lacuna::name(method));
  const bool open_lambda = settings.lambda.open() && takes(method, kTakesLambda);
  if (open_lambda) settings.lambda = Settings::kDefaultLambda;
  Contest contest(evaluator);
  if (settings.ranks.open() && takes(method, kTakesRank) && !info(method).finds_rank) {
    settings.offsets.settle(alone);
    grow_tucker_ranks(contest, settings);
    return;
  }
  if (settings.offsets.open() && method != Method::kMean) {
    settings.offsets = alone;
    contest.consider(settings, name + ", offsets " + describe(alone, evaluator.kept().modes()));
    settings.offsets = OffsetSpec{.mean = true, .effects = {}};
  }
  contest.consider(settings, name);
  if (info(method).finds_rank && takes(method, kTakesRank) && settings.ranks.open()) raise_bound(contest);
  if (open_lambda && !contest.empty()) choose_lambda(contest, 3.0);
}

// Facts of three modes: what ranks them best is learned from them alone. The others learn from values, and are
// tried where that costs little; tr-mm, whose choices are many, where als, which has the same parts, keeps up.
void choose_for_facts(Evaluator& evaluator, const OffsetSpec& alone) {
  if (!choose_complex(evaluator)) {
    if (!evaluator.interrupted())
      evaluator.tell("too many facts for trials of methods that learn from values, too");
    return;
  }
  if (is_candidate(Method::kBayesCp, evaluator)) choose_plain(evaluator, Method::kBayesCp, alone);
  if (!is_candidate(Method::kAls, evaluator)) return;
  if (!choose_als(evaluator).far_behind() && is_candidate(Method::kTrMm, evaluator))
    choose_latent(evaluator, alone);
}

}  // namespace

bool takes_everything_given(Method method, const Settings& settings) {
  for (const SettingField& field : setting_fields())
    if (field.taken != 0 && field.given(settings) && !takes(method, field.taken)) return false;
  return settings.loss.open() || has_loss(method, *settings.loss);
}

bool leaves_a_choice(const Settings& settings) {
  if (settings.method.open()) return true;
  const Method method = *settings.method;
  const bool parts = takes(method, kTakesParts);
  return (settings.offsets.open() && method != Method::kMean && method != Method::kComplEx) ||
         (parts && (settings.latent.parts.open() || any_open(*settings.latent.parts))) ||
         (settings.ranks.open() && settings.latent.certified_gap.open() && takes(method, kTakesRank) &&
          !info(method).finds_rank) ||
         (settings.links.penalty.open() && takes(method, kTakesPenalty)) ||
         (settings.lambda.open() && settings.latent.lambdas.open() && takes(method, kTakesLambda));
}

void choose(Evaluator& evaluator) {
  const Settings& asked = evaluator.asked();
  check_ranks(evaluator);
  if (const std::string notice = order_notice(evaluator.kept(), evaluator.sharers()); !notice.empty())
    evaluator.tell(notice);
  if (asked.method.open() && !evaluator.sharers().alone())
    evaluator.tell(
        "no process has all entries, so that only methods that share a fit are tried, and no blends: " +
        names_of_sharing_methods());
  if (asked.method.given() && *asked.method == Method::kComplEx) return (void)choose_complex(evaluator);
  const OffsetSpec alone = asked.offsets.open() ? offsets_alone(evaluator) : *asked.offsets;
  if (asked.method.open()) judge_floors(evaluator, alone);
  if (asked.method.open()) {
    const bool links = is_candidate(Method::kComplEx, evaluator) && could_be_links(evaluator);
    if (links && evaluator.has_facts_alone()) return choose_for_facts(evaluator, alone);
    const bool dense = is_candidate(Method::kHalrtc, evaluator);
    const bool latent = is_candidate(Method::kTrMm, evaluator);
    // als is quick, and good where hardly anything is observed, or nothing is ordered: it sets the bound for the rest.
    const bool als = is_candidate(Method::kAls, evaluator);
    if (als && !dense) choose_als(evaluator);
    if (als && dense && ordered_modes(evaluator.kept(), evaluator.sharers()).empty())
      choose_als_of_a_pair(evaluator);
    if (als && dense) choose_als_of_whole_fibers(evaluator);
    if (dense) choose_unshrunk(evaluator);
    if (links) choose_complex(evaluator);
    choose_along_order(evaluator, alone);
    if (only_pairs(evaluator)) {
      evaluator.tell("too many entries for trials of more than als with parts of pairs of modes");
      return;
    }
    if (latent) choose_latent(evaluator, alone);
    if (is_candidate(Method::kBayesCp, evaluator)) choose_plain(evaluator, Method::kBayesCp, alone);
    if (als && dense) choose_als(evaluator);
    return;
  }
  if (*asked.method == Method::kAls) return (void)choose_als(evaluator);
  if (*asked.method == Method::kEdges) return choose_along_order(evaluator, alone);
  if (!takes(*asked.method, kTakesParts)) return choose_plain(evaluator, *asked.method, alone);
  choose_along_order(evaluator, alone);
  choose_latent(evaluator, alone);
}

}  // namespace lacuna
