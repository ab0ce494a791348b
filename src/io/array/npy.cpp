// SPDX-License-Identifier: MIT
// numpy's .npy: one dense array.
#include "io/array/npy.hpp"

#include <algorithm>

#include "io/array/dense.hpp"
#include "io/array/npy_format.hpp"
#include "io/file/atomic_file.hpp"

namespace lacuna::io {

Result<TensorFile> read_npy(const std::string& path, const ReadOptions& options) {
  const auto file = ByteFile::open(path);
  if (!file) return file.error();
  const auto prefix = file->bytes(0, std::min<std::uint64_t>(file->size(), kNpyPrefix));
  if (!prefix) return prefix.error();
  const auto header_size = npy_header_size(path, prefix->data(), prefix->size());
  if (!header_size) return header_size.error();
  const auto head = file->bytes(0, *header_size);
  if (!head) return head.error();
  const auto header = parse_npy_header(path, head->data(), head->size());
  if (!header) return header.error();

  const std::uint64_t rest = file->size() - header->size;
  if (const auto count = npy_count(path, *header, rest); !count) return count.error();
  auto shape = checked_shape(path, header->shape);
  if (!shape) return shape.error();
  if (auto fits = check_reading_memory(path, *shape); !fits) return fits.error();

  DenseArray array;
  array.format = Format::kNpy;
  array.shape = std::move(*shape);
  {
    const auto raw = file->bytes(header->size, rest);
    if (!raw) return raw.error();
    auto value = npy_numbers(path, *header, raw->data(), raw->size());
    if (!value) return value.error();
    array.value = std::move(*value);
  }
  array.layout.dtype = dtype_text(*parse_dtype(header->dtype));
  array.layout.fortran_order = header->fortran_order;
  return dense_file(path, std::move(array), options);
}

Result<> write_npy(const std::string& path, const TensorFile& file) {
  const bool fortran = file.layout.fortran_order;
  const auto array =
      encode_dense(path, file, file.layout, fortran ? CellOrder::kFirstFastest : CellOrder::kLastFastest);
  if (!array) return array.error();
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  std::vector<std::uint64_t> shape;
  for (const Mode& mode : file.modes) shape.push_back(mode.size);
  const Bytes header = npy_header(dtype_text(array->dtype), fortran, shape);
  out->write(header.data(), header.size());
  out->write(array->bytes.data(), array->bytes.size());
  return out->commit();
}

}  // namespace lacuna::io
