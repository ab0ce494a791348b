// SPDX-License-Identifier: MIT
// One mode's column of a table: turns fields into positions along the mode.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dist/communicator.hpp"
#include "io/text/labels.hpp"
#include "io/text/time_zone.hpp"

namespace lacuna::io {

class ModeColumn {
 public:
  static ModeColumn of_labels(std::string name);
  static ModeColumn of_stamps(std::string name, const BinRequest& bin);
  // Numbers, with this mark before their decimals, or dates, that say where along the mode an entry lies.
  static ModeColumn of_positions(std::string name, char decimal);
  // Numbers from `smallest` to `largest` are accepted.
  static ModeColumn of_indices(std::string name, std::uint64_t smallest, std::uint64_t largest);
  // A fitted model's mode: labels or stamps are looked up, plain positions count from `base`.
  static Result<ModeColumn> of_known(const Mode& mode, int base);

  // Whose clock time stamps follow; UTC unless told.
  Result<> set_zone(const std::string& name);

  // False: the field does not fit, and complaint() says why.
  bool add(std::string_view text);
  [[nodiscard]] std::string complaint(std::string_view text) const;

  [[nodiscard]] bool plain() const { return kind_ == Kind::kIndices; }
  [[nodiscard]] bool of_new_labels() const { return kind_ == Kind::kLabels; }
  [[nodiscard]] bool saw_zero() const;

  // The mode and the entries' positions along it. `base` is that of plain indices. Processes that have read some of the
  // entries each get the same mode, and the same error.
  Result<> finish(const std::string& path, int base, const Communicator& everyone, Mode& mode,
                  std::vector<Index>& index);

 private:
  enum class Kind {
    kLabels,
    kStamps,
    kPositions,
    kIndices,
    kKnownLabels,
    kKnownStamps,
    kKnownPositions,
    kKnownIndices
  };
  ModeColumn(Kind kind, std::string name) : kind_(kind) { mode_.name = std::move(name); }
  bool add_stamp(std::string_view text);
  bool add_index(std::string_view text);
  Result<> finish_labels(const std::string& path);
  Result<> share_labels(const std::string& path, const Communicator& everyone);
  void order_by_position(const std::vector<double>& position);
  void place_new_labels();
  Result<> finish_stamps(const std::string& path, const Communicator& everyone);
  Result<> finish_known_stamps(const std::string& path);
  [[nodiscard]] std::string too_many_labels() const;

  Kind kind_;
  Mode mode_;
  LabelTable labels_;
  std::vector<Index> index_;
  TimeZone zone_;
  std::vector<std::int64_t> stamps_;
  bool dates_ = true;  // all stamps are, and none is a number of seconds
  char decimal_ = '.';
  std::uint64_t smallest_ = 0;
  std::uint64_t largest_ = 0;
};

}  // namespace lacuna::io
