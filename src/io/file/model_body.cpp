// SPDX-License-Identifier: MIT
#include "io/file/model_body.hpp"

#include <cmath>
#include <limits>

#include "io/file/json_list.hpp"
#include "model/body.hpp"
#include "tensor/fiber_numbers.hpp"

namespace lacuna::io {
namespace {

using nlohmann::json;

template <class Values>
std::span<const double> numbers(const Values& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

json describe_matrices(const std::string& name, const std::vector<Matrix<double>>& matrices,
                       ArrayWriter& arrays) {
  json list = json::array();
  for (std::size_t k = 0; k < matrices.size(); ++k)
    list.push_back(arrays.add(name + std::to_string(k), flat(matrices[k])));
  return list;
}

Matrix<double> read_factor(const json& described, const ArrayReader& arrays, std::int64_t rows,
                           std::int64_t least_columns = 1) {
  const std::vector<double> values = arrays.get<double>(described);
  const auto count = static_cast<std::int64_t>(values.size());
  if (rows <= 0 || count < least_columns || count % rows != 0)
    throw ArrayReader::Bad("a factor that does not fit its mode");
  return Eigen::Map<const Matrix<double>>(values.data(), rows, count / rows);
}

Matrix<float> read_rows(const json& described, const ArrayReader& arrays, std::int64_t rows,
                        std::int64_t width) {
  const std::vector<float> values = arrays.get<float>(described);
  if (static_cast<std::int64_t>(values.size()) != rows * width)
    throw ArrayReader::Bad("as many numbers for each position as the rank says expected");
  return Eigen::Map<const Matrix<float>>(values.data(), rows, width);
}

// One for each mode, of as many rows as the mode has positions.
std::vector<Matrix<double>> read_factors(const json& list, const ArrayReader& arrays,
                                         const std::vector<Mode>& modes) {
  if (modes.empty() || list.size() != modes.size())
    throw ArrayReader::Bad("as many factors as modes expected");
  std::vector<Matrix<double>> factors;
  for (std::size_t k = 0; k < modes.size(); ++k)
    factors.push_back(read_factor(list[k], arrays, modes[k].size));
  return factors;
}

json describe_prior(const SidePrior& prior, const std::string& name, ArrayWriter& arrays) {
  json described{{"ridge", prior.ridge}};
  if (prior.shared.size() > 0) described["shared"] = arrays.add(name + "_shared", flat(prior.shared));
  return described;
}

// Of one factor of a part, the other of which has `others` rows.
SidePrior read_prior(const json& described, const ArrayReader& arrays, std::int64_t others,
                     std::int64_t columns) {
  SidePrior prior;
  for (const json& ridge : described.at("ridge")) {
    prior.ridge.push_back(finite_number(ridge, "a ridge"));
    if (prior.ridge.back() < 0.0) throw ArrayReader::Bad("a ridge that is no number >= 0");
  }
  if (static_cast<std::int64_t>(prior.ridge.size()) != columns)
    throw ArrayReader::Bad("a ridge for each column of a factor expected");
  if (described.contains("shared"))
    prior.shared = read_rows(described["shared"], arrays, others, columns + 1);
  return prior;
}

// The list of indices, the numbers under `key`, and perhaps weights.
void describe_entries(const ObservedTensor& tensor, const char* key, json& header, ArrayWriter& arrays) {
  for (int k = 0; k < tensor.order(); ++k)
    list_in(header, "index").push_back(arrays.add("index" + std::to_string(k), tensor.index(k)));
  header[key] = arrays.add(key, tensor.values());
  if (!tensor.weights().empty()) header["weights"] = arrays.add("weights", tensor.weights());
}

ObservedTensor read_entries(const json& header, const char* key, const ArrayReader& arrays,
                            const std::vector<Mode>& modes) {
  Entries entries;
  std::vector<std::vector<Index>> positions;
  for (const json& described : header.at("index")) positions.push_back(arrays.get<Index>(described));
  entries.cells = Cells(std::move(positions));
  entries.value = arrays.get<double>(header.at(key));
  if (header.contains("weights")) entries.weight = arrays.get<double>(header["weights"]);
  std::vector<Mode> unlabelled;
  for (const Mode& mode : modes)
    unlabelled.push_back({.name = mode.name,
                          .size = mode.size,
                          .labels = {},
                          .binning = mode.binning,
                          .positions = mode.positions,
                          .side = mode.side,
                          .same_as = mode.same_as,
                          .time_zone = mode.time_zone});
  auto tensor = ObservedTensor::create(std::move(unlabelled), std::move(entries));
  if (!tensor) throw ArrayReader::Bad(tensor.error().what);
  return std::move(*tensor);
}

void describe(const Latent& latent, json& header, ArrayWriter& arrays) {
  for (std::size_t p = 0; p < latent.parts.size(); ++p) {
    const ModelPart& part = latent.parts[p];
    list_in(header, "parts")
        .push_back({{"mode", part.modes.mode},
                    {"agree", part.modes.agree},
                    {"row_power", part.modes.row_power},
                    {"fiber_power", part.modes.fiber_power},
                    {"lambda", part.lambda},
                    {"factor", arrays.add("factor" + std::to_string(p), flat(part.factor))}});
    if (!part.modes.near.empty()) header["parts"].back()["smoothness"] = part.modes.smoothness;
    for (const NearMode& near : part.modes.near)
      list_in(header["parts"].back(), "near").push_back({{"mode", near.mode}, {"length", near.length}});
    if (part.modes.side > 0.0) header["parts"].back()["side"] = part.modes.side;
    if (part.right)
      header["parts"].back()["right"] = arrays.add("right" + std::to_string(p), flat(*part.right));
    if (part.prior)
      header["parts"].back()["prior"] = {
          {"rows", describe_prior(part.prior->rows, "rows" + std::to_string(p), arrays)},
          {"fibers", describe_prior(part.prior->fibers, "fibers" + std::to_string(p), arrays)}};
  }
  describe_entries(latent.dual, "dual", header, arrays);
}

// As in the grammar of parts; a larger power makes weights overflow.
double read_power(const json& described) {
  constexpr double kLargestPower = 4.0;
  const double power = finite_number(described, "a part's power");
  if (std::abs(power) > kLargestPower) throw ArrayReader::Bad("a part's power beyond 4");
  return power;
}

// Of a part's factor: those of its mode and, in dual form, those of the columns of its side information.
std::int64_t factor_rows(const PartSpec& part, const std::vector<Mode>& modes, bool factored) {
  if (!part.learns()) return 1;
  const Mode& mode = modes[part.mode];
  if (part.side == 0.0 || factored) return mode.size;
  if (!mode.side) throw ArrayReader::Bad("a part with side information of a mode that has none");
  return (part.side < 1.0 ? static_cast<std::int64_t>(mode.size) : 0) + mode.side->columns();
}

// The right factor of a part in factored form, and its prior.
void read_right(const json& described, const ArrayReader& arrays, const ObservedTensor& dual,
                ModelPart& part) {
  if (!described.contains("right")) return;
  part.right = read_factor(described.at("right"), arrays, fiber_numbers(dual, part.modes).fibers, 0);
  const auto columns = part.factor.cols();
  if (part.right->cols() != columns) throw ArrayReader::Bad("a right factor that does not fit the left one");
  if (!described.contains("prior")) return;
  const json& prior = described["prior"];
  part.prior = PartPrior{.rows = read_prior(prior.at("rows"), arrays, part.right->rows(), columns),
                         .fibers = read_prior(prior.at("fibers"), arrays, part.factor.rows(), columns)};
}

Latent read_latent(const json& header, const ArrayReader& arrays, const std::vector<Mode>& modes) {
  const int order = static_cast<int>(modes.size());
  Latent latent;
  if (!header.at("parts").is_array() || header.at("parts").empty())
    throw ArrayReader::Bad("a list of at least one part expected");
  for (const json& described : header.at("parts")) {
    ModelPart part;
    part.modes.mode = static_cast<int>(whole_number(described.at("mode"), -1, order - 1, "a part's mode"));
    part.modes.agree = mode_numbers(described.at("agree"), order);
    part.lambda = finite_number(described.at("lambda"), "lambda");
    part.modes.row_power = read_power(described.at("row_power"));
    part.modes.fiber_power = read_power(described.at("fiber_power"));
    if (described.contains("near")) {
      for (const json& near : described["near"])
        part.modes.near.push_back(
            {.mode = static_cast<int>(whole_number(near.at("mode"), 0, order - 1, "a near mode")),
             .length = finite_number(near.at("length"), "length")});
      part.modes.smoothness = finite_number(described.at("smoothness"), "smoothness");
      if (described.contains("right")) throw ArrayReader::Bad("a right factor of a part with near modes");
    }
    if (described.contains("side")) part.modes.side = finite_number(described["side"], "side");
    check_part(part.modes, order);
    // Only a part with a right factor may have no column.
    part.factor = read_factor(described.at("factor"), arrays,
                              factor_rows(part.modes, modes, described.contains("right")),
                              described.contains("right") ? 0 : 1);
    latent.parts.push_back(std::move(part));
  }
  latent.dual = read_entries(header, "dual", arrays, modes);
  for (std::size_t p = 0; p < latent.parts.size(); ++p)
    read_right(header.at("parts")[p], arrays, latent.dual, latent.parts[p]);
  return latent;
}

void describe(const Tucker& tucker, json& header, ArrayWriter& arrays) {
  header["core"] = arrays.add("core", numbers(tucker.core));
  header["factors"] = describe_matrices("factor", tucker.factors, arrays);
}

Tucker read_tucker(const json& header, const ArrayReader& arrays, const std::vector<Mode>& modes) {
  Tucker tucker;
  tucker.factors = read_factors(header.at("factors"), arrays, modes);
  const std::vector<double> core = arrays.get<double>(header.at("core"));
  double size = 1.0;
  for (const Matrix<double>& factor : tucker.factors) size *= static_cast<double>(factor.cols());
  if (static_cast<double>(core.size()) != size)
    throw ArrayReader::Bad("a core that does not fit the factors");
  tucker.core = Eigen::Map<const Eigen::VectorXd>(core.data(), static_cast<Eigen::Index>(core.size()));
  return tucker;
}

void describe(const Cp& cp, json& header, ArrayWriter& arrays) {
  header["factors"] = describe_matrices("factor", cp.factors, arrays);
  if (!cp.covariance.empty()) header["covariance"] = describe_matrices("covariance", cp.covariance, arrays);
  header["noise_precision"] = cp.noise_precision;
}

Cp read_cp(const json& header, const ArrayReader& arrays, const std::vector<Mode>& modes) {
  Cp cp;
  cp.factors = read_factors(header.at("factors"), arrays, modes);
  const Eigen::Index rank = cp.factors[0].cols();
  for (const Matrix<double>& factor : cp.factors)
    if (factor.cols() != rank) throw ArrayReader::Bad("factors of one rank expected");
  if (header.contains("covariance")) cp.covariance = read_factors(header["covariance"], arrays, modes);
  for (const Matrix<double>& covariance : cp.covariance)
    if (covariance.cols() != rank * rank) throw ArrayReader::Bad("a covariance that does not fit its factor");
  cp.noise_precision = finite_number(header.at("noise_precision"), "noise_precision");
  if (cp.noise_precision < 0.0) throw ArrayReader::Bad("a noise precision that is no number >= 0");
  return cp;
}

void describe(const Dense& dense, json& header, ArrayWriter& arrays) {
  header["cells"] = arrays.add("cells", numbers(dense.value));
  if (!dense.spanned.empty()) header["spanned"] = dense.spanned;
}

Dense read_dense(const json& header, const ArrayReader& arrays, const std::vector<Mode>& modes) {
  Dense dense{.value = arrays.get<double>(header.at("cells"))};
  double cells = 1.0;
  for (const Mode& mode : modes) cells *= mode.size;
  if (modes.empty() || static_cast<double>(dense.value.size()) != cells)
    throw ArrayReader::Bad("as many values as the tensor has cells expected");
  if (header.contains("spanned"))
    for (const json& mode : header["spanned"])
      dense.spanned.push_back(static_cast<int>(
          whole_number(mode, 0, static_cast<std::int64_t>(modes.size()) - 1, "a spanned mode")));
  return dense;
}

void describe(const ComplEx& x, json& header, ArrayWriter& arrays) {
  header["roles"] = {{"head", x.roles.head},
                     {"relation", x.roles.relation},
                     {"tail", x.roles.tail},
                     {"one_set", x.roles.one_set}};
  header["complex_rank"] = x.rank;
  header["readout"] = {x.constant, x.forward, x.backward};
  header["entities"] = arrays.add("entities", flat(x.entities));
  header["relations"] = arrays.add("relations", flat(x.relations));
}

ComplEx read_complex(const json& header, const ArrayReader& arrays, const std::vector<Mode>& modes) {
  if (modes.size() != 3) throw ArrayReader::Bad("links of three modes expected");
  ComplEx x;
  const json& roles = header.at("roles");
  const auto mode = [&](const char* role) {
    return static_cast<int>(whole_number(roles.at(role), 0, 2, "a mode"));
  };
  x.roles = {.head = mode("head"),
             .relation = mode("relation"),
             .tail = mode("tail"),
             .one_set = roles.at("one_set").get<bool>()};
  if (x.roles.head == x.roles.tail || x.roles.head == x.roles.relation || x.roles.tail == x.roles.relation)
    throw ArrayReader::Bad("a role for each mode expected");
  const std::int64_t heads = modes[x.roles.head].size;
  const std::int64_t tails = modes[x.roles.tail].size;
  if (x.roles.one_set && heads != tails) throw ArrayReader::Bad("as many heads as tails expected");
  constexpr std::int64_t kLargestRank = 1 << 24;
  x.rank = static_cast<int>(whole_number(header.at("complex_rank"), 1, kLargestRank, "the rank"));
  x.tails_from = x.roles.one_set ? 0 : static_cast<Index>(heads);
  const int width = complex_width(x.rank);
  x.entities = read_rows(header.at("entities"), arrays, x.roles.one_set ? heads : heads + tails, width);
  x.relations =
      read_rows(header.at("relations"), arrays, 2 * std::int64_t{modes[x.roles.relation].size}, width);
  const json& readout = header.at("readout");
  if (!readout.is_array() || readout.size() != 3)
    throw ArrayReader::Bad("a readout of three numbers expected");
  x.constant = finite_number(readout.at(0), "a number of the readout");
  x.forward = finite_number(readout.at(1), "a number of the readout");
  x.backward = finite_number(readout.at(2), "a number of the readout");
  return x;
}

void describe(const std::monostate&, json&, ArrayWriter&) {}
void describe(const Blend&, json&, ArrayWriter&) {}  // its members are models: model_file.cpp has them

}  // namespace

bool knows_body(std::string_view kind) {
  return kind == "offsets" || kind == "latent" || kind == "tucker" || kind == "cp" || kind == "dense" ||
         kind == "complex" || kind == "blend";
}

void describe_body(const Model& model, json& header, ArrayWriter& arrays) {
  if (model.latent() == nullptr) header["entries"] = model.entries;  // else as many as the dual tensor has
  std::visit([&](const auto& body) { describe(body, header, arrays); }, *model.body);
  if (model.kept != nullptr) describe_entries(*model.kept, "value", header["kept"], arrays);
}

void read_body(std::string_view kind, const json& header, const ArrayReader& arrays, Model& model) {
  if (kind == "latent") {
    *model.body = read_latent(header, arrays, model.modes);
    model.entries = model.latent()->dual.size();
  } else {
    model.entries = whole_number(header.at("entries"), 0, std::numeric_limits<Count>::max(), "entries");
  }
  if (kind == "tucker") *model.body = read_tucker(header, arrays, model.modes);
  if (kind == "cp") *model.body = read_cp(header, arrays, model.modes);
  if (kind == "dense") *model.body = read_dense(header, arrays, model.modes);
  if (kind == "complex") *model.body = read_complex(header, arrays, model.modes);
  if (!header.contains("kept")) return;
  model.kept =
      std::make_shared<const ObservedTensor>(read_entries(header["kept"], "value", arrays, model.modes));
  if (model.kept->size() != model.entries)
    throw ArrayReader::Bad("as many entries kept as it was fitted on expected");
}

}  // namespace lacuna::io
