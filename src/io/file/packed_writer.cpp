// SPDX-License-Identifier: MIT
// None of the encoders can fail once it has begun: there is always room for what comes out.
#include "io/file/packed_writer.hpp"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <new>
#include <variant>
#include <vector>

#include "io/file/ending.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr int kGzipWindow = 15 + 16;  // zlib: largest window, gzip wrapping
constexpr int kZstdLevel = 9;
constexpr std::uint32_t kXzPreset = 6;

// Each step packs from `in` to `out` and says whether all of it has come out.

class GzipEncoder {
 public:
  GzipEncoder() {
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw std::bad_alloc();
  }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;
  ~GzipEncoder() { ::deflateEnd(&stream_); }

  bool step(std::string_view& in, std::vector<char>& out, std::size_t& made, bool last) {
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // zlib's old signature; it only reads
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = ::deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
    in.remove_prefix(in.size() - stream_.avail_in);
    made = out.size() - stream_.avail_out;
    return last ? status == Z_STREAM_END : stream_.avail_in == 0 && stream_.avail_out > 0;
  }

 private:
  z_stream stream_{};
};

class ZstdEncoder {
 public:
  ZstdEncoder() : context_(::ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kZstdLevel);
    ::ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;
  ~ZstdEncoder() { ::ZSTD_freeCCtx(context_); }

  bool step(std::string_view& in, std::vector<char>& out, std::size_t& made, bool last) {
    ZSTD_inBuffer from{.src = in.data(), .size = in.size(), .pos = 0};
    ZSTD_outBuffer to{.dst = out.data(), .size = out.size(), .pos = 0};
    const std::size_t left =
        ::ZSTD_compressStream2(context_, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
    if (::ZSTD_isError(left) != 0U) throw std::bad_alloc();
    in.remove_prefix(from.pos);
    made = to.pos;
    return last ? left == 0 : in.empty();
  }

 private:
  ZSTD_CCtx* context_;
};

class XzEncoder {
 public:
  XzEncoder() {
    if (::lzma_easy_encoder(&stream_, kXzPreset, LZMA_CHECK_CRC64) != LZMA_OK) throw std::bad_alloc();
  }
  XzEncoder(const XzEncoder&) = delete;
  XzEncoder& operator=(const XzEncoder&) = delete;
  ~XzEncoder() { ::lzma_end(&stream_); }

  bool step(std::string_view& in, std::vector<char>& out, std::size_t& made, bool last) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = ::lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    in.remove_prefix(in.size() - stream_.avail_in);
    made = out.size() - stream_.avail_out;
    return last ? status == LZMA_STREAM_END : stream_.avail_in == 0 && stream_.avail_out > 0;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

struct PackedWriter::State {
  std::variant<std::monostate, GzipEncoder, ZstdEncoder, XzEncoder> encoder;
  std::vector<char> packed = std::vector<char>(kBlock);

  bool step(std::string_view& in, std::size_t& made, bool last) {
    if (auto* const gzip = std::get_if<GzipEncoder>(&encoder)) return gzip->step(in, packed, made, last);
    if (auto* const zstd = std::get_if<ZstdEncoder>(&encoder)) return zstd->step(in, packed, made, last);
    return std::get<XzEncoder>(encoder).step(in, packed, made, last);
  }
};

std::optional<PackedWriter> PackedWriter::for_name(std::string_view path) {
  auto state = std::make_unique<State>();
  if (has_ending(path, ".gz"))
    state->encoder.emplace<GzipEncoder>();
  else if (has_ending(path, ".zst"))
    state->encoder.emplace<ZstdEncoder>();
  else if (has_ending(path, ".xz"))
    state->encoder.emplace<XzEncoder>();
  else
    return std::nullopt;
  return PackedWriter(std::move(state));
}

PackedWriter::PackedWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
PackedWriter::PackedWriter(PackedWriter&&) noexcept = default;
PackedWriter& PackedWriter::operator=(PackedWriter&&) noexcept = default;
PackedWriter::~PackedWriter() = default;

void PackedWriter::add(std::string_view bytes, bool last, const std::function<void(std::string_view)>& put) {
  for (bool done = false; !done;) {
    std::size_t made = 0;
    done = state_->step(bytes, made, last);
    put({state_->packed.data(), made});
  }
}

}  // namespace lacuna::io
