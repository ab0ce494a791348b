// SPDX-License-Identifier: MIT
#include "io/matlab/hdf5_sizes.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <limits>

#include "io/file/inflate.hpp"

namespace lacuna::io {
namespace {

// An identifier of the library's, given back when it goes.
template <herr_t (*Close)(hid_t)>
struct Handle {
  hid_t id;
  explicit Handle(hid_t opened) : id(opened) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id >= 0) Close(id);
  }
};

// The library prints its errors unless told otherwise.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

struct Claim {
  std::uint64_t bytes = 0;  // of all datasets so far, unpacked
  bool readable = true;
};

void add(std::uint64_t bytes, Claim& claim) {
  if (__builtin_add_overflow(claim.bytes, bytes, &claim.bytes))
    claim.bytes = std::numeric_limits<std::uint64_t>::max();
}

herr_t visit(hid_t root, const char* name, const H5O_info_t* info, void* into) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  Claim& claim = *static_cast<Claim*>(into);
  const Handle<H5Dclose> dataset(H5Dopen2(root, name, H5P_DEFAULT));
  const Handle<H5Sclose> space(dataset.id < 0 ? H5I_INVALID_HID : H5Dget_space(dataset.id));
  const Handle<H5Tclose> type(dataset.id < 0 ? H5I_INVALID_HID : H5Dget_type(dataset.id));
  const hssize_t points = space.id < 0 ? -1 : H5Sget_simple_extent_npoints(space.id);
  const std::size_t size = type.id < 0 ? 0 : H5Tget_size(type.id);
  if (points < 0 || size == 0) {
    claim.readable = false;
    return 1;  // stops the visit
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(points), std::uint64_t{size}, &bytes))
    bytes = std::numeric_limits<std::uint64_t>::max();
  add(bytes, claim);
  return 0;
}

}  // namespace

Result<> check_hdf5_sizes(const ByteFile& file) {
  const Silence silence;
  const Handle<H5Fclose> opened(H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  Claim claim;
  if (opened.id < 0 || H5Ovisit(opened.id, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &claim) < 0 ||
      !claim.readable)
    return input_error(file.path(), "found an HDF5 file that is damaged");
  if (claim.bytes / kDeflateRatio > file.size())
    return input_error(file.path(), fmt::format("found {} bytes that claim to hold {} bytes of numbers",
                                                file.size(), claim.bytes));
  return Nothing{};
}

}  // namespace lacuna::io
