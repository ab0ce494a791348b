// SPDX-License-Identifier: MIT
// lacuna-formats MEMORY JOB KIND FILE [VARIABLE]
//
// Reads and writes files through libraries that lacuna itself does not want in its process: HDF5, NetCDF, libmatio,
// libtiff. Started by lacuna, which speaks to it through its standard input and output (src/io/child/wire.hpp).
// MEMORY is in bytes. JOB is list, read, write (a new file) or update (other numbers for an array of a copy).
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string_view>

#include "formats.hpp"
#include "io/child/wire.hpp"
#include "sandbox.hpp"

namespace lacuna::formats {
namespace {

struct Reader {
  std::string_view job;
  std::string_view kind;
  Result<> (*run)(const Request&, io::WireWriter&);
};
constexpr std::array<Reader, 5> kReaders = {{{"list", "mat", list_matlab},
                                             {"read", "mat", read_matlab},
                                             {"read", "netcdf", read_netcdf},
                                             {"read", "hdf5", read_hdf5},
                                             {"read", "tiff", read_tiff}}};

struct Writer {
  std::string_view job;
  std::string_view kind;
  Result<> (*run)(const Request&, ArrayToWrite);
};
constexpr std::array<Writer, 7> kWriters = {{{"write", "mat", write_matlab},
                                             {"write", "netcdf", write_netcdf},
                                             {"update", "netcdf", update_netcdf},
                                             {"write", "hdf5", write_hdf5},
                                             {"update", "hdf5", update_hdf5},
                                             {"write", "tiff", write_tiff},
                                             {"update", "tiff", update_tiff}}};

Result<> write_file(const Writer& writer, const Request& request, io::WireWriter& out) {
  auto array = receive_array(STDIN_FILENO);
  if (!array) return array.error();
  allow_bytes(array->value.size() * sizeof(double));
  if (auto written = writer.run(request, std::move(*array)); !written) return written;
  if (out.header({{"written", true}})) out.complete();
  return Nothing{};
}

Result<> run(std::string_view job, std::string_view kind, double memory, const Request& request,
             io::WireWriter& out) {
  for (const Reader& reader : kReaders) {
    if (reader.job != job || reader.kind != kind) continue;
    limit_resources(memory, Access::kRead);
    restrict_calls(Access::kRead);
    return reader.run(request, out);
  }
  for (const Writer& writer : kWriters) {
    if (writer.job != job || writer.kind != kind) continue;
    limit_resources(memory, Access::kWrite);
    restrict_calls(Access::kWrite);
    return write_file(writer, request, out);
  }
  return Error{ErrorKind::kInternal, "", fmt::format("found the job {} {}, which there is not", job, kind)};
}

int answer(int count, char** words) {
  if (count < 5 || count > 6) {
    fmt::print(stderr, "lacuna-formats is started by lacuna, to read and write some kinds of files\n");
    return static_cast<int>(ErrorKind::kUsage);
  }
  io::WireWriter out(STDOUT_FILENO, io::WireWriter::Kind::kPlain);
  Request request{.path = words[4], .variable = count > 5 ? words[5] : ""};
  Result<> done = Nothing{};
  try {
    done = run(words[2], words[3], std::strtod(words[1], nullptr), request, out);
  } catch (const std::bad_alloc&) {
    done = Error{ErrorKind::kMemory, "", "it needs more memory to read than there is"};
  } catch (const std::exception& problem) {
    done = Error{ErrorKind::kInternal, "", problem.what()};
  }
  if (done) return 0;
  if (out.begun()) return static_cast<int>(done.error().kind);  // amid numbers nothing can be said any more
  if (out.header({{"error", done.error().what}, {"memory", done.error().kind == ErrorKind::kMemory}}))
    out.complete();
  return static_cast<int>(done.error().kind);
}

}  // namespace
}  // namespace lacuna::formats

int main(int count, char** words) {
  try {
    return lacuna::formats::answer(count, words);
  } catch (...) {
    return 1;
  }
}
