// SPDX-License-Identifier: MIT
// TIFF pictures, with any number of bands and pages: row x column [x band], page x row x column [x band] where there
// are several pages of one size. Numbers are as stored. GDAL's word for missing pixels and transparency count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats.hpp"
#include "given_file.hpp"
#include "io/array/dense.hpp"
#include "sandbox.hpp"
#include "tiff_pages.hpp"

namespace lacuna::formats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Bands only, NaN where the pixel is missing.
void to_values(const Page& page, std::vector<double>& samples) {
  const std::size_t bands = page.bands();
  for (std::size_t pixel = 0; pixel < page.pixels(); ++pixel) {
    const double* const from = samples.data() + pixel * page.samples;
    double* const to = samples.data() + pixel * bands;
    const bool transparent = page.alpha && from[bands] == 0.0;
    for (std::size_t b = 0; b < bands; ++b) to[b] = transparent || from[b] == page.missing ? kNaN : from[b];
  }
  samples.resize(page.pixels() * bands);
}

std::vector<Axis> axes_of(const Page& page, std::size_t pages) {
  std::vector<Axis> axes;
  if (pages > 1) axes.push_back({.name = "page", .size = pages});
  axes.push_back({.name = "row", .size = page.rows});
  axes.push_back({.name = "column", .size = page.columns});
  const bool colours = page.bands() == 3 && page.photometric != PHOTOMETRIC_MINISBLACK;
  if (page.bands() > 1) axes.push_back({.name = colours ? "channel" : "band", .size = page.bands()});
  return axes;
}

// How an array that comes from elsewhere is laid out: 4 modes, or 3 that begin with pages, are several pages.
Result<std::pair<Page, std::size_t>> plan_pages(const Array& array, const io::Dtype& dtype) {
  std::vector<std::uint64_t> shape;
  for (const Axis& axis : array.axes) shape.push_back(axis.size);
  const std::string& first = array.axes.front().name;
  const bool paged =
      shape.size() == 4 || (shape.size() == 3 && (first == "page" || first == "time" || first == "frame"));
  const std::size_t at = paged ? 1 : 0;
  const std::size_t left = shape.size() - at;
  if (left < 2 || left > 3 || (left == 3 && shape.back() > std::numeric_limits<std::uint16_t>::max()) ||
      shape[at] > std::numeric_limits<std::int32_t>::max() ||
      shape[at + 1] > std::numeric_limits<std::int32_t>::max())
    return output_error(
        "", fmt::format("found a tensor of {}, expected row x column, row x column x band, or pages of "
                        "these, for a TIFF picture",
                        io::shape_text(shape)));
  Page page{.rows = static_cast<std::uint32_t>(shape[at]),
            .columns = static_cast<std::uint32_t>(shape[at + 1])};
  page.samples = left == 3 ? static_cast<std::uint16_t>(shape.back()) : std::uint16_t{1};
  page.bits = static_cast<std::uint16_t>(8 * dtype.size);
  page.format = dtype.is_float()    ? std::uint16_t{SAMPLEFORMAT_IEEEFP}
                : dtype.kind == 'i' ? std::uint16_t{SAMPLEFORMAT_INT}
                                    : std::uint16_t{SAMPLEFORMAT_UINT};
  const bool colours = page.samples == 3 && dtype.kind == 'u' && dtype.size <= 2;
  page.photometric = colours ? std::uint16_t{PHOTOMETRIC_RGB} : std::uint16_t{PHOTOMETRIC_MINISBLACK};
  return std::pair{page, paged ? static_cast<std::size_t>(shape[0]) : std::size_t{1}};
}

void set_tags(TIFF* tiff, const Page& page) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, page.columns);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, page.rows);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, page.samples);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, page.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, page.format);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, page.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
  const std::size_t plain = page.photometric == PHOTOMETRIC_RGB ? 3 : 1;
  if (page.samples > plain) {
    const std::vector<std::uint16_t> extras(page.samples - plain, EXTRASAMPLE_UNSPECIFIED);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<std::uint16_t>(extras.size()), extras.data());
  }
}

bool is_lossless(const Page& page) {
  switch (page.compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_LZW:
    case COMPRESSION_PACKBITS:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_LZMA:
    case COMPRESSION_ZSTD:
      return true;
    default:
      return false;
  }
}

// Values of one page -> samples: what is missing becomes the file's word for it.
Result<std::vector<double>> to_samples(const Page& page, const double* value) {
  const io::Dtype dtype = *dtype_of(page);
  const std::size_t bands = page.bands();
  const double opaque = dtype.is_float() ? 1.0 : std::exp2(page.bits - (dtype.kind == 'i' ? 1 : 0)) - 1.0;
  std::vector<double> samples(page.pixels() * page.samples, 0.0);
  for (std::size_t pixel = 0; pixel < page.pixels(); ++pixel) {
    const double* const from = value + pixel * bands;
    double* const to = samples.data() + pixel * page.samples;
    const auto blank =
        static_cast<std::size_t>(std::count_if(from, from + bands, [](double v) { return std::isnan(v); }));
    const bool transparent = page.alpha && blank == bands;
    if (blank > 0 && !transparent && !page.missing && !dtype.is_float())
      return output_error(
          "", fmt::format("pixel {} (counted from 0, row by row) has no value, and numbers of type {} "
                          "cannot be NaN",
                          pixel, io::dtype_text(dtype)));
    for (std::size_t b = 0; b < bands; ++b) {
      const bool none = std::isnan(from[b]);
      to[b] = none ? (transparent ? 0.0 : page.missing.value_or(kNaN)) : from[b];
    }
    if (page.alpha) to[bands] = transparent ? 0.0 : opaque;
  }
  return samples;
}

Error failure() { return output_error("", "the TIFF library could not write it" + system_reason()); }

}  // namespace

Result<> read_tiff(const Request& request, io::WireWriter& out) {
  const TiffFile tiff = open_tiff(request.path, "rm");
  if (!tiff) return bad_file("found no TIFF picture that can be read");
  forbid_opening();
  std::vector<std::size_t> numbers;
  const auto pages = list_pages(tiff.get(), numbers);
  if (!pages) return pages.error();
  const Page& first = pages->front();
  const std::uint64_t bytes =
      product({pages->size(), first.rows, first.columns, first.samples, first.sample_bytes()});
  if (auto fine = check_claim(file_size(request.path), bytes); !fine) return fine.error();
  allow_bytes(product({first.rows, first.columns, first.samples, sizeof(double)}));
  const bool blanks = first.alpha || first.missing.has_value();
  Array array{
      .variable = "", .dtype = io::dtype_text(*dtype_of(first)), .axes = axes_of(first, pages->size())};
  if (blanks && !dtype_of(first)->is_float() && first.missing) array.dtype = "<f8";
  if (!send_header(out, array)) return Nothing{};
  std::vector<double> samples;
  for (std::size_t i = 0; i < pages->size(); ++i) {
    if (TIFFSetDirectory(tiff.get(), static_cast<tdir_t>(numbers[i])) == 0 ||
        !read_page(tiff.get(), (*pages)[i], samples))
      return bad_file("the numbers cannot be read");
    to_values((*pages)[i], samples);
    if (!out.numbers(samples)) return Nothing{};
  }
  out.complete();
  return Nothing{};
}

Result<> write_tiff(const Request& request, ArrayToWrite array) {
  const auto dtype = io::parse_dtype(array.array.dtype.empty() ? "<f8" : array.array.dtype);
  if (!dtype) return output_error("", "found a type of numbers that TIFF does not have");
  const auto plan =
      plan_pages(array.array, io::Dtype{dtype->kind == 'b' ? 'u' : dtype->kind, dtype->size, false});
  if (!plan) return plan.error();
  const auto& [page, pages] = *plan;
  constexpr std::size_t kClassic = std::size_t{3} << 30;  // beyond it offsets of 32 bits may not do
  TiffFile tiff = open_tiff(request.path, array.value.size() * dtype->size > kClassic ? "w8" : "w");
  if (!tiff) return failure();
  forbid_opening();
  for (std::size_t i = 0; i < pages; ++i) {
    set_tags(tiff.get(), page);
    const auto samples = to_samples(page, array.value.data() + i * page.pixels() * page.bands());
    if (!samples) return samples.error();
    if (!write_page(tiff.get(), page, *samples) || TIFFWriteDirectory(tiff.get()) == 0) return failure();
  }
  return TIFFFlush(tiff.get()) == 0 ? Result<>(failure()) : Result<>(Nothing{});
}

Result<> update_tiff(const Request& request, ArrayToWrite array) {
  TiffFile tiff = open_tiff(request.path, "r+m");
  if (!tiff) return bad_file("found no TIFF picture that can be read");
  std::vector<std::size_t> numbers;
  const auto pages = list_pages(tiff.get(), numbers);
  if (!pages) return pages.error();
  if (std::any_of(pages->begin(), pages->end(), [](const Page& page) { return !is_lossless(page); })) {
    tiff.reset();  // its packing would change the numbers
    if (array.array.axes.size() > 4) return output_error("", "the picture has changed since it was read");
    return write_tiff(request, std::move(array));
  }
  forbid_opening();
  const std::size_t cells = pages->front().pixels() * pages->front().bands();
  if (cells * pages->size() != array.value.size())
    return output_error("", "the picture has changed since it was read");
  for (std::size_t i = 0; i < pages->size(); ++i) {
    const Page& page = (*pages)[i];
    std::vector<double> value(array.value.begin() + static_cast<std::ptrdiff_t>(i * cells),
                              array.value.begin() + static_cast<std::ptrdiff_t>((i + 1) * cells));
    const auto samples = to_samples(page, value.data());
    if (!samples) return samples.error();
    if (TIFFSetDirectory(tiff.get(), static_cast<tdir_t>(numbers[i])) == 0 ||
        !write_page(tiff.get(), page, *samples) || TIFFFlush(tiff.get()) == 0)
      return failure();
  }
  return Nothing{};
}

}  // namespace lacuna::formats
