// SPDX-License-Identifier: MIT
#include "io/cube/envi_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "io/text/number.hpp"
#include "io/text/reader.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kLongestValue = std::size_t{1} << 24;

struct NumberOfType {
  unsigned number;
  Dtype dtype;
};
constexpr std::array<NumberOfType, 9> kTypes = {{{1, {'u', 1, false}},
                                                 {2, {'i', 2, false}},
                                                 {3, {'i', 4, false}},
                                                 {4, {'f', 4, false}},
                                                 {5, {'f', 8, false}},
                                                 {12, {'u', 2, false}},
                                                 {13, {'u', 4, false}},
                                                 {14, {'i', 8, false}},
                                                 {15, {'u', 8, false}}}};

std::string plain_key(std::string_view text) {
  std::string key;
  for (const char c : trim(text)) {
    if (is_blank(c) && (key.empty() || key.back() == ' ')) continue;
    key += is_blank(c) ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

}  // namespace

Result<EnviHeader> EnviHeader::read(const std::string& path) {
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  EnviHeader header;
  header.path_ = path;
  std::string_view line;
  if (!reader->next(line) || trim(line) != "ENVI") {
    if (const auto status = reader->status(); !status) return status.error();
    return input_error(path + ":1", "found no 'ENVI' in the first line, expected the header of an ENVI cube");
  }
  while (reader->next(line)) {
    if (trim(line).empty() || trim(line).front() == ';') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
      return input_error(reader->where(), fmt::format("found {}, expected 'key = value'", quoted(line)));
    EnviField field{.key = plain_key(line.substr(0, equals)),
                    .value = std::string(trim(line.substr(equals + 1))),
                    .line = reader->line_number()};
    while (field.value.starts_with('{') && field.value.find('}') == std::string::npos) {
      if (!reader->next(line) || field.value.size() > kLongestValue)
        return input_error(fmt::format("{}:{}", path, field.line), "found a '{' without its '}'");
      field.value += '\n';
      field.value += line;
    }
    header.fields_.push_back(std::move(field));
  }
  if (const auto status = reader->status(); !status) return status.error();
  return header;
}

const std::string* EnviHeader::find(std::string_view key) const {
  for (const EnviField& field : fields_)
    if (field.key == key) return &field.value;
  return nullptr;
}

std::string EnviHeader::where(std::string_view key) const {
  for (const EnviField& field : fields_)
    if (field.key == key && field.line > 0) return fmt::format("{}:{}", path_, field.line);
  return path_;
}

std::string EnviHeader::text() const {
  std::string text = "ENVI\n";
  for (const EnviField& field : fields_) text += fmt::format("{} = {}\n", field.key, field.value);
  return text;
}

Result<std::uint64_t> EnviHeader::number(std::string_view key, std::uint64_t low, std::uint64_t high,
                                         std::optional<std::uint64_t> otherwise) const {
  const std::string* const value = find(key);
  if (value == nullptr && otherwise) return *otherwise;
  if (value == nullptr) return input_error(path_, fmt::format("found no '{}' in the header", key));
  std::uint64_t number = 0;
  if (parse_index(*value, number) && number >= low && number <= high) return number;
  return input_error(where(key), fmt::format("found {} = {}, expected a whole number from {} to {}", key,
                                             quoted(*value), low, high));
}

Result<std::vector<double>> EnviHeader::numbers(std::string_view key) const {
  const std::string* const value = find(key);
  std::vector<double> list;
  if (value == nullptr) return list;
  std::string_view rest = *value;
  if (rest.starts_with('{')) rest = rest.substr(1, rest.find('}') - 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string piece(rest.substr(0, comma));
    std::replace(piece.begin(), piece.end(), '\n', ' ');
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    double number = 0;
    if (trim(piece).empty() && rest.empty()) break;  // a comma at the end
    if (!parse_number(trim(piece), number) || !std::isfinite(number))
      return input_error(
          where(key), fmt::format("found {} among '{}', expected finite numbers", quoted(trim(piece)), key));
    list.push_back(number);
  }
  return list;
}

void EnviHeader::set(std::string_view key, std::string value) {
  for (EnviField& field : fields_) {
    if (field.key != key) continue;
    field.value = std::move(value);
    return;
  }
  fields_.push_back({.key = std::string(key), .value = std::move(value)});
}

void EnviHeader::erase(std::string_view key) {
  std::erase_if(fields_, [&](const EnviField& field) { return field.key == key; });
}

std::optional<Dtype> envi_dtype(std::uint64_t number) {
  for (const NumberOfType& one : kTypes)
    if (one.number == number) return one.dtype;
  return std::nullopt;
}

std::optional<unsigned> envi_number(const Dtype& dtype) {
  for (const NumberOfType& one : kTypes)
    if (one.dtype.kind == dtype.kind && one.dtype.size == dtype.size) return one.number;
  return std::nullopt;
}

}  // namespace lacuna::io
