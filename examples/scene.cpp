// SPDX-License-Identifier: MIT
// The picture of scripts/demo: an evening by a lake, drawn here, of which nine pixels in ten are then lost.
//
//   scene make DIR              DIR/original.png, and DIR/lost.png whose lost pixels are transparent
//   scene score DIR COMPLETED   the error on the lost pixels, beside two simple guesses, and
//                               DIR/before-after.png: what was left, what was made of it, what it was
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <lacuna/lacuna.hpp>
#include <limits>
#include <numbers>
#include <string>

#include "base/rng.hpp"

namespace {

using lacuna::Count;
using lacuna::Index;
using lacuna::Result;
using lacuna::TensorFile;

constexpr Index kSide = 256;
constexpr Index kChannels = 3;
constexpr double kKept = 0.1;  // share of the pixels that is not lost
constexpr std::uint64_t kSeed = 7;
constexpr Index kGap = 8;  // between the panels of before-after.png

using Colour = std::array<double, kChannels>;  // 0..1

constexpr Colour rgb(int red, int green, int blue) { return {red / 255.0, green / 255.0, blue / 255.0}; }

// Paints `over` onto `under` with the given opacity.
Colour blend(const Colour& under, const Colour& over, double opacity) {
  const double share = std::clamp(opacity, 0.0, 1.0);
  Colour mixed{};
  for (Index c = 0; c < kChannels; ++c) mixed[c] = under[c] + share * (over[c] - under[c]);
  return mixed;
}

Colour add(const Colour& under, const Colour& light, double strength) {
  Colour sum{};
  for (Index c = 0; c < kChannels; ++c) sum[c] = under[c] + strength * light[c];
  return sum;
}

// 0 far below zero, 1 far above, with a soft edge of about `width`.
double edge(double distance, double width) { return 1.0 / (1.0 + std::exp(-4.0 * distance / width)); }
double bump(double distance, double width) { return std::exp(-distance * distance / (width * width)); }
double wave(double turns) { return std::sin(2.0 * std::numbers::pi * turns); }

constexpr double kShore = 0.60;
constexpr double kSunColumn = 0.64;
constexpr double kSunRow = 0.42;

// x and y run over 0..1, from the top left.
Colour sky(double x, double y) {
  Colour colour = blend(rgb(24, 32, 84), rgb(120, 70, 140), y / 0.35);
  colour = blend(colour, rgb(252, 168, 96), (y - 0.25) / 0.35);
  colour = add(colour, rgb(82, 54, 9), bump(x - kSunColumn, 0.22) * bump(y - kSunRow - 0.03, 0.16));
  colour = blend(colour, rgb(255, 236, 170), edge(0.075 - std::hypot(x - kSunColumn, y - kSunRow), 0.03));
  struct Cloud {
    double x, y, width, height, opacity;
  };
  constexpr std::array<Cloud, 3> kClouds = {
      {{0.22, 0.14, 0.18, 0.026, 0.60}, {0.80, 0.21, 0.20, 0.022, 0.50}, {0.36, 0.31, 0.15, 0.018, 0.55}}};
  for (const Cloud& cloud : kClouds)
    colour = blend(colour, rgb(255, 190, 170),
                   cloud.opacity * bump(x - cloud.x, cloud.width) * bump(y - cloud.y, cloud.height));
  return colour;
}

Colour hills(const Colour& behind, double x, double y) {
  const double far = kShore - 0.07 - 0.035 * wave(0.9 * x + 0.1);
  const double near = kShore - 0.02 - 0.020 * wave(1.4 * x + 0.5);
  return blend(blend(behind, rgb(104, 70, 124), edge(y - far, 0.08)), rgb(46, 44, 86), edge(y - near, 0.06));
}

Colour water(double x, double y) {
  const double depth = std::max(0.0, (y - kShore) / (1.0 - kShore));
  const double ripple = 0.5 + 0.5 * wave(26.0 * std::sqrt(depth + 0.02) + 0.06 * wave(x));
  Colour colour = blend(rgb(236, 150, 100), rgb(30, 36, 92), std::sqrt(depth));
  for (double& channel : colour) channel *= 0.80 + 0.20 * ripple;
  return add(colour, rgb(200, 150, 80), (1.0 - depth) * ripple * bump(x - kSunColumn, 0.07));
}

Colour pier(const Colour& behind, double x, double y) {
  Colour colour = behind;
  for (const double post : {0.06, 0.14, 0.22, 0.30})
    colour = blend(colour, rgb(26, 20, 34),
                   edge(0.011 - std::abs(x - post), 0.008) * edge(y - 0.50, 0.012) * edge(0.86 - y, 0.03));
  return blend(colour, rgb(38, 28, 40), edge(0.02 - std::abs(y - 0.565), 0.008) * edge(0.34 - x, 0.012));
}

Colour scene(double x, double y) {
  Colour colour = hills(sky(x, y), x, y);
  colour = blend(colour, water(x, y), edge(y - kShore, 0.016));
  return pier(colour, x, y);
}

// Row x column x channel with every cell listed, last mode fastest, as pictures are read and written.
TensorFile picture(Index rows, Index columns) {
  TensorFile file;
  file.format = lacuna::Format::kPicture;
  file.modes = {{.name = "row", .size = rows},
                {.name = "column", .size = columns},
                {.name = "channel", .size = kChannels}};
  file.dense = true;
  file.layout.dtype = "|u1";
  file.layout.scale = 255.0;
  file.entries.cells = lacuna::Cells(3);
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column)
      for (Index channel = 0; channel < kChannels; ++channel) {
        file.entries.cells.add({row, column, channel});
      }
  file.entries.value.assign(file.entries.cells[0].size(), 1.0);
  return file;
}

double* pixel(TensorFile& file, Index row, Index column) {
  return file.entries.value.data() + (std::size_t{row} * file.modes[1].size + column) * kChannels;
}

Result<> make(const std::string& folder) {
  TensorFile file = picture(kSide, kSide);
  lacuna::Rng grain(kSeed);
  for (Index row = 0; row < kSide; ++row)
    for (Index column = 0; column < kSide; ++column) {
      const Colour colour = scene(column / (kSide - 1.0), row / (kSide - 1.0));
      const double brighter = 0.006 * grain.normal();
      for (Index c = 0; c < kChannels; ++c)
        pixel(file, row, column)[c] = std::clamp(colour[c] + brighter, 0.0, 1.0);
    }
  if (auto written = write_tensor(folder + "/original.png", file); !written) return written.error();

  lacuna::Rng loss(kSeed + 1);
  for (Index row = 0; row < kSide; ++row)
    for (Index column = 0; column < kSide; ++column)
      if (loss.uniform() >= kKept)
        std::fill_n(pixel(file, row, column), kChannels, std::numeric_limits<double>::quiet_NaN());
  return write_tensor(folder + "/lost.png", file);
}

// A guess for every cell from the observed ones alone: the mean, plus how far the means of the cell's row,
// column and channel lie from it.
class Means {
 public:
  explicit Means(const TensorFile& left) : entries_(&left.entries) {
    for (std::size_t k = 0; k < left.modes.size(); ++k) {
      std::vector<double> sum(left.modes[k].size, 0.0);
      std::vector<double> count(left.modes[k].size, 0.0);
      for (Count e = 0; e < entries_->size(); ++e) {
        if (std::isnan(entries_->value[e])) continue;
        sum[entries_->cells[k][e]] += entries_->value[e];
        count[entries_->cells[k][e]] += 1.0;
      }
      double total = 0.0;
      double cells = 0.0;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        total += sum[i];
        cells += count[i];
      }
      overall_ = total / cells;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = count[i] > 0.0 ? sum[i] / count[i] : overall_;
      mean_.push_back(std::move(sum));
    }
  }

  [[nodiscard]] double overall() const { return overall_; }
  [[nodiscard]] double at(Count entry) const {
    double guess = overall_;
    for (std::size_t k = 0; k < mean_.size(); ++k) guess += mean_[k][entries_->cells[k][entry]] - overall_;
    return guess;
  }

 private:
  const lacuna::Entries* entries_;
  double overall_ = 0.0;
  std::vector<std::vector<double>> mean_;  // [mode][position]
};

void print_score(const char* name, const std::vector<double>& truth, const std::vector<double>& guess) {
  const double error = lacuna::rmse(truth, guess);
  fmt::print("  {:<32} {:>8.4f} {:>8.1f} dB\n", name, error, -20.0 * std::log10(error));
}

void print_scores(const TensorFile& original, const TensorFile& left, const TensorFile& completed) {
  const Means means(left);
  std::vector<double> truth;
  std::vector<double> guess;
  std::vector<double> overall;
  std::vector<double> additive;
  for (Count e = 0; e < left.entries.size(); ++e) {
    if (!std::isnan(left.entries.value[e])) continue;
    truth.push_back(original.entries.value[e]);
    guess.push_back(completed.entries.value[e]);
    overall.push_back(means.overall());
    additive.push_back(means.at(e));
  }
  fmt::print("Error on the {} lost values, where 0 is black and 1 is white:\n\n", truth.size());
  fmt::print("  {:<32} {:>8} {:>11}\n", "", "RMSE", "PSNR");
  print_score("the mean of what is left", truth, overall);
  print_score("row + column + channel means", truth, additive);
  print_score("lacuna", truth, guess);
}

Result<> side_by_side(const std::string& path, std::array<const TensorFile*, 3> panels) {
  TensorFile strip = picture(kSide, 3 * kSide + 2 * kGap);
  for (Index panel = 0; panel < panels.size(); ++panel)
    for (Index row = 0; row < kSide; ++row)
      for (Index column = 0; column < kSide; ++column)
        for (Index c = 0; c < kChannels; ++c) {
          const double value =
              panels[panel]->entries.value[(std::size_t{row} * kSide + column) * kChannels + c];
          pixel(strip, row, panel * (kSide + kGap) + column)[c] = std::isnan(value) ? 0.0 : value;
        }
  return write_tensor(path, strip);
}

Result<> score(const std::string& folder, const std::string& path) {
  const auto original = lacuna::read_tensor(folder + "/original.png");
  if (!original) return original.error();
  const auto left = lacuna::read_tensor(folder + "/lost.png");
  if (!left) return left.error();
  const auto completed = lacuna::read_tensor(path);
  if (!completed) return completed.error();
  const auto cells = static_cast<Count>(kSide) * kSide * kChannels;
  for (const auto* file : {&original, &left, &completed})
    if ((*file)->entries.size() != cells)
      return lacuna::input_error(path,
                                 fmt::format("found {} values, expected {}", (*file)->entries.size(), cells));
  print_scores(*original, *left, *completed);
  return side_by_side(folder + "/before-after.png", {&*left, &*completed, &*original});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (!(verb == "make" && argc == 3) && !(verb == "score" && argc == 4)) {
    fmt::print(stderr, "usage: scene make DIR\n       scene score DIR COMPLETED\n");
    return 2;
  }
  const Result<> done = verb == "make" ? make(argv[2]) : score(argv[2], argv[3]);
  if (done) return 0;
  fmt::print(stderr, "scene: {}\n", done.error().message());
  return static_cast<int>(done.error().kind);
}
