// SPDX-License-Identifier: MIT
// Each decoder takes bytes from `input` and puts bytes into the caller's room until there are some. zstd's window and xz's
// dictionary are the only memory that a file can ask for: both are bounded.
#include "io/file/packed_reader.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <variant>
#include <vector>

#include "base/system_text.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{16} << 10;  // small files need no more
constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr int kGzipWindow = 15 + 16;  // the largest window, and a gzip header rather than zlib's
constexpr int kZstdWindowLog = 27;    // 128 MB, what `zstd` itself takes without being told
constexpr std::uint64_t kXzMemory = std::uint64_t{128} << 20;  // `xz -9` needs 65 MB

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kXzMagic{
    "\xfd"
    "7zXZ\0",
    6};

// Bytes that came, and bytes that there is room for; what is left of both.
struct Flow {
  const char* in = nullptr;
  std::size_t in_left = 0;
  char* out = nullptr;
  std::size_t out_left = 0;
};

enum class Step { kGoesOn, kMemberEnded, kDamaged, kTooLarge };

class GzipDecoder {
 public:
  static constexpr const char* kName = "gzip";
  static constexpr std::string_view kMagic = kGzipMagic;

  GzipDecoder() {
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() { ::inflateEnd(&stream_); }

  void start_member() { ::inflateReset(&stream_); }
  Step step(Flow& flow) {
    const auto room =
        static_cast<uInt>(std::min<std::size_t>(flow.out_left, std::numeric_limits<uInt>::max()));
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(flow.in));  // zlib's old signature; it only reads
    stream_.avail_in = static_cast<uInt>(flow.in_left);
    stream_.next_out = reinterpret_cast<Bytef*>(flow.out);
    stream_.avail_out = room;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    flow.in += flow.in_left - stream_.avail_in;
    flow.in_left = stream_.avail_in;
    flow.out += room - stream_.avail_out;
    flow.out_left -= room - stream_.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) return Step::kMemberEnded;
    return status == Z_OK || status == Z_BUF_ERROR ? Step::kGoesOn : Step::kDamaged;
  }

 private:
  z_stream stream_{};
};

class ZstdDecoder {
 public:
  static constexpr const char* kName = "zstd";
  static constexpr std::string_view kMagic = kZstdMagic;

  ZstdDecoder() : context_(::ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ::ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kZstdWindowLog);
  }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() { ::ZSTD_freeDCtx(context_); }

  void start_member() { ::ZSTD_DCtx_reset(context_, ZSTD_reset_session_only); }
  Step step(Flow& flow) {
    ZSTD_inBuffer in{.src = flow.in, .size = flow.in_left, .pos = 0};
    ZSTD_outBuffer out{.dst = flow.out, .size = flow.out_left, .pos = 0};
    const std::size_t status = ::ZSTD_decompressStream(context_, &out, &in);
    flow.in += in.pos;
    flow.in_left -= in.pos;
    flow.out += out.pos;
    flow.out_left -= out.pos;
    if (::ZSTD_isError(status) == 0U) return status == 0 ? Step::kMemberEnded : Step::kGoesOn;
    const std::string_view name = ::ZSTD_getErrorName(status);
    if (name.find("Frame requires too much memory") != std::string_view::npos) return Step::kTooLarge;
    if (name.find("Allocation error") != std::string_view::npos) throw std::bad_alloc();
    return Step::kDamaged;
  }

 private:
  ZSTD_DCtx* context_;
};

class XzDecoder {
 public:
  static constexpr const char* kName = "xz";
  static constexpr std::string_view kMagic = kXzMagic;

  XzDecoder() { start_member(); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() { ::lzma_end(&stream_); }

  void start_member() {
    if (::lzma_stream_decoder(&stream_, kXzMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }
  Step step(Flow& flow) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(flow.in);
    stream_.avail_in = flow.in_left;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(flow.out);
    stream_.avail_out = flow.out_left;
    const lzma_ret status = ::lzma_code(&stream_, LZMA_RUN);
    flow.in += flow.in_left - stream_.avail_in;
    flow.in_left = stream_.avail_in;
    flow.out += flow.out_left - stream_.avail_out;
    flow.out_left = stream_.avail_out;
    switch (status) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:
        return Step::kGoesOn;
      case LZMA_STREAM_END:
        return Step::kMemberEnded;
      case LZMA_MEMLIMIT_ERROR:
        return Step::kTooLarge;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      default:
        return Step::kDamaged;
    }
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

struct PackedReader::State {
  int file = -1;
  std::vector<char> input;
  Flow flow;
  bool at_end = false;  // of the file
  bool between_members = false;
  std::string trouble;
  std::variant<std::monostate, GzipDecoder, ZstdDecoder, XzDecoder> decoder;

  void fill();
  template <class Decoder>
  bool start_member(Decoder& decoder_now);
  template <class Decoder>
  void unpack(Decoder& decoder_now);
};

// Reads a block behind what is left of the last one.
void PackedReader::State::fill() {
  const std::size_t room = std::clamp(2 * input.size(), kFirstBlock, kBlock);
  std::vector<char> block(flow.in_left + room);
  std::copy(flow.in, flow.in + flow.in_left, block.begin());
  ssize_t got = -1;
  do {
    got = ::read(file, block.data() + flow.in_left, room);
  } while (got < 0 && errno == EINTR);
  if (got < 0) trouble = system_text(errno);
  if (got <= 0) at_end = true;
  input = std::move(block);
  flow.in = input.data();
  flow.in_left += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
}

// False at the end of the file, and when what comes is no further member.
template <class Decoder>
bool PackedReader::State::start_member(Decoder& decoder_now) {
  while (flow.in_left < Decoder::kMagic.size() && !at_end) fill();
  if (flow.in_left == 0) return false;
  if (std::string_view(flow.in, flow.in_left).substr(0, Decoder::kMagic.size()) != Decoder::kMagic) {
    trouble =
        fmt::format("found bytes behind the {} data that are no {} data", Decoder::kName, Decoder::kName);
    return false;
  }
  decoder_now.start_member();
  between_members = false;
  return true;
}

template <class Decoder>
void PackedReader::State::unpack(Decoder& decoder_now) {
  const std::size_t room = flow.out_left;
  while (flow.out_left == room && trouble.empty()) {
    if (between_members && !start_member(decoder_now)) return;
    if (flow.in_left == 0 && !at_end) fill();
    if (!trouble.empty()) return;
    const std::size_t before = flow.in_left;
    const Step step = decoder_now.step(flow);
    const bool stands_still = flow.in_left == before && flow.out_left == room;
    if (step == Step::kMemberEnded) {
      between_members = true;
    } else if (step == Step::kTooLarge) {
      trouble = fmt::format(
          "found {} data that need more than 128 MB to be unpacked, expected them packed with less",
          Decoder::kName);
    } else if (step == Step::kDamaged) {
      trouble = fmt::format("found {} data that are damaged", Decoder::kName);
    } else if (stands_still && (at_end || flow.in_left > 0)) {
      trouble = fmt::format("found {} data that are {}", Decoder::kName,
                            flow.in_left > 0 ? "damaged" : "cut short");
    }
  }
}

std::optional<PackedReader> PackedReader::open(int file, std::string_view start) {
  const auto starts = [&](std::string_view magic) { return start.substr(0, magic.size()) == magic; };
  auto state = std::make_unique<State>();
  if (starts(kGzipMagic))
    state->decoder.emplace<GzipDecoder>();
  else if (starts(kZstdMagic))
    state->decoder.emplace<ZstdDecoder>();
  else if (starts(kXzMagic))
    state->decoder.emplace<XzDecoder>();
  else
    return std::nullopt;
  state->file = file;
  state->input.assign(start.begin(), start.end());
  state->flow.in = state->input.data();
  state->flow.in_left = state->input.size();
  return PackedReader(std::move(state));
}

PackedReader::PackedReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
PackedReader::PackedReader(PackedReader&&) noexcept = default;
PackedReader& PackedReader::operator=(PackedReader&&) noexcept = default;
PackedReader::~PackedReader() = default;

std::size_t PackedReader::read(char* into, std::size_t room) {
  State& s = *state_;
  s.flow.out = into;
  s.flow.out_left = room;
  if (auto* const gzip = std::get_if<GzipDecoder>(&s.decoder)) s.unpack(*gzip);
  if (auto* const zstd = std::get_if<ZstdDecoder>(&s.decoder)) s.unpack(*zstd);
  if (auto* const xz = std::get_if<XzDecoder>(&s.decoder)) s.unpack(*xz);
  return room - s.flow.out_left;
}

const std::string& PackedReader::trouble() const { return state_->trouble; }

}  // namespace lacuna::io
