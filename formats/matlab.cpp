// SPDX-License-Identifier: MIT
// MATLAB files of version 4 and 7.3, through libmatio. Nothing of what it would log is printed.
#include <fmt/format.h>
#include <matio.h>

#include <memory>
#include <optional>

#include "formats.hpp"
#include "hdf5_handles.hpp"
#include "io/matlab/mat_variable.hpp"
#include "io/text/number.hpp"
#include "sandbox.hpp"

namespace lacuna::formats {
namespace {

using io::MatKind;
using io::MatVariable;

constexpr int kDeepest = 16;  // structs within structs

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using MatFile = std::unique_ptr<mat_t, CloseFile>;
using MatVar = std::unique_ptr<matvar_t, FreeVariable>;

void say_nothing(int /*level*/, char* /*message*/) {}

Result<MatFile> open_file(const std::string& path) {
  if (is_hdf5(path)) {
    if (auto fine = check_hdf5_sizes(path); !fine) return fine.error();
  }
  Mat_LogInitFunc("lacuna", say_nothing);
  MatFile file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) return bad_file("found no MATLAB file that can be read, expected version 4, 5, 7 or 7.3");
  forbid_opening();
  return file;
}

MatVariable describe(const matvar_t& variable, std::string name) {
  std::vector<std::uint64_t> shape;
  for (int k = 0; k < variable.rank && variable.dims != nullptr; ++k) shape.push_back(variable.dims[k]);
  return io::make_mat_variable(std::move(name), static_cast<unsigned>(variable.class_type),
                               variable.isLogical != 0, variable.isComplex != 0, std::move(shape));
}

json describe(const MatVariable& variable) {
  return {{"name", variable.name},       {"type", variable.type},   {"kind", static_cast<int>(variable.kind)},
          {"complex", variable.complex}, {"shape", variable.shape}, {"dtype", variable.dtype}};
}

bool is_single_struct(const matvar_t& variable) {
  if (variable.class_type != MAT_C_STRUCT) return false;
  for (int k = 0; k < variable.rank; ++k) {
    if (variable.dims[k] != 1) return false;
  }
  return true;
}

void list_variable(matvar_t* variable, const std::string& name, int depth, json& out) {
  out.push_back(describe(describe(*variable, name)));
  if (!is_single_struct(*variable) || depth == kDeepest) return;
  char* const* const names = Mat_VarGetStructFieldnames(variable);
  const unsigned count = Mat_VarGetNumberOfFields(variable);
  for (unsigned f = 0; f < count && names != nullptr; ++f) {
    matvar_t* const field = Mat_VarGetStructFieldByIndex(variable, f, 0);
    if (field != nullptr) list_variable(field, name + "." + names[f], depth + 1, out);
  }
}

std::optional<io::Dtype> stored_dtype(matio_types type) {
  switch (type) {
    case MAT_T_INT8:
      return io::Dtype{'i', 1, false};
    case MAT_T_UINT8:
      return io::Dtype{'u', 1, false};
    case MAT_T_INT16:
      return io::Dtype{'i', 2, false};
    case MAT_T_UINT16:
      return io::Dtype{'u', 2, false};
    case MAT_T_INT32:
      return io::Dtype{'i', 4, false};
    case MAT_T_UINT32:
      return io::Dtype{'u', 4, false};
    case MAT_T_SINGLE:
      return io::Dtype{'f', 4, false};
    case MAT_T_DOUBLE:
      return io::Dtype{'f', 8, false};
    case MAT_T_INT64:
      return io::Dtype{'i', 8, false};
    case MAT_T_UINT64:
      return io::Dtype{'u', 8, false};
    default:
      return std::nullopt;
  }
}

std::vector<double> decoded(const io::Dtype& dtype, const void* data, std::size_t count) {
  std::vector<double> out(count);
  io::decode_numbers(dtype, static_cast<const unsigned char*>(data), count, out.data());
  return out;
}

Result<> send_numbers(const matvar_t& variable, const MatVariable& described, io::WireWriter& out) {
  const auto dtype = stored_dtype(variable.data_type);
  const Error failure = bad_file(fmt::format("the numbers of {} cannot be read", io::quoted(described.name)));
  if (!dtype || variable.data == nullptr) return failure;
  const json header{{"variable", describe(described)}};
  if (described.kind == MatKind::kDense) {
    const std::uint64_t cells = product(described.shape);
    if (variable.nbytes != cells * dtype->size) return failure;
    if (out.header(header, {cells}) && out.numbers(decoded(*dtype, variable.data, cells))) out.complete();
    return Nothing{};
  }
  const auto& sparse = *static_cast<const mat_sparse_t*>(variable.data);
  if (sparse.ir == nullptr || sparse.jc == nullptr || (sparse.data == nullptr && sparse.ndata > 0))
    return failure;
  const std::vector<double> rows(sparse.ir, sparse.ir + sparse.nir);
  const std::vector<double> starts(sparse.jc, sparse.jc + sparse.njc);
  if (out.header(header, {rows.size(), starts.size(), sparse.ndata}) && out.numbers(rows) &&
      out.numbers(starts) && out.numbers(decoded(*dtype, sparse.data, sparse.ndata)))
    out.complete();
  return Nothing{};
}

}  // namespace

Result<> list_matlab(const Request& request, io::WireWriter& out) {
  const auto file = open_file(request.path);
  if (!file) return file.error();
  json variables = json::array();
  while (const MatVar variable{Mat_VarReadNextInfo(file->get())})
    list_variable(variable.get(), variable->name != nullptr ? variable->name : "", 0, variables);
  if (out.header({{"variables", variables}})) out.complete();
  return Nothing{};
}

Result<> read_matlab(const Request& request, io::WireWriter& out) {
  const auto file = open_file(request.path);
  if (!file) return file.error();
  const std::vector<std::string> steps = io::split_dotted(request.variable);
  const MatVar top(Mat_VarReadInfo(file->get(), steps.front().c_str()));
  matvar_t* variable = top.get();
  for (std::size_t s = 1; s < steps.size() && variable != nullptr; ++s) {
    variable =
        is_single_struct(*variable) ? Mat_VarGetStructFieldByName(variable, steps[s].c_str(), 0) : nullptr;
  }
  if (variable == nullptr) return bad_file(fmt::format("found no variable {}", io::quoted(request.variable)));
  const MatVariable described = describe(*variable, request.variable);
  if (described.kind == MatKind::kOther || described.complex)
    return bad_file(fmt::format("found {} to be no array of real numbers", io::quoted(request.variable)));
  allow_bytes(described.kind == MatKind::kDense ? product({product(described.shape), sizeof(double)})
                                                : file_size(request.path) * 4);
  if (Mat_VarReadDataAll(file->get(), variable) != 0)
    return bad_file(fmt::format("the numbers of {} cannot be read", io::quoted(request.variable)));
  return send_numbers(*variable, described, out);
}

// The cells come last mode fastest and with the modes in the order that MATLAB would call reversed: as sent, they
// are first mode fastest.
Result<> write_matlab(const Request& request, ArrayToWrite array) {
  Mat_LogInitFunc("lacuna", say_nothing);
  const Error failure = output_error("", "libmatio could not write a version 7.3 file");
  const bool logical = array.array.dtype == "|b1";
  const auto dtype = io::parse_dtype(logical ? "|u1" : array.array.dtype);
  unsigned number = 0;
  while (number < 18 && io::mat_class(number).dtype != io::dtype_text(dtype.value_or(io::Dtype{}))) ++number;
  static constexpr matio_types kStored[] = {MAT_T_DOUBLE, MAT_T_SINGLE, MAT_T_INT8,  MAT_T_UINT8,
                                            MAT_T_INT16,  MAT_T_UINT16, MAT_T_INT32, MAT_T_UINT32,
                                            MAT_T_INT64,  MAT_T_UINT64};
  if (!dtype || number < MAT_C_DOUBLE || number > MAT_C_UINT64) return failure;
  std::vector<unsigned char> bytes(array.value.size() * dtype->size);
  if (io::encode_numbers(*dtype, array.value.data(), array.value.size(), bytes.data()))
    return output_error("",
                        fmt::format("a cell has no value that numbers of type {} can be", array.array.dtype));
  std::vector<std::size_t> shape;
  for (const Axis& axis : array.array.axes) shape.push_back(axis.size);
  MatFile file(Mat_CreateVer(request.path.c_str(), nullptr, MAT_FT_MAT73));
  if (!file) return failure;
  const MatVar made(Mat_VarCreate(array.array.variable.c_str(), static_cast<matio_classes>(number),
                                  kStored[number - MAT_C_DOUBLE], static_cast<int>(shape.size()),
                                  shape.data(), bytes.data(),
                                  MAT_F_DONT_COPY_DATA | (logical ? MAT_F_LOGICAL : 0)));
  if (!made || Mat_VarWrite(file.get(), made.get(), MAT_COMPRESSION_NONE) != 0) return failure;
  return Mat_Close(file.release()) == 0 ? Result<>(Nothing{}) : Result<>(failure);
}

}  // namespace lacuna::formats
