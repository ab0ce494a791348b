// SPDX-License-Identifier: MIT
#include "report/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/picture/picture_png.hpp"
#include "report/picture_modes.hpp"

namespace lacuna::report {
namespace {

using nlohmann::ordered_json;

constexpr Count kMostPixels = Count{4} << 20;
constexpr Index kFrames = 3;

std::string base64(const io::Bytes& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t j = 0; j < 3; ++j) three = three << 8U | (i + j < bytes.size() ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= bytes.size() ? kDigits[three >> (6 * (3 - j)) & 63U] : '=';
  }
  return text;
}

// Values from low to high become dark to bright; a pixel without any value is transparent.
ordered_json image_of(const std::string& caption, io::Picture picture, const std::vector<double>& values,
                      double low, double high) {
  picture.missing.assign(picture.pixels(), true);
  picture.samples.assign(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    picture.missing[i / picture.channels] = false;
    const double level = high > low ? (values[i] - low) / (high - low) : 0.5;
    picture.samples[i] = static_cast<std::uint16_t>(std::lround(255.0 * std::clamp(level, 0.0, 1.0)));
  }
  const auto png = io::encode_png("report", picture);
  return {{"caption", caption}, {"source", png ? "data:image/png;base64," + base64(*png) : ""}};
}

// One picture: all rows and columns, at one frame, in three channels or one.
class Slice {
 public:
  Slice(const Model& model, const PictureModes& modes, Index frame)
      : modes_(modes),
        rows_(model.modes[modes.row].size),
        columns_(model.modes[modes.column].size),
        channels_(modes.channel ? 3 : 1),
        frame_(frame),
        low_(model.observed.low),
        high_(model.observed.high) {}

  // All of its cells, pixel by pixel.
  [[nodiscard]] Cells cells(int order) const {
    Cells all(order);
    std::vector<Index> cell(static_cast<std::size_t>(order), 0);
    if (modes_.frame) cell[*modes_.frame] = frame_;
    for (Index i = 0; i < rows_; ++i)
      for (Index j = 0; j < columns_; ++j)
        for (unsigned c = 0; c < channels_; ++c) {
          cell[modes_.row] = i;
          cell[modes_.column] = j;
          if (modes_.channel) cell[*modes_.channel] = c;
          all.add(cell);
        }
    return all;
  }

  // Entries of this slice at value(e); the others are missing.
  template <class Value>
  [[nodiscard]] std::vector<double> gather(const Entries& entries, Value&& value) const {
    std::vector<double> found(std::size_t{rows_} * columns_ * channels_, std::nan(""));
    for (Count e = 0; e < entries.size(); ++e) {
      const Index i = entries.cells[modes_.row][e];
      const Index j = entries.cells[modes_.column][e];
      const Index c = modes_.channel ? entries.cells[*modes_.channel][e] : 0;
      if (i >= rows_ || j >= columns_ || c >= channels_) continue;
      if (modes_.frame && entries.cells[*modes_.frame][e] != frame_) continue;
      found[(std::size_t{i} * columns_ + j) * channels_ + c] = value(e);
    }
    return found;
  }

  [[nodiscard]] ordered_json image(const std::string& caption, const std::vector<double>& values, double low,
                                   double high) const {
    return image_of(caption,
                    {.rows = rows_, .columns = columns_, .channels = channels_, .samples = {}, .missing = {}},
                    values, low, high);
  }
  [[nodiscard]] ordered_json image(const std::string& caption, const std::vector<double>& values) const {
    return image(caption, values, low_, high_);
  }

 private:
  PictureModes modes_;
  Index rows_;
  Index columns_;
  unsigned channels_;
  Index frame_;
  double low_;
  double high_;
};

ordered_json images_of(const Slice& slice, const Model& model, const Predictor& predictor,
                       const ReportInput& input, std::span<const double> test_prediction) {
  ordered_json images = ordered_json::array();
  if (input.train != nullptr)
    images.push_back(slice.image("before: what was known",
                                 slice.gather(*input.train, [&](Count e) { return input.train->value[e]; })));
  images.push_back(
      slice.image("after: what the model says", predictor.predict(slice.cells(model.order())).value));
  if (input.test == nullptr) return images;
  const auto truth = [&](Count e) { return input.test->value[e]; };
  std::vector<double> known = slice.gather(*input.test, truth);
  if (input.train != nullptr) {
    const std::vector<double> fitted =
        slice.gather(*input.train, [&](Count e) { return input.train->value[e]; });
    for (std::size_t i = 0; i < known.size(); ++i)
      if (std::isnan(known[i])) known[i] = fitted[i];
  }
  images.push_back(slice.image("the truth, where it is known", known));
  std::vector<double> error =
      slice.gather(*input.test, [&](Count e) { return std::abs(truth(e) - test_prediction[e]); });
  std::vector<double> sizes;
  std::copy_if(error.begin(), error.end(), std::back_inserter(sizes),
               [](double v) { return !std::isnan(v); });
  if (sizes.empty()) return images;
  // The largest errors are few; the rest would be black if white were theirs.
  const auto high = sizes.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), high, sizes.end());
  images.push_back(slice.image(fmt::format("difference on the test entries, white from {:.3g}", *high), error,
                               0.0, *high));
  return images;
}

}  // namespace

ordered_json signed_image(const std::string& caption, Index rows, Index columns,
                          const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values)
    if (!std::isnan(value)) most = std::max(most, std::abs(value));
  return image_of(caption, {.rows = rows, .columns = columns, .channels = 1, .samples = {}, .missing = {}},
                  values, -most, most);
}

ordered_json pictures(const Model& model, const Predictor& predictor, const ReportInput& input) {
  ordered_json shown = ordered_json::array();
  const auto modes = picture_modes(model.modes);
  if (!input.picture || !modes) return shown;
  if (Count{model.modes[modes->row].size} > kMostPixels / Count{model.modes[modes->column].size})
    return shown;
  std::vector<double> test_prediction;
  if (input.test != nullptr)
    test_prediction = predictor.predict(input.test->cells, input.test->coordinates).value;

  const Index depth = modes->frame ? model.modes[*modes->frame].size : 1;
  const Index frames = std::min(depth, kFrames);
  for (Index f = 0; f < frames; ++f) {
    const auto frame = static_cast<Index>((2 * Count{f} + 1) * depth / (2 * Count{frames}));  // evenly spread
    const std::string title =
        depth == 1 ? ""
                   : fmt::format("{} {}", model.modes[*modes->frame].name, frame + Index(model.index_base));
    shown.push_back(
        {{"title", title},
         {"images", images_of(Slice(model, *modes, frame), model, predictor, input, test_prediction)}});
  }
  return shown;
}

}  // namespace lacuna::report
