// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/model/structure.hpp>
#include <lacuna/report/report.hpp>
#include <nlohmann/json.hpp>

#include "evaluate/intervals.hpp"
#include "io/file/fit_record_json.hpp"
#include "io/file/json_list.hpp"
#include "io/text/position_text.hpp"
#include "model/body.hpp"
#include "report/assets.hpp"
#include "report/components.hpp"
#include "report/pictures.hpp"
#include "tensor/count_cells.hpp"

namespace lacuna {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 400;  // of an error curve
constexpr int kHistogramBars = 60;
constexpr double kShownLevel = 0.9;  // of intervals, in the first table

std::vector<std::string> part_names(const Model& model) {
  std::vector<std::string> names;
  if (const Latent* latent = model.latent()) {
    for (const ModelPart& part : latent->parts) names.push_back(part_text(part.modes, model.modes));
  } else {
    for (const Mode& mode : model.modes) names.push_back(mode.name);
  }
  return names;
}

ordered_json spectra(const Model& model, const Predictor& predictor) {
  const std::vector<std::string> names = part_names(model);
  ordered_json list = ordered_json::array();
  const auto found = predictor.spectra();
  for (std::size_t p = 0; p < found.size(); ++p)
    list.push_back({{"name", found.size() == 1 ? "terms" : names[p]}, {"values", found[p]}});
  return list;
}

// Known entries next to what the model says of them.
struct Compared {
  std::string of;  // "test" or "training"
  const Entries* entries = nullptr;
  std::vector<double> predicted;

  [[nodiscard]] double error(Count e) const { return entries->value[e] - predicted[e]; }
};

// The root mean square of the errors at each position of a mode, or of a few neighbouring ones.
// Labels and bins are named.
ordered_json errors_along(const Compared& compared, std::size_t k, const Mode& mode, int base) {
  const std::size_t together = (mode.size + kMostPoints - 1) / kMostPoints;
  const std::size_t points = (mode.size + together - 1) / together;
  std::vector<double> squares(points, 0.0);
  std::vector<Count> count(points, 0);
  for (Count e = 0; e < compared.entries->size(); ++e) {
    const Index i = compared.entries->cells[k][e];
    if (i >= mode.size) continue;
    squares[i / together] += compared.error(e) * compared.error(e);
    ++count[i / together];
  }
  const auto text = io::PositionText::of(mode, base);
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::string> names;
  for (std::size_t p = 0; p < points; ++p) {
    if (count[p] == 0) continue;
    const auto first = static_cast<Index>(p * together);
    if (text && !text->is_number(first)) names.push_back(text->text(first));
    x.push_back(static_cast<double>(p * together) + static_cast<double>(together - 1) / 2.0 + base);
    y.push_back(std::sqrt(squares[p] / static_cast<double>(count[p])));
  }
  if (names.size() != x.size()) names.clear();
  return {{"name", mode.name}, {"together", together}, {"x", x}, {"y", y}, {"names", names}};
}

// Bars over all but the half per cent at either end, which go into the outermost ones.
ordered_json histogram(const Compared& compared) {
  std::vector<double> errors;
  for (Count e = 0; e < compared.entries->size(); ++e) errors.push_back(compared.error(e));
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  const double low = at(0.005);
  const double high = at(0.995);
  if (!(high > low)) return nullptr;
  std::vector<Count> count(kHistogramBars, 0);
  for (const double error : errors) {
    const double position = (error - low) / (high - low) * kHistogramBars;
    ++count[std::clamp(static_cast<int>(position), 0, kHistogramBars - 1)];
  }
  std::vector<double> middle;
  for (int b = 0; b < kHistogramBars; ++b) middle.push_back(low + (b + 0.5) * (high - low) / kHistogramBars);
  return {{"of", compared.of}, {"middle", middle}, {"count", count}};
}

ordered_json coverage_curve(const Model& model, const Predictor& predictor, const Compared& compared) {
  if (model.calibration.groups.empty() || compared.of != "test") return nullptr;
  const std::vector<Count> support = predictor.support(compared.entries->cells);
  ordered_json curve{
      {"promised", ordered_json::array()}, {"kept", ordered_json::array()}, {"width", ordered_json::array()}};
  for (const double level : {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99}) {
    const Coverage found =
        coverage(model.calibration, compared.entries->value, compared.predicted, support, level);
    curve["promised"].push_back(level);
    curve["kept"].push_back(found.share);
    curve["width"].push_back(found.width);
  }
  return curve;
}

// The columns of side information, by name.
std::string known_columns(const SideInformation& side) {
  constexpr std::size_t kMost = 30;
  const std::vector<std::string> first(
      side.names.begin(),
      side.names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, side.names.size())));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     side.names.size() > kMost ? fmt::format(" and {} more", side.names.size() - kMost) : "");
}

ordered_json facts(const Model& model) {
  std::vector<std::string> sizes;
  for (const Mode& mode : model.modes) sizes.push_back(fmt::format("{} {}", mode.name, mode.size));
  const double cells = count_cells(model.modes);
  ordered_json list{
      {"method", model.method},
      {"modes", fmt::format("{}", fmt::join(sizes, " x "))},
      {"observed", fmt::format("{} of {:.4g} cells ({:.3g} %)", model.entries, cells,
                               100.0 * static_cast<double>(model.entries) / cells)},
      {"observed values", fmt::format("{:.6g} to {:.6g}", model.observed.low, model.observed.high)}};
  for (const Mode& mode : model.modes)
    if (mode.side) list["known of " + mode.name] = known_columns(*mode.side);
  if (const auto found = ranks(model); !found.empty())
    list["rank"] = fmt::format("{}", fmt::join(found, ", "));
  const ordered_json record = io::to_json(model.record);
  for (const auto& [key, value] : record.items())
    if (key != "run" && key != "rank" && !list.contains(key))
      list[key] = value.is_string() ? value.get<std::string>() : value.dump();
  list["fitted with"] = "lacuna " + model.version;
  return list;
}

ordered_json run_of(const Model& model) {
  if (!model.record.run) return ordered_json::object();
  ordered_json run = io::to_json(*model.record.run);
  run["seed"] = model.record.seed;
  return run;
}

// Links are judged by how they rank: an error over facts, which are ones alone, says nothing.
bool are_ranked(const Model& model) {
  if (!model.record.run) return false;
  const RunRecord& run = *model.record.run;
  return run.held_out_mrr || (!run.history.empty() && run.history.back().test_mrr);
}

// What the entries at hand say.
void add_figures(const Model& model, const Compared& compared, ordered_json& scores) {
  if (are_ranked(model)) return;
  const std::span<const double> truth = compared.entries->value;
  scores[compared.of + " RMSE"] = fmt::format("{:.6g}", rmse(truth, compared.predicted));
  scores[compared.of + " MAE"] = fmt::format("{:.6g}", mae(truth, compared.predicted));
  if (const auto explained = r_squared(truth, compared.predicted))
    scores[compared.of + " R2"] = fmt::format("{:.5f}", *explained);
  if (const auto area = auc(truth, compared.predicted))
    scores[compared.of + " AUC"] = fmt::format("{:.5f}", *area);
}

void add_comparison(const Model& model, const Predictor& predictor, const Compared& compared,
                    ordered_json& page) {
  page["compared"] = compared.of;
  for (std::size_t k = 0; k < model.modes.size(); ++k)
    io::list_in(page, "errors").push_back(errors_along(compared, k, model.modes[k], model.index_base));
  page["histogram"] = histogram(compared);
  page["coverage"] = coverage_curve(model, predictor, compared);
}

void add_coverage(const ordered_json& curve, ordered_json& scores) {
  if (curve.is_null()) return;
  for (std::size_t i = 0; i < curve["promised"].size(); ++i)
    if (curve["promised"][i] == kShownLevel)
      scores["intervals"] =
          fmt::format("of {:.0f} % hold {:.1f} % of the test values; mean width {:.4g}", 100.0 * kShownLevel,
                      100.0 * curve["kept"][i].get<double>(), curve["width"][i].get<double>());
}

// What the fit found on test entries that it ranked, and what its own held-out entries let expect.
void add_expectation(const Model& model, ordered_json& scores) {
  if (!model.record.run) return;
  const RunRecord& run = *model.record.run;
  if (!run.history.empty() && run.history.back().test_mrr)
    scores["test MRR"] = fmt::format("{:.4f}, filtered", *run.history.back().test_mrr);
  if (run.held_out_mrr)
    scores["on unseen facts"] =
        fmt::format("a filtered MRR of about {:.4f}, found on held-out facts", *run.held_out_mrr);
  if (run.held_out_rmse && !run.held_out_mrr)
    scores["on unseen cells"] =
        fmt::format("an RMSE of about {:.4g}, found on held-out entries", *run.held_out_rmse);
  if (run.held_out_auc)
    scores["on unseen links"] =
        fmt::format("an AUC of about {:.4f}, found on held-out entries", *run.held_out_auc);
}

// How good it is: first what cells that the fit has not seen say, last those it has.
ordered_json scores_of(const Model& model, const std::optional<Compared>& compared,
                       const ordered_json& page) {
  ordered_json scores = ordered_json::object();
  const bool unseen = compared && compared->of == "test";
  if (unseen) add_figures(model, *compared, scores);
  add_coverage(page["coverage"], scores);
  add_expectation(model, scores);
  if (compared && !unseen) add_figures(model, *compared, scores);
  return scores;
}

// JSON inside a script element, where "</script" ends it and "<!--" with "<script" keeps it from ending. JSON
// has '<' in strings only, and there it can be written by its number.
std::string script_safe(const std::string& json) {
  std::string safe;
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string report_page(const Model& model, const ReportInput& input) {
  const Predictor predictor(model);
  ordered_json page{{"title", model.method + " model"},
                    {"version", version()},
                    {"scores", ordered_json::object()},
                    {"facts", facts(model)},
                    {"run", run_of(model)},
                    {"mixture", {{"parts", part_names(model)}, {"share", predictor.mixture()}}},
                    {"spectra", spectra(model, predictor)},
                    {"components", report::components(model, input.picture)},
                    {"errors", ordered_json::array()},
                    {"histogram", nullptr},
                    {"coverage", nullptr}};
  const Entries* known = input.test != nullptr ? input.test : input.train;
  std::optional<Compared> compared;
  if (known != nullptr && known->size() > 0) {
    compared = Compared{.of = input.test != nullptr ? "test" : "training",
                        .entries = known,
                        .predicted = predictor.predict(known->cells, known->coordinates).value};
    add_comparison(model, predictor, *compared, page);
  }
  page["scores"] = scores_of(model, compared, page);
  page["pictures"] = report::pictures(model, predictor, input);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>lacuna "
      "report</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
      "<script>\n{}</script>\n<script>\n{}</"
      "script>\n<script>\nlacunaReport(document.getElementById(\"page\"), {});\n"
      "</script>\n</body>\n</html>\n",
      report::kPageCss, report::kPlotJs, report::kReportJs,
      script_safe(page.dump(-1, ' ', false, ordered_json::error_handler_t::replace)));
}

}  // namespace lacuna
