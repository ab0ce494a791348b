// SPDX-License-Identifier: MIT
// Block-wise line reader. The buffer holds the unread rest of the last block; a line that is cut by the
// block's end is moved to the front before the next block is read behind it.
#include "io/text/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/system_text.hpp"
#include "io/file/packed_reader.hpp"
#include "io/file/standard_streams.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{16} << 10;  // small files, and looks at a file's first lines
constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;
// A quoted field that runs on for this long is a quote somebody forgot to close.
constexpr std::size_t kLongestRecord = std::size_t{1} << 20;

// Where a character stands next in the buffer. Each byte is looked at once, however many lines ask: in a file
// of '\n' the next '\r' is never found, and the other way round.
struct NextBreak {
  char wanted;
  std::size_t at = 0;  // the first one that is not behind what was asked for, or `seen` when there is none
  std::size_t seen = 0;

  std::size_t find(const std::vector<char>& buffer, std::size_t from, std::size_t end) {
    if (at >= from && at < seen) return at;
    const std::size_t scan = std::max(from, at);
    const void* const found = scan < end ? std::memchr(buffer.data() + scan, wanted, end - scan) : nullptr;
    at = found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data()) : end;
    seen = end;
    return at;
  }
  void moved(std::size_t by) {
    at = at > by ? at - by : 0;
    seen = seen > by ? seen - by : 0;
  }
};

}  // namespace

struct TextReader::State {
  std::string path;
  int file = -1;
  std::optional<PackedReader> packed;
  std::vector<char> buffer;
  std::size_t block = kBlock;  // that is read at once: less for a small file, which takes less time
  std::size_t line_begin = 0;
  std::size_t next_begin = 0;  // of the line after the current one
  NextBreak newline{'\n'};
  NextBreak carriage_return{'\r'};
  std::size_t end = 0;  // of the bytes read
  bool at_end = false;
  Count line_number = 0;
  Count lines_in_record = 1;       // physical lines of the current one
  std::uint64_t file_bytes = 0;    // of the range
  std::uint64_t bytes_passed = 0;  // of what was read before buffer[0], unpacked
  std::uint64_t start = 0;         // in the file, where reading began
  std::uint64_t first = 0;         // in the file, where the range's first line begins
  std::uint64_t range_end = TextRange::kEnd;
  mutable std::optional<Count> before;  // lines before the first, once they are counted
  std::optional<Error> error;

  ~State() {
    if (file >= 0) ::close(file);
  }

  bool open_packed();
  void fill();
  std::size_t read_block(char* into, std::size_t room);
  [[nodiscard]] std::uint64_t place(std::size_t at) const { return start + bytes_passed + at; }
  void begin_after(std::uint64_t begin);
  [[nodiscard]] Count lines_before() const;
  [[nodiscard]] std::size_t behind_break(std::size_t line_end) const {
    const bool two = line_end + 1 < end && buffer[line_end] == '\r' && buffer[line_end + 1] == '\n';
    return std::min(line_end + (two ? 2 : 1), end);
  }
  bool find_line_end(std::size_t from, std::size_t longest, std::size_t& line_end);
  void fail(std::string where, std::string what) {
    error = input_error(std::move(where), std::move(what));
    at_end = true;
  }
};

// When what has been read so far turns out to be packed.
bool TextReader::State::open_packed() {
  packed = PackedReader::open(file, std::string_view(buffer.data(), end));
  if (!packed) return false;
  end = 0;
  at_end = false;
  block = kBlock;  // much at once: damage is then seen before what it made of a line
  return true;
}

std::size_t TextReader::State::read_block(char* into, std::size_t room) {
  if (packed) {
    const std::size_t got = packed->read(into, room);
    if (packed->trouble().empty()) return got;
    fail(path, packed->trouble());
    return 0;
  }
  for (;;) {
    const ssize_t got = ::read(file, into, room);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    fail(path, system_text(errno));
    return 0;
  }
}

// Reads one block behind the bytes from line_begin on.
void TextReader::State::fill() {
  if (line_begin > 0) {
    if (buffer.size() < block) buffer.resize(block);
    std::memmove(buffer.data(), buffer.data() + line_begin, end - line_begin);
    bytes_passed += line_begin;
    end -= line_begin;
    next_begin -= line_begin;
    newline.moved(line_begin);
    carriage_return.moved(line_begin);
    line_begin = 0;
  }
  if (buffer.size() - end < buffer.size() / 2) buffer.resize(std::max(buffer.size() * 2, block));
  const std::size_t got = read_block(buffer.data() + end, buffer.size() - end);
  end += got;
  if (got == 0) at_end = true;
}

// Where the line that starts at or before `from` ends: at the first "\n" or "\r", and a "\r\n" ends one line.
// False: there is no byte at `from`, or the line is too long.
bool TextReader::State::find_line_end(std::size_t from, std::size_t longest, std::size_t& line_end) {
  for (;;) {
    line_end = std::min(newline.find(buffer, from, end), carriage_return.find(buffer, from, end));
    // Behind a "\r" at the very end of what was read there may come its "\n".
    if (line_end < end && (buffer[line_end] == '\n' || line_end + 1 < end || at_end)) return true;
    if (at_end) break;
    if (end - line_begin > longest) return false;
    from -= line_begin;
    fill();
  }
  line_end = end;
  return from < end && !error;
}

// At the first line that begins at `begin` or behind it: the byte before may be the break that ends the line before.
void TextReader::State::begin_after(std::uint64_t begin) {
  start = begin - 1;
  if (::lseek(file, static_cast<off_t>(start), SEEK_SET) < 0) return fail(path, system_text(errno));
  fill();
  std::size_t line_end = 0;
  if (!find_line_end(0, kLongestLine, line_end) && !at_end) at_end = true;  // whoever has that line complains
  line_begin = next_begin = behind_break(line_end);
  first = place(next_begin);
}

Count TextReader::State::lines_before() const {
  if (before) return *before;
  before = 0;
  if (first == 0 || packed) return 0;
  auto reader = TextReader::open(TextRange{.path = path, .begin = 0, .end = first});
  std::string_view line;
  while (reader && reader->next(line)) ++*before;
  return *before;
}

Result<TextReader> TextReader::open(const TextRange& range) {
  const std::string& path = range.path;
  auto state = std::make_unique<State>();
  state->path = path;
  state->range_end = range.end;
  state->file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (state->file < 0) return input_error(path, system_text(errno));
  struct stat info {};
  if (::fstat(state->file, &info) == 0 && S_ISREG(info.st_mode)) {
    const auto size = static_cast<std::uint64_t>(info.st_size);
    state->file_bytes = std::min(size, range.end) - std::min(size, range.begin);
    state->block = static_cast<std::size_t>(std::clamp<std::uint64_t>(size, kFirstBlock, kBlock));
  }
  state->buffer.resize(kFirstBlock);
  if (range.begin > 0) {
    state->begin_after(range.begin);
    if (state->error) return *state->error;
    return TextReader(std::move(state));
  }
  state->fill();
  const auto starts_with = [&](std::string_view bytes) {
    return std::string_view(state->buffer.data(), state->end).substr(0, bytes.size()) == bytes;
  };
  if (state->open_packed()) {
    state->file_bytes *= 4;  // a guess, for estimate_lines() only
    state->fill();
  }
  if (state->error) return *state->error;
  if (starts_with("\xff\xfe") || starts_with("\xfe\xff")) {
    return input_error(path, "found UTF-16 text, expected UTF-8");
  }
  if (starts_with("\xef\xbb\xbf")) state->line_begin = state->next_begin = 3;
  return TextReader(std::move(state));
}

Result<TextReader> TextReader::open_input(const std::string& path) {
  if (!is_standard_stream(path)) return open(path);
  auto reader = open("/dev/stdin");
  if (!reader) return input_error(kStandardInput, reader.error().what);
  reader->state_->path = kStandardInput;
  return reader;
}

TextReader::TextReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;
TextReader::~TextReader() = default;

bool TextReader::next(std::string_view& line) {
  State& s = *state_;
  s.line_begin = s.next_begin;
  s.line_number += s.lines_in_record;
  s.lines_in_record = 1;
  std::size_t line_end = 0;
  const bool first_of_file = s.first == 0 && s.line_number == 1;  // maybe behind a byte order mark
  if (!s.packed && !first_of_file && s.place(s.line_begin) >= s.range_end) {
    s.lines_in_record = 0;
    return false;
  }
  if (!s.find_line_end(s.line_begin, kLongestLine, line_end)) {
    s.lines_in_record = 0;
    if (!s.error && !s.at_end) {
      s.fail(where(),
             fmt::format("found a line of more than {} MB, expected shorter lines", kLongestLine >> 20));
    }
    return false;
  }
  s.next_begin = s.behind_break(line_end);
  line = {s.buffer.data() + s.line_begin, line_end - s.line_begin};
  return true;
}

bool TextReader::extend(std::string_view& line) {
  State& s = *state_;
  std::size_t line_end = 0;
  const bool found = s.find_line_end(s.next_begin, kLongestRecord, line_end);
  line = {s.buffer.data() + s.line_begin, line.size()};  // the buffer may have moved
  if (!found || line_end - s.line_begin > kLongestRecord) return false;
  ++s.lines_in_record;
  s.next_begin = s.behind_break(line_end);
  line = {s.buffer.data() + s.line_begin, line_end - s.line_begin};
  return true;
}

bool TextReader::line_ready() const {
  const State& s = *state_;
  return s.at_end || std::memchr(s.buffer.data() + s.next_begin, '\n', s.end - s.next_begin) != nullptr;
}

bool TextReader::breaks_with_return() const {
  const State& s = *state_;
  return s.next_begin >= s.line_begin + 2 && s.buffer[s.next_begin - 1] == '\n' &&
         s.buffer[s.next_begin - 2] == '\r';
}

Result<> TextReader::status() const {
  if (state_->error) return *state_->error;
  return Nothing{};
}

const std::string& TextReader::path() const { return state_->path; }
bool TextReader::packed() const { return state_->packed.has_value(); }
std::uint64_t TextReader::behind() const { return state_->place(state_->next_begin); }
Count TextReader::line_number() const { return state_->lines_before() + state_->line_number; }
std::string TextReader::where() const { return fmt::format("{}:{}", path(), line_number()); }

std::string TextReader::where(std::string_view line, std::size_t offset) const {
  return text_position(path(), line_number(), line, offset);
}

Count TextReader::estimate_lines() const {
  const double read = static_cast<double>(state_->bytes_passed + state_->next_begin);
  if (read <= 0 || state_->line_number <= 0) return 0;
  const double lines =
      static_cast<double>(state_->file_bytes) / read * static_cast<double>(state_->line_number);
  return static_cast<Count>(lines);
}

std::string text_position(const std::string& path, Count line_number, std::string_view line,
                          std::size_t offset) {
  const auto before = line.substr(0, offset);
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // not a UTF-8 continuation byte
  });
  return fmt::format("{}:{}:{}", path, line_number, characters + 1);
}

}  // namespace lacuna::io
