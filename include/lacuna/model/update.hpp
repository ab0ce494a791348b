// SPDX-License-Identifier: MIT
// New entries for a fitted model, without fitting again: what is new is solved for, what is known stays.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/model/model.hpp>
#include <optional>
#include <vector>

namespace lacuna {

struct UpdateOptions {
  Duplicates duplicates = Duplicates::kError;  // of new entries among themselves, and with those fitted on
  double held_out = 0.2;                       // share of the new entries that judges; 0: none, below 1
  std::uint64_t seed = 1;                      // which ones
};

struct UpdateResult {
  Model model;
  std::vector<Index> added{};  // new positions of each mode
  Count entries = 0;           // that are new
  Count solved = 0;            // rows, fibers and effects that were solved for
  Count moved = 0;             // of these the ones that the model had: those with many new entries
  // Of new entries held out while the others were used; nothing where there were too few.
  std::optional<double> held_out_rmse{};
};

// Why a model cannot be updated; empty when it can: those of als, of tr-mm without near parts, of bayescp where it keeps
// its entries, and blends of nothing else.
[[nodiscard]] std::string why_not_updated(const Model& model);

// Why the entries that a model was fitted on cannot be told from it; empty when they can: where it keeps them, or leaves
// them in latent parts but those of tr-ls, and from blends with such a member.
[[nodiscard]] std::string why_not_refitted(const Model& model);

// The entries a model was fitted on, which it keeps as what it leaves of them, and new ones. `modes` are the
// model's, grown by the positions that are new. Errors: a cell that is listed twice, or that the model was fitted on, under
// Duplicates::kError; `repeated` then says which of the new entries are of one cell, and first is -1 where the second is
// of one that the model was fitted on. Throws std::invalid_argument where why_not_refitted() has an answer.
[[nodiscard]] Result<ObservedTensor> joined_entries(const Model& model, std::vector<Mode> modes,
                                                    const Entries& entries, Duplicates duplicates,
                                                    DuplicateCell* repeated = nullptr);

// The model with the new entries taken up. A row of a part, a fiber or an effect that the model does not have is
// solved for by ridge regression on its new entries, given all others; one that it has moves when it got at
// least a tenth as many new entries as it was fitted on, held where it was by the entries it was fitted on; all
// others stay. So the value of a cell none of whose rows, fibers and effects has new entries stays as it is, bit
// for bit for parts that have factors of their own (als) and for bayescp, else up to rounding; unless new values lie beyond
// the range that values had, which is where predictions are kept: it then reaches to them. O(new entries r^2 + moved
// entries r^2) for each of a few sweeps, and O(N r) once. `repeated`: as above.
[[nodiscard]] Result<UpdateResult> update(const Model& model, std::vector<Mode> modes, const Entries& entries,
                                          const UpdateOptions& options = {},
                                          DuplicateCell* repeated = nullptr);

}  // namespace lacuna
