// SPDX-License-Identifier: MIT
#include "netcdf_variables.hpp"

#include <fmt/format.h>

namespace lacuna::formats {
namespace {

constexpr int kDeepest = 16;  // groups within groups
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kMostMissing = 64;  // values that stand for none

std::string text_attribute(const Variable& variable, const char* name) {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(variable.group, variable.number, name, &type, &length) != NC_NOERR || type != NC_CHAR ||
      length > kLongestText)
    return "";
  std::string text(length, '\0');
  if (nc_get_att_text(variable.group, variable.number, name, text.data()) != NC_NOERR) return "";
  return text.substr(0, text.find('\0'));
}

std::vector<double> number_attribute(const Variable& variable, const char* name) {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(variable.group, variable.number, name, &type, &length) != NC_NOERR || !dtype_of(type) ||
      length > kMostMissing)
    return {};
  std::vector<double> numbers(length);
  if (nc_get_att_double(variable.group, variable.number, name, numbers.data()) != NC_NOERR) return {};
  return numbers;
}

// What the library itself puts where nothing was written. Bytes use all their values, so none is special.
std::optional<double> default_fill(nc_type type) {
  switch (type) {
    case NC_SHORT:
      return NC_FILL_SHORT;
    case NC_USHORT:
      return NC_FILL_USHORT;
    case NC_INT:
      return NC_FILL_INT;
    case NC_UINT:
      return NC_FILL_UINT;
    case NC_FLOAT:
      return static_cast<double>(NC_FILL_FLOAT);
    case NC_DOUBLE:
      return NC_FILL_DOUBLE;
    default:
      return std::nullopt;
  }
}

void list_group(int group, const std::string& prefix, int depth, std::map<std::string, Variable>& found,
                std::vector<Candidate>& candidates) {
  int count = 0;
  nc_inq_nvars(group, &count);
  for (int number = 0; number < count; ++number) {
    const Variable variable{group, number};
    std::string name(NC_MAX_NAME + 1, '\0');
    if (nc_inq_varname(group, number, name.data()) != NC_NOERR) continue;
    name.resize(name.find('\0'));
    const std::vector<int> dimensions = dimensions_of(variable);
    if (dimensions.size() == 1 && axis_of(group, dimensions[0]).name == name) continue;
    const auto dtype = dtype_of(type_of(variable));
    candidates.push_back({.name = prefix + name,
                          .shape = shape_of(variable),
                          .type = dtype ? io::dtype_text(*dtype) : "text or other",
                          .numeric = dtype.has_value()});
    found.emplace(prefix + name, variable);
  }
  int groups = 0;
  if (depth == kDeepest || nc_inq_grps(group, &groups, nullptr) != NC_NOERR || groups <= 0) return;
  std::vector<int> ids(static_cast<std::size_t>(groups));
  nc_inq_grps(group, nullptr, ids.data());
  for (const int id : ids) {
    std::string name(NC_MAX_NAME + 1, '\0');
    if (nc_inq_grpname(id, name.data()) != NC_NOERR) continue;
    name.resize(name.find('\0'));
    list_group(id, prefix + name + "/", depth + 1, found, candidates);
  }
}

// The variable of the dimension's name, in this group or one around it.
std::optional<Variable> variable_of_dimension(int group, const std::string& name) {
  for (int depth = 0; depth <= kDeepest; ++depth) {
    int number = 0;
    if (nc_inq_varid(group, name.c_str(), &number) == NC_NOERR) return Variable{group, number};
    int parent = 0;
    if (nc_inq_grp_parent(group, &parent) != NC_NOERR) return std::nullopt;
    group = parent;
  }
  return std::nullopt;
}

}  // namespace

std::optional<io::Dtype> dtype_of(nc_type type) {
  switch (type) {
    case NC_BYTE:
      return io::Dtype{'i', 1, false};
    case NC_UBYTE:
      return io::Dtype{'u', 1, false};
    case NC_SHORT:
      return io::Dtype{'i', 2, false};
    case NC_USHORT:
      return io::Dtype{'u', 2, false};
    case NC_INT:
      return io::Dtype{'i', 4, false};
    case NC_UINT:
      return io::Dtype{'u', 4, false};
    case NC_INT64:
      return io::Dtype{'i', 8, false};
    case NC_UINT64:
      return io::Dtype{'u', 8, false};
    case NC_FLOAT:
      return io::Dtype{'f', 4, false};
    case NC_DOUBLE:
      return io::Dtype{'f', 8, false};
    default:
      return std::nullopt;
  }
}

nc_type stored_type(const io::Dtype& dtype) {
  for (const nc_type type :
       {NC_BYTE, NC_UBYTE, NC_SHORT, NC_USHORT, NC_INT, NC_UINT, NC_INT64, NC_UINT64, NC_FLOAT}) {
    const auto one = dtype_of(type);
    if (one->kind == dtype.kind && one->size == dtype.size) return type;
  }
  return NC_DOUBLE;
}

nc_type type_of(const Variable& variable) {
  nc_type type = NC_NAT;
  nc_inq_vartype(variable.group, variable.number, &type);
  return type;
}

std::vector<int> dimensions_of(const Variable& variable) {
  int count = 0;
  if (nc_inq_varndims(variable.group, variable.number, &count) != NC_NOERR || count < 0) return {};
  std::vector<int> list(static_cast<std::size_t>(count));
  if (nc_inq_vardimid(variable.group, variable.number, list.data()) != NC_NOERR) return {};
  return list;
}

Axis axis_of(int group, int dimension) {
  std::string name(NC_MAX_NAME + 1, '\0');
  std::size_t size = 0;
  if (nc_inq_dim(group, dimension, name.data(), &size) != NC_NOERR) return {};
  name.resize(name.find('\0'));
  return {.name = name, .size = size};
}

std::vector<std::uint64_t> shape_of(const Variable& variable) {
  std::vector<std::uint64_t> shape;
  for (const int dimension : dimensions_of(variable))
    shape.push_back(axis_of(variable.group, dimension).size);
  return shape;
}

Result<Packing> packing_of(const Variable& variable) {
  Packing packing;
  for (const char* name : {"_FillValue", "missing_value"})
    for (const double value : number_attribute(variable, name)) packing.missing.push_back(value);
  packing.stated = !packing.missing.empty();
  if (packing.missing.empty())
    if (const auto fill = default_fill(type_of(variable))) packing.missing.push_back(*fill);
  if (const auto scale = number_attribute(variable, "scale_factor"); scale.size() == 1)
    packing.scale = scale[0];
  if (const auto offset = number_attribute(variable, "add_offset"); offset.size() == 1)
    packing.offset = offset[0];
  if (!std::isfinite(packing.scale) || !std::isfinite(packing.offset) || packing.scale == 0.0)
    return bad_file(
        fmt::format("found scale_factor {} and add_offset {}, expected finite numbers, the first not 0",
                    packing.scale, packing.offset));
  return packing;
}

void place(int group, Axis& axis) {
  const auto variable = variable_of_dimension(group, axis.name);
  if (!variable || !dtype_of(type_of(*variable)) ||
      shape_of(*variable) != std::vector<std::uint64_t>{axis.size})
    return;
  const auto packing = packing_of(*variable);
  std::vector<double> numbers(axis.size);
  if (!packing || nc_get_var_double(variable->group, variable->number, numbers.data()) != NC_NOERR) return;
  packing->unpack(numbers);
  axis.unfit = !are_positions(numbers);
  if (axis.unfit) return;
  axis.positions = std::move(numbers);
  axis.unit = text_attribute(*variable, "units");
}

Variables list_variables(int file) {
  Variables variables;
  list_group(file, "", 0, variables.found, variables.candidates);
  return variables;
}

}  // namespace lacuna::formats
