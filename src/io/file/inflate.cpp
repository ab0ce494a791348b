// SPDX-License-Identifier: MIT
// zlib over byte ranges.
#include "io/file/inflate.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace lacuna::io {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 18;
constexpr int kWindow = 15;
constexpr int kMemoryLevel = 8;
// On videos, spectra and coordinates within 3 % of the default size in half its time.
constexpr int kLevel = 4;

uInt clipped(std::uint64_t count) {
  return static_cast<uInt>(std::min<std::uint64_t>(count, std::numeric_limits<uInt>::max()));
}

struct Inflater {
  z_stream stream{};
  Inflater() {
    if (::inflateInit2(&stream, kWindow) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream); }
};

struct Deflater {
  z_stream stream{};
  Deflater() {
    if (::deflateInit2(&stream, kLevel, Z_DEFLATED, kWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { ::deflateEnd(&stream); }
};

}  // namespace

Result<Bytes> inflate_bytes(const ByteFile& file, std::uint64_t offset, std::uint64_t packed,
                            std::uint64_t wanted) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  // One byte more than is wanted makes zlib look at the end of the stream and its checksum.
  Bytes out(static_cast<std::size_t>(wanted) + 1);
  Bytes block(static_cast<std::size_t>(std::min(packed, kBlock)));
  std::uint64_t done = 0;
  for (;;) {
    if (stream.avail_in == 0 && packed > 0) {
      const std::uint64_t count = std::min(packed, kBlock);
      if (auto read = file.read(offset, block.data(), static_cast<std::size_t>(count)); !read)
        return read.error();
      stream.next_in = block.data();
      stream.avail_in = static_cast<uInt>(count);
      offset += count;
      packed -= count;
    }
    const uInt room = clipped(out.size() - done);
    stream.next_out = out.data() + done;
    stream.avail_out = room;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    done += room - stream.avail_out;
    if (status == Z_STREAM_END || done > wanted) break;
    if (status == Z_BUF_ERROR && packed == 0) {
      return input_error(file.path(), "found packed data that end in the middle");
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
      return input_error(file.path(),
                         fmt::format("found packed data that are damaged: {}",
                                     stream.msg != nullptr ? stream.msg : "zlib cannot read them"));
    }
  }
  out.resize(static_cast<std::size_t>(std::min(done, wanted)));
  return out;
}

Bytes deflate_bytes(const std::vector<const Bytes*>& pieces) {
  Deflater deflater;
  z_stream& stream = deflater.stream;
  Bytes out;
  Bytes block(kBlock);
  const auto pump = [&](int flush) {
    int status = Z_OK;
    do {
      stream.next_out = block.data();
      stream.avail_out = static_cast<uInt>(block.size());
      status = ::deflate(&stream, flush);
      out.insert(out.end(), block.begin(), block.end() - stream.avail_out);
    } while (stream.avail_out == 0 || (flush == Z_FINISH && status == Z_OK));
  };
  for (const Bytes* piece : pieces) {
    std::uint64_t done = 0;
    while (done < piece->size()) {
      const uInt count = clipped(piece->size() - done);
      stream.next_in = const_cast<Bytef*>(piece->data() + done);  // zlib's old signature; it only reads
      stream.avail_in = count;
      pump(Z_NO_FLUSH);
      done += count;
    }
  }
  stream.avail_in = 0;
  pump(Z_FINISH);
  return out;
}

}  // namespace lacuna::io
