// SPDX-License-Identifier: MIT
// --clip of the verbs that use a model: keep predictions within a range; --round: make them what the values were.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/model/model.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/value_kind.hpp"

namespace lacuna::cli {

class ClipFlag {
 public:
  void add_flag(CLI::App& command) {
    command
        .add_option("--clip", text_,
                    "keep predictions within LOW,HIGH; auto: within the values fitted on; none: anywhere; "
                    "unset: as the "
                    "model was fitted, else where ratings, counts and shares are")
        ->check([](const std::string& text) {
          const auto clip = Clip::parse(text);
          return clip ? std::string() : clip.error().what;
        });
  }

  // What the user asked for, if anything.
  void apply_to(Model& model) const {
    if (!text_.empty()) set_clip(model, *Clip::parse(text_));
  }

 private:
  std::string text_;
};

class RoundFlag {
 public:
  void add_flag(CLI::App& command) {
    command.add_flag("--round", round_,
                     "round predictions to whole numbers, or halves, where the values are such");
  }

  // Refuses where the values that the model was fitted on are no multiples of anything.
  [[nodiscard]] Result<> check(std::optional<double> step) const {
    if (!round_ || step) return Nothing{};
    return usage_error("--round",
                       "the values that the model was fitted on are not all whole numbers or halves");
  }
  // A range that does not end at a multiple is kept to, as well.
  void apply_to(const Model& model, std::vector<double>& values) const {
    if (round_) round_to_step(model, *value_step(model), values);
  }

 private:
  bool round_ = false;
};

}  // namespace lacuna::cli
