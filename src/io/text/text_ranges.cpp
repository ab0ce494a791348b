// SPDX-License-Identifier: MIT
#include "io/text/text_ranges.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "dist/agreement.hpp"
#include "io/text/fields.hpp"

namespace lacuna::io {
namespace {

namespace fs = std::filesystem;

struct Piece {
  std::uint64_t bytes = 0;
  bool packed = false;
};

// Of what is not a plain file, such as a device, the size is not known: it is not divided either.
Result<Piece> look_at(const TextRange& file) {
  const auto reader = TextReader::open(file.path);
  if (!reader) return reader.error();
  std::error_code problem;
  const bool plain = fs::is_regular_file(file.path, problem);
  const std::uint64_t size = plain ? fs::file_size(file.path, problem) : 0;
  if (problem || !plain) return Piece{.bytes = 1, .packed = true};
  if (reader->packed()) return Piece{.bytes = size, .packed = true};
  return Piece{.bytes = size - std::min(size, file.begin)};
}

// Whether a line that begins behind the range begins within quotes, when one at its beginning does or does not.
Result<bool> ends_in_quotes(const TextRange& range, const std::string& delimiter, bool in_quotes, bool& any) {
  auto reader = TextReader::open(range);
  if (!reader) return reader.error();
  const FieldSplitter splitter(delimiter);
  std::string_view line;
  while (reader->next(line)) {
    if (line.find('"') == std::string_view::npos) continue;
    any = true;
    QuoteScan scan{.at = 0, .field_start = !in_quotes, .in_quotes = in_quotes};
    in_quotes = splitter.ends_in_quotes(line, scan);
  }
  if (auto status = reader->status(); !status) return status.error();
  return in_quotes;
}

// How the next process's first line begins, when this one's begins [0] outside quotes and [1] within.
Result<std::vector<int>> quotes_behind(const std::vector<TextRange>& ranges, const std::string& delimiter) {
  if (ranges.empty()) return std::vector<int>{0, 1};
  const TextRange& last = ranges.back();
  if (last.end == TextRange::kEnd) return std::vector<int>{0, 0};  // the next one begins a file
  bool any = false;
  const auto outside = ends_in_quotes(last, delimiter, false, any);
  if (!outside) return outside.error();
  if (ranges.size() > 1) return std::vector<int>{*outside ? 1 : 0, *outside ? 1 : 0};
  if (!any) return std::vector<int>{0, 1};
  const auto within = ends_in_quotes(last, delimiter, true, any);
  if (!within) return within.error();
  return std::vector<int>{*outside ? 1 : 0, *within ? 1 : 0};
}

}  // namespace

Result<std::vector<std::string>> text_files(const std::string& path) {
  std::error_code problem;
  if (!fs::is_directory(path, problem)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (auto at = fs::directory_iterator(path, problem); !problem && at != fs::directory_iterator();
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (name[0] != '.' && name[0] != '_' && !fs::is_directory(at->path()))
      files.push_back(at->path().string());
  }
  if (problem) return input_error(path, problem.message());
  if (files.empty()) return input_error(path, "found a folder without files, expected parts of a text");
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<TextRange>> share_ranges(const std::vector<TextRange>& files,
                                            const Communicator& everyone) {
  if (everyone.alone()) return files;
  std::vector<Piece> pieces;
  std::uint64_t total = 0;
  for (const TextRange& file : files) {
    const auto piece = look_at(file);
    if (!piece) return piece.error();
    pieces.push_back(*piece);
    total += piece->bytes;
  }
  const auto processes = static_cast<std::uint64_t>(everyone.size());
  const auto rank = static_cast<std::uint64_t>(everyone.rank());
  const std::uint64_t from = total / processes * rank + total % processes * rank / processes;
  const std::uint64_t to = total / processes * (rank + 1) + total % processes * (rank + 1) / processes;
  std::vector<TextRange> ranges;
  std::uint64_t at = 0;  // of the file among all bytes
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::uint64_t begin = std::max(from, at);
    const std::uint64_t end = std::min(to, at + pieces[i].bytes);
    const TextRange& file = files[i];
    if (pieces[i].packed && from <= at && at < to)
      ranges.push_back({.path = file.path});
    else if (!pieces[i].packed && begin < end)
      ranges.push_back({.path = file.path,
                        .begin = file.begin + (begin - at),
                        .end = end == at + pieces[i].bytes ? TextRange::kEnd : file.begin + (end - at)});
    at += pieces[i].bytes;
  }
  return ranges;
}

Result<> find_quotes(std::vector<TextRange>& ranges, const std::string& delimiter,
                     const Communicator& everyone) {
  const bool may_hold_breaks = delimiter == "," || delimiter == ";" || delimiter == "|";
  if (everyone.alone() || !may_hold_breaks) return Nothing{};
  auto behind = quotes_behind(ranges, delimiter);
  if (auto fine = agreed(everyone, behind); !fine) return fine;
  const std::vector<int> all = everyone.gather(std::span<const int>(*behind));
  int in_quotes = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(everyone.rank()); ++r)
    in_quotes = all[2 * r + static_cast<std::size_t>(in_quotes)];
  if (!ranges.empty()) ranges.front().in_quotes = in_quotes != 0;
  return Nothing{};
}

}  // namespace lacuna::io
