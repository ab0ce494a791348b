// SPDX-License-Identifier: MIT
// The kinds of files this program knows. A reader opens the file, judges what it says it holds, and sends it; a
// writer makes a new file, or puts other numbers into a copy of one that was read, which keeps all else it holds.
#pragma once

#include "request.hpp"

namespace lacuna::formats {

// MATLAB 4 and 7.3. What they say is laid down in src/io/matlab/mat_child.cpp.
Result<> list_matlab(const Request& request, io::WireWriter& out);
Result<> read_matlab(const Request& request, io::WireWriter& out);
Result<> write_matlab(const Request& request, ArrayToWrite array);  // 7.3

Result<> read_netcdf(const Request& request, io::WireWriter& out);
Result<> write_netcdf(const Request& request, ArrayToWrite array);
Result<> update_netcdf(const Request& request, ArrayToWrite array);

Result<> read_hdf5(const Request& request, io::WireWriter& out);
Result<> write_hdf5(const Request& request, ArrayToWrite array);
Result<> update_hdf5(const Request& request, ArrayToWrite array);

Result<> read_tiff(const Request& request, io::WireWriter& out);
Result<> write_tiff(const Request& request, ArrayToWrite array);
Result<> update_tiff(const Request& request, ArrayToWrite array);

}  // namespace lacuna::formats
