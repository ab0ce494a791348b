// SPDX-License-Identifier: MIT
#include "io/file/array_container.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>

#include "base/system_text.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/header_fields.hpp"

namespace lacuna::io {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the layout is little-endian");

constexpr char kMagic[8] = {'L', 'A', 'C', 'U', 'N', 'A', '\0', 1};
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kPrefix = 16;            // magic and header length
constexpr std::uint64_t kMostHeader = 1U << 28;  // a fit's history is the longest thing in one

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

// zlib takes a null pointer, which is what nothing may look like, for a wish to start anew.
uLong add_to_sum(uLong sum, const void* data, std::uint64_t bytes) {
  return bytes == 0 ? sum : crc32_z(sum, static_cast<const Bytef*>(data), bytes);
}

// Writes and sums up in one go.
class SummedFile {
 public:
  explicit SummedFile(AtomicFile& file) : file_(&file) {}
  void write(const void* data, std::uint64_t bytes) {
    file_->write(data, bytes);
    sum_ = add_to_sum(sum_, data, bytes);
    written_ += bytes;
  }
  void pad_to(std::uint64_t offset) {
    static constexpr char kZeros[kAlignment] = {};
    write(kZeros, offset - written_);
  }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  AtomicFile* file_;
  uLong sum_ = crc32_z(0, nullptr, 0);
  std::uint64_t written_ = 0;
};

std::uint64_t array_number(const nlohmann::json& described, const char* name) {
  return static_cast<std::uint64_t>(
      whole_number(described.at(name), 0, std::numeric_limits<std::int64_t>::max(), name));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

nlohmann::json ArrayWriter::add_bytes(const std::string& name, const char* dtype, const void* data,
                                      std::uint64_t count, std::uint64_t bytes) {
  arrays_.push_back({data, bytes, next_offset_});
  nlohmann::json described{{"name", name}, {"dtype", dtype}, {"count", count}, {"offset", next_offset_}};
  next_offset_ = aligned(next_offset_ + bytes);
  return described;
}

nlohmann::json ArrayWriter::add_strings(const std::string& name, const std::vector<std::string>& strings) {
  std::vector<char>& text = owned_text_.emplace_back();
  std::vector<std::uint64_t>& ends = owned_ends_.emplace_back();
  for (const std::string& string : strings) {
    text.insert(text.end(), string.begin(), string.end());
    ends.push_back(text.size());
  }
  return {{"text", add(name + ".text", std::span<const char>(text))},
          {"ends", add(name + ".ends", std::span<const std::uint64_t>(ends))}};
}

Result<> ArrayWriter::save(const std::string& path, const nlohmann::json& header) const {
  std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.resize(aligned(kPrefix + text.size()) - kPrefix, ' ');
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  SummedFile out(*file);
  const std::uint64_t length = text.size();
  out.write(kMagic, sizeof kMagic);
  out.write(&length, sizeof length);
  out.write(text.data(), text.size());
  for (const Array& array : arrays_) {
    out.pad_to(kPrefix + length + array.offset);
    out.write(array.data, array.bytes);
  }
  out.pad_to(kPrefix + length + next_offset_);
  const std::uint64_t sum = out.sum();
  file->write(&sum, sizeof sum);
  return file->commit();
}

Result<ArrayReader> ArrayReader::open(const std::string& path, const std::string& what) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) return input_error(path, system_text(errno));
  if (std::fseek(file.get(), 0, SEEK_END) != 0)
    return input_error(path, "not a regular file, expected a " + what);
  const long end = std::ftell(file.get());
  std::rewind(file.get());
  const std::uint64_t size = end < 0 ? 0 : static_cast<std::uint64_t>(end);

  char prefix[kPrefix] = {};
  if (size < kPrefix + sizeof(std::uint64_t) || std::fread(prefix, 1, kPrefix, file.get()) != kPrefix ||
      std::memcmp(prefix, kMagic, 7) != 0)
    return input_error(path, "not a lacuna " + what + " (it does not begin with \"LACUNA\")");
  if (prefix[7] != kMagic[7])
    return input_error(path, "a " + what + " of layout " +
                                 std::to_string(static_cast<unsigned char>(prefix[7])) +
                                 ", this version reads layout 1");
  std::uint64_t length = 0;
  std::memcpy(&length, prefix + 8, sizeof length);
  const std::uint64_t body = size - kPrefix - sizeof(std::uint64_t);
  if (length > body || length > kMostHeader)
    return input_error(path, "the " + what + " is cut short or damaged");

  ArrayReader reader;
  std::string text(length, '\0');
  reader.arrays_.resize(body - length);
  std::uint64_t stored = 0;
  if (std::fread(text.data(), 1, length, file.get()) != length ||
      std::fread(reader.arrays_.data(), 1, reader.arrays_.size(), file.get()) != reader.arrays_.size() ||
      std::fread(&stored, sizeof stored, 1, file.get()) != 1)
    return input_error(path, "could not be read to its end");
  uLong sum = add_to_sum(crc32_z(0, nullptr, 0), prefix, kPrefix);
  sum = add_to_sum(sum, text.data(), text.size());
  sum = add_to_sum(sum, reader.arrays_.data(), reader.arrays_.size());
  if (sum != stored) return input_error(path, "the " + what + " is damaged: its checksum does not match");
  reader.header_ = parse_bounded_json(text);
  if (reader.header_.is_discarded())
    return input_error(path, "the " + what + " is damaged: its header is not JSON, or nested too deep");
  return reader;
}

std::uint64_t ArrayReader::checked_bytes(const nlohmann::json& described, const char* dtype,
                                         std::size_t element) const {
  if (described.at("dtype") != dtype) throw Bad(std::string("an array of another type, expected ") + dtype);
  const std::uint64_t count = array_number(described, "count");
  const std::uint64_t offset = array_number(described, "offset");
  if (offset > arrays_.size() || count > (arrays_.size() - offset) / element)
    throw Bad("an array beyond the file's end");
  // Each is read once. A header that describes the same bytes again and again would take any amount of memory.
  given_ += count * element;
  if (given_ > arrays_.size()) throw Bad("arrays that lie over each other");
  return count * element;
}

void ArrayReader::copy_out(const nlohmann::json& described, void* to, std::size_t bytes) const {
  if (bytes > 0) std::memcpy(to, arrays_.data() + array_number(described, "offset"), bytes);
}

std::vector<std::string> ArrayReader::strings(const nlohmann::json& described) const {
  const std::vector<char> text = get<char>(described.at("text"));
  const std::vector<std::uint64_t> ends = get<std::uint64_t>(described.at("ends"));
  std::vector<std::string> strings;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > text.size()) throw Bad("labels that do not follow each other");
    strings.emplace_back(text.data() + begin, end - begin);
    begin = end;
  }
  return strings;
}

bool starts_like_container(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // looking would take bytes from a pipe
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  char start[7] = {};
  return file && std::fread(start, 1, sizeof start, file.get()) == sizeof start &&
         std::memcmp(start, kMagic, sizeof start) == 0;
}

}  // namespace lacuna::io
