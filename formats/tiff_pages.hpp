// SPDX-License-Identifier: MIT
// The pages of a TIFF file: how their numbers are laid out, read and written.
#pragma once

#include <tiffio.h>

#include <memory>
#include <optional>

#include "request.hpp"

namespace lacuna::formats {

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffFile = std::unique_ptr<TIFF, CloseTiff>;

// Nothing of what the library would say is printed. Null: it cannot be opened.
TiffFile open_tiff(const std::string& path, const char* mode);

// One page's layout.
struct Page {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint16_t samples = 1;  // of a pixel, transparency among them
  std::uint16_t bits = 1;
  std::uint16_t format = SAMPLEFORMAT_UINT;
  std::uint16_t planar = PLANARCONFIG_CONTIG;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t compression = COMPRESSION_NONE;
  bool alpha = false;  // the last sample
  bool tiled = false;
  std::optional<double> missing{};

  [[nodiscard]] std::size_t bands() const { return samples - (alpha ? 1U : 0U); }
  [[nodiscard]] std::size_t pixels() const { return std::size_t{rows} * columns; }
  [[nodiscard]] std::size_t sample_bytes() const { return bits / 8U; }
  [[nodiscard]] bool same_numbers(const Page& other) const {
    return rows == other.rows && columns == other.columns && samples == other.samples && bits == other.bits &&
           format == other.format && alpha == other.alpha;
  }
};

// Nothing for samples that are not whole numbers or floats of 8, 16, 32 or 64 bits.
[[nodiscard]] std::optional<io::Dtype> dtype_of(const Page& page);

// The pages that are pictures of their own (no overviews, no masks), all alike, and their numbers in the file.
Result<std::vector<Page>> list_pages(TIFF* tiff, std::vector<std::size_t>& numbers);

// The samples of the page that the file stands at, all of a pixel together.
bool read_page(TIFF* tiff, const Page& page, std::vector<double>& out);
bool write_page(TIFF* tiff, const Page& page, const std::vector<double>& samples);

}  // namespace lacuna::formats
