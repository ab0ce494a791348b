// SPDX-License-Identifier: MIT
// What a NetCDF file says of its variables: types, shapes, attributes, and what their numbers mean.
#pragma once

#include <netcdf.h>
#include <netcdf_mem.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "request.hpp"

namespace lacuna::formats {

class NcFile {
 public:
  explicit NcFile(int id) : id_(id) {}
  NcFile(NcFile&& other) noexcept : id_(other.id_) { other.id_ = -1; }
  NcFile& operator=(NcFile&&) = delete;
  ~NcFile() {
    if (id_ >= 0) nc_close(id_);
  }
  [[nodiscard]] int id() const { return id_; }
  int close() {
    const int code = nc_close(id_);
    id_ = -1;
    return code;
  }
  // The file as it was made in memory; what it lies in is given back by free().
  int close_into(NC_memio& image) {
    const int code = nc_close_memio(id_, &image);
    id_ = -1;
    return code;
  }

 private:
  int id_;
};

// A variable: the group it lies in, and its number there.
struct Variable {
  int group = 0;
  int number = 0;
};

// What its numbers mean: value = stored * scale + offset, none where stored is one of `missing`.
struct Packing {
  double scale = 1.0;
  double offset = 0.0;
  std::vector<double> missing{};
  bool stated = false;  // by attributes

  [[nodiscard]] bool packed() const { return scale != 1.0 || offset != 0.0; }
  [[nodiscard]] bool is_missing(double stored) const {
    return std::find(missing.begin(), missing.end(), stored) != missing.end();
  }
  void unpack(std::vector<double>& numbers) const {
    for (double& x : numbers)
      x = is_missing(x) ? std::numeric_limits<double>::quiet_NaN() : x * scale + offset;
  }
};

// Nothing for text and other types that are no numbers.
[[nodiscard]] std::optional<io::Dtype> dtype_of(nc_type type);
[[nodiscard]] nc_type stored_type(const io::Dtype& dtype);
[[nodiscard]] nc_type type_of(const Variable& variable);

[[nodiscard]] std::vector<int> dimensions_of(const Variable& variable);
[[nodiscard]] std::vector<std::uint64_t> shape_of(const Variable& variable);
// Its name and size.
[[nodiscard]] Axis axis_of(int group, int dimension);
// Where its indices lie, from the variable of the dimension's name, in this group or one around it; unless that is
// missing, or has numbers that are not finite or not distinct.
void place(int group, Axis& axis);

// _FillValue and missing_value, or else what the library itself puts where nothing was written; scale_factor and
// add_offset.
Result<Packing> packing_of(const Variable& variable);

// All variables but those that say where the indices of a dimension lie, "group/name" by "group/name".
struct Variables {
  std::map<std::string, Variable> found;
  std::vector<Candidate> candidates;
};
[[nodiscard]] Variables list_variables(int file);

}  // namespace lacuna::formats
