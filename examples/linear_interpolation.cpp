// SPDX-License-Identifier: MIT
#include "linear_interpolation.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace {

using Corners = std::array<int, 3>;

// Twice the area of the triangle, positive where a, b, c turn one way. All arithmetic is exact: coordinates are small
// integers.
std::int64_t area(const Pixel& a, const Pixel& b, const Pixel& c) {
  return std::int64_t{b.row - a.row} * (c.column - a.column) -
         std::int64_t{b.column - a.column} * (c.row - a.row);
}

// Whether d lies inside the circle through a, b, c, which turn the positive way.
bool in_circle(const Pixel& a, const Pixel& b, const Pixel& c, const Pixel& d) {
  const auto lifted = [&](const Pixel& p) {
    const std::int64_t row = p.row - d.row;
    const std::int64_t column = p.column - d.column;
    return std::array<std::int64_t, 3>{row, column, row * row + column * column};
  };
  const auto u = lifted(a);
  const auto v = lifted(b);
  const auto w = lifted(c);
  return u[2] * (v[0] * w[1] - v[1] * w[0]) - v[2] * (u[0] * w[1] - u[1] * w[0]) +
             w[2] * (u[0] * v[1] - u[1] * v[0]) >
         0;
}

// Delaunay's triangulation, point by point: triangles whose circle holds the new point go, and the hole they leave is
// filled by triangles to it (Bowyer and Watson). Quadratic, which is nothing for the points of a small picture.
std::vector<Corners> triangulate(std::vector<Pixel> points) {
  constexpr int kFar = 20000;  // of a triangle around everything
  const int first = static_cast<int>(points.size());
  points.insert(points.end(), {{-kFar, -kFar}, {2 * kFar, -kFar}, {-kFar, 2 * kFar}});
  std::vector<Corners> triangles = {{first, first + 1, first + 2}};
  for (int p = 0; p < first; ++p) {
    std::map<std::pair<int, int>, bool>
        border;  // directed edges of the hole; false where two triangles share one
    const auto gone = std::partition(triangles.begin(), triangles.end(), [&](const Corners& t) {
      return !in_circle(points[t[0]], points[t[1]], points[t[2]], points[p]);
    });
    for (auto t = gone; t != triangles.end(); ++t)
      for (int e = 0; e < 3; ++e) border[{(*t)[e], (*t)[(e + 1) % 3]}] = true;
    triangles.erase(gone, triangles.end());
    for (const auto& [edge, own] : border)
      if (own && !border.contains({edge.second, edge.first}))
        triangles.push_back({edge.first, edge.second, p});
  }
  std::erase_if(triangles, [&](const Corners& t) { return *std::max_element(t.begin(), t.end()) >= first; });
  return triangles;
}

int nearest(const std::vector<Pixel>& known, const Pixel& to) {
  const auto distance = [&](const Pixel& p) {
    return (p.row - to.row) * (p.row - to.row) + (p.column - to.column) * (p.column - to.column);
  };
  return static_cast<int>(
      std::min_element(known.begin(), known.end(),
                       [&](const Pixel& a, const Pixel& b) { return distance(a) < distance(b); }) -
      known.begin());
}

}  // namespace

std::vector<Triangle> interpolate_linearly(const std::vector<Pixel>& known, int rows, int columns) {
  std::vector<Triangle> found(static_cast<std::size_t>(rows) * columns);
  std::vector<bool> done(found.size(), false);
  for (const Corners& t : triangulate(known)) {
    const std::array<Pixel, 3> p = {known[t[0]], known[t[1]], known[t[2]]};
    const auto whole = static_cast<double>(area(p[0], p[1], p[2]));
    const auto [top, bottom] = std::minmax({p[0].row, p[1].row, p[2].row});
    const auto [left, right] = std::minmax({p[0].column, p[1].column, p[2].column});
    for (int row = top; row <= bottom; ++row)
      for (int column = left; column <= right; ++column) {
        const Pixel at{.row = row, .column = column};
        const std::array<double, 3> weight = {static_cast<double>(area(at, p[1], p[2])) / whole,
                                              static_cast<double>(area(p[0], at, p[2])) / whole,
                                              static_cast<double>(area(p[0], p[1], at)) / whole};
        if (*std::min_element(weight.begin(), weight.end()) < 0.0) continue;
        const std::size_t cell = static_cast<std::size_t>(row) * columns + column;
        found[cell] = {.corner = t, .weight = weight};
        done[cell] = true;
      }
  }
  for (std::size_t cell = 0; cell < found.size(); ++cell) {
    if (done[cell]) continue;
    const int row = static_cast<int>(cell) / columns;
    const int only = nearest(known, {.row = row, .column = static_cast<int>(cell) - row * columns});
    found[cell] = {.corner = {only, only, only}, .weight = {1.0, 0.0, 0.0}};
  }
  return found;
}
