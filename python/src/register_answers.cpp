// SPDX-License-Identifier: MIT
// What is asked of a model after its fit: the best cells of a question, and new entries taken up.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <lacuna/evaluate/top.hpp>
#include <lacuna/model/update.hpp>

#include "arrays.hpp"
#include "data.hpp"
#include "fitted_model.hpp"
#include "method/refit.hpp"
#include "model/body.hpp"
#include "register.hpp"
#include "watch.hpp"

namespace lacuna::python {
namespace {

// The lists of all queries, one after the other: where each starts, the cells, their values.
nb::tuple top(const FittedModel& fitted, const std::vector<Array>& queries, std::vector<int> open,
              std::vector<int> either, int count, bool lowest, std::vector<std::vector<Index>> candidates,
              const std::vector<Array>& excluded, bool observed) {
  const Cells asked = cells_in(queries, "where");
  TopOptions options{.open = std::move(open),
                     .either = std::move(either),
                     .count = count,
                     .lowest = lowest,
                     .candidates = std::move(candidates),
                     .excluded = cells_in(excluded, "exclude")};
  TopLists found;
  Watch watch;
  watch.run([&] {
    if (!observed) options.excluded.append(observed_cells(fitted.model));
    found = TopFinder(fitted.predictor(), std::move(options)).find(asked, watch.stop_asked());
  });
  watch.refuse_interrupted("top was stopped by Ctrl-C before it was done");
  nb::list coords;
  for (int k = 0; k < found.cells.order(); ++k)
    coords.append(copied(std::span<const Index>(found.cells.mode(k))));
  return nb::make_tuple(owned(std::move(found.start)), nb::tuple(coords), owned(std::move(found.value)));
}

// The modes of the model with room for new positions. Those of plain indices have no labels to add. Positions along
// the mode are known of all or of none.
std::vector<Mode> grown(const Model& model, const std::vector<Index>& sizes,
                        const std::vector<std::vector<std::string>>& labels,
                        const std::vector<std::vector<double>>& positions) {
  std::vector<Mode> modes = model.modes;
  if (sizes.size() != modes.size() || labels.size() != modes.size() || positions.size() != modes.size())
    throw std::invalid_argument("an update has the modes of its model");
  for (std::size_t k = 0; k < modes.size(); ++k) {
    Mode& mode = modes[k];
    if (sizes[k] == mode.size) continue;
    mode.size = sizes[k];
    if (!mode.labels.empty()) mode.labels.insert(mode.labels.end(), labels[k].begin(), labels[k].end());
    mode.positions = positions[k];
    if (!mode.labels.empty() && mode.labels.size() != mode.size)
      throw std::invalid_argument(fmt::format("mode '{}': found {} labels, expected {}", mode.name,
                                              mode.labels.size(), std::size_t{mode.size}));
  }
  for (std::size_t k = 0; k < modes.size(); ++k)  // what two modes share grows in both
    if (const int other = modes[k].same_as; other >= 0) {
      Mode& first = modes[static_cast<std::size_t>(other)];
      Mode& longer = first.size > modes[k].size ? first : modes[k];
      first.labels = modes[k].labels = longer.labels;
      first.size = modes[k].size = longer.size;
    }
  return modes;
}

std::string repeated_cell(const std::vector<Mode>& modes, const Entries& entries,
                          const DuplicateCell& twice) {
  if (twice.first >= 0)
    return fmt::format(
        "entries {} and {} (counted from 0) are of the same cell; duplicates='mean', 'sum' or "
        "'last' would merge them",
        twice.first, twice.second);
  return fmt::format("the model was fitted on cell {}; duplicates='last' takes the new value",
                     describe_cell(modes, entries.cells, twice.second, 0));
}

// New entries, and how they are taken up.
struct Fresh {
  std::vector<Mode> modes;  // the model's, grown
  const Entries* entries;
  UpdateOptions options;
  bool refit;
};

// A model that is to be fitted again starts from the factors of an update, where it can be updated.
Result<UpdateResult> taken_up(const Model& model, const Fresh& fresh, DuplicateCell& twice,
                              const FitCallbacks& callbacks) {
  UpdateResult result;
  const bool updates = why_not_updated(model).empty();
  if (updates) {
    auto updated = update(model, fresh.modes, *fresh.entries, fresh.options, &twice);
    if (!updated || !fresh.refit) return updated;
    result = std::move(*updated);
  } else {
    for (std::size_t k = 0; k < fresh.modes.size(); ++k)
      result.added.push_back(fresh.modes[k].size - model.modes[k].size);
    result.entries = fresh.entries->size();
  }
  auto joined = joined_entries(model, fresh.modes, *fresh.entries, fresh.options.duplicates, &twice);
  if (!joined) return joined.error();
  auto again = fitted_again(model, updates ? &result.model : nullptr, std::move(*joined), callbacks);
  if (!again) return again.error();
  result.model = std::move(*again);
  return result;
}

nb::dict update_model(const FittedModel& fitted, const std::vector<Index>& sizes,
                      const std::vector<std::vector<std::string>>& labels,
                      const std::vector<std::vector<double>>& positions, const Entries& entries,
                      const std::string& duplicates, double held_out, std::uint64_t seed, bool refit) {
  const auto policy = parse_duplicates(duplicates);
  if (!policy)
    throw std::invalid_argument(
        fmt::format("duplicates: found '{}', expected error, mean, sum or last", duplicates));
  if (entries.size() == 0)
    throw std::invalid_argument("X: found no entry with a value, expected at least one");
  const Fresh fresh{.modes = grown(fitted.model, sizes, labels, positions),
                    .entries = &entries,
                    .options = {.duplicates = *policy, .held_out = held_out, .seed = seed},
                    .refit = refit};
  check_values(fresh.modes, entries);
  std::optional<Result<UpdateResult>> updated;
  DuplicateCell twice;
  Watch watch;
  FitCallbacks callbacks;
  callbacks.interrupted = watch.stop_asked();
  watch.run([&] { updated = taken_up(fitted.model, fresh, twice, callbacks); });
  if (!*updated)
    throw std::invalid_argument("X: " + (twice.second == twice.first
                                             ? updated->error().what
                                             : repeated_cell(fresh.modes, entries, twice)));
  UpdateResult& result = **updated;
  nb::dict all;
  all["model"] = std::make_shared<FittedModel>(std::move(result.model));
  all["added"] = result.added;
  all["entries"] = result.entries;
  all["solved"] = result.solved;
  all["moved"] = result.moved;
  all["held_out_rmse"] = result.held_out_rmse;
  all["interrupted"] = watch.interrupted();
  return all;
}

}  // namespace

void register_answers(nb::module_& m) {
  m.def("top", &top, nb::arg("model"), nb::arg("queries"), nb::arg("open"), nb::arg("either"),
        nb::arg("count"), nb::arg("lowest"), nb::arg("candidates"), nb::arg("excluded"), nb::arg("observed"));
  m.def("update", &update_model, nb::arg("model"), nb::arg("sizes"), nb::arg("labels"), nb::arg("positions"),
        nb::arg("entries"), nb::arg("duplicates"), nb::arg("held_out"), nb::arg("seed"), nb::arg("refit"),
        "Another model with the entries taken up; the first stays as it is. Ctrl-C ends a refit early; the "
        "model is whole "
        "all the same.");
  m.def(
      "why_not_updated", [](const FittedModel& fitted) { return why_not_updated(fitted.model); },
      nb::arg("model"), "Empty when the model can be updated.");
  m.def(
      "why_not_refitted", [](const FittedModel& fitted) { return why_not_refitted(fitted.model); },
      nb::arg("model"),
      "Empty when the model keeps its entries, so that it can be fitted again with others.");
}

}  // namespace lacuna::python
