// SPDX-License-Identifier: MIT
#include "tune_state.hpp"

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "input.hpp"

namespace lacuna::cli {
namespace {

using nlohmann::json;

// FNV-1a over indices, values and weights.
std::uint64_t checksum(const ObservedTensor& tensor) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
  for (int k = 0; k < tensor.order(); ++k)
    for (const Index i : tensor.index(k)) mix(i);
  for (const double value : tensor.values()) mix(std::bit_cast<std::uint64_t>(value));
  for (const double weight : tensor.weights()) mix(std::bit_cast<std::uint64_t>(weight));
  return hash;
}

json about(const ObservedTensor& tensor, const TuneOptions& options) {
  return {{"data", fmt::format("{:016x}", checksum(tensor))},
          {"folds", options.folds},
          {"seed", options.seed},
          {"metric", name(options.metric)}};
}

}  // namespace

Result<TuneState> TuneState::open(const std::string& path, const ObservedTensor& tensor,
                                  const TuneOptions& options) {
  TuneState state;
  state.path_ = path;
  if (path.empty()) return state;
  const json wanted = about(tensor, options);
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) {
    std::ofstream(path) << wanted.dump() << '\n';
    if (!std::ifstream(path)) return Error{ErrorKind::kOutput, path, "cannot be written"};
    return state;
  }
  const json found = json::parse(line, nullptr, false);
  if (found != wanted)
    return input_error(path + ":1", fmt::format("found {}, expected {}: it is about another tuning run",
                                                line.substr(0, 120), wanted.dump()));
  for (int number = 2; std::getline(file, line); ++number) {
    const json one = json::parse(line, nullptr, false);
    if (one.is_discarded() || !one.is_object()) {
      if (file.eof()) break;  // the line that was being written when the run was killed
      return input_error(fmt::format("{}:{}", path, number), "found a line that is not JSON");
    }
    state.known_[{one.value("candidate", ""), one.value("lambda", 0.0), one.value("fold", 0)}] =
        one.value("error", 0.0);
  }
  return state;
}

std::optional<double> TuneState::find(const std::string& candidate, double lambda, int fold) const {
  const auto found = known_.find({candidate, lambda, fold});
  return found == known_.end() ? std::nullopt : std::optional<double>(found->second);
}

void TuneState::add(const std::string& candidate, double lambda, int fold, double error) {
  if (path_.empty()) return;
  std::ofstream(path_, std::ios::app)
      << json{{"candidate", candidate}, {"lambda", lambda}, {"fold", fold}, {"error", error}}.dump() << '\n';
}

}  // namespace lacuna::cli
