// SPDX-License-Identifier: MIT
// MATLAB files of version 4 and 7.3, through libmatio. It and HDF5 beneath it keep global state, so one
// thread at a time is in here; and nothing of what they would log is printed.
#include "io/matlab/mat_matio.hpp"

#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "io/array/dense.hpp"
#include "io/matlab/hdf5_sizes.hpp"
#include "io/matlab/mat_variable.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr int kDeepest = 16;  // structs within structs

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using MatFile = std::unique_ptr<mat_t, CloseFile>;
using MatVar = std::unique_ptr<matvar_t, FreeVariable>;

std::mutex& matio_mutex() {
  static std::mutex mutex;
  return mutex;
}

void say_nothing(int /*level*/, char* /*message*/) {}

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

MatFile open_file(const ByteFile& file) {
  if (!is_hdf5(file) && !is_mat4(file)) return nullptr;
  Mat_LogInitFunc("lacuna", say_nothing);
  return MatFile(Mat_Open(file.path().c_str(), MAT_ACC_RDONLY));
}

Error not_matlab(const std::string& path) {
  return input_error(path, "found no MATLAB file that can be read, expected version 4, 5, 7 or 7.3");
}

MatVariable describe(const matvar_t& variable, std::string name) {
  std::vector<std::uint64_t> shape;
  for (int k = 0; k < variable.rank && variable.dims != nullptr; ++k) shape.push_back(variable.dims[k]);
  return make_mat_variable(std::move(name), static_cast<unsigned>(variable.class_type),
                           variable.isLogical != 0, variable.isComplex != 0, std::move(shape));
}

bool is_single_struct(const matvar_t& variable) {
  if (variable.class_type != MAT_C_STRUCT) return false;
  for (int k = 0; k < variable.rank; ++k) {
    if (variable.dims[k] != 1) return false;
  }
  return true;
}

void list_variable(matvar_t* variable, const std::string& name, int depth, std::vector<MatVariable>& out) {
  out.push_back(describe(*variable, name));
  if (!is_single_struct(*variable) || depth == kDeepest) return;
  char* const* const names = Mat_VarGetStructFieldnames(variable);
  const unsigned count = Mat_VarGetNumberOfFields(variable);
  for (unsigned f = 0; f < count && names != nullptr; ++f) {
    matvar_t* const field = Mat_VarGetStructFieldByIndex(variable, f, 0);
    if (field != nullptr) list_variable(field, name + "." + names[f], depth + 1, out);
  }
}

std::optional<Dtype> stored_dtype(matio_types type) {
  switch (type) {
    case MAT_T_INT8:
      return Dtype{'i', 1, false};
    case MAT_T_UINT8:
      return Dtype{'u', 1, false};
    case MAT_T_INT16:
      return Dtype{'i', 2, false};
    case MAT_T_UINT16:
      return Dtype{'u', 2, false};
    case MAT_T_INT32:
      return Dtype{'i', 4, false};
    case MAT_T_UINT32:
      return Dtype{'u', 4, false};
    case MAT_T_SINGLE:
      return Dtype{'f', 4, false};
    case MAT_T_DOUBLE:
      return Dtype{'f', 8, false};
    case MAT_T_INT64:
      return Dtype{'i', 8, false};
    case MAT_T_UINT64:
      return Dtype{'u', 8, false};
    default:
      return std::nullopt;
  }
}

std::uint64_t variable_cells(const MatVariable& variable) {
  std::uint64_t cells = 1;
  for (const std::uint64_t size : variable.shape) cells *= size;
  return cells;
}

Result<MatContent> take_numbers(const std::string& path, const matvar_t& variable, MatContent out) {
  const auto dtype = stored_dtype(variable.data_type);
  const Error failure =
      input_error(path, fmt::format("the numbers of {} cannot be read", quoted(out.variable.name)));
  if (!dtype || variable.data == nullptr) return failure;
  if (out.variable.kind == MatKind::kDense) {
    const std::uint64_t cells = variable_cells(out.variable);
    if (variable.nbytes != cells * dtype->size) return failure;
    out.value.resize(cells);
    decode_numbers(*dtype, static_cast<const unsigned char*>(variable.data), cells, out.value.data());
    return out;
  }
  const auto& sparse = *static_cast<const mat_sparse_t*>(variable.data);
  if (sparse.ir == nullptr || sparse.jc == nullptr || (sparse.data == nullptr && sparse.ndata > 0))
    return failure;
  out.row.assign(sparse.ir, sparse.ir + sparse.nir);
  out.column_start.assign(sparse.jc, sparse.jc + sparse.njc);
  out.value.resize(sparse.ndata);
  decode_numbers(*dtype, static_cast<const unsigned char*>(sparse.data), sparse.ndata, out.value.data());
  return out;
}

}  // namespace

Result<std::vector<MatVariable>> list_matio(const ByteFile& source) {
  const std::string& path = source.path();
  const std::lock_guard<std::mutex> lock(matio_mutex());
  if (is_hdf5(source)) {
    if (auto fine = check_hdf5_sizes(source); !fine) return fine.error();
  }
  const MatFile file = open_file(source);
  if (!file) return not_matlab(path);
  std::vector<MatVariable> out;
  while (const MatVar variable{Mat_VarReadNextInfo(file.get())}) {
    list_variable(variable.get(), variable->name != nullptr ? variable->name : "", 0, out);
  }
  return out;
}

Result<MatContent> load_matio(const ByteFile& source, const std::string& name) {
  const std::string& path = source.path();
  const std::lock_guard<std::mutex> lock(matio_mutex());
  const MatFile file = open_file(source);
  if (!file) return not_matlab(path);
  const std::vector<std::string> steps = split_dotted(name);
  const MatVar top(Mat_VarReadInfo(file.get(), steps.front().c_str()));
  matvar_t* variable = top.get();
  for (std::size_t s = 1; s < steps.size() && variable != nullptr; ++s) {
    variable =
        is_single_struct(*variable) ? Mat_VarGetStructFieldByName(variable, steps[s].c_str(), 0) : nullptr;
  }
  if (variable == nullptr) return input_error(path, fmt::format("found no variable {}", quoted(name)));
  MatContent out;
  out.variable = describe(*variable, name);
  if (auto fine = check_loadable(path, out.variable); !fine) return fine.error();
  if (Mat_VarReadDataAll(file.get(), variable) != 0) {
    return input_error(path, fmt::format("the numbers of {} cannot be read", quoted(name)));
  }
  return take_numbers(path, *variable, std::move(out));
}

Result<> write_matio(const std::string& path, const MatVariable& variable, Bytes bytes) {
  const std::lock_guard<std::mutex> lock(matio_mutex());
  Mat_LogInitFunc("lacuna", say_nothing);
  const Error failure = output_error(path, "libmatio could not write a version 7.3 file");
  MatFile file(Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT73));
  if (!file) return failure;
  unsigned number = 0;
  const bool logical = variable.dtype == "|b1";
  while (number < 18 && mat_class(number).dtype != (logical ? std::string("|u1") : variable.dtype)) ++number;
  static constexpr matio_types kStored[] = {MAT_T_DOUBLE, MAT_T_SINGLE, MAT_T_INT8,  MAT_T_UINT8,
                                            MAT_T_INT16,  MAT_T_UINT16, MAT_T_INT32, MAT_T_UINT32,
                                            MAT_T_INT64,  MAT_T_UINT64};
  if (number < MAT_C_DOUBLE || number > MAT_C_UINT64) return failure;
  std::vector<std::size_t> shape(variable.shape.begin(), variable.shape.end());
  const MatVar made(Mat_VarCreate(variable.name.c_str(), static_cast<matio_classes>(number),
                                  kStored[number - MAT_C_DOUBLE], static_cast<int>(shape.size()),
                                  shape.data(), bytes.data(),
                                  MAT_F_DONT_COPY_DATA | (logical ? MAT_F_LOGICAL : 0)));
  if (!made || Mat_VarWrite(file.get(), made.get(), MAT_COMPRESSION_NONE) != 0) return failure;
  if (Mat_Close(file.release()) != 0) return failure;
  return Nothing{};
}

}  // namespace lacuna::io
