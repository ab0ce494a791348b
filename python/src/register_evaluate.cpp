// SPDX-License-Identifier: MIT
// How good a model is: errors, rankings, the certificate; and how to split data to find out.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/method/fit_once.hpp>
#include <lacuna/model/structure.hpp>

#include "arrays.hpp"
#include "errors.hpp"
#include "evaluate/intervals.hpp"
#include "fitted_model.hpp"
#include "model/body.hpp"
#include "register.hpp"
#include "tensor/deal.hpp"
#include "watch.hpp"

namespace lacuna::python {
namespace {

constexpr Count kBlock = Count{1} << 18;  // cells between two looks at Ctrl-C

// The cells from `begin` on, as many as a block has.
Cells block_of(const Cells& cells, Count begin) {
  const Count end = std::min(begin + kBlock, cells.size());
  std::vector<std::vector<Index>> positions;
  for (int k = 0; k < cells.order(); ++k)
    positions.emplace_back(cells.mode(k).begin() + begin, cells.mode(k).begin() + end);
  return positions;
}

// What the model says of entries, and how well it supports each where that is asked for.
struct Answers {
  std::vector<double> value{};
  std::vector<Count> support{};
  Count cold = 0;
};

Answers answers_of(const Predictor& predictor, const Cells& cells, bool supported, const Interrupted& stop) {
  Answers all;
  for (Count begin = 0; begin < cells.size() && !stop(); begin += kBlock) {
    const Cells block = block_of(cells, begin);
    const Predictor::Prediction found = predictor.predict(block);
    all.value.insert(all.value.end(), found.value.begin(), found.value.end());
    all.cold += found.cold;
    if (!supported) continue;
    const std::vector<Count> support = predictor.support(block);
    all.support.insert(all.support.end(), support.begin(), support.end());
  }
  return all;
}

nb::list rows_of(const std::vector<ReliabilityBin>& table) {
  nb::list rows;
  for (const ReliabilityBin& bin : table) {
    nb::dict row;
    row["low"] = bin.low;
    row["high"] = bin.high;
    row["cells"] = bin.cells;
    row["predicted"] = bin.predicted;
    row["observed"] = bin.observed;
    rows.append(row);
  }
  return rows;
}

// Of a model on entries that all have a value; level 0: no intervals; bins 0: no table of reliability.
nb::dict evaluate(const FittedModel& fitted, const Entries& entries, double level, int bins) {
  if (entries.size() == 0)
    throw std::invalid_argument("data: no cell has a value, expected at least one to compare with");
  if (level > 0.0 && fitted.model.calibration.groups.empty())
    throw std::invalid_argument("interval: the model was fitted without intervals=True");
  if (bins > 0 && !is_binary(entries.value))
    throw std::invalid_argument("reliability: needs values that are 0 or 1, both present; data has others");
  Answers found;
  std::optional<Coverage> covered;
  std::optional<double> explained;
  std::optional<double> area;
  Watch watch;
  watch.run([&] {
    found = answers_of(fitted.predictor(), entries.cells, level > 0.0, watch.stop_asked());
    if (watch.stop_asked()()) return;
    explained = r_squared(entries.value, found.value);
    area = auc(entries.value, found.value);
    if (level > 0.0)
      covered = coverage(fitted.model.calibration, entries.value, found.value, found.support, level);
  });
  watch.refuse_interrupted("evaluate was stopped by Ctrl-C before it was done");
  nb::dict all;
  all["cells"] = entries.size();
  all["cold"] = found.cold;
  all["rmse"] = rmse(entries.value, found.value);
  all["mae"] = mae(entries.value, found.value);
  all["r2"] = explained;
  all["auc"] = area;
  if (covered) {
    all["coverage"] = covered->share;
    all["width"] = covered->width;
  }
  if (bins > 0) {
    const std::vector<ReliabilityBin> table = reliability(entries.value, found.value, bins);
    all["reliability"] = rows_of(table);
    all["calibration_error"] = calibration_error(table);
  }
  return all;
}

nb::dict rank(const FittedModel& fitted, const std::vector<Index>& extents, const std::vector<Array>& facts,
              const std::vector<Array>& known, const std::string& modes) {
  const auto along = parse_mode_list(modes, fitted.model.modes);
  if (!along) raise({.kind = ErrorKind::kUsage, .where = "ranking", .what = along.error().what});
  const Cells wanted = cells_in(facts, "data");
  const Cells before = cells_in(known, "filter");
  if (wanted.size() == 0) throw std::invalid_argument("data: no cell of value other than 0 to rank");
  Ranking found;
  Watch watch;
  watch.run(
      [&] { found = rank_facts(fitted.predictor(), extents, wanted, before, *along, watch.stop_asked()); });
  watch.refuse_interrupted(
      "evaluate was stopped by Ctrl-C before it was done");  // what it has is of some facts
  nb::dict all;
  all["queries"] = found.queries;
  all["mrr"] = found.mrr;
  all["hits1"] = found.hits1;
  all["hits3"] = found.hits3;
  all["hits10"] = found.hits10;
  return all;
}

nb::dict certify_model(const FittedModel& fitted, ObservedTensor& tensor) {
  const Latent* latent = fitted.model.latent();
  if (latent != nullptr && tensor.cells() != latent->dual.cells())
    throw std::invalid_argument("data: its cells are not those that the model was fitted on");
  Certificate found;
  {
    const nb::gil_scoped_release free;
    found = certify(fitted.model, std::move(tensor));
  }
  nb::list parts;
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    nb::dict part;
    part["part"] = describe(PartOptions{.spec = latent->parts[p].modes}, fitted.model.modes);
    part["rank"] = static_cast<std::int64_t>(latent->parts[p].factor.cols());
    part["share"] = found.share(p);
    part["inside"] = found.parts[p].inside;
    part["most"] = found.parts[p].most;
    parts.append(part);
  }
  nb::dict all;
  all["gap"] = found.gap();
  all["upper"] = found.upper;
  all["lower"] = found.lower;
  all["parts"] = parts;
  return all;
}

nb::tuple deal_entries(Count total, double train, double test, std::uint64_t seed) {
  Deal dealt = deal(total, train, test, seed);
  return nb::make_tuple(owned(std::move(dealt.train)), owned(std::move(dealt.test)));
}

}  // namespace

void register_evaluate(nb::module_& m) {
  m.def("evaluate", &evaluate, nb::arg("model"), nb::arg("entries"), nb::arg("level"), nb::arg("bins"));
  m.def("rank", &rank, nb::arg("model"), nb::arg("extents"), nb::arg("facts"), nb::arg("known"),
        nb::arg("modes"));
  m.def("certify", &certify_model, nb::arg("model"), nb::arg("tensor"), "The tensor is taken over.");
  m.def("deal", &deal_entries, nb::arg("total"), nb::arg("train"), nb::arg("test"), nb::arg("seed"),
        "Positions below `total`, ascending: the training and the test part.");
}

}  // namespace lacuna::python
