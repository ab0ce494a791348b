// SPDX-License-Identifier: MIT
// What a tuning run has found out, in a file: a line of JSON that says what it is about, then one for each
// fit. Lines are added as results come, so that a run that was killed goes on where it was.
//
// A line is written by one write(2) and ends with a newline. What a kill or a full disk left of a last line has
// none: it is cut off, and its fit is run again. Any other line that is not as written here is an error, and a file
// whose first line is not what this run would write stays as it is. A line says by a checksum of its settings what was
// fitted: the errors of other settings are kept, not used.
#pragma once

#include <lacuna/search/fit.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace lacuna::cli {

class TuneState {
 public:
  // An empty path: nothing is known and nothing is kept. A file about other data, folds, seed or metric is
  // refused, as is one that another run is writing to. `data` is a checksum of the tensor.
  static Result<TuneState> open(const std::string& path, const std::string& data,
                                const std::vector<Mode>& modes, const TuneOptions& options);

  [[nodiscard]] std::optional<double> find(const TuneCandidate& candidate, std::optional<double> lambda,
                                           int fold) const;
  // An error that is not finite is not kept: no JSON can say it.
  void add(const TuneCandidate& candidate, std::optional<double> lambda, int fold, double error);
  // Could a line not be written? Then there is no sense in going on.
  [[nodiscard]] bool failed() const { return problem_.has_value(); }
  // All lines are on the disk, or why not.
  Result<> finish();

 private:
  struct Close {
    void operator()(const int* file) const;
  };
  Result<std::string> load();  // all that is in the file
  Result<> check_first_line(std::string_view text, const std::string& wanted) const;
  Result<> take_line(std::string_view line, int number, int folds);
  Result<> write_line(std::string line);
  // A checksum of all that a candidate's errors depend on, but lambda.
  [[nodiscard]] std::string settings_of(const TuneCandidate& candidate) const;

  std::string path_;
  std::unique_ptr<int, Close> file_;  // its descriptor
  std::optional<Error> problem_;
  std::vector<Mode> modes_;
  std::map<std::tuple<std::string, std::optional<double>, int>, double>
      known_;  // by settings, lambda and fold
};

}  // namespace lacuna::cli
