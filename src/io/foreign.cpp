// SPDX-License-Identifier: MIT
#include "io/foreign.hpp"

#include <algorithm>
#include <array>

#include "io/file/ending.hpp"

namespace lacuna::io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExcel = "an Excel workbook";
constexpr std::string_view kOpenDocument = "an OpenDocument file";
constexpr std::string_view kParquet = "a Parquet file";
constexpr std::string_view kArrow = "an Arrow file";
constexpr std::string_view kFeather = "a Feather file";
constexpr std::string_view kBzip2 = "a file packed by bzip2";
constexpr std::string_view kLz4 = "a file packed by lz4";
constexpr std::string_view kZip = "a zip archive";
constexpr std::string_view kTar = "a tar archive";
constexpr std::string_view kSevenZip = "a 7z archive";
constexpr std::string_view kRar = "a rar archive";
constexpr std::string_view kPickle = "a pickle of Python";
constexpr std::string_view kSqlite = "an SQLite database";
constexpr std::string_view kJson = "a JSON file";
constexpr std::string_view kPdf = "a PDF document";
constexpr std::string_view kGif = "a GIF picture";
constexpr std::string_view kWebp = "a WebP picture";

struct Known {
  std::string_view mark;  // an ending, or first bytes
  std::string_view what;
};

// In a zip archive the name of its first file follows a head of 30 bytes.
std::string_view foreign_archive(std::string_view head) {
  const std::string_view first = head.substr(std::min<std::size_t>(30, head.size()));
  const auto begins = [&](std::string_view name) { return first.substr(0, name.size()) == name; };
  if (begins("[Content_Types].xml") || begins("xl/") || begins("_rels/") || begins("docProps/"))
    return kExcel;
  return begins("mimetypeapplication/vnd.oasis") ? kOpenDocument : std::string_view();
}

}  // namespace

std::string_view foreign_ending(const std::string& path) {
  constexpr std::array<Known, 30> kEndings = {{{".xlsx", kExcel},
                                               {".xlsm", kExcel},
                                               {".xlsb", kExcel},
                                               {".xls", kExcel},
                                               {".ods", kOpenDocument},
                                               {".parquet", kParquet},
                                               {".pq", kParquet},
                                               {".arrow", kArrow},
                                               {".feather", kFeather},
                                               {".orc", "an ORC file"},
                                               {".avro", "an Avro file"},
                                               {".json", kJson},
                                               {".jsonl", kJson},
                                               {".ndjson", kJson},
                                               {".bz2", kBzip2},
                                               {".lz4", kLz4},
                                               {".zip", kZip},
                                               {".7z", kSevenZip},
                                               {".rar", kRar},
                                               {".tar", kTar},
                                               {".tgz", kTar},
                                               {".pkl", kPickle},
                                               {".pickle", kPickle},
                                               {".sqlite", kSqlite},
                                               {".rds", "a file of R"},
                                               {".rdata", "a file of R"},
                                               {".pdf", kPdf},
                                               {".gif", kGif},
                                               {".webp", kWebp},
                                               {".xml", "an XML file"}}};
  const std::string_view name = without_packing(path);
  for (const Known& known : kEndings)
    if (has_ending(name, known.mark)) return known.what;
  return {};
}

std::string_view foreign_bytes(std::string_view head) {
  constexpr std::array<Known, 16> kBytes = {{{"PAR1\x15"sv, kParquet},
                                             {"ARROW1\0\0"sv, kArrow},
                                             {"FEA1\0\0\0\0"sv, kFeather},
                                             {"\x04\x22\x4d\x18"sv, kLz4},
                                             {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, kExcel},
                                             {"7z\xbc\xaf\x27\x1c"sv, kSevenZip},
                                             {"Rar!\x1a\x07"sv, kRar},
                                             {"\x80\x02"sv, kPickle},
                                             {"\x80\x03"sv, kPickle},
                                             {"\x80\x04\x95"sv, kPickle},
                                             {"\x80\x05\x95"sv, kPickle},
                                             {"SQLite format 3\0"sv, kSqlite},
                                             {"%PDF-"sv, kPdf},
                                             {"GIF87a"sv, kGif},
                                             {"GIF89a"sv, kGif},
                                             {"Obj\x01"sv, "an Avro file"sv}}};
  const auto starts = [&](std::string_view mark) { return head.substr(0, mark.size()) == mark; };
  if (starts("PK\x03\x04")) return foreign_archive(head);
  if (starts("RIFF") && head.substr(std::min<std::size_t>(8, head.size()), 4) == "WEBP") return kWebp;
  // A digit says how large the blocks are; an empty file has another mark behind it.
  if (starts("BZh") && head.size() >= 10 &&
      (head.substr(4, 6) == "1AY&SY" || head.substr(4, 2) == "\x17\x72"))
    return kBzip2;
  for (const Known& known : kBytes)
    if (starts(known.mark)) return known.what;
  return {};
}

}  // namespace lacuna::io
