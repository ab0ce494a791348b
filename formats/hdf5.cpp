// SPDX-License-Identifier: MIT
// HDF5 files: one dataset, and what its dimension scales say of its modes.
#include <fmt/format.h>
#include <hdf5_hl.h>

#include <array>
#include <cstring>
#include <optional>

#include "formats.hpp"
#include "given_file.hpp"
#include "hdf5_handles.hpp"
#include "io/text/number.hpp"
#include "sandbox.hpp"

namespace lacuna::formats {
namespace {

constexpr int kMostModes = 32;  // HDF5's own limit
constexpr std::size_t kLongestText = 4096;

std::vector<std::uint64_t> shape_of(hid_t dataset) {
  const SpaceHandle space(H5Dget_space(dataset));
  std::array<hsize_t, kMostModes> sizes{};
  if (!space || H5Sis_simple(space.id()) <= 0) return {};
  const int modes = H5Sget_simple_extent_ndims(space.id());
  if (modes < 0 || modes > kMostModes || H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr) < 0)
    return {};
  return {sizes.begin(), sizes.begin() + modes};
}

// Nothing for what is not plain real numbers.
std::optional<io::Dtype> dtype_of(hid_t dataset) {
  const TypeHandle type(H5Dget_type(dataset));
  if (!type) return std::nullopt;
  const std::size_t size = H5Tget_size(type.id());
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_FLOAT && (size == 2 || size == 4 || size == 8)) return io::Dtype{'f', size, false};
  if (kind != H5T_INTEGER || (size != 1 && size != 2 && size != 4 && size != 8)) return std::nullopt;
  return io::Dtype{H5Tget_sign(type.id()) == H5T_SGN_NONE ? 'u' : 'i', size, false};
}

std::string type_text(hid_t dataset) {
  if (const auto dtype = dtype_of(dataset)) return io::dtype_text(*dtype);
  const TypeHandle type(H5Dget_type(dataset));
  switch (type ? H5Tget_class(type.id()) : H5T_NO_CLASS) {
    case H5T_STRING:
      return "string";
    case H5T_COMPOUND:
      return "compound";
    case H5T_ENUM:
      return "enum";
    default:
      return "other";
  }
}

herr_t list_dataset(hid_t root, const char* name, const H5O_info_t* info, void* into) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  const DatasetHandle dataset(H5Dopen2(root, name, H5P_DEFAULT));
  if (!dataset || H5DSis_scale(dataset.id()) > 0) return 0;
  static_cast<std::vector<Candidate>*>(into)->push_back({.name = std::string("/") + name,
                                                         .shape = shape_of(dataset.id()),
                                                         .type = type_text(dataset.id()),
                                                         .numeric = dtype_of(dataset.id()).has_value()});
  return 0;
}

// A text attribute, of fixed or variable length; empty when there is none.
std::string text_attribute(hid_t dataset, const char* name) {
  if (H5Aexists(dataset, name) <= 0) return "";
  const AttributeHandle attribute(H5Aopen(dataset, name, H5P_DEFAULT));
  const TypeHandle type(attribute ? H5Aget_type(attribute.id()) : H5I_INVALID_HID);
  const SpaceHandle space(attribute ? H5Aget_space(attribute.id()) : H5I_INVALID_HID);
  if (!type || !space || H5Tget_class(type.id()) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space.id()) != 1)
    return "";
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.id(), type.id(), &text) < 0 || text == nullptr) return "";
    std::string out(text, ::strnlen(text, kLongestText));
    H5free_memory(text);
    return out;
  }
  const std::size_t size = H5Tget_size(type.id());
  if (size > kLongestText) return "";
  std::string out(size, '\0');
  if (H5Aread(attribute.id(), type.id(), out.data()) < 0) return "";
  out.resize(::strnlen(out.data(), out.size()));
  return out;
}

// The last word of "/grid/latitude".
std::string name_of(hid_t object) {
  std::string name(kLongestText, '\0');
  const ssize_t length = H5Iget_name(object, name.data(), name.size());
  name.resize(length > 0 ? std::min(static_cast<std::size_t>(length), name.size() - 1) : 0);
  return name.substr(name.rfind('/') + 1);
}

struct ScaleVisit {
  Axis* axis;
};

herr_t take_scale(hid_t /*dataset*/, unsigned /*mode*/, hid_t scale, void* into) {
  Axis& axis = *static_cast<ScaleVisit*>(into)->axis;
  const std::string name = name_of(scale);
  if (!name.empty()) axis.name = name;
  const std::vector<std::uint64_t> shape = shape_of(scale);
  if (shape.size() != 1 || shape[0] != axis.size || !dtype_of(scale)) return 0;
  std::vector<double> numbers(axis.size);
  if (H5Dread(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0) return 0;
  axis.unfit = !are_positions(numbers);
  if (axis.unfit) return 0;
  axis.positions = std::move(numbers);
  axis.unit = text_attribute(scale, "units");
  return 1;  // the first that has positions
}

Axis read_axis(hid_t dataset, unsigned mode, std::uint64_t size) {
  Axis axis{.name = fmt::format("mode{}", mode + 1), .size = size};
  std::array<char, 256> label{};
  const ssize_t length = H5DSget_label(dataset, mode, label.data(), label.size() - 1);
  if (length > 0) axis.name = label.data();
  ScaleVisit visit{&axis};
  if (H5DSget_num_scales(dataset, mode) > 0) H5DSiterate_scales(dataset, mode, nullptr, take_scale, &visit);
  return axis;
}

Result<FileHandle> open_file(const std::string& path, unsigned access) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  FileHandle file(H5Fopen(path.c_str(), access, H5P_DEFAULT));
  if (!file) return bad_file("found no HDF5 file that can be read");
  return file;
}

// Numbers to or from the dataset, block by block.
template <class Body>
bool each_block(hid_t dataset, const std::vector<std::uint64_t>& shape, Body&& body) {
  return for_each_block(shape, [&](const std::vector<std::size_t>& start,
                                   const std::vector<std::size_t>& count) {
    const std::vector<hsize_t> from(start.begin(), start.end());
    const std::vector<hsize_t> sizes(count.begin(), count.end());
    const SpaceHandle in_file(H5Dget_space(dataset));
    const SpaceHandle in_memory(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
    if (!in_file || !in_memory ||
        H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, from.data(), nullptr, sizes.data(), nullptr) < 0)
      return false;
    return body(in_memory.id(), in_file.id(), product({sizes.begin(), sizes.end()}));
  });
}

bool write_numbers(hid_t dataset, const std::vector<std::uint64_t>& shape, const std::vector<double>& value) {
  const double* next = value.data();
  return each_block(dataset, shape, [&](hid_t memory, hid_t file, std::uint64_t cells) {
    const bool fine = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, next) >= 0;
    next += cells;
    return fine;
  });
}

Error no_value(std::int64_t cell, const io::Dtype& dtype) {
  return output_error("",
                      fmt::format("cell {} (counted from 0, last mode fastest) has no value, and numbers of "
                                  "type {} cannot be NaN",
                                  cell, io::dtype_text(dtype)));
}

hid_t stored_type(const io::Dtype& dtype) {
  if (dtype.is_float()) return dtype.size == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
  const bool is_signed = dtype.kind == 'i';
  switch (dtype.size) {
    case 1:
      return is_signed ? H5T_STD_I8LE : H5T_STD_U8LE;
    case 2:
      return is_signed ? H5T_STD_I16LE : H5T_STD_U16LE;
    case 4:
      return is_signed ? H5T_STD_I32LE : H5T_STD_U32LE;
    default:
      return is_signed ? H5T_STD_I64LE : H5T_STD_U64LE;
  }
}

// Without the time at which it was made: the same command writes the same bytes.
DatasetHandle create_dataset(hid_t file, const std::string& name, hid_t type, hid_t space) {
  const PropertyHandle links(H5Pcreate(H5P_LINK_CREATE));
  const PropertyHandle plain(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_create_intermediate_group(links.id(), 1);
  H5Pset_obj_track_times(plain.id(), false);
  return DatasetHandle(H5Dcreate2(file, name.c_str(), type, space, links.id(), plain.id(), H5P_DEFAULT));
}

// A dataset of its own for the positions, called as the mode is; attached as a scale.
bool attach_scale(hid_t file, hid_t dataset, unsigned mode, const Axis& axis) {
  if (H5DSset_label(dataset, mode, axis.name.c_str()) < 0) return false;
  if (axis.positions.empty()) return true;
  if (axis.name.find('/') != std::string::npos || H5Lexists(file, axis.name.c_str(), H5P_DEFAULT) > 0)
    return true;
  const hsize_t size = axis.size;
  const SpaceHandle space(H5Screate_simple(1, &size, nullptr));
  const DatasetHandle scale = create_dataset(file, axis.name, H5T_IEEE_F64LE, space.id());
  if (!scale ||
      H5Dwrite(scale.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, axis.positions.data()) < 0)
    return false;
  if (!axis.unit.empty() && H5LTset_attribute_string(file, axis.name.c_str(), "units", axis.unit.c_str()) < 0)
    return false;
  return H5DSset_scale(scale.id(), axis.name.c_str()) >= 0 &&
         H5DSattach_scale(dataset, scale.id(), mode) >= 0;
}

// What was made in memory.
Result<> store_image(const GivenFile& given, hid_t file) {
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  std::vector<unsigned char> image(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (size <= 0 || H5Fget_file_image(file, image.data(), image.size()) != size)
    return output_error("", "the HDF5 library could not write it");
  return given.store(image.data(), image.size());
}

}  // namespace

Result<> read_hdf5(const Request& request, io::WireWriter& out) {
  if (auto fine = check_hdf5_sizes(request.path); !fine) return fine.error();
  const auto file = open_file(request.path, H5F_ACC_RDONLY);
  if (!file) return file.error();
  forbid_opening();
  std::vector<Candidate> candidates;
  H5Ovisit(file->id(), H5_INDEX_NAME, H5_ITER_INC, list_dataset, &candidates);
  const auto name = choose(candidates, request.variable);
  if (!name) return name.error();
  const DatasetHandle dataset(H5Dopen2(file->id(), name->c_str(), H5P_DEFAULT));
  const auto dtype = dataset ? dtype_of(dataset.id()) : std::nullopt;
  if (!dtype) return bad_file(fmt::format("the dataset {} cannot be read", io::quoted(*name)));
  const std::vector<std::uint64_t> shape = shape_of(dataset.id());
  Array array{.variable = *name, .dtype = io::dtype_text(*dtype)};
  for (unsigned k = 0; k < shape.size(); ++k) array.axes.push_back(read_axis(dataset.id(), k, shape[k]));
  const std::uint64_t cells = product(shape);
  allow_bytes(product({cells, sizeof(double)}));
  if (!send_header(out, array) || cells == 0) return Nothing{};
  std::vector<double> numbers;
  const bool whole = each_block(dataset.id(), shape, [&](hid_t memory, hid_t in_file, std::uint64_t count) {
    numbers.resize(count);
    return H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, memory, in_file, H5P_DEFAULT, numbers.data()) >= 0 &&
           out.numbers(numbers);
  });
  if (!whole) return bad_file("the numbers cannot be read");
  out.complete();
  return Nothing{};
}

Result<> update_hdf5(const Request& request, ArrayToWrite array) {
  auto file = open_file(request.path, H5F_ACC_RDWR);
  if (!file) return file.error();
  forbid_opening();
  const DatasetHandle dataset(H5Dopen2(file->id(), array.array.variable.c_str(), H5P_DEFAULT));
  const auto dtype = dataset ? dtype_of(dataset.id()) : std::nullopt;
  const std::vector<std::uint64_t> shape = dataset ? shape_of(dataset.id()) : std::vector<std::uint64_t>{};
  if (!dtype || product(shape) != array.value.size())
    return output_error("",
                        fmt::format("the dataset {} has changed since it was read", array.array.variable));
  if (const std::int64_t cell = round_to_type(*dtype, array.value); cell >= 0) return no_value(cell, *dtype);
  if (!write_numbers(dataset.id(), shape, array.value) || H5Fflush(file->id(), H5F_SCOPE_GLOBAL) < 0)
    return output_error("", "the numbers could not be written");
  return Nothing{};
}

Result<> write_hdf5(const Request& request, ArrayToWrite array) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Error failure = output_error("", "the HDF5 library could not write it");
  const PropertyHandle access(H5Pcreate(H5P_FILE_ACCESS));
  constexpr std::size_t kGrowth = std::size_t{1} << 22;
  const bool in_memory = fits_in_memory(array);
  const GivenFile given(request.path);
  if (in_memory && H5Pset_fapl_core(access.id(), kGrowth, 0) < 0) return failure;
  FileHandle file(H5Fcreate(request.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  const auto dtype = io::parse_dtype(array.array.dtype.empty() ? "<f8" : array.array.dtype);
  if (!file || !dtype) return failure;
  forbid_opening();
  if (const std::int64_t cell = round_to_type(*dtype, array.value); cell >= 0) return no_value(cell, *dtype);
  std::vector<std::uint64_t> shape;
  for (const Axis& axis : array.array.axes) shape.push_back(axis.size);
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const SpaceHandle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
  const std::string name = array.array.variable.empty() ? "data" : array.array.variable;
  const DatasetHandle dataset = create_dataset(file.id(), name, stored_type(*dtype), space.id());
  if (!dataset || !write_numbers(dataset.id(), shape, array.value)) return failure;
  for (unsigned k = 0; k < shape.size(); ++k)
    if (!attach_scale(file.id(), dataset.id(), k, array.array.axes[k])) return failure;
  if (H5Fflush(file.id(), H5F_SCOPE_GLOBAL) < 0)
    return output_error("", "the HDF5 library could not write it" + system_reason());
  return in_memory ? store_image(given, file.id()) : Nothing{};
}

}  // namespace lacuna::formats
