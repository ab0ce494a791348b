// SPDX-License-Identifier: MIT
#include "hdf5_handles.hpp"

#include <limits>

#include "request.hpp"

namespace lacuna::formats {
namespace {

struct Claim {
  std::uint64_t bytes = 0;  // of all datasets so far, unpacked
  bool readable = true;
};

herr_t visit(hid_t root, const char* name, const H5O_info_t* info, void* into) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  Claim& claim = *static_cast<Claim*>(into);
  const DatasetHandle dataset(H5Dopen2(root, name, H5P_DEFAULT));
  const SpaceHandle space(dataset ? H5Dget_space(dataset.id()) : H5I_INVALID_HID);
  const TypeHandle type(dataset ? H5Dget_type(dataset.id()) : H5I_INVALID_HID);
  const hssize_t points = space ? H5Sget_simple_extent_npoints(space.id()) : -1;
  const std::size_t size = type ? H5Tget_size(type.id()) : 0;
  if (points < 0 || size == 0) {
    claim.readable = false;
    return 1;  // stops the visit
  }
  const std::uint64_t bytes = product({static_cast<std::uint64_t>(points), size});
  if (__builtin_add_overflow(claim.bytes, bytes, &claim.bytes))
    claim.bytes = std::numeric_limits<std::uint64_t>::max();
  return 0;
}

}  // namespace

bool is_hdf5(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // the library prints its errors unless told otherwise
  return H5Fis_hdf5(path.c_str()) > 0;
}

Result<> check_hdf5_sizes(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const FileHandle opened(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  Claim claim;
  if (!opened || H5Ovisit(opened.id(), H5_INDEX_NAME, H5_ITER_NATIVE, visit, &claim) < 0 || !claim.readable)
    return bad_file("found an HDF5 file that is damaged");
  return check_claim(file_size(path), claim.bytes);
}

}  // namespace lacuna::formats
