// SPDX-License-Identifier: MIT
// numpy's .npy: one dense array.
#include "io/array/npy.hpp"

#include <algorithm>

#include "dist/agreement.hpp"
#include "io/array/dense.hpp"
#include "io/array/npy_format.hpp"
#include "io/file/atomic_file.hpp"

namespace lacuna::io {

namespace {

struct OpenArray {
  ByteFile file;
  NpyHeader header;
  std::uint64_t rest = 0;  // bytes of numbers
  DenseArray array;        // without its numbers
};

Result<OpenArray> open_array(const std::string& path) {
  auto file = ByteFile::open(path);
  if (!file) return file.error();
  const auto prefix = file->bytes(0, std::min<std::uint64_t>(file->size(), kNpyPrefix));
  if (!prefix) return prefix.error();
  const auto header_size = npy_header_size(path, prefix->data(), prefix->size());
  if (!header_size) return header_size.error();
  const auto head = file->bytes(0, *header_size);
  if (!head) return head.error();
  auto header = parse_npy_header(path, head->data(), head->size());
  if (!header) return header.error();

  const std::uint64_t rest = file->size() - header->size;
  if (const auto count = npy_count(path, *header, rest); !count) return count.error();
  auto shape = checked_shape(path, header->shape);
  if (!shape) return shape.error();
  DenseArray array;
  array.format = Format::kNpy;
  array.shape = std::move(*shape);
  array.layout.dtype = dtype_text(*parse_dtype(header->dtype));
  array.layout.fortran_order = header->fortran_order;
  return OpenArray{
      .file = std::move(*file), .header = std::move(*header), .rest = rest, .array = std::move(array)};
}

Result<TensorFile> read_whole(const std::string& path, OpenArray opened, const ReadOptions& options) {
  if (auto fits = check_reading_memory(path, opened.array.shape); !fits) return fits.error();
  {
    const auto raw = opened.file.bytes(opened.header.size, opened.rest);
    if (!raw) return raw.error();
    auto value = npy_numbers(path, opened.header, raw->data(), raw->size());
    if (!value) return value.error();
    opened.array.value = std::move(*value);
  }
  return dense_file(path, std::move(opened.array), options);
}

// The numbers of the file from `begin` to `end`, as they stand in it.
Result<std::vector<double>> read_numbers(const std::string& path, const OpenArray& opened,
                                         std::uint64_t begin, std::uint64_t end) {
  const Dtype dtype = *parse_dtype(opened.header.dtype);
  const std::uint64_t bytes_of_cell = dtype.size + sizeof(double) + sizeof(Index) * opened.array.shape.size();
  if (auto fits = check_memory(path, end - begin, bytes_of_cell); !fits) return fits.error();
  const auto raw = opened.file.bytes(opened.header.size + begin * dtype.size, (end - begin) * dtype.size);
  if (!raw) return raw.error();
  std::vector<double> value(static_cast<std::size_t>(end - begin));
  decode_numbers(dtype, raw->data(), value.size(), value.data());
  return value;
}

// All cells together are the file's, in its order.
Result<TensorFile> read_own(const std::string& path, const ReadOptions& options,
                            const Communicator& everyone) {
  auto opened = open_array(path);
  if (!opened) return opened.error();
  const auto cells = static_cast<std::uint64_t>(cells_of(opened->array.shape));
  const auto processes = static_cast<std::uint64_t>(everyone.size());
  const auto rank = static_cast<std::uint64_t>(everyone.rank());
  const std::uint64_t begin = cells / processes * rank + cells % processes * rank / processes;
  const std::uint64_t end = cells / processes * (rank + 1) + cells % processes * (rank + 1) / processes;
  auto value = read_numbers(path, *opened, begin, end);
  if (!value) return value.error();
  opened->array.value = std::move(*value);
  return dense_stretch(path, std::move(opened->array), begin, options);
}

}  // namespace

Result<Reading> read_npy(const std::string& path, const ReadOptions& options, const Communicator& everyone) {
  if (!everyone.alone() && options.mask.empty() && options.known_modes == nullptr) {
    auto own = read_own(path, options, everyone);
    if (auto fine = agreed(everyone, own); !fine) return fine.error();
    return Reading{.file = std::move(*own), .shared = true};
  }
  auto opened = open_array(path);
  if (!opened) return opened.error();
  auto whole = read_whole(path, std::move(*opened), options);
  if (!whole) return whole.error();
  return Reading{.file = std::move(*whole), .shared = everyone.alone()};
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
