// SPDX-License-Identifier: MIT
#include "tiff_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace lacuna::formats {
namespace {

constexpr std::uint32_t kNoDataTag = 42113;  // GDAL_NODATA: a number in words
constexpr std::size_t kMostPages = 100'000;

TIFFExtendProc next_extender = nullptr;

void add_tags(TIFF* tiff) {
  static char name[] = "GDALNoDataValue";
  static const TIFFFieldInfo fields[] = {{kNoDataTag, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, name}};
  TIFFMergeFieldInfo(tiff, fields, 1);
  if (next_extender != nullptr) next_extender(tiff);
}

Page describe(TIFF* tiff) {
  Page page;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page.columns);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page.rows);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page.samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page.format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &page.planar);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page.compression);
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &page.photometric);
  std::uint16_t extras = 0;
  std::uint16_t* kinds = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds) != 0 && extras > 0 && kinds != nullptr)
    page.alpha = page.samples > 1 &&
                 (kinds[extras - 1] == EXTRASAMPLE_ASSOCALPHA || kinds[extras - 1] == EXTRASAMPLE_UNASSALPHA);
  page.tiled = TIFFIsTiled(tiff) != 0;
  char* words = nullptr;
  if (TIFFGetField(tiff, kNoDataTag, &words) != 0 && words != nullptr) {
    char* end = nullptr;
    const double value = std::strtod(words, &end);
    if (end != words) page.missing = value;
  }
  return page;
}

// Where the samples of one strip or tile belong: `take` is called with the row, the column, the number of pixels in
// this row, the first sample (all of them where they lie together) and the bytes.
template <class Body>
void for_each_run(const Page& page, std::uint32_t row0, std::uint32_t column0, std::uint32_t rows,
                  std::uint32_t width, Body&& take) {
  const std::size_t together = page.planar == PLANARCONFIG_SEPARATE ? 1 : page.samples;
  const std::size_t stride = std::size_t{width} * together * page.sample_bytes();
  const std::uint32_t last_row = std::min(page.rows, row0 + rows);
  const std::uint32_t count = std::min(page.columns - column0, width);
  for (std::uint32_t row = row0; row < last_row; ++row) take(row, column0, count, (row - row0) * stride);
}

// Calls visit(number, sample, row0, column0, rows, width) for each strip or tile.
template <class Visit>
bool for_each_piece(TIFF* tiff, const Page& page, Visit&& visit) {
  const bool apart = page.planar == PLANARCONFIG_SEPARATE;
  std::uint32_t height = page.rows;
  std::uint32_t width = page.columns;
  if (page.tiled) {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
  } else {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &height);
    height = std::min(height, page.rows);
  }
  if (height == 0 || width == 0) return false;
  std::uint32_t number = 0;
  for (std::size_t sample = 0; sample < (apart ? page.samples : 1U); ++sample)
    for (std::uint64_t row = 0; row < page.rows; row += height)
      for (std::uint64_t column = 0; column < page.columns; column += width)
        if (!visit(number++, sample, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column),
                   height, width))
          return false;
  return true;
}

tmsize_t piece_bytes(TIFF* tiff, const Page& page) {
  return page.tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
}

}  // namespace

TiffFile open_tiff(const std::string& path, const char* mode) {
  TIFFSetErrorHandler(nullptr);
  TIFFSetWarningHandler(nullptr);
  static const bool extended = [] {
    next_extender = TIFFSetTagExtender(add_tags);
    return true;
  }();
  (void)extended;
  return TiffFile(TIFFOpen(path.c_str(), mode));
}

std::optional<io::Dtype> dtype_of(const Page& page) {
  const std::size_t bytes = page.sample_bytes();
  if (page.bits % 8 != 0 || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) return std::nullopt;
  if (page.format == SAMPLEFORMAT_IEEEFP)
    return bytes >= 2 ? std::optional(io::Dtype{'f', bytes, false}) : std::nullopt;
  if (page.format == SAMPLEFORMAT_INT) return io::Dtype{'i', bytes, false};
  if (page.format == SAMPLEFORMAT_UINT || page.format == SAMPLEFORMAT_VOID)
    return io::Dtype{'u', bytes, false};
  return std::nullopt;
}

Result<std::vector<Page>> list_pages(TIFF* tiff, std::vector<std::size_t>& numbers) {
  std::vector<Page> pages;
  std::size_t number = 0;
  do {
    std::uint32_t kind = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &kind);
    if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0) {
      pages.push_back(describe(tiff));
      numbers.push_back(number);
    }
    ++number;
  } while (number < kMostPages && TIFFReadDirectory(tiff) != 0);
  if (pages.empty()) return bad_file("found no picture in it");
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const Page& page = pages[i];
    if (!dtype_of(page) || page.samples == 0 || page.rows == 0 || page.columns == 0)
      return bad_file(fmt::format(
          "found numbers of {} bits, expected whole numbers or floats of 8, 16, 32 or 64", page.bits));
    if (page.photometric == PHOTOMETRIC_PALETTE)
      return bad_file("found a palette of colours, expected brightness, colours or bands themselves");
    if (!page.same_numbers(pages.front()))
      return bad_file(
          fmt::format("found page {} to differ in size or type from the first, expected pages alike", i + 1));
  }
  return pages;
}

bool read_page(TIFF* tiff, const Page& page, std::vector<double>& out) {
  const io::Dtype dtype = *dtype_of(page);
  const tmsize_t most = piece_bytes(tiff, page);
  if (most <= 0) return false;
  if (page.compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(most));
  std::vector<double> run;
  const std::size_t together = page.planar == PLANARCONFIG_SEPARATE ? 1 : page.samples;
  out.assign(page.pixels() * page.samples, 0.0);
  return for_each_piece(
      tiff, page,
      [&](std::uint32_t number, std::size_t sample, std::uint32_t row0, std::uint32_t column0,
          std::uint32_t rows, std::uint32_t width) {
        const tmsize_t got = page.tiled ? TIFFReadEncodedTile(tiff, number, bytes.data(), most)
                                        : TIFFReadEncodedStrip(tiff, number, bytes.data(), most);
        if (got < 0) return false;
        std::fill(bytes.begin() + got, bytes.end(), static_cast<unsigned char>(0));
        bool inside = true;
        for_each_run(page, row0, column0, rows, width,
                     [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::size_t offset) {
                       const std::size_t numbers = count * together;
                       if (offset + numbers * dtype.size > bytes.size()) {
                         inside = false;
                         return;
                       }
                       run.resize(numbers);
                       io::decode_numbers(dtype, bytes.data() + offset, numbers, run.data());
                       double* const to =
                           out.data() + (std::size_t{row} * page.columns + column) * page.samples + sample;
                       for (std::size_t i = 0; i < count; ++i)
                         std::copy_n(run.data() + i * together, together, to + i * page.samples);
                     });
        return inside;
      });
}

bool write_page(TIFF* tiff, const Page& page, const std::vector<double>& samples) {
  const io::Dtype dtype = *dtype_of(page);
  const tmsize_t most = piece_bytes(tiff, page);
  if (most <= 0) return false;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(most));
  std::vector<double> run;
  const std::size_t together = page.planar == PLANARCONFIG_SEPARATE ? 1 : page.samples;
  return for_each_piece(
      tiff, page,
      [&](std::uint32_t number, std::size_t sample, std::uint32_t row0, std::uint32_t column0,
          std::uint32_t rows, std::uint32_t width) {
        std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
        std::size_t used = 0;
        for_each_run(page, row0, column0, rows, width,
                     [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::size_t offset) {
                       run.resize(count * together);
                       const double* const from = samples.data() +
                                                  (std::size_t{row} * page.columns + column) * page.samples +
                                                  sample;
                       for (std::size_t i = 0; i < count; ++i)
                         std::copy_n(from + i * page.samples, together, run.data() + i * together);
                       (void)io::encode_numbers(dtype, run.data(), run.size(), bytes.data() + offset);
                       used = offset + std::size_t{width} * together * dtype.size;
                     });
        const tmsize_t length = page.tiled ? most : static_cast<tmsize_t>(used);
        return (page.tiled ? TIFFWriteEncodedTile(tiff, number, bytes.data(), length)
                           : TIFFWriteEncodedStrip(tiff, number, bytes.data(), length)) >= 0;
      });
}

}  // namespace lacuna::formats
