// SPDX-License-Identifier: MIT
// MATLAB files of version 5 and 7. After a header of 128 bytes come data elements, each with a tag: type and
// length. A variable is an element of type "matrix", or one of type "compressed" that unpacks to it; inside
// it are further elements: flags, sizes, name, numbers. Structs hold matrices in turn.
#include "io/matlab/mat5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "io/array/dense.hpp"
#include "io/file/inflate.hpp"
#include "io/matlab/mat_variable.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::uint64_t kHeader = 128;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr unsigned kObject = 3;
constexpr unsigned kLastPlainClass = 15;  // function handles and opaque objects come after it
constexpr unsigned kComplexFlag = 0x08;
constexpr unsigned kLogicalFlag = 0x02;
constexpr int kDeepest = 16;                 // structs within structs
constexpr std::uint64_t kStart = 4096;       // bytes of a variable that hold its sizes and name
constexpr std::uint64_t kLongestName = 256;  // MATLAB stops at 63

using View = std::span<const unsigned char>;

// The number type of an element, by the type in its tag.
std::optional<Dtype> element_dtype(std::uint32_t type, bool big) {
  switch (type) {
    case 1:
      return Dtype{'i', 1, false};
    case 2:
      return Dtype{'u', 1, false};
    case 3:
      return Dtype{'i', 2, big};
    case 4:
      return Dtype{'u', 2, big};
    case 5:
      return Dtype{'i', 4, big};
    case 6:
      return Dtype{'u', 4, big};
    case 7:
      return Dtype{'f', 4, big};
    case 9:
      return Dtype{'f', 8, big};
    case 12:
      return Dtype{'i', 8, big};
    case 13:
      return Dtype{'u', 8, big};
    default:
      return std::nullopt;
  }
}

struct Element {
  std::uint32_t type = 0;
  View data;
};

// Walks the elements of `rest`. The last one may be cut short when only the start of a variable was read.
class ElementReader {
 public:
  ElementReader(View rest, bool big) : rest_(rest), big_(big) {}

  [[nodiscard]] bool big() const { return big_; }

  std::optional<Element> next() {
    if (rest_.size() < 8) return std::nullopt;
    const std::uint32_t first = load_u32(rest_.data(), big_);
    // A short element keeps its length here and its data in the tag.
    const std::uint32_t small = first >> 16U;
    if (small != 0) {
      if (small > 4) return std::nullopt;
      const Element element{first & 0xffffU, rest_.subspan(4, small)};
      rest_ = rest_.subspan(8);
      return element;
    }
    const std::size_t length = load_u32(rest_.data() + 4, big_);
    if (length > rest_.size() - 8) return std::nullopt;
    const Element element{first, rest_.subspan(8, length)};
    rest_ = rest_.subspan(std::min(rest_.size(), 8 + (length + 7) / 8 * 8));
    return element;
  }

  // The next element as numbers.
  std::optional<std::vector<double>> numbers() {
    const auto element = next();
    if (!element) return std::nullopt;
    const auto dtype = element_dtype(element->type, big_);
    if (!dtype || element->data.size() % dtype->size != 0) return std::nullopt;
    std::vector<double> out(element->data.size() / dtype->size);
    decode_numbers(*dtype, element->data.data(), out.size(), out.data());
    return out;
  }

  // The next element as positions, which are whole numbers from 0 on.
  std::optional<std::vector<std::uint64_t>> positions() {
    const auto found = numbers();
    if (!found) return std::nullopt;
    std::vector<std::uint64_t> out;
    out.reserve(found->size());
    for (const double position : *found) {
      if (!(position >= 0 && position <= static_cast<double>(kLargestSize))) return std::nullopt;
      out.push_back(static_cast<std::uint64_t>(position));
    }
    return out;
  }

 private:
  View rest_;
  bool big_;
};

struct Matrix {
  MatVariable variable;
  unsigned class_number = 0;
  ElementReader content;  // what follows the name
};

std::string text_of(View data) {
  const auto end = std::find(data.begin(), data.end(), '\0');
  return {data.begin(), end};
}

// `body` is what the matrix element holds.
std::optional<Matrix> parse_matrix(View body, bool big) {
  ElementReader reader(body, big);
  const auto flags = reader.next();
  if (!flags || flags->data.size() != 8) return std::nullopt;
  const std::uint32_t word = load_u32(flags->data.data(), big);
  const unsigned number = word & 0xffU;
  const unsigned bits = (word >> 8U) & 0xffU;
  if (number == 0 || number > kLastPlainClass)
    return Matrix{make_mat_variable("", number, false, false, {}), number, reader};
  const auto sizes = reader.next();
  if (!sizes || sizes->type != 5 || sizes->data.size() % 4 != 0) return std::nullopt;
  std::vector<std::uint64_t> shape;
  for (std::size_t at = 0; at < sizes->data.size(); at += 4) {
    const std::uint32_t size = load_u32(sizes->data.data() + at, big);
    if (size > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) return std::nullopt;
    shape.push_back(size);
  }
  const auto name = reader.next();
  if (!name || name->type != 1 || name->data.size() > kLongestName) return std::nullopt;
  return Matrix{make_mat_variable(text_of(name->data), number, (bits & kLogicalFlag) != 0,
                                  (bits & kComplexFlag) != 0, std::move(shape)),
                number, reader};
}

struct Field {
  std::string name;
  Matrix matrix;
};

// The fields of a 1 x 1 struct; none for others, whose fields have no one value.
std::optional<std::vector<Field>> parse_fields(Matrix matrix) {
  std::vector<Field> out;
  const MatVariable& variable = matrix.variable;
  if (matrix.class_number != kMatStruct && matrix.class_number != kObject) return out;
  if (std::any_of(variable.shape.begin(), variable.shape.end(), [](std::uint64_t n) { return n != 1; }))
    return out;
  ElementReader& reader = matrix.content;
  if (matrix.class_number == kObject && !reader.next()) return std::nullopt;  // the name of its class
  const auto length = reader.numbers();
  const auto names = reader.next();
  if (!length || length->size() != 1 || !names) return std::nullopt;
  const double width = length->front();
  if (width < 1 || width > static_cast<double>(kLongestName)) return std::nullopt;
  const auto step = static_cast<std::size_t>(width);
  for (std::size_t at = 0; at + step <= names->data.size(); at += step) {
    const auto element = reader.next();
    if (!element || element->type != kMatrix) return std::nullopt;
    if (element->data.empty()) continue;  // an empty value
    auto field = parse_matrix(element->data, reader.big());
    if (!field) return std::nullopt;
    out.push_back({text_of(names->data.subspan(at, step)), std::move(*field)});
  }
  return out;
}

bool list_fields(const Matrix& matrix, const std::string& prefix, int depth, std::vector<MatVariable>& out) {
  auto fields = parse_fields(matrix);
  if (!fields) return false;
  if (depth == kDeepest) return true;
  for (Field& field : *fields) {
    field.matrix.variable.name = prefix + "." + field.name;
    out.push_back(field.matrix.variable);
    if (!list_fields(field.matrix, field.matrix.variable.name, depth + 1, out)) return false;
  }
  return true;
}

// A variable's place in the file.
struct Top {
  std::uint64_t offset = 0;  // of what follows the tag
  std::uint64_t length = 0;
  bool compressed = false;
};

class Mat5 {
 public:
  explicit Mat5(const ByteFile& file) : file_(file) {}

  Result<> open();
  [[nodiscard]] bool big() const { return big_; }
  [[nodiscard]] const std::vector<Top>& tops() const { return tops_; }
  // What the matrix element holds, at most the first `limit` bytes of it; empty for an empty one.
  [[nodiscard]] Result<Bytes> body(const Top& top, std::uint64_t limit) const;
  [[nodiscard]] Error damaged(const Top& top, std::string_view what) const {
    return input_error(file_.path(),
                       fmt::format("found a damaged variable at byte {}: {}", top.offset - 8, what));
  }

 private:
  const ByteFile& file_;
  bool big_ = false;
  std::vector<Top> tops_;
};

Result<> Mat5::open() {
  const auto header = file_.bytes(0, kHeader);
  if (!header) return header.error();
  big_ = (*header)[126] == 'M';
  std::uint64_t at = kHeader;
  while (at < file_.size()) {
    const auto tag = file_.bytes(at, 8);
    if (!tag) return tag.error();
    const std::uint32_t type = load_u32(tag->data(), big_);
    const Top top{at + 8, load_u32(tag->data() + 4, big_), type == kCompressed};
    if (type != kMatrix && type != kCompressed)
      return damaged(top, fmt::format("found an element of type {}", type));
    if (top.length > file_.size() - top.offset) return damaged(top, "it goes beyond the end of the file");
    tops_.push_back(top);
    at = top.offset + top.length;
    if (!top.compressed) at = std::min(file_.size(), (at + 7) / 8 * 8);
  }
  return Nothing{};
}

Result<Bytes> Mat5::body(const Top& top, std::uint64_t limit) const {
  if (!top.compressed) return file_.bytes(top.offset, std::min(top.length, limit));
  const auto tag = inflate_bytes(file_, top.offset, top.length, 8);
  if (!tag) return tag.error();
  if (tag->size() < 8 || load_u32(tag->data(), big_) != kMatrix)
    return damaged(top, "it unpacks to no matrix");
  const std::uint64_t length = load_u32(tag->data() + 4, big_);
  if (length / kDeflateRatio > top.length) {
    return damaged(top, fmt::format("{} bytes cannot unpack to {}", top.length, length));
  }
  auto out = inflate_bytes(file_, top.offset, top.length, 8 + std::min(length, limit));
  if (!out) return out;
  if (out->size() != 8 + std::min(length, limit))
    return damaged(top, "it unpacks to fewer bytes than it says");
  out->erase(out->begin(), out->begin() + 8);
  return out;
}

bool has_fields(const Matrix& matrix) {
  return matrix.class_number == kMatStruct || matrix.class_number == kObject;
}

constexpr std::string_view kNotMatrix = "its flags, sizes or name make no sense";
constexpr std::string_view kShort = "its numbers are not all there";

Result<MatContent> load_sparse(const Mat5& mat, const Top& top, Matrix matrix) {
  MatContent out;
  out.variable = matrix.variable;
  auto rows = matrix.content.positions();
  auto starts = matrix.content.positions();
  auto value = matrix.content.numbers();
  if (!rows || !starts || !value) return mat.damaged(top, kShort);
  out.row = std::move(*rows);
  out.column_start = std::move(*starts);
  out.value = std::move(*value);
  return out;
}

Result<MatContent> load_matrix(const Mat5& mat, const Top& top, Matrix matrix) {
  if (matrix.variable.kind == MatKind::kSparse) return load_sparse(mat, top, std::move(matrix));
  auto value = matrix.content.numbers();
  std::uint64_t cells = 1;
  for (const std::uint64_t size : matrix.variable.shape) cells *= size;
  if (!value || value->size() != cells) return mat.damaged(top, kShort);
  MatContent out;
  out.variable = std::move(matrix.variable);
  out.value = std::move(*value);
  return out;
}

}  // namespace

bool is_mat5(const ByteFile& file) {
  const auto header = file.bytes(0, kHeader);
  if (!header) return false;
  const bool little = (*header)[126] == 'I' && (*header)[127] == 'M';
  const bool big = (*header)[126] == 'M' && (*header)[127] == 'I';
  return (little || big) && load_u16(header->data() + 124, big) == 0x0100;
}

Result<std::vector<MatVariable>> list_mat5(const ByteFile& file) {
  Mat5 mat(file);
  if (auto opened = mat.open(); !opened) return opened.error();
  std::vector<MatVariable> out;
  for (const Top& top : mat.tops()) {
    auto body = mat.body(top, kStart);
    if (!body) return body.error();
    if (body->empty()) continue;
    auto matrix = parse_matrix(*body, mat.big());
    if (!matrix) return mat.damaged(top, kNotMatrix);
    if (matrix->variable.name.empty()) continue;  // the hidden one that objects need
    out.push_back(matrix->variable);
    if (!has_fields(*matrix)) continue;
    body = mat.body(top, std::numeric_limits<std::uint32_t>::max());
    if (!body) return body.error();
    matrix = parse_matrix(*body, mat.big());
    if (!matrix || !list_fields(*matrix, matrix->variable.name, 0, out)) {
      return mat.damaged(top, "its fields make no sense");
    }
  }
  return out;
}

Result<MatContent> load_mat5(const ByteFile& file, const std::string& name) {
  const std::vector<std::string> steps = split_dotted(name);
  Mat5 mat(file);
  if (auto opened = mat.open(); !opened) return opened.error();
  for (const Top& top : mat.tops()) {
    auto body = mat.body(top, kStart);
    if (!body) return body.error();
    if (body->empty()) continue;
    auto matrix = parse_matrix(*body, mat.big());
    if (!matrix) return mat.damaged(top, kNotMatrix);
    if (matrix->variable.name != steps.front()) continue;
    // Sizes are looked at before the numbers are unpacked, where a single array is asked for.
    if (steps.size() == 1) {
      if (auto fine = check_loadable(file.path(), matrix->variable); !fine) return fine.error();
    }
    body = mat.body(top, std::numeric_limits<std::uint32_t>::max());
    if (!body) return body.error();
    matrix = parse_matrix(*body, mat.big());
    if (!matrix) return mat.damaged(top, kNotMatrix);
    for (std::size_t s = 1; s < steps.size(); ++s) {
      auto fields = parse_fields(std::move(*matrix));
      if (!fields) return mat.damaged(top, "its fields make no sense");
      const auto found = std::find_if(fields->begin(), fields->end(),
                                      [&](const Field& field) { return field.name == steps[s]; });
      if (found == fields->end())
        return input_error(file.path(), fmt::format("found no variable {}", quoted(name)));
      matrix.emplace(std::move(found->matrix));
    }
    matrix->variable.name = name;
    if (auto fine = check_loadable(file.path(), matrix->variable); !fine) return fine.error();
    return load_matrix(mat, top, std::move(*matrix));
  }
  return input_error(file.path(), fmt::format("found no variable {}", quoted(name)));
}

}  // namespace lacuna::io
