// SPDX-License-Identifier: MIT
// Labels that a file brings and a model does not know: whether they look like new ones, or like a mistake.
#pragma once

#include <lacuna/model/model.hpp>
#include <string>
#include <vector>

namespace lacuna::cli {

// An error where no label of a mode is known and some are labels of another mode, which has none of them in common with
// it: columns that were mixed up. `modes` are the model's, grown by the labels of the file.
[[nodiscard]] Result<> check_not_mixed_up(const std::string& file, const Model& fitted,
                                          const std::vector<Mode>& modes, const Cells& cells);

// A sentence for each mode some of whose new labels differ from known ones in nothing but case and blanks.
[[nodiscard]] std::vector<std::string> nearly_known(const Model& fitted, const std::vector<Mode>& modes);

}  // namespace lacuna::cli
