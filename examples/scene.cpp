// SPDX-License-Identifier: MIT
// The picture of scripts/demo: a mountain lake, drawn by landscape.cpp, of which nine pixels in ten are then lost.
//
//   scene make DIR              DIR/original.png, and DIR/lost.png whose lost pixels are transparent
//   scene score DIR COMPLETED   the error on the lost pixels, beside the mean and linear interpolation, and
//                               DIR/before-after.png: what was left, linear interpolation, COMPLETED, the original
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <lacuna/lacuna.hpp>
#include <limits>
#include <string>

#include "base/rng.hpp"
#include "landscape.hpp"
#include "linear_interpolation.hpp"

namespace {

using lacuna::Count;
using lacuna::Index;
using lacuna::Result;
using lacuna::TensorFile;

constexpr Index kSide = 256;
constexpr Index kChannels = 3;
constexpr double kKept = 0.1;  // share of the pixels that is not lost
constexpr double kGrain = 0.006;
constexpr std::uint64_t kSeed = 7;
constexpr Index kGap = 8;  // between the panels of before-after.png

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
      const landscape::Colour colour = landscape::at(column / (kSide - 1.0), row / (kSide - 1.0));
      const double brighter = kGrain * grain.normal();
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

// Lost pixels by linear interpolation between those that are left.
TensorFile interpolated(const TensorFile& left) {
  TensorFile whole = left;
  std::vector<Pixel> known;
  for (Index row = 0; row < kSide; ++row)
    for (Index column = 0; column < kSide; ++column)
      if (!std::isnan(*pixel(whole, row, column)))
        known.push_back({.row = static_cast<int>(row), .column = static_cast<int>(column)});
  const std::vector<Triangle> triangles = interpolate_linearly(known, kSide, kSide);
  for (Index row = 0; row < kSide; ++row)
    for (Index column = 0; column < kSide; ++column) {
      const Triangle& triangle = triangles[std::size_t{row} * kSide + column];
      for (Index c = 0; c < kChannels; ++c) {
        double sum = 0.0;
        for (std::size_t corner = 0; corner < 3; ++corner) {
          const Pixel& at = known[triangle.corner[corner]];
          sum += triangle.weight[corner] *
                 left.entries.value[(std::size_t(at.row) * kSide + at.column) * kChannels + c];
        }
        pixel(whole, row, column)[c] = sum;
      }
    }
  return whole;
}

void print_score(const char* name, const std::vector<double>& truth, const std::vector<double>& guess) {
  const double error = lacuna::rmse(truth, guess);
  fmt::print("  {:<32} {:>8.4f} {:>8.1f} dB\n", name, error, -20.0 * std::log10(error));
}

void print_scores(const TensorFile& original, const TensorFile& left, const TensorFile& linear,
                  const TensorFile& completed) {
  std::vector<double> truth;
  std::vector<double> guess;
  std::vector<double> between;
  double sum = 0.0;
  for (Count e = 0; e < left.entries.size(); ++e) {
    if (!std::isnan(left.entries.value[e])) {
      sum += left.entries.value[e];
      continue;
    }
    truth.push_back(original.entries.value[e]);
    guess.push_back(completed.entries.value[e]);
    between.push_back(linear.entries.value[e]);
  }
  const double mean = sum / static_cast<double>(left.entries.size() - truth.size());
  fmt::print("Error on the {} lost values, where 0 is black and 1 is white:\n\n", truth.size());
  fmt::print("  {:<32} {:>8} {:>11}\n", "", "RMSE", "PSNR");
  print_score("the mean of what is left", truth, std::vector<double>(truth.size(), mean));
  print_score("linear interpolation", truth, between);
  print_score("lacuna", truth, guess);
}

Result<> side_by_side(const std::string& path, std::array<const TensorFile*, 4> panels) {
  TensorFile strip = picture(kSide, 4 * kSide + 3 * kGap);
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
  const TensorFile linear = interpolated(*left);
  print_scores(*original, *left, linear, *completed);
  return side_by_side(folder + "/before-after.png", {&*left, &linear, &*completed, &*original});
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
