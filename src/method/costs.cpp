// SPDX-License-Identifier: MIT
#include "method/costs.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <limits>

#include "base/machine.hpp"
#include "method/field/edge_part.hpp"
#include "method/rank_limits.hpp"
#include "solver/truncated_cg.hpp"
#include "tensor/count_cells.hpp"

namespace lacuna {
namespace {

constexpr double kNumber = 8.0;  // bytes of a double
constexpr double kIndex = 4.0;   // of an index
constexpr double kFloat = 4.0;   // and of a float

// The largest rank that can occur along mode k.
double rank_of(std::size_t k, const std::vector<Mode>& modes, const Settings& settings, int open) {
  const std::vector<int> ranks = settings.ranks.value_or({open});
  const int wanted = ranks[std::min(k, ranks.size() - 1)];
  return std::min<double>(wanted, modes[k].size);
}

double indices(Count entries, const std::vector<Mode>& modes) {
  return kIndex * static_cast<double>(entries) * static_cast<double>(modes.size());
}

// The transforms of the grids of near parts, there and back.
double near_work(const std::vector<Mode>& modes, const Settings& settings) {
  if (settings.latent.parts.open()) return 0.0;
  double work = 0.0;
  for (std::size_t p = 0; p < settings.latent.parts->size(); ++p) {
    const PartSpec& spec = (*settings.latent.parts)[p].spec;
    if (spec.near.empty() || (spec.near.size() == 1 && spec.smoothness == 1.0)) continue;
    constexpr double kOfACell = 150.0;  // a fast cosine transform in each direction, by its time
    const double rank =
        spec.learns() ? rank_of(static_cast<std::size_t>(spec.mode), modes, settings, 3) : 1.0;
    work += kOfACell * count_cells(modes, spec.fiber_modes()) * rank;
  }
  return work;
}

// The largest rank that part p of these can have.
double part_rank(std::size_t p, const std::vector<PartOptions>& parts, const std::vector<Mode>& modes,
                 const Settings& settings) {
  const PartSpec& spec = parts[p].spec;
  if (!spec.learns()) return 1.0;
  const std::vector<int> ranks = settings.ranks.value_or({kLargestGrownRank});
  const std::size_t which = ranks.size() == parts.size() ? p : static_cast<std::size_t>(spec.mode);
  const int wanted = parts[p].rank > 0 ? parts[p].rank : ranks[std::min(which, ranks.size() - 1)];
  return std::min<double>(wanted, modes[spec.mode].size);
}

// The numbers of all factors.
double factor_numbers(const std::vector<PartOptions>& parts, const std::vector<Mode>& modes,
                      const Settings& settings) {
  double numbers = 0.0;
  for (std::size_t p = 0; p < parts.size(); ++p)
    numbers += part_rank(p, parts, modes, settings) *
               (parts[p].spec.learns() ? modes[parts[p].spec.mode].size : 1.0);
  return numbers;
}

// What TR-LS needs beside what TR-MM does: with `own` of all `entries` on this process.
double primal_bytes(Count own, Count entries, double factors, bool wide) {
  constexpr double kVectors =
      11;  // over the entries: Z in every vector of the trust region and of a subproblem
  const auto here = static_cast<double>(own);
  return (wide ? kNumber : kFloat) *
         (kVectors * here + kept_residuals(static_cast<double>(entries) + factors) * (here + factors));
}

// One column of the fields of a near part: a number for each fiber of a chain, for each cell of each of its grids.
double near_bytes(Count entries, const std::vector<Mode>& modes, const PartSpec& spec) {
  if (spec.near.empty()) return 0.0;
  const bool chain = spec.near.size() == 1 && spec.smoothness == 1.0;
  // Of the operator and the products, and the four of the inverse on a grid.
  const double fields = chain ? 3 : 7;
  const double groups = std::min(count_cells(modes, spec.agree), static_cast<double>(entries));
  double grid = 1.0;
  for (const NearMode& near : spec.near) grid *= modes[near.mode].size;
  return fields * kNumber * (chain ? static_cast<double>(entries) : groups * grid);
}

bool is_wide(const Settings& settings) {
  return settings.latent.precision.value_or(Precision::kDouble) == Precision::kDouble;
}

double core_bytes(const std::vector<Mode>& modes, const Settings& settings, int open) {
  constexpr double kCopies = 3;
  double core = kNumber;
  for (std::size_t k = 0; k < modes.size(); ++k)
    core *= 2.0 * rank_of(k, modes, settings, open);  // a retraction makes a core of twice the rank
  return kCopies * core;
}

}  // namespace

int kept_residuals(double numbers) {
  constexpr double kMostBytes = 1e9;
  constexpr int kAll = TruncatedCgOptions{}.max_iterations;
  return kAll * kNumber * numbers <= kMostBytes ? kAll : 0;
}

bool memory_holds(Method method, Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  return info(method).bytes(entries, modes, settings) < memory_limit().bytes;
}

double latent_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kPartBytes = 10;    // an entry's place in a part's fibers
  constexpr double kSolverBytes = 60;  // y, Z, Z's derivative or candidate, three CG vectors, two diagonals
  // Point, candidate, gradients, the subproblem's vectors, padded tables.
  constexpr double kFactorCopies = 20;
  // Left open, they may become those of all pairs of modes.
  const std::vector<PartOptions> parts =
      settings.latent.parts.value_or(pair_structure(static_cast<int>(modes.size())));
  const double factors = factor_numbers(parts, modes, settings);
  double fields = 0.0;
  for (std::size_t p = 0; p < parts.size(); ++p)
    fields += part_rank(p, parts, modes, settings) * near_bytes(entries, modes, parts[p].spec);
  const bool primal = settings.method.given() && *settings.method == Method::kTrLs;
  return indices(entries, modes) +
         static_cast<double>(entries) * (kPartBytes * static_cast<double>(parts.size()) + kSolverBytes) +
         kFactorCopies * kNumber * factors + fields +
         (primal ? primal_bytes(entries, entries, factors, is_wide(settings)) : 0.0);
}

double shared_factor_bytes(const std::vector<Mode>& modes, const Settings& settings) {
  if (info(*settings.method).bytes != latent_bytes) return 0.0;
  const double copies = is_wide(settings) ? 13 : 8;
  const std::vector<PartOptions> parts =
      settings.latent.parts.value_or(full_structure(static_cast<int>(modes.size())));
  return copies * kNumber * factor_numbers(parts, modes, settings);
}

namespace {

// Calibrated by the peak resident sets of fits on 2 to 7 processes (bench/results/26-cluster.json).
double shared_latent_bytes(const Sharing& sharing, const std::vector<Mode>& modes, const Settings& settings,
                           int process) {
  const bool wide = is_wide(settings);
  const double own = kIndex * static_cast<double>(modes.size()) + kNumber;  // of an entry as it is
  constexpr double kPartBytes = 8;          // an entry's place in a part's fibers
  const double solver = wide ? 65 : 42;     // vectors over the entries
  const double elsewhere = wide ? 84 : 40;  // likewise, of those that have gone to another layout
  constexpr double kSharesBytes = 8;  // of an entry at home, of a part that is made elsewhere or by sums
  constexpr double kNearBytes = 40;  // of one of a part with near modes: its slot, and what its inverse needs
  const Count share = sharing.plan.front().cuts.entries[static_cast<std::size_t>(process)];
  // Of a checkpoint: Z and where the entries are, here and of all entries.
  const double kept = wide ? 17 : 13;
  const double gathered = wide ? 24 : 16;
  const std::vector<PartOptions> parts =
      settings.latent.parts.value_or(full_structure(static_cast<int>(modes.size())));
  double bytes = shared_factor_bytes(modes, settings);
  if (*settings.method == Method::kTrLs)
    bytes += primal_bytes(share, sharing.entries, factor_numbers(parts, modes, settings), wide);
  for (std::size_t l = 0; l < sharing.plan.size(); ++l) {
    const PlannedLayout& layout = sharing.plan[l];
    const Count entries = layout.cuts.entries[static_cast<std::size_t>(process)];
    bytes += static_cast<double>(entries) *
             (own + (l == 0 ? solver : elsewhere) + kPartBytes * static_cast<double>(layout.parts.size()));
    for (const std::size_t p : layout.parts) {
      const PartSpec& spec = parts[p].spec;
      if (l > 0 && spec.near.empty()) bytes += kSharesBytes * static_cast<double>(share);
      if (spec.near.size() > 1 || spec.smoothness != 1.0) bytes += kNearBytes * static_cast<double>(entries);
      bytes += part_rank(p, parts, modes, settings) * near_bytes(entries, modes, spec);
    }
    if (l == 0 && sharing.checkpoint) bytes += kept * static_cast<double>(entries);
  }
  if (sharing.checkpoint && process == 0) bytes += gathered * static_cast<double>(sharing.entries);
  return bytes;
}

// Calibrated likewise (tests/mpi/memory_test.py).
double shared_tucker_bytes(Count share, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kEntryBytes = 95;  // beside the entry itself
  constexpr double kFactorCopies = 5;
  const int open = std::max(Settings::kDefaultRank, largest_tucker_rank(static_cast<int>(modes.size())));
  double factors = 0.0;
  for (std::size_t k = 0; k < modes.size(); ++k) factors += modes[k].size * rank_of(k, modes, settings, open);
  return indices(share, modes) + static_cast<double>(share) * (kNumber + kEntryBytes) +
         kFactorCopies * kNumber * factors + core_bytes(modes, settings, open);
}

}  // namespace

double shared_bytes(const Sharing& sharing, const std::vector<Mode>& modes, const Settings& settings,
                    int process) {
  constexpr double kProgram = 24e6;  // with the library that speaks MPI
  constexpr double kSorting = 20;    // of an entry, beside the entry itself
  constexpr double kTest = 40;       // of a test cell, beside the cell itself
  constexpr double kDealing = 110;   // of an entry while it is read and dealt out, beside the entry itself
  const double own = kIndex * static_cast<double>(modes.size()) + kNumber;
  const bool latent = info(*settings.method).bytes == latent_bytes;
  const Count share = sharing.plan.front().cuts.entries[static_cast<std::size_t>(process)];
  double most = static_cast<double>(share) * (own + kDealing);
  if (latent) most = std::max(most, shared_latent_bytes(sharing, modes, settings, process));
  if (info(*settings.method).bytes == tucker_bytes)
    most = std::max(most, shared_tucker_bytes(share, modes, settings));
  if (latent && process == 0) most = std::max(most, static_cast<double>(sharing.entries) * (own + kSorting));
  return kProgram + most + (own + kTest) * static_cast<double>(sharing.test) +
         own * static_cast<double>(sharing.start);
}

double ffw_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kColumns = 50;  // of all parts, before they are reduced; each has a number on every fiber,
  constexpr double kCopies = 3;    // three times for the part whose basis is being reduced
  Settings plain = settings;
  plain.ranks = {1};
  return latent_bytes(entries, modes, plain) + kCopies * kNumber * kColumns * static_cast<double>(entries);
}

namespace {

double als_bytes_of(const std::vector<PartOptions>& parts, Count entries, const std::vector<Mode>& modes,
                    const Settings& settings) {
  constexpr double kPartBytes = 20;  // of an entry
  constexpr double kRowBytes = 28;   // of each of r + 2 columns, for a row or a fiber
  double bytes = indices(entries, modes) + 16.0 * static_cast<double>(entries);
  for (const PartOptions& part : parts) {
    if (!part.spec.learns()) continue;  // refused
    const double fibers = std::min(count_cells(modes, part.spec.agree), static_cast<double>(entries));
    const double rank = part.rank > 0 ? part.rank : rank_of(part.spec.mode, modes, settings, kAlsRank);
    bytes += kPartBytes * static_cast<double>(entries) +
             kRowBytes * (rank + 2.0) * (fibers + modes[part.spec.mode].size);
  }
  return bytes;
}

}  // namespace

// With its parts open, what the least of those that are tried takes: one for a pair of modes.
double als_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  if (settings.latent.parts.given()) return als_bytes_of(*settings.latent.parts, entries, modes, settings);
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < static_cast<int>(modes.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(modes.size()); ++b)
      least = std::min(least, als_bytes_of({{.spec = {.mode = a, .agree = {b}}}}, entries, modes, settings));
  return least;
}

double tucker_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kEntryBytes = 56;  // value, residual, its candidate, the derivative, pieces' gradients
  constexpr double kFactorCopies = 8;
  const int open = std::max(Settings::kDefaultRank, largest_tucker_rank(static_cast<int>(modes.size())));
  double factors = 0.0;
  for (std::size_t k = 0; k < modes.size(); ++k)
    factors += kNumber * modes[k].size * rank_of(k, modes, settings, open);
  return indices(entries, modes) + static_cast<double>(entries) * kEntryBytes + kFactorCopies * factors +
         core_bytes(modes, settings, open);
}

double cp_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  const double rank = settings.ranks.value_or({kBayesCpStartRank})[0];
  double rows = 0.0;
  for (const Mode& mode : modes) rows += mode.size;
  // The entries by the rows of each mode; a covariance and a second moment for each row.
  return 3.0 * indices(entries, modes) + 24.0 * static_cast<double>(entries) +
         kNumber * rows * (2.0 * rank * rank + 2.0 * rank);
}

double complex_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  // As cells, as answers to questions both ways, and what is reserved of them.
  constexpr double kEntryBytes = 100;
  constexpr double kTables = 5;   // the vectors, their squared gradients, gradients, the best so far, a copy
  constexpr double kLines = 256;  // of a batch
  const double rank = settings.ranks.value_or({info(Method::kComplEx).rank})[0];
  double rows = 0.0;
  for (const Mode& mode : modes) rows += 2.0 * mode.size;
  return indices(entries, modes) + kEntryBytes * static_cast<double>(entries) +
         kFloat * rows * (kTables * (2.0 * rank + 2.0) + kLines);
}

double dense_bytes(Count entries, const std::vector<Mode>& modes, const Settings&) {
  constexpr double kArrays = 5;      // the answer, the next one, two of a dual method, an unfolding
  constexpr double kModeArrays = 2;  // a copy and its multipliers
  const auto order = static_cast<double>(modes.size());
  const double cells = count_cells(modes);
  double gram = 0.0;  // of the smaller side of an unfolding, with its eigenvectors
  for (const Mode& mode : modes) {
    const double side = std::min<double>(mode.size, cells / mode.size);
    gram = std::max(gram, 4.0 * side * side);
  }
  const double busy = std::min<double>(order, thread_count());
  return indices(entries, modes) + 16.0 * static_cast<double>(entries) +
         kNumber * (cells * (kArrays + kModeArrays * order) + gram * busy);
}

namespace {

double edge_cells(const std::vector<Mode>& modes, const PartOptions& part) {
  return count_cells(modes) / (part.spec.learns() ? static_cast<double>(modes[part.spec.mode].size) : 1.0);
}

}  // namespace

double edges_bytes(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kPadding = 1.5;  // of the grid, at the most, to lengths that a transform is quick at
  constexpr double kFields = 8;     // the field, four vectors of conjugate gradients, those of a new U
  constexpr double kPerCell = 8;    // spectrum, kernel's diagonal, what a product needs
  constexpr double kAnswers = 3;    // this one, the one before, the best
  const PartOptions part = edge_part(modes, settings);
  const double cells = kPadding * edge_cells(modes, part);
  const auto near = static_cast<double>(part.spec.near.size());
  const double edges = 0.5 * std::pow(3.0, near) + near * (near + 1.0);  // stencils, products of steps
  return indices(entries, modes) + 40.0 * static_cast<double>(entries) +
         kNumber * (cells * (kFields * part.rank + kPerCell + edges) + kAnswers * count_cells(modes));
}

double edges_work(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kOfACell = 40.0;  // two transforms, a few sums; and two products with a stencil
  const PartOptions part = edge_part(modes, settings);
  const double stencils = 2.0 * std::pow(3.0, static_cast<double>(part.spec.near.size()));
  return part.rank * ((kOfACell + stencils) * edge_cells(modes, part) + 2.0 * static_cast<double>(entries));
}

double latent_work(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  const std::size_t parts = settings.latent.parts.given() ? settings.latent.parts->size() : modes.size();
  double columns = 0.0;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::vector<int> ranks = settings.ranks.value_or({Settings::kDefaultRank});
    const int own = settings.latent.parts.given() ? (*settings.latent.parts)[p].rank : 0;
    columns += own > 0 ? own : ranks[std::min(p, ranks.size() - 1)];
  }
  return 2.0 * static_cast<double>(entries) * (columns + static_cast<double>(parts)) +
         near_work(modes, settings);
}

double als_work(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kFloatsAtOnce = 4.0;  // its products run in registers, the others' wait for memory
  double work = 0.0;
  const std::vector<PartOptions> parts =
      settings.latent.parts.value_or(full_structure(static_cast<int>(modes.size())));
  for (const PartOptions& part : parts) {
    if (!part.spec.learns()) continue;
    const double rank = part.rank > 0 ? part.rank : rank_of(part.spec.mode, modes, settings, kAlsRank);
    work += static_cast<double>(entries) * rank * (rank + 1.0) / kFloatsAtOnce;
  }
  return work;
}

double tucker_work(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  double core = 1.0;
  for (std::size_t k = 0; k < modes.size(); ++k) core *= rank_of(k, modes, settings, Settings::kDefaultRank);
  return 4.0 * static_cast<double>(entries) * core;
}

double cp_work(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  const double rank = settings.ranks.value_or({kBayesCpStartRank})[0];
  double rows = 0.0;
  for (const Mode& mode : modes) rows += mode.size;
  return static_cast<double>(modes.size() * entries) * rank * rank + rows * rank * rank * rank;
}

// That of the logistic loss; trials on facts alone are not counted by it.
double complex_work(Count entries, const std::vector<Mode>& modes, const Settings& settings) {
  constexpr double kOfANumber = 20.0;  // a score, three gradients, three steps
  constexpr double kInCache = 25.0;    // products of matrices in float do not wait for memory
  const double rank = settings.ranks.value_or({info(Method::kComplEx).rank})[0];
  double largest = 0.0;
  for (const Mode& mode : modes) largest = std::max<double>(largest, mode.size);
  // The softmax, which facts alone get unless told otherwise, scores all candidates of every question, and there
  // are about as many questions as facts.
  const bool logistic =
      settings.loss.given() ? *settings.loss == Loss::kLogistic : settings.links.negatives.value_or(0) == 0;
  const double scores = logistic ? 0.0 : std::min(static_cast<double>(entries) * largest, kMostLinkScores);
  return rank * (kOfANumber * static_cast<double>(entries) + 6.0 * scores / kInCache);
}

double dense_work(Count, const std::vector<Mode>& modes, const Settings&) {
  constexpr double kInCache = 8.0;  // products of matrices do not wait for memory
  const double cells = count_cells(modes);
  double work = 0.0;
  for (const Mode& mode : modes) {
    const double side = std::min<double>(mode.size, cells / mode.size);
    work += 2.0 * cells * side + 4.0 * side * side * side;  // a Gram matrix, a product, an eigendecomposition
  }
  return work / kInCache;
}

double offsets_work(Count entries, const std::vector<Mode>& modes, const Settings&) {
  return static_cast<double>(entries) * static_cast<double>(modes.size());
}

double offsets_bytes(Count entries, const std::vector<Mode>& modes, const Settings&) {
  return indices(entries, modes) + 24.0 * static_cast<double>(entries);
}

}  // namespace lacuna
