// SPDX-License-Identifier: MIT
#include "fact_flags.hpp"

#include <fmt/format.h>

#include <lacuna/model/structure.hpp>

namespace lacuna::cli {

void FactFlags::add_flags(CLI::App& command) {
  command
      .add_option("--negatives", negatives,
                  "for files of facts: cells of value 0 to draw for each fact, one index replaced at random; "
                  "unset: 30, or fewer where that is millions; 0: values of 1 are just values")
      ->check(CLI::Range(0, 1000));
  command.add_option("--corrupt", corrupt,
                     "the modes whose index is replaced; unset: heads and tails of "
                     "links, all modes of anything else");
}

Result<> FactFlags::take(const TrainingData& data, const Output& output, Settings& settings) const {
  if (!corrupt.empty()) {
    auto list = parse_mode_list(corrupt, data.tensor.modes());
    if (!list) return usage_error("--corrupt", list.error().what);
    settings.links.corrupted = std::move(*list);
  }
  if (!corrupt.empty() && negatives.value_or(data.facts ? 1 : 0) == 0)
    return usage_error("--corrupt", "nothing is drawn, expected a file of facts alone or --negatives");
  if (negatives)
    settings.links.negatives = *negatives;
  else if (data.facts)
    settings.links.negatives = usual_negatives(data.entries);
  if (settings.links.negatives.value_or(0) > 0 && data.facts)
    output.say(fmt::format("{} facts; where a method needs cells of value 0, {} are drawn for each",
                           grouped(data.entries), *settings.links.negatives));
  return Nothing{};
}

}  // namespace lacuna::cli
