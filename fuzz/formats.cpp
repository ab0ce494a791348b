// SPDX-License-Identifier: MIT
// The readers of lacuna-formats: HDF5, NetCDF, TIFF, MATLAB 4 and 7.3. They run in this process, where the sanitizers see
// what they do; the libraries under them are Debian's and are not instrumented. What confines them in lacuna-formats
// (formats/sandbox.cpp) is left out: memory and time are libFuzzer's to limit here.
#include "formats/formats.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "formats/sandbox.hpp"
#include "support.hpp"

namespace lacuna::formats {

void allow_bytes(std::uint64_t /*bytes*/) {}
void forbid_opening() {}

}  // namespace lacuna::formats

using namespace lacuna;

namespace {

// HDF5 opens files by names that lead somewhere, which those of a fuzz::MemoryFile do not.
class NamedFile {
 public:
  NamedFile() : path_("/dev/shm/lacuna-fuzz-" + std::to_string(::getpid())) {}
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;
  ~NamedFile() { (void)std::remove(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }
  void fill(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

 private:
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const NamedFile file;
  static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  FuzzedDataProvider input(data, size);
  const auto read = input.PickValueInArray({formats::read_hdf5, formats::read_netcdf, formats::read_tiff,
                                            formats::list_matlab, formats::read_matlab});
  file.fill(input.ConsumeRemainingBytesAsString());
  io::WireWriter out(nowhere, io::WireWriter::Kind::kPlain);
  if (const auto done = read({.path = file.path(), .variable = ""}, out); !done) fuzz::check(done.error());
  return 0;
}
