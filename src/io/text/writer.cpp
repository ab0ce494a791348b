// SPDX-License-Identifier: MIT
// Buffered text output through AtomicFile, packed on the way when asked for.
#include "io/text/writer.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "io/file/atomic_file.hpp"
#include "io/file/packed_writer.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;

}  // namespace

struct TextWriter::State {
  State(AtomicFile opened, std::string name) : file(std::move(opened)), path(std::move(name)) {}

  void flush(bool last);

  AtomicFile file;
  std::string path;
  fmt::memory_buffer buffer;
  std::optional<PackedWriter> packing;
};

void TextWriter::State::flush(bool last) {
  const std::string_view bytes(buffer.data(), buffer.size());
  if (packing)
    packing->add(bytes, last, [&](std::string_view packed) { file.write(packed); });
  else
    file.write(bytes);
  buffer.clear();
}

Result<TextWriter> TextWriter::create(const std::string& path) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(*file), path);
  state->packing = PackedWriter::for_name(path);
  return TextWriter(std::move(state));
}

TextWriter::TextWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextWriter::TextWriter(TextWriter&&) noexcept = default;
TextWriter& TextWriter::operator=(TextWriter&&) noexcept = default;
TextWriter::~TextWriter() = default;

void TextWriter::flush_when_full() {
  if (state_->buffer.size() >= kBlock) state_->flush(false);
}

void TextWriter::text(std::string_view text) {
  state_->buffer.append(text);
  flush_when_full();
}

void TextWriter::integer(std::int64_t number) {
  const fmt::format_int digits(number);
  state_->buffer.append(digits.data(), digits.data() + digits.size());
}

void TextWriter::number(double value, char decimal) {
  const std::size_t begin = state_->buffer.size();
  fmt::format_to(std::back_inserter(state_->buffer), FMT_COMPILE("{}"), value);
  if (decimal != '.') std::replace(state_->buffer.begin() + begin, state_->buffer.end(), '.', decimal);
}

Result<> TextWriter::commit() {
  state_->flush(true);
  return state_->file.commit();
}

Result<> check_writable(const std::string& path, const TensorFile& file) {
  const Entries& entries = file.entries;
  if (entries.order() != static_cast<int>(file.modes.size()))
    throw std::invalid_argument("entries and modes differ in order");
  if (entries.cells.size() != entries.size())
    throw std::invalid_argument("an entry without an index or a value");
  for (std::size_t k = 0; k < file.modes.size(); ++k) {
    const Mode& mode = file.modes[k];
    if (mode.labels.size() > mode.size) {
      throw std::invalid_argument("a mode with more labels than positions");
    }
    for (std::size_t e = 0; e < entries.value.size(); ++e) {
      if (entries.cells[k][e] < mode.size) continue;
      return output_error(
          path, fmt::format("entry {} lies outside mode '{}' of size {}", e + 1, mode.name, mode.size));
    }
  }
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    if (std::isinf(entries.value[e])) return output_error(path, fmt::format("entry {} is infinite", e + 1));
  }
  return Nothing{};
}

void write_index_lines(TextWriter& out, const Entries& entries, int base) {
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    for (int k = 0; k < entries.order(); ++k) {
      out.integer(std::int64_t{entries.cells.mode(k)[e]} + base);
      out.text(" ");
    }
    if (std::isnan(entries.value[e])) {
      out.text("nan");  // never "-nan", whatever the sign bit
    } else {
      out.number(entries.value[e]);
    }
    out.text("\n");
  }
}

}  // namespace lacuna::io
