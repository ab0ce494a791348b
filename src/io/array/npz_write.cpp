// SPDX-License-Identifier: MIT
// Writing numpy's .npz: a dense array, or a list of cells that pydata/sparse reads.
#include "io/array/npz_write.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "io/array/dense.hpp"
#include "io/array/npy_format.hpp"
#include "io/array/zip.hpp"
#include "io/file/atomic_file.hpp"

namespace lacuna::io {
namespace {

constexpr const char* kEnding = ".npy";

void append_doubles(Bytes& out, const std::vector<double>& value) {
  const std::size_t start = out.size();
  out.resize(start + value.size() * sizeof(double));
  (void)encode_numbers(Dtype{}, value.data(), value.size(),
                       out.data() + start);  // a double takes every double
}

Bytes joined(Bytes header, const Bytes& numbers) {
  header.insert(header.end(), numbers.begin(), numbers.end());
  return header;
}

bool sorted_without_repeats(const Entries& entries) {
  const auto order = static_cast<std::size_t>(entries.order());
  for (std::size_t e = 1; e < entries.value.size(); ++e) {
    std::size_t k = 0;
    while (k < order && entries.cells[k][e - 1] == entries.cells[k][e]) ++k;
    if (k == order || entries.cells[k][e - 1] > entries.cells[k][e]) return false;
  }
  return true;
}

Result<> check_entries(const std::string& path, const TensorFile& file) {
  const Entries& entries = file.entries;
  if (entries.order() != static_cast<int>(file.modes.size()))
    throw std::invalid_argument("entries and modes differ in order");
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    if (std::isinf(entries.value[e])) return output_error(path, fmt::format("entry {} is infinite", e + 1));
    for (std::size_t k = 0; k < file.modes.size(); ++k) {
      if (entries.cells[k][e] < file.modes[k].size) continue;
      return output_error(path, fmt::format("entry {} lies outside mode '{}' of size {}", e + 1,
                                            file.modes[k].name, file.modes[k].size));
    }
  }
  return Nothing{};
}

void write_sparse(ZipWriter& zip, const TensorFile& file) {
  const Entries& entries = file.entries;
  const auto order = static_cast<std::uint64_t>(entries.order());
  const std::uint64_t count = entries.value.size();
  Bytes coords;
  Bytes shape;
  for (std::size_t k = 0; k < order; ++k) {
    for (const Index i : entries.cells[k]) append_number(coords, i, 8);
    append_number(shape, file.modes[k].size, 8);
  }
  Bytes data;
  append_doubles(data, entries.value);
  const auto add = [&zip](const char* name, const char* dtype, const std::vector<std::uint64_t>& sizes,
                          const Bytes& bytes) {
    zip.add(std::string(name) + kEnding, joined(npy_header(dtype, false, sizes), bytes));
  };
  add("data", "<f8", {count}, data);
  add("shape", "<i8", {order}, shape);
  // sparse.load_npz asks for a fill value and then takes the coordinates to be sorted and unique. Where they
  // are not, it had better refuse the file than go wrong; numpy.load reads it all the same.
  if (sorted_without_repeats(entries)) {
    Bytes fill;
    append_doubles(fill, {std::numeric_limits<double>::quiet_NaN()});
    add("fill_value", "<f8", {}, fill);
  }
  add("coords", "<i8", {order, count}, coords);
}

}  // namespace

Result<> write_npz(const std::string& path, const TensorFile& file) {
  Bytes header;
  Bytes numbers;
  if (file.dense) {
    const bool fortran = file.layout.fortran_order;
    auto array =
        encode_dense(path, file, file.layout, fortran ? CellOrder::kFirstFastest : CellOrder::kLastFastest);
    if (!array) return array.error();
    std::vector<std::uint64_t> shape;
    for (const Mode& mode : file.modes) shape.push_back(mode.size);
    header = npy_header(dtype_text(array->dtype), fortran, shape);
    numbers = std::move(array->bytes);
  } else if (auto fine = check_entries(path, file); !fine) {
    return fine;
  }
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  ZipWriter zip;
  if (file.dense) {
    const std::string name = file.layout.variable.empty() ? "data" : file.layout.variable;
    zip.add(name + kEnding, joined(std::move(header), numbers));
    numbers = {};
  } else {
    write_sparse(zip, file);
  }
  if (!zip.finish(*out))
    return output_error(path, fmt::format("libzip could not write it: {}", zip.trouble()));
  return out->commit();
}

}  // namespace lacuna::io
