// SPDX-License-Identifier: MIT
// What lacuna and its helper program lacuna-formats say to each other:
//
//   8 bytes    "lacuna>1"
//   8 bytes    length H of the header, little-endian, at most kMostHeader
//   H bytes    header: JSON; "arrays" in it lists how many numbers each array has
//   arrays     doubles, little-endian, one array after the other
//   8 bytes    "complete"
//
// The reading side believes nothing: the helper may have read a file that nobody vouches for.
#pragma once

#include <cstdint>
#include <lacuna/base/base.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace lacuna::io {

inline constexpr std::uint64_t kMostHeader = std::uint64_t{1} << 26;

class WireWriter {
 public:
  // kSocket: no SIGPIPE when the other side has gone.
  enum class Kind { kSocket, kPlain };
  WireWriter(int descriptor, Kind kind) : descriptor_(descriptor), kind_(kind) {}

  // In this order; false once the other side has gone or does not listen.
  bool header(nlohmann::json header, const std::vector<std::uint64_t>& arrays = {});
  bool numbers(std::span<const double> numbers);
  bool complete();
  [[nodiscard]] bool begun() const { return begun_; }  // a header has been written

 private:
  bool put(const void* data, std::size_t bytes);
  int descriptor_;
  Kind kind_;
  bool fine_ = true;
  bool begun_ = false;
};

class WireReader {
 public:
  enum class Failure {
    kEnded,    // before all was said
    kSilence,  // longer than the descriptor waits
    kDamaged   // not what is written above
  };
  explicit WireReader(int descriptor) : descriptor_(descriptor) {}

  // In this order; false: failure() says why, and nothing more can be read.
  bool header(nlohmann::json& out);
  // The sizes that the header states; each array is then asked for with its size.
  [[nodiscard]] const std::vector<std::uint64_t>& arrays() const { return arrays_; }
  bool numbers(std::span<double> out);
  bool complete();

  [[nodiscard]] Failure failure() const { return failure_; }

 private:
  bool get(void* out, std::size_t bytes);
  bool fail(Failure failure) {
    failure_ = failure;
    return false;
  }

  int descriptor_;
  Failure failure_ = Failure::kEnded;
  std::vector<std::uint64_t> arrays_;
};

}  // namespace lacuna::io
