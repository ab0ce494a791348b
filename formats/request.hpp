// SPDX-License-Identifier: MIT
// What is asked of this program, and what its readers and writers share.
#pragma once

#include <cstdint>
#include <functional>
#include <lacuna/base/base.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/array/dtype.hpp"
#include "io/child/wire.hpp"

namespace lacuna::formats {

using nlohmann::json;

struct Request {
  std::string path;      // absolute, so that no library takes it for an address
  std::string variable;  // empty: the one that fits
};

// An array as a file holds it, last mode fastest.
struct Axis {
  std::string name;
  std::uint64_t size = 0;
  std::vector<double> positions{};  // empty: the file has none that are distinct and finite
  std::string unit{};
  bool unfit = false;  // it has some that are not
};
struct Array {
  std::string variable{};
  std::string dtype{};  // numpy's word for the numbers as they are read: "<f4"
  std::vector<Axis> axes{};
};

// The header of an array that is read; its numbers follow.
bool send_header(io::WireWriter& out, const Array& array);
// What lacuna sends to be written: the header, and the numbers of all cells.
struct ArrayToWrite {
  Array array;
  std::vector<double> value;
};
Result<ArrayToWrite> receive_array(int descriptor);

// At most this many numbers are read at a time.
inline constexpr std::uint64_t kBlock = std::uint64_t{1} << 26;

// Visits an array of this shape in blocks of whole rows of its last modes, at most kBlock cells each, in order.
// Stops when the visitor says false, and returns that.
bool for_each_block(const std::vector<std::uint64_t>& shape,
                    const std::function<bool(const std::vector<std::size_t>& start,
                                             const std::vector<std::size_t>& count)>& visit);

// Sizes multiplied; no more than 2^63 however large they are.
[[nodiscard]] std::uint64_t product(const std::vector<std::uint64_t>& sizes);

// Whether positions can be used: finite, and no two equal.
[[nodiscard]] bool are_positions(const std::vector<double>& numbers);

// An error when a file of so many bytes cannot hold numbers of so many, however tightly they are packed.
Result<> check_claim(std::uint64_t file_bytes, std::uint64_t claimed_bytes);
// Of the file; 0 when it cannot be asked.
[[nodiscard]] std::uint64_t file_size(const std::string& path);

// Numbers that a whole-number type is to hold are rounded and kept within its range. `position`, of the first one
// that is missing, is given back; -1: none.
std::int64_t round_to_type(const io::Dtype& dtype, std::vector<double>& numbers);

// The one of several arrays that is meant: the one asked for, or else the only one of the most modes.
struct Candidate {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::string type;
  bool numeric = true;
};
Result<std::string> choose(const std::vector<Candidate>& candidates, const std::string& asked);

// Errors here have no place: the program that asked knows it.
inline Error bad_file(std::string what) { return input_error("", std::move(what)); }

}  // namespace lacuna::formats
