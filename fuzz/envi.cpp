// SPDX-License-Identifier: MIT
// ENVI cubes: the input is a header, a line "%%", and the raw numbers beside it.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support.hpp"

using namespace lacuna;

namespace {

// Two files with names, since one is found by the other's; in memory where there is a place for that.
class Cube {
 public:
  Cube() {
    std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX";
    fuzz::require(mkdtemp(name.data()) != nullptr, "no folder for the cube");
    folder_ = name;
  }
  ~Cube() { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::uint8_t* bytes, std::size_t count) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  }
  [[nodiscard]] std::string path() const { return folder_ / "x.img"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Cube cube;
  constexpr std::string_view kBetween = "\n%%\n";
  const std::uint8_t* const end = data + size;
  const std::uint8_t* const header_end = std::search(data, end, kBetween.begin(), kBetween.end());
  const std::uint8_t* const raw = header_end == end ? end : header_end + kBetween.size();
  cube.write("x.hdr", data, static_cast<std::size_t>(header_end - data));
  cube.write("x.img", raw, static_cast<std::size_t>(end - raw));
  const auto file = read_tensor(cube.path(), {.format = Format::kEnvi});
  if (file)
    fuzz::check(*file);
  else
    fuzz::check(file.error());
  return 0;
}
