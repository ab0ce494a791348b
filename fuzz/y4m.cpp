// SPDX-License-Identifier: MIT
// Videos in the y4m layout. Others go to ffmpeg and are left out.
#include "io/video/y4m.hpp"

#include <algorithm>

#include "support.hpp"

using namespace lacuna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t* at = data;
  const auto stream = io::read_y4m_stream("video", [&](std::span<unsigned char> out) -> Result<std::size_t> {
    const std::size_t count = std::min(out.size(), static_cast<std::size_t>(data + size - at));
    std::copy_n(at, count, out.begin());
    at += count;
    return count;
  });
  if (!stream) {
    fuzz::check(stream.error());
    return 0;
  }
  const auto cells = stream->frames * stream->format.pixels() * stream->format.channels;
  fuzz::require(stream->value.size() == cells, "a video of another size than its frames'");
  for (const double value : stream->value)
    fuzz::require(value >= 0.0 && value <= 1.0, "a sample beyond 0..1");
  std::vector<std::uint8_t> written;
  io::write_y4m_stream(stream->format, stream->value, [&](const void* bytes, std::size_t count) {
    const auto* begin = static_cast<const std::uint8_t*>(bytes);
    written.insert(written.end(), begin, begin + count);
    return true;
  });
  // Frames may have parameters of their own, which are not kept.
  fuzz::require(written.size() <= size, "a video grows when it is written");
  return 0;
}
