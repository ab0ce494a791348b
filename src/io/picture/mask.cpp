// SPDX-License-Identifier: MIT
// Masks: nonzero = observed (pictures: at least half bright), zero, NaN or transparent = missing.
#include "io/picture/mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/array/dense.hpp"

namespace lacuna::io {
namespace {

constexpr double kHalfBright = 0.5;
constexpr std::size_t kColours = 3;

bool is_prefix(const std::vector<Index>& part, const std::vector<Index>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// A black and white mask is often saved as a colour picture; its pixels then count by their mean.
void to_gray(std::vector<Index>& shape, std::vector<double>& value) {
  for (std::size_t pixel = 0; pixel < value.size() / kColours; ++pixel) {
    const double* const colour = value.data() + pixel * kColours;
    value[pixel] = (colour[0] + colour[1] + colour[2]) / static_cast<double>(kColours);
  }
  value.resize(value.size() / kColours);
  shape.pop_back();
}

}  // namespace

Result<> apply_mask(const std::string& path, const std::vector<Index>& shape, const ReadOptions& options,
                    std::vector<double>& value) {
  auto mask = read_tensor(options.mask);
  if (!mask) return mask.error();
  if (!mask->dense)
    return input_error(options.mask, "found a list of entries, expected a mask: a picture or a dense array");
  const bool picture = mask->format == Format::kPicture;
  std::vector<Index> mask_shape = shape_of(*mask);
  std::vector<double>& marks = mask->entries.value;
  const std::string found = shape_text(mask_shape);
  if (picture && mask_shape != shape && mask_shape.size() == 3 && mask_shape.back() == kColours) {
    to_gray(mask_shape, marks);
  }
  const std::vector<Index> frame(shape.begin() + 1, shape.end());
  const bool for_all_frames =
      !is_prefix(mask_shape, shape) && frame.size() > 1 && is_prefix(mask_shape, frame);
  if (!is_prefix(mask_shape, shape) && !for_all_frames) {
    const std::vector<Index> front(shape.begin(), shape.begin() + 2);
    return input_error(
        options.mask,
        fmt::format("found a mask of {}, expected {} as in {}", found,
                    shape.size() == 2 ? shape_text(shape)
                                      : fmt::format("{} or {}", shape_text(front), shape_text(shape)),
                    path));
  }
  const std::size_t frames = for_all_frames ? shape[0] : 1;
  // Cells of a frame that one mark speaks for.
  const std::size_t share = value.size() / frames / marks.size();
  for (std::size_t m = 0; m < marks.size(); ++m) {
    const bool marked = picture ? marks[m] >= kHalfBright : marks[m] != 0 && !std::isnan(marks[m]);
    if (marked != options.invert_mask) continue;
    for (std::size_t f = 0; f < frames; ++f)
      std::fill_n(value.begin() + static_cast<std::ptrdiff_t>((f * marks.size() + m) * share), share,
                  std::numeric_limits<double>::quiet_NaN());
  }
  return Nothing{};
}

}  // namespace lacuna::io
