// SPDX-License-Identifier: MIT
// What a tuning run has found out, in a file: a line of JSON that says what it is about, then one for each
// fit. Lines are added as results come, so that a run that was killed goes on where it was.
#pragma once

#include <lacuna/search/tune.hpp>
#include <map>
#include <string>
#include <tuple>

namespace lacuna::cli {

class TuneState {
 public:
  // An empty path: nothing is known and nothing is kept. A file about other data, folds, seed or metric is
  // refused.
  static Result<TuneState> open(const std::string& path, const ObservedTensor& tensor,
                                const TuneOptions& options);

  [[nodiscard]] std::optional<double> find(const std::string& candidate, double lambda, int fold) const;
  void add(const std::string& candidate, double lambda, int fold, double error);

 private:
  std::string path_;
  std::map<std::tuple<std::string, double, int>, double> known_;
};

}  // namespace lacuna::cli
