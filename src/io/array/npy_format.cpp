// SPDX-License-Identifier: MIT
// The .npy layout. The header's dictionary is read by a parser that knows its three keys and nothing else.
#include "io/array/npy_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;

// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string where, std::string_view text) : where_(std::move(where)), text_(text) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    bool seen[3] = {false, false, false};
    if (!take('{')) return fail("'{'");
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':')) return fail("a quoted key and ':'");
      const std::size_t number = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
      if (number == 3 || seen[number]) {
        return input_error(
            where_, fmt::format("found the header key {}, expected descr, fortran_order and shape once "
                                "each",
                                quoted(key)));
      }
      seen[number] = true;
      skip();
      if (number == 0 && position_ < text_.size() && text_[position_] == '[') {
        return input_error(where_, "found records (a structured dtype), expected plain numbers");
      }
      if (number == 0 && !string(header.dtype)) return fail("a quoted dtype");
      if (number == 1 && !truth(header.fortran_order)) return fail("True or False");
      if (number == 2 && !tuple(header.shape)) return fail("a tuple of sizes");
      if (!take(',')) {
        if (take('}')) break;
        return fail("',' or '}'");
      }
    }
    skip();
    if (position_ != text_.size()) return fail("the end of the header");
    if (!(seen[0] && seen[1] && seen[2])) {
      return input_error(where_, "the header lacks one of descr, fortran_order and shape");
    }
    return header;
  }

 private:
  Error fail(std::string_view expected) {
    skip();
    const std::string_view rest = text_.substr(position_, 20);
    return input_error(where_, fmt::format("found {} in the header, expected {}",
                                           rest.empty() ? "the end" : quoted(rest), expected));
  }
  void skip() {
    while (position_ < text_.size() && (is_blank(text_[position_]) || text_[position_] == '\n')) ++position_;
  }
  bool take(char c) {
    skip();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  bool string(std::string& out) {
    skip();
    if (position_ >= text_.size()) return false;
    const char quote = text_[position_];
    if (quote != '\'' && quote != '"') return false;
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return out.find('\\') == std::string::npos;
  }
  bool truth(bool& out) {
    skip();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (text_.substr(position_, word.size()) != word) continue;
      position_ += word.size();
      out = word == "True";
      return true;
    }
    return false;
  }
  bool tuple(std::vector<std::uint64_t>& out) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip();
      const char* p = text_.data() + position_;
      std::uint64_t size = 0;
      if (!parse_digits(p, text_.data() + text_.size(), size)) return false;
      position_ = static_cast<std::size_t>(p - text_.data());
      if (position_ < text_.size() && text_[position_] == 'L') ++position_;  // Python 2 wrote 3L
      out.push_back(size);
      if (!take(',')) return take(')');
    }
    return true;
  }

  std::string where_;
  std::string_view text_;
  std::size_t position_ = 0;
};

// Version 1 counts the header's text in two bytes, later ones in four.
std::size_t length_bytes(const unsigned char* bytes) { return bytes[6] == 1 ? 2 : 4; }

std::string dtype_refusal(const std::string& dtype) {
  const std::string_view name =
      dtype.empty() || std::string_view("<>|=").find(dtype[0]) == std::string_view::npos
          ? std::string_view(dtype)
          : std::string_view(dtype).substr(1);
  const char kind = name.empty() ? ' ' : name[0];
  const char* what = "";
  if (kind == 'O') what = " (pickled Python objects, which are never loaded)";
  if (kind == 'c') what = " (complex numbers)";
  if (kind == 'S' || kind == 'U' || kind == 'a') what = " (text)";
  if (kind == 'M' || kind == 'm') what = " (times)";
  return fmt::format("found an array of dtype {}{}, expected bool, i1 to i8, u1 to u8, f2, f4 or f8",
                     quoted(dtype), what);
}

}  // namespace

Result<std::uint64_t> npy_header_size(const std::string& where, const unsigned char* bytes,
                                      std::size_t count) {
  if (count < kMagic.size() ||
      !std::equal(kMagic.begin(), kMagic.end(), reinterpret_cast<const char*>(bytes))) {
    return input_error(where, "found no .npy array: it does not start with \\x93NUMPY");
  }
  if (count < kNpyPrefix) return input_error(where, "found the end of the file in the header");
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
    return input_error(where,
                       fmt::format("found .npy version {}.{}, expected 1.0, 2.0 or 3.0", bytes[6], bytes[7]));
  }
  const std::size_t counter = length_bytes(bytes);
  return 8 + counter + load_unsigned(bytes + 8, counter);
}

Result<NpyHeader> parse_npy_header(const std::string& where, const unsigned char* bytes, std::size_t count) {
  const auto size = npy_header_size(where, bytes, count);
  if (!size) return size.error();
  if (*size > count) {
    return input_error(where,
                       fmt::format("found a header of {} bytes in {}, expected all of it", *size, count));
  }
  const std::size_t start = 8 + length_bytes(bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes) + start,
                              static_cast<std::size_t>(*size) - start);
  auto header = HeaderParser(where, text).parse();
  if (header) header->size = static_cast<std::size_t>(*size);
  return header;
}

Result<std::size_t> npy_count(const std::string& where, const NpyHeader& header, std::uint64_t bytes_after) {
  const auto dtype = parse_dtype(header.dtype);
  if (!dtype) return input_error(where, dtype_refusal(header.dtype));
  std::uint64_t bytes = dtype->size;
  bool overflow = false;
  for (const std::uint64_t size : header.shape) overflow |= __builtin_mul_overflow(bytes, size, &bytes);
  // A zero among the sizes would hide an overflow before or after it.
  if (std::find(header.shape.begin(), header.shape.end(), 0U) != header.shape.end()) {
    overflow = false;
    bytes = 0;
  }
  if (overflow || bytes != bytes_after) {
    return input_error(where,
                       fmt::format("found {} bytes after the header, expected {} for {} numbers of dtype {}",
                                   bytes_after, overflow ? "more than 2^64" : std::to_string(bytes),
                                   shape_text(header.shape), header.dtype));
  }
  return static_cast<std::size_t>(bytes / dtype->size);
}

Result<std::vector<double>> npy_numbers(const std::string& where, const NpyHeader& header,
                                        const unsigned char* bytes, std::uint64_t count) {
  const auto numbers = npy_count(where, header, count);
  if (!numbers) return numbers.error();
  std::vector<double> value(*numbers);
  decode_numbers(*parse_dtype(header.dtype), bytes, *numbers, value.data());
  if (!header.fortran_order || header.shape.size() < 2 || value.empty()) return value;
  std::vector<Index> shape;
  for (const std::uint64_t size : header.shape) {
    if (size > std::numeric_limits<Index>::max()) {
      return input_error(
          where, fmt::format("found an array of {}, expected smaller sizes", shape_text(header.shape)));
    }
    shape.push_back(static_cast<Index>(size));
  }
  return last_mode_fastest(value, std::move(shape));
}

Bytes npy_header(const std::string& dtype, bool fortran_order, const std::vector<std::uint64_t>& shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", dtype,
                  fortran_order ? "True" : "False", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const bool longer = text.size() + kAlignment > 0xffff;
  const std::size_t start = longer ? 12 : 10;
  text.append(kAlignment - 1 - (start + text.size()) % kAlignment, ' ');
  text.push_back('\n');
  Bytes out(kMagic.begin(), kMagic.end());
  out.push_back(longer ? 2 : 1);
  out.push_back(0);
  append_number(out, text.size(), longer ? 4 : 2);
  out.insert(out.end(), text.begin(), text.end());
  return out;
}

}  // namespace lacuna::io
