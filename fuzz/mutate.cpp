// SPDX-License-Identifier: MIT
#include "mutate.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace lacuna::fuzz {
namespace {

constexpr std::size_t kMostUnpacked = std::size_t{1} << 16;  // eight times the longest input
constexpr int kGzip = 16;  // added to zlib's window bits: with gzip's header
constexpr int kZlib = 0;
constexpr int kWindow = 15;       // unpacks everything
constexpr int kSmallWindow = 10;  // packs with little memory, which takes most of the time
constexpr int kLittleMemory = 1;

std::uint64_t load(const Bytes& bytes, std::size_t at, std::size_t count, bool big_endian = false) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i)
    number = (number << 8) | bytes[at + (big_endian ? i : count - 1 - i)];
  return number;
}

void store(Bytes& bytes, std::size_t at, std::size_t count, std::uint64_t number, bool big_endian = false) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[at + (big_endian ? count - 1 - i : i)] = static_cast<std::uint8_t>(number >> (8 * i));
}

std::uint32_t sum_of(const Bytes& bytes, std::size_t at, std::size_t count) {
  return static_cast<std::uint32_t>(crc32(0, bytes.data() + at, static_cast<uInt>(count)));
}

// Empty: it does not unpack.
Bytes unpack(const std::uint8_t* packed, std::size_t size, int header) {
  z_stream stream{};
  if (inflateInit2(&stream, kWindow + header) != Z_OK) return {};
  Bytes out(kMostUnpacked);
  stream.next_in = const_cast<Bytef*>(packed);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = inflate(&stream, Z_FINISH);
  out.resize(end == Z_STREAM_END ? stream.total_out : 0);
  inflateEnd(&stream);
  return out;
}

Bytes pack(const std::uint8_t* plain, std::size_t size, int header) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kSmallWindow + header, kLittleMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  Bytes out(deflateBound(&stream, size));
  stream.next_in = const_cast<Bytef*>(plain);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

bool has_word(const std::uint8_t* data, std::size_t size, std::string_view word) {
  const std::string quoted = '"' + std::string(word) + '"';
  return std::search(data, data + size, quoted.begin(), quoted.end()) != data + size;
}

void mutate_bytes(Bytes& bytes, std::size_t most) {
  const std::size_t size = bytes.size();
  bytes.resize(std::max(size, most));
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

std::size_t mutate_file(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                        std::size_t option_bytes, const Change& change) {
  Random random(seed);
  if (size <= option_bytes || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  Bytes file(data, data + (size - option_bytes));
  Bytes options(data + (size - option_bytes), data + size);
  if (option_bytes > 0 && random() % 16 == 0)
    options[random() % option_bytes] = static_cast<std::uint8_t>(random());
  else
    change(file, most - option_bytes, random);
  file.resize(std::min(file.size(), most - option_bytes));
  std::copy(options.begin(), options.end(), std::copy(file.begin(), file.end(), data));
  return file.size() + option_bytes;
}

void change_gzip(Bytes& file, std::size_t most, Random& /*random*/) {
  const Bytes plain = file.size() > 2 && file[0] == 0x1f && file[1] == 0x8b
                          ? unpack(file.data(), file.size(), kGzip)
                          : Bytes{};
  if (plain.empty()) return mutate_bytes(file, most);
  Bytes inside = plain;
  mutate_bytes(inside, std::max(most, inside.size()));
  file = pack(inside.data(), inside.size(), kGzip);
}

// 8 bytes of magic; then chunks of a length, 4 letters, that many bytes, and the sum of letters and bytes.
void change_png(Bytes& file, std::size_t most, Random& /*random*/) {
  mutate_bytes(file, most);
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::uint64_t length = load(file, at, 4, true);
    if (length > file.size() - at - 12) return;
    store(file, at + 8 + length, 4, sum_of(file, at + 4, length + 4), true);
    at += length + 12;
  }
}

// A record of the directory at the end says where its member's own header is.
void change_zip(Bytes& file, std::size_t most, Random& /*random*/) {
  mutate_bytes(file, most);
  constexpr std::size_t kRecord = 46, kLocal = 30;
  const Bytes record_magic = {'P', 'K', 1, 2};
  for (auto found = file.begin();; ++found) {
    found = std::search(found, file.end(), record_magic.begin(), record_magic.end());
    const auto at = static_cast<std::size_t>(found - file.begin());
    if (at + kRecord > file.size()) return;
    const std::uint64_t packed = load(file, at + 20, 4);
    const std::uint64_t local = load(file, at + 42, 4);
    if (load(file, at + 10, 2) != 0 || local + kLocal > at) continue;  // 0: stored
    const std::uint64_t begin = local + kLocal + load(file, local + 26, 2) + load(file, local + 28, 2);
    if (begin + packed > file.size()) continue;
    const std::uint32_t sum = sum_of(file, begin, packed);
    store(file, at + 16, 4, sum);
    store(file, local + 14, 4, sum);
  }
}

// 128 bytes of header; then elements of a type, a length and that many bytes, padded to 8 unless packed (type 15).
void change_mat5(Bytes& file, std::size_t most, Random& random) {
  constexpr std::size_t kHeader = 128, kTag = 8;
  constexpr std::uint64_t kPacked = 15;
  std::vector<Bytes> elements;
  for (std::size_t at = kHeader; at + kTag <= file.size();) {
    const std::uint64_t length = std::min<std::uint64_t>(load(file, at + 4, 4), file.size() - at - kTag);
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
    Bytes element(begin, begin + static_cast<std::ptrdiff_t>(kTag + length));
    if (load(file, at, 4) == kPacked)
      if (Bytes inside = unpack(element.data() + kTag, length, kZlib); !inside.empty())
        element = std::move(inside);
    elements.push_back(std::move(element));
    at += kTag + length;
  }
  if (elements.empty() || random() % 4 == 0) return mutate_bytes(file, most);
  mutate_bytes(elements[random() % elements.size()], most);
  file.resize(kHeader);
  for (const Bytes& element : elements) {
    if (random() % 2 == 0) {
      file.insert(file.end(), element.begin(), element.end());
      continue;
    }
    const Bytes packed = pack(element.data(), element.size(), kZlib);
    const std::size_t at = file.size();
    file.resize(at + kTag);
    store(file, at, 4, kPacked);
    store(file, at + 4, 4, packed.size());
    file.insert(file.end(), packed.begin(), packed.end());
  }
}

}  // namespace lacuna::fuzz
