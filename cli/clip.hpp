// SPDX-License-Identifier: MIT
// --clip of the verbs that use a model: keep predictions within a range.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/model/model.hpp>
#include <string>

namespace lacuna::cli {

class ClipFlag {
 public:
  void add_flag(CLI::App& command) {
    command
        .add_option(
            "--clip", text_,
            "keep predictions within LOW,HIGH; auto: within the values fitted on; unset: as the model was "
            "fitted")
        ->check([](const std::string& text) {
          const auto clip = Clip::parse(text);
          return clip ? std::string() : clip.error().what;
        });
  }

  // What the user asked for, else what the model has.
  void apply_to(Model& model) const {
    if (!text_.empty()) model.clip = Clip::parse(text_)->range(model.observed);
  }

 private:
  std::string text_;
};

}  // namespace lacuna::cli
