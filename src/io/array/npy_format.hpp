// SPDX-License-Identifier: MIT
// The .npy layout: a magic, a version, a Python dictionary as text, raw numbers. Shared by .npy and .npz.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/array/dense.hpp"

namespace lacuna::io {

struct NpyHeader {
  std::string dtype;  // "<f8"; not necessarily one of numbers
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::size_t size = 0;  // bytes of the header: where the numbers start
};

// How many bytes from the start of the file are enough to know how long the header is.
inline constexpr std::size_t kNpyPrefix = 12;

// From the first bytes (kNpyPrefix of them, fewer when the file is shorter): the length of the whole header.
Result<std::uint64_t> npy_header_size(const std::string& where, const unsigned char* bytes,
                                      std::size_t count);
// `bytes` start with the whole header.
Result<NpyHeader> parse_npy_header(const std::string& where, const unsigned char* bytes, std::size_t count);

// The number of array elements, checked against the bytes that follow the header; an error for element types
// that are not plain real numbers.
Result<std::size_t> npy_count(const std::string& where, const NpyHeader& header, std::uint64_t bytes_after);

// The numbers as doubles, last mode fastest. `bytes` are those after the header.
Result<std::vector<double>> npy_numbers(const std::string& where, const NpyHeader& header,
                                        const unsigned char* bytes, std::uint64_t count);

// The header of version 1.0 (2.0 when that is too short), padded so that the numbers start at a multiple
// of 64.
Bytes npy_header(const std::string& dtype, bool fortran_order, const std::vector<std::uint64_t>& shape);

}  // namespace lacuna::io
