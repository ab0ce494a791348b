// SPDX-License-Identifier: MIT
// Mutations that get past a checksum: the file is changed as libFuzzer likes, and then its sums and lengths are made
// true again. One time in eight they are left wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

namespace lacuna::fuzz {

using Bytes = std::vector<std::uint8_t>;
using Random = std::minstd_rand;

// Changes a file, which may grow to `most` bytes.
using Change = std::function<void(Bytes& file, std::size_t most, Random& random)>;

// For LLVMFuzzerCustomMutator: the last `option_bytes` are the target's options and are mutated by themselves.
std::size_t mutate_file(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                        std::size_t option_bytes, const Change& change);

// Whether a file holds "word" in quotes: of a model's kind, say.
[[nodiscard]] bool has_word(const std::uint8_t* data, std::size_t size, std::string_view word);

// libFuzzer's own mutation.
void mutate_bytes(Bytes& bytes, std::size_t most);

void change_gzip(Bytes& file, std::size_t most, Random& random);   // what is packed; plain text stays plain
void change_png(Bytes& file, std::size_t most, Random& random);    // the sum of every chunk
void change_zip(Bytes& file, std::size_t most, Random& random);    // the sums of members that are stored
void change_mat5(Bytes& file, std::size_t most, Random& random);   // what is inside of packed variables
void change_model(Bytes& file, std::size_t most, Random& random);  // header as JSON, arrays, the file's sum
void change_lines(Bytes& file, std::size_t most, Random& random);  // lines of JSON, all but the first

}  // namespace lacuna::fuzz
