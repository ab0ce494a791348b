// SPDX-License-Identifier: MIT
// One reader and one writer per format. tensor_file.cpp picks among them; nothing else includes this.
#pragma once

#include <lacuna/io/tensor_file.hpp>

namespace lacuna::io {

// Text (text_*.cpp)
Result<TensorFile> read_tns(const std::string& path, const ReadOptions& options);
Result<TensorFile> read_sptensor(const std::string& path, const ReadOptions& options);
Result<TensorFile> read_table(const std::string& path, const ReadOptions& options);
Result<> write_tns(const std::string& path, const TensorFile& file);  // gzipped when the name ends in .gz
Result<> write_sptensor(const std::string& path, const TensorFile& file);
Result<> write_table(const std::string& path, const TensorFile& file);

// Arrays (npy.cpp, npz.cpp, mat.cpp) and pictures (picture.cpp)
Result<TensorFile> read_npy(const std::string& path, const ReadOptions& options);
Result<TensorFile> read_npz(const std::string& path, const ReadOptions& options);
Result<TensorFile> read_mat(const std::string& path, const ReadOptions& options);
Result<TensorFile> read_picture(const std::string& path, const ReadOptions& options);
Result<> write_npy(const std::string& path, const TensorFile& file);
Result<> write_npz(const std::string& path, const TensorFile& file);  // COO, or dense when file.dense
Result<> write_mat(const std::string& path, const TensorFile& file);
Result<> write_picture(const std::string& path, const TensorFile& file);
// kOutput unless a picture can have this file's shape.
Result<> check_picture_shape(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
