// SPDX-License-Identifier: MIT
#include "landscape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace landscape {
namespace {

constexpr double kShore = 0.62;  // rows below are water
constexpr double kSunColumn = 0.71;
constexpr double kSunRow = 0.20;
constexpr double kPixel = 1.0 / 256;  // edges are about as soft as a lens makes them

constexpr Colour rgb(int red, int green, int blue) { return {red / 255.0, green / 255.0, blue / 255.0}; }

Colour blend(const Colour& under, const Colour& over, double opacity) {
  const double share = std::clamp(opacity, 0.0, 1.0);
  Colour mixed{};
  for (std::size_t c = 0; c < mixed.size(); ++c) mixed[c] = under[c] + share * (over[c] - under[c]);
  return mixed;
}

Colour shade(Colour colour, double light) {
  for (double& channel : colour) channel *= light;
  return colour;
}

double bump(double distance, double width) { return std::exp(-distance * distance / (width * width)); }
// 1 where `distance` is positive, 0 where it is negative, over one pixel.
double inside(double distance) { return std::clamp(0.5 + distance / kPixel, 0.0, 1.0); }

// A number in 0..1 that belongs to a point of a lattice.
double lattice(std::int64_t i, std::int64_t j, std::uint64_t layer) {
  std::uint64_t bits = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U ^
                       static_cast<std::uint64_t>(j) * 0xc2b2ae3d27d4eb4fU ^ layer * 0x165667b19e3779f9U;
  bits = (bits ^ bits >> 31) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 29) * 0x94d049bb133111ebU;
  return static_cast<double>((bits ^ bits >> 32) >> 11) * 0x1p-53;
}

// Smooth noise between the points of a lattice.
double noise(double x, double y, std::uint64_t layer) {
  const double left = std::floor(x);
  const double top = std::floor(y);
  const auto i = static_cast<std::int64_t>(left);
  const auto j = static_cast<std::int64_t>(top);
  const auto ease = [](double t) { return t * t * (3.0 - 2.0 * t); };
  const double u = ease(x - left);
  const double v = ease(y - top);
  const double above = std::lerp(lattice(i, j, layer), lattice(i + 1, j, layer), u);
  const double below = std::lerp(lattice(i, j + 1, layer), lattice(i + 1, j + 1, layer), u);
  return std::lerp(above, below, v);
}

// Octaves of it, each twice as fine and half as strong; about 0.5 on average.
double rough(double x, double y, std::uint64_t layer, int octaves) {
  double sum = 0.0;
  double strength = 0.5;
  for (int octave = 0; octave < octaves; ++octave) {
    sum += strength * noise(x, y, layer + static_cast<std::uint64_t>(octave));
    x *= 2.03;
    y *= 2.03;
    strength *= 0.5;
  }
  return sum;
}

Colour sky(double x, double y) {
  Colour colour = blend(rgb(58, 96, 160), rgb(226, 196, 170), y / 0.55);
  const double cloud = rough(3.0 * x, 9.0 * y, 10, 5);
  colour = blend(colour, rgb(250, 240, 232), 2.6 * (cloud - 0.47));
  return blend(colour, rgb(255, 246, 214), bump(std::hypot(x - kSunColumn, y - kSunRow), 0.16));
}

// One range of mountains: a jagged ridge, rock lit from the sun's side, snow on its heights.
Colour mountains(const Colour& behind, double x, double y, double foot, double height, const Colour& rock,
                 std::uint64_t layer) {
  const auto ridge = [&](double at) {
    const double folded = 1.0 - std::abs(2.0 * noise(3.1 * at, 0.0, layer) - 1.0);
    return foot - height * (0.35 + 0.65 * folded) - 0.06 * (rough(14.0 * at, 0.5, layer + 20, 4) - 0.47);
  };
  const double depth = y - ridge(x);
  const double slope = (ridge(x + 2 * kPixel) - ridge(x - 2 * kPixel)) / (4 * kPixel);
  const double stone = rough(22.0 * x, 22.0 * y + 30.0 * slope * depth, layer + 40, 5);
  Colour colour = shade(rock, std::clamp(0.75 - 0.35 * slope + 1.1 * (stone - 0.47), 0.35, 1.35));
  const double snow = height * 0.30 - depth + 0.10 * (stone - 0.47);
  colour = blend(colour, shade(rgb(240, 244, 250), std::clamp(0.9 - 0.25 * slope, 0.6, 1.0)), snow / 0.02);
  colour = blend(colour, rgb(190, 196, 208), 0.45 * std::clamp(depth / height, 0.0, 1.0));  // haze
  return blend(behind, colour, inside(depth));
}

// Firs along the shore: jagged triangles, dark on their left.
Colour forest(const Colour& behind, double x, double y) {
  Colour colour = behind;
  for (int tree = 0; tree < 64; ++tree) {
    const double centre = (tree + lattice(tree, 0, 70)) / 64.0;
    const double tall = 0.04 + 0.07 * lattice(tree, 1, 70) * noise(5.0 * centre, 0.0, 71);
    const double down = (y - (kShore - tall)) / tall;  // 0 at the top, 1 at the shore
    if (down < 0.0 || down > 1.0 || std::abs(x - centre) > 0.03) continue;
    const double jag = 0.65 + 0.35 * std::abs(std::fmod(7.0 * down + lattice(tree, 2, 70), 1.0));
    const double half = 0.20 * tall * down * jag + kPixel;
    const double needles = rough(160.0 * x, 160.0 * y, 74, 2);
    const Colour green =
        shade(rgb(44, 74, 52), 0.55 + 0.9 * needles + 0.5 * std::clamp((x - centre) / half, -0.6, 1.0));
    colour = blend(colour, green, inside(half - std::abs(x - centre)));
  }
  return colour;
}

Colour land(double x, double y) {
  Colour colour = sky(x, y);
  colour = mountains(colour, x, y, 0.60, 0.34, rgb(120, 116, 130), 200);
  colour = mountains(colour, x, y, kShore, 0.20, rgb(96, 92, 88), 300);
  return forest(colour, x, y);
}

// The land upside down, broken by ripples that grow towards us, and a stony bank in front.
Colour water(double x, double y) {
  const double depth = (y - kShore) / (1.0 - kShore);
  const double ripple = rough(6.0 * x / (0.15 + depth), 60.0 * std::sqrt(depth + 0.01), 80, 3) - 0.44;
  Colour colour = land(std::clamp(x + 0.05 * ripple * depth, 0.0, 1.0),
                       std::max(0.0, kShore - 0.9 * (y - kShore) * (1.0 + 0.5 * ripple)));
  colour = blend(shade(colour, 0.80), rgb(34, 58, 76), 0.25 + 0.35 * depth);
  return shade(colour, 1.0 + 0.55 * ripple);
}

Colour bank(const Colour& behind, double x, double y) {
  const double edge = 0.93 - 0.10 * x + 0.05 * (rough(6.0 * x, 2.0, 90, 4) - 0.47);
  const double pebbles = rough(40.0 * x, 60.0 * y, 94, 4);
  const Colour stone =
      shade(blend(rgb(112, 104, 92), rgb(70, 84, 48), 3.0 * (noise(7.0 * x, 7.0 * y, 98) - 0.4)),
            0.35 + 1.3 * pebbles);
  return blend(behind, stone, inside(y - edge));
}

}  // namespace

Colour at(double x, double y) {
  Colour colour = y < kShore ? land(x, y) : bank(water(x, y), x, y);
  for (double& channel : colour) channel = std::clamp(channel, 0.0, 1.0);
  return colour;
}

}  // namespace landscape
