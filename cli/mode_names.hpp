// SPDX-License-Identifier: MIT
// What people call the modes of a model and the positions along them, in both directions.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/model/model.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/position_lookup.hpp"
#include "io/text/position_text.hpp"

namespace lacuna::cli {

class ModeNames {
 public:
  // The model must outlive it.
  explicit ModeNames(const Model& model);

  [[nodiscard]] int order() const { return model_->order(); }
  [[nodiscard]] const std::string& name(int mode) const { return model_->modes[mode].name; }

  // The mode of this name, else the first that differs in small and capital letters alone, or none.
  [[nodiscard]] std::optional<int> find_mode(std::string_view name) const;
  // "found 'usr', expected a mode of the model: user, item, week; did you mean user?"
  [[nodiscard]] std::string no_such_mode(std::string_view name) const;

  // The position that a label, a number or a time stamp stands for; kUnseen when the mode has none such.
  [[nodiscard]] Index find(int mode, std::string_view text) const;
  // "found 'x', expected a label of mode user, such as 'u1'; did you mean 'x1'?"
  [[nodiscard]] std::string no_such_position(int mode, std::string_view text) const;

  // What the model's files call it.
  [[nodiscard]] std::string text(int mode, Index position) const;

 private:
  [[nodiscard]] double place(int mode, std::string_view text) const;

  const Model* model_;
  std::vector<io::PositionLookup> lookups_;
  std::vector<io::PositionText> texts_;
};

}  // namespace lacuna::cli
