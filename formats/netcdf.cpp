// SPDX-License-Identifier: MIT
// NetCDF files, all of their layouts: one variable, with what the conventions say of missing and packed numbers
// (_FillValue, missing_value, scale_factor, add_offset), and its modes from the dimensions and their variables.
#include <fmt/format.h>

#include <cstdlib>

#include "formats.hpp"
#include "given_file.hpp"
#include "hdf5_handles.hpp"
#include "io/text/number.hpp"
#include "netcdf_variables.hpp"
#include "sandbox.hpp"

namespace lacuna::formats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Result<NcFile> open_file(const std::string& path, int access) {
  int id = -1;
  if (const int code = nc_open(path.c_str(), access, &id); code != NC_NOERR)
    return bad_file(fmt::format("found no NetCDF file that can be read: {}", nc_strerror(code)));
  return NcFile(id);
}

// Unpacked layouts hold each number; a packed one is judged by what packing can do.
Result<> check_sizes(const NcFile& file, const std::string& path, std::uint64_t bytes) {
  int format = 0;
  nc_inq_format(file.id(), &format);
  const bool packs = format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC;
  const std::uint64_t size = file_size(path);
  if (packs || bytes <= size) return check_claim(size, bytes);
  return bad_file(fmt::format("found {} bytes that claim to hold {} bytes of numbers", size, bytes));
}

Error library_error(const char* what, int code) {
  return output_error("", fmt::format("{}: {}{}", what, nc_strerror(code), system_reason()));
}

// Values -> stored numbers; NaN becomes what stands for it.
Result<> pack(const Packing& packing, const io::Dtype& dtype, std::vector<double>& value) {
  std::vector<bool> blank(value.size(), false);
  for (std::size_t i = 0; i < value.size(); ++i) {
    blank[i] = std::isnan(value[i]);
    value[i] = blank[i] ? 0.0 : (value[i] - packing.offset) / packing.scale;
  }
  round_to_type(dtype, value);
  const bool can_blank = !packing.missing.empty() || dtype.is_float();
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!blank[i]) continue;
    if (!can_blank)
      return output_error(
          "", fmt::format("cell {} (counted from 0, last mode fastest) has no value, and the variable "
                          "has no _FillValue",
                          i));
    value[i] = packing.missing.empty() ? kNaN : packing.missing.front();
  }
  return Nothing{};
}

int put_numbers(const Variable& variable, const std::vector<std::uint64_t>& shape,
                const std::vector<double>& value) {
  int code = NC_NOERR;
  const double* next = value.data();
  for_each_block(shape, [&](const std::vector<std::size_t>& start, const std::vector<std::size_t>& count) {
    code = nc_put_vara_double(variable.group, variable.number, start.data(), count.data(), next);
    next += product({count.begin(), count.end()});
    return code == NC_NOERR;
  });
  return code;
}

// Names that NetCDF takes: no '/', and none twice.
std::vector<std::string> names_of(const std::vector<Axis>& axes, const std::string& variable) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    std::string name = axis.name.empty() ? "mode" : axis.name;
    std::replace(name.begin(), name.end(), '/', '_');
    while (name == variable || std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(name);
  }
  return names;
}

// Dimensions, their variables, and the variable itself, which is the last.
int define(int id, const Array& array, nc_type type, const std::string& variable, std::vector<int>& numbers) {
  const std::vector<std::string> names = names_of(array.axes, variable);
  std::vector<int> dimensions(array.axes.size());
  int code = NC_NOERR;
  for (std::size_t k = 0; k < array.axes.size() && code == NC_NOERR; ++k) {
    const Axis& axis = array.axes[k];
    code = nc_def_dim(id, names[k].c_str(), axis.size, &dimensions[k]);
    numbers.push_back(-1);
    if (code != NC_NOERR || axis.positions.empty()) continue;
    code = nc_def_var(id, names[k].c_str(), NC_DOUBLE, 1, &dimensions[k], &numbers.back());
    if (code == NC_NOERR && !axis.unit.empty())
      code = nc_put_att_text(id, numbers.back(), "units", axis.unit.size(), axis.unit.c_str());
  }
  numbers.push_back(-1);
  if (code == NC_NOERR)
    code = nc_def_var(id, variable.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(),
                      &numbers.back());
  const float nan_float = std::numeric_limits<float>::quiet_NaN();
  if (code == NC_NOERR && type == NC_FLOAT)
    code = nc_put_att_float(id, numbers.back(), "_FillValue", NC_FLOAT, 1, &nan_float);
  if (code == NC_NOERR && type == NC_DOUBLE)
    code = nc_put_att_double(id, numbers.back(), "_FillValue", NC_DOUBLE, 1, &kNaN);
  return code == NC_NOERR ? nc_enddef(id) : code;
}

// What was made in memory.
Result<> store_image(const GivenFile& given, NcFile& file) {
  NC_memio image{};
  if (const int code = file.close_into(image); code != NC_NOERR)
    return library_error("it could not be written", code);
  auto stored = given.store(image.memory, image.size);
  std::free(image.memory);
  return stored;
}

}  // namespace

Result<> read_netcdf(const Request& request, io::WireWriter& out) {
  if (is_hdf5(request.path)) {
    if (auto fine = check_hdf5_sizes(request.path); !fine) return fine.error();
  }
  const auto file = open_file(request.path, NC_NOWRITE);
  if (!file) return file.error();
  forbid_opening();
  const Variables variables = list_variables(file->id());
  const auto name = choose(variables.candidates, request.variable);
  if (!name) return name.error();
  const Variable variable = variables.found.at(*name);
  const auto packing = packing_of(variable);
  if (!packing) return packing.error();
  const std::vector<std::uint64_t> shape = shape_of(variable);
  const io::Dtype stored = *dtype_of(type_of(variable));
  if (auto fine = check_sizes(*file, request.path, product({product(shape), stored.size})); !fine)
    return fine.error();
  // Packed numbers, and whole ones some of which stand for none, are no whole numbers any more.
  const bool whole = !stored.is_float() && !packing->packed() && !packing->stated;
  const io::Dtype read_as = whole || (stored.is_float() && !packing->packed()) ? stored : io::Dtype{};
  Array array{.variable = *name, .dtype = io::dtype_text(read_as)};
  for (const int dimension : dimensions_of(variable)) {
    array.axes.push_back(axis_of(variable.group, dimension));
    place(variable.group, array.axes.back());
  }
  allow_bytes(product({product(shape), sizeof(double)}));
  if (!send_header(out, array) || product(shape) == 0) return Nothing{};
  std::vector<double> numbers;
  const bool all = for_each_block(
      shape, [&](const std::vector<std::size_t>& start, const std::vector<std::size_t>& count) {
        numbers.resize(product({count.begin(), count.end()}));
        if (nc_get_vara_double(variable.group, variable.number, start.data(), count.data(), numbers.data()) !=
            NC_NOERR)
          return false;
        packing->unpack(numbers);
        return out.numbers(numbers);
      });
  if (!all) return bad_file("the numbers cannot be read");
  out.complete();
  return Nothing{};
}

Result<> update_netcdf(const Request& request, ArrayToWrite array) {
  auto file = open_file(request.path, NC_WRITE);
  if (!file) return file.error();
  forbid_opening();
  const Variables variables = list_variables(file->id());
  const auto at = variables.found.find(array.array.variable);
  if (at == variables.found.end() || product(shape_of(at->second)) != array.value.size())
    return output_error("",
                        fmt::format("the variable {} has changed since it was read", array.array.variable));
  const auto packing = packing_of(at->second);
  if (!packing) return packing.error();
  if (auto fine = pack(*packing, *dtype_of(type_of(at->second)), array.value); !fine) return fine;
  if (const int code = put_numbers(at->second, shape_of(at->second), array.value); code != NC_NOERR)
    return library_error("the numbers could not be written", code);
  if (const int code = file->close(); code != NC_NOERR) return library_error("it could not be written", code);
  return Nothing{};
}

Result<> write_netcdf(const Request& request, ArrayToWrite array) {
  const auto dtype = io::parse_dtype(array.array.dtype.empty() ? "<f8" : array.array.dtype);
  if (!dtype) return output_error("", "found a type of numbers that NetCDF does not have");
  int id = -1;
  const bool in_memory = fits_in_memory(array);
  const GivenFile given(request.path);
  const int made = in_memory ? nc_create_mem("lacuna", NC_NETCDF4, array.value.size() * sizeof(double), &id)
                             : nc_create(request.path.c_str(), NC_CLOBBER | NC_NETCDF4, &id);
  if (made != NC_NOERR) return library_error("it could not be made", made);
  NcFile file(id);
  forbid_opening();
  std::string name = array.array.variable.substr(array.array.variable.rfind('/') + 1);
  if (name.empty()) name = "data";
  std::vector<int> numbers;
  if (const int code = define(id, array.array, stored_type(*dtype), name, numbers); code != NC_NOERR)
    return library_error("it could not be made", code);
  std::vector<std::uint64_t> shape;
  int code = NC_NOERR;
  for (std::size_t k = 0; k < array.array.axes.size(); ++k) {
    const Axis& axis = array.array.axes[k];
    shape.push_back(axis.size);
    if (numbers[k] >= 0 && code == NC_NOERR) code = nc_put_var_double(id, numbers[k], axis.positions.data());
  }
  if (dtype->is_float()) {
    if (code == NC_NOERR) code = put_numbers({id, numbers.back()}, shape, array.value);
  } else {
    if (auto fine = pack(Packing{}, *dtype, array.value); !fine) return fine;
    if (code == NC_NOERR) code = put_numbers({id, numbers.back()}, shape, array.value);
  }
  if (code == NC_NOERR && in_memory) return store_image(given, file);
  if (code == NC_NOERR) code = file.close();
  return code == NC_NOERR ? Result<>(Nothing{})
                          : Result<>(library_error("the numbers could not be written", code));
}

}  // namespace lacuna::formats
