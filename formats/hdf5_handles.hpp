// SPDX-License-Identifier: MIT
// The HDF5 library's identifiers, and what a file says it holds, asked of its own tables before anything is unpacked.
#pragma once

#include <hdf5.h>

#include <lacuna/base/base.hpp>
#include <string>

namespace lacuna::formats {

// Given back when it goes.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(other.id_) { other.id_ = H5I_INVALID_HID; }
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  [[nodiscard]] hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
};
using FileHandle = Handle<H5Fclose>;
using DatasetHandle = Handle<H5Dclose>;
using SpaceHandle = Handle<H5Sclose>;
using TypeHandle = Handle<H5Tclose>;
using AttributeHandle = Handle<H5Aclose>;
using PropertyHandle = Handle<H5Pclose>;

// The file begins like one, at its start or after a header of 512, 1024, 2048, ... bytes.
[[nodiscard]] bool is_hdf5(const std::string& path);

// An error when the datasets claim more numbers than the file's bytes can hold even when packed as tightly as
// deflate can. HDF5 itself fills what was never written with zeros, gigabytes of them if asked.
Result<> check_hdf5_sizes(const std::string& path);

}  // namespace lacuna::formats
