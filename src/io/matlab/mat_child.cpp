// SPDX-License-Identifier: MIT
// What is said: "list" is answered with {"variables": [...]}, each as describe() in formats/matlab.cpp has it; "read"
// with {"variable": ...} and the cells, first mode fastest, or the rows, column starts and values of a sparse one.
#include "io/matlab/mat_child.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "io/array/dense.hpp"
#include "io/child/formats_process.hpp"
#include "io/file/atomic_file.hpp"

namespace lacuna::io {
namespace {

using nlohmann::json;

bool is_hdf5(const ByteFile& file) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  // At the start, or after a header of 512, 1024, 2048, ... bytes.
  for (std::uint64_t at = 0; at + kSignature.size() <= file.size(); at = at == 0 ? 512 : 2 * at) {
    const auto found = file.bytes(at, kSignature.size());
    if (found &&
        std::equal(kSignature.begin(), kSignature.end(), reinterpret_cast<const char*>(found->data()))) {
      return true;
    }
  }
  return false;
}

// Version 4 is a row of records: type, rows, columns, complex or not, length of the name; the name; the
// numbers. The decimal digits of the type are byte order, 0, number type, kind of matrix.
bool is_mat4(const ByteFile& file) {
  constexpr std::uint64_t kHeader = 20;
  constexpr std::uint32_t kLongestName = 256;
  constexpr std::array<std::uint64_t, 6> kSizes = {8, 4, 4, 2, 2, 1};
  std::uint64_t at = 0;
  while (at < file.size()) {
    const auto header = file.bytes(at, kHeader);
    if (!header) return false;
    const bool big = (*header)[0] == 0 && (*header)[1] == 0 && ((*header)[2] != 0 || (*header)[3] != 0);
    const auto field = [&](std::size_t number) { return load_u32(header->data() + 4 * number, big); };
    const std::uint32_t type = field(0);
    const std::uint32_t number_type = type / 10 % 10;
    if (type / 1000 != (big ? 1U : 0U) || type / 100 % 10 != 0 || number_type >= kSizes.size() ||
        type % 10 > 2) {
      return false;
    }
    if (field(3) > 1 || field(4) == 0 || field(4) > kLongestName) return false;
    std::uint64_t bytes = kSizes[number_type] * (1 + field(3));
    if (__builtin_mul_overflow(bytes, std::uint64_t{field(1)} * field(2), &bytes)) return false;
    const std::uint64_t left = file.size() - at - kHeader;
    if (field(4) > left || bytes > left - field(4)) return false;
    at += kHeader + field(4) + bytes;
  }
  return at > 0;
}

// False when the description is not one.
bool take_variable(const json& from, MatVariable& out) {
  for (const char* key : {"name", "type", "dtype"})
    if (!from.is_object() || !from.contains(key) || !from[key].is_string()) return false;
  if (!from.contains("kind") || !from["kind"].is_number_unsigned() || from["kind"] > 2) return false;
  if (!from.contains("complex") || !from["complex"].is_boolean()) return false;
  if (!from.contains("shape") || !from["shape"].is_array()) return false;
  out.name = from["name"].get<std::string>();
  out.type = from["type"].get<std::string>();
  out.dtype = from["dtype"].get<std::string>();
  out.kind = static_cast<MatKind>(from["kind"].get<int>());
  out.complex = from["complex"].get<bool>();
  for (const json& size : from["shape"]) {
    if (!size.is_number_unsigned()) return false;
    out.shape.push_back(size.get<std::uint64_t>());
  }
  return out.kind != MatKind::kDense || parse_dtype(out.dtype);
}

// Rows and column starts come as doubles.
bool take_positions(const std::vector<double>& numbers, std::vector<std::uint64_t>& out) {
  constexpr double kMost = 9007199254740992.0;
  for (const double number : numbers) {
    if (!(number >= 0.0 && number <= kMost) || number != std::floor(number)) return false;
    out.push_back(static_cast<std::uint64_t>(number));
  }
  return true;
}

}  // namespace

Result<std::vector<MatVariable>> list_mat_child(const ByteFile& file) {
  const std::string& path = file.path();
  if (!is_hdf5(file) && !is_mat4(file))
    return input_error(path, "found no MATLAB file that can be read, expected version 4, 5, 7 or 7.3");
  auto child = FormatsProcess::start(FormatsProcess::Job::kRead, path, {"list", "mat", absolute_path(path)});
  if (!child) return child.error();
  const auto header = child->answer();
  if (!header) return header.error();
  if (!header->contains("variables") || !(*header)["variables"].is_array()) return child->nonsense();
  std::vector<MatVariable> out;
  for (const json& described : (*header)["variables"])
    if (!take_variable(described, out.emplace_back())) return child->nonsense();
  if (auto ended = child->finish(); !ended) return ended.error();
  return out;
}

Result<MatContent> load_mat_child(const ByteFile& file, const MatVariable& variable) {
  const std::string& path = file.path();
  if (auto fine = check_loadable(path, variable); !fine) return fine.error();
  auto child = FormatsProcess::start(FormatsProcess::Job::kRead, path,
                                     {"read", "mat", absolute_path(path), variable.name});
  if (!child) return child.error();
  const auto header = child->answer();
  if (!header) return header.error();
  MatContent out;
  if (!header->contains("variable") || !take_variable((*header)["variable"], out.variable))
    return child->nonsense();
  if (out.variable.kind != variable.kind || out.variable.shape != variable.shape) return child->nonsense();
  const std::vector<std::uint64_t>& sizes = child->arrays();
  const bool dense = variable.kind == MatKind::kDense;
  if (sizes.size() != (dense ? 1U : 3U)) return child->nonsense();
  if (dense && sizes[0] != cells_of(*checked_shape(path, variable.shape))) return child->nonsense();
  std::vector<std::vector<double>> arrays;
  for (const std::uint64_t size : sizes) {
    constexpr std::uint64_t kBytes = 3 * sizeof(double);
    if (auto fits = check_memory(path, size, dense ? sizeof(double) : kBytes); !fits) return fits.error();
    if (auto got = child->numbers(arrays.emplace_back(size)); !got) return got.error();
  }
  if (auto ended = child->finish(); !ended) return ended.error();
  if (!dense && (!take_positions(arrays[0], out.row) || !take_positions(arrays[1], out.column_start)))
    return child->nonsense();
  out.value = std::move(arrays.back());
  return out;
}

// libmatio writes by name, so its file is there before it is whole, under a passing name.
Result<> write_mat73(const std::string& path, const MatVariable& variable, const Bytes& bytes) {
  const auto dtype = parse_dtype(variable.dtype);
  if (!dtype) return output_error(path, "numbers of a type that MATLAB does not have");
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  const auto temporary = out->flush_to_path();
  if (!temporary) return temporary.error();
  auto child =
      FormatsProcess::start(FormatsProcess::Job::kWrite, path, {"write", "mat", absolute_path(*temporary)});
  if (!child) return child.error();
  json axes = json::array();
  for (const std::uint64_t size : variable.shape)
    axes.push_back({{"name", ""}, {"size", size}, {"unit", ""}, {"placed", false}});
  const std::size_t cells = bytes.size() / dtype->size;
  bool sent =
      child->to().header({{"variable", variable.name}, {"dtype", variable.dtype}, {"axes", axes}}, {cells});
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<double> block;
  for (std::size_t at = 0; sent && at < cells; at += kBlock) {
    block.resize(std::min(kBlock, cells - at));
    decode_numbers(*dtype, bytes.data() + at * dtype->size, block.size(), block.data());
    sent = child->to().numbers(block);
  }
  if (sent) (void)child->to().complete();
  if (const auto answer = child->answer(); !answer) return answer.error();
  if (auto ended = child->finish(); !ended) return ended;
  return out->commit();
}

}  // namespace lacuna::io
