// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <lacuna/model/structure.hpp>
#include <optional>
#include <sstream>

#include "base/number_text.hpp"
#include "base/quoted.hpp"

namespace lacuna {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// "a ; b" at ';' -> {"a", "b"}; empty text gives no piece.
std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> list;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(separator), text.size());
    list.push_back(trimmed(text.substr(0, at)));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return list;
}

Result<int> parse_mode(std::string_view text, const std::vector<Mode>& modes) {
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (modes[k].name == text) return static_cast<int>(k);
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size() && number >= 1 &&
      number <= static_cast<int>(modes.size()))
    return number - 1;
  std::string names;
  for (const Mode& mode : modes) names += (names.empty() ? "" : ", ") + mode.name;
  return usage_error("", "found " + quoted(text) + ", expected a mode: " + names + " or a number from 1 to " +
                             std::to_string(modes.size()));
}

// Ascending and distinct, not containing `without`.
Result<std::vector<int>> parse_modes(std::string_view text, char separator, int without,
                                     const std::vector<Mode>& modes) {
  std::vector<int> list;
  for (const std::string_view piece : pieces(text, separator)) {
    const auto mode = parse_mode(piece, modes);
    if (!mode) return mode.error();
    if (*mode == without || std::find(list.begin(), list.end(), *mode) != list.end())
      return usage_error("", "the mode " + quoted(piece) + " is named twice in one part or offset");
    list.push_back(*mode);
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::optional<double> parse_number(std::string_view word) {
  const std::string text(word);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

double mean_spacing(const Mode& mode) {
  if (mode.positions.size() < 2) return 1.0;
  const auto [low, high] = std::minmax_element(mode.positions.begin(), mode.positions.end());
  const double spacing = (*high - *low) / static_cast<double>(mode.positions.size() - 1);
  return spacing > 0.0 && std::isfinite(spacing) ? spacing : 1.0;
}

// "item,week~3": modes that must agree, and modes that must be near.
Result<> parse_relations(std::string_view text, const std::vector<Mode>& modes, PartOptions& part) {
  PartSpec& spec = part.spec;
  std::vector<int> named;
  if (spec.learns()) named.push_back(spec.mode);
  for (const std::string_view piece : pieces(text, ',')) {
    const std::size_t tilde = piece.find('~');
    const auto mode = parse_mode(trimmed(piece.substr(0, tilde)), modes);
    if (!mode) return mode.error();
    if (std::find(named.begin(), named.end(), *mode) != named.end())
      return usage_error("", "the mode " + quoted(piece) + " is named twice in one part or offset");
    named.push_back(*mode);
    if (tilde == std::string_view::npos) {
      spec.agree.push_back(*mode);
      continue;
    }
    if (!modes[*mode].labels.empty() && modes[*mode].positions.empty())
      return usage_error("", "found " + quoted(piece) + ", but the labels of " + modes[*mode].name +
                                 " lie nowhere: expected positions for them, the coordinates of " +
                                 modes[*mode].name +
                                 ", or its labels where those are numbers or time stamps" +
                                 (modes[*mode].side ? "; a graph or features tell no distances, they speak "
                                                      "through side= of a part that learns " +
                                                          modes[*mode].name
                                                    : ""));
    const std::string_view word = trimmed(piece.substr(tilde + 1));
    auto length = parse_number(word);
    if (word == "auto") {
      length = PartOptions::kOpenSpacings * mean_spacing(modes[*mode]);
      part.open_lengths.push_back(*mode);
    }
    if (!length || !(*length > 0.0) || !std::isfinite(*length))
      return usage_error("", "found " + quoted(piece) +
                                 ", expected a length > 0 or auto after '~', such as " + modes[*mode].name +
                                 "~8");
    spec.near.push_back({.mode = *mode, .length = *length});
  }
  std::sort(spec.agree.begin(), spec.agree.end());
  std::sort(spec.near.begin(), spec.near.end(),
            [](const NearMode& a, const NearMode& b) { return a.mode < b.mode; });
  std::sort(part.open_lengths.begin(), part.open_lengths.end());
  return Nothing{};
}

Result<> parse_setting(std::string_view word, PartOptions& part) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  double value = std::nan("");
  if (equals != std::string_view::npos) value = parse_number(word.substr(equals + 1)).value_or(value);
  if (word == "smooth=3/2") value = 1.5;
  const bool whole = value >= 1.0 && value <= 1e6 && value == std::floor(value);
  if (key == "rank" && whole)
    part.rank = static_cast<int>(value);
  else if (key == "lambda" && value > 0.0 && std::isfinite(value))
    part.lambda = value;
  else if (key == "rows" && std::abs(value) <= 4.0)
    part.spec.row_power = value;
  else if (key == "fibers" && std::abs(value) <= 4.0)
    part.spec.fiber_power = value;
  else if (key == "smooth" && (value == 1.0 || value == 1.5 || value == 2.0))
    part.spec.smoothness = value;
  else if (word == "smooth=auto")
    part.open_smoothness = true;
  else if (key == "side" && value >= 0.0 && value <= 1.0)
    part.spec.side = value;
  else
    return usage_error(
        "", "found " + quoted(word) +
                " in a part, expected rank=N, lambda=FACTOR, rows=POWER, fibers=POWER, side=SHARE or "
                "smooth=1, 3/2, 2 or auto");
  return Nothing{};
}

Result<PartOptions> parse_part(std::string_view text, const std::vector<Mode>& modes) {
  const std::size_t bar = text.find('|');
  if (bar == std::string_view::npos)
    return usage_error("", "found " + quoted(text) +
                               ", expected full, pairs or a part such as user|item,week (the mode that is "
                               "learned, then those that must agree)");
  PartOptions part;
  part.spec.mode = PartSpec::kNothing;
  if (const std::string_view learned = trimmed(text.substr(0, bar)); !learned.empty()) {
    const auto mode = parse_mode(learned, modes);
    if (!mode) return mode.error();
    part.spec.mode = *mode;
  }
  std::string_view rest = text.substr(bar + 1);
  const std::size_t setting = rest.find('=');  // the word that holds the first '=' begins the settings
  const std::size_t begin =
      setting == std::string_view::npos ? rest.size() : rest.find_last_of(" \t", setting) + 1;
  if (const auto read = parse_relations(rest.substr(0, begin), modes, part); !read) return read.error();
  std::istringstream words{std::string(rest.substr(begin))};
  for (std::string word; words >> word;)
    if (const auto set = parse_setting(word, part); !set) return set.error();
  if (!part.spec.near.empty() && part.spec.fiber_power != 0.0)
    return usage_error("", "found fibers= in " + quoted(text) + ", which parts with near modes do not take");
  if (part.spec.side > 0.0) {
    const Mode* mode = part.spec.learns() ? &modes[part.spec.mode] : nullptr;
    if (mode == nullptr || !mode->side)
      return usage_error("", "found side= in " + quoted(text) +
                                 (mode == nullptr ? std::string(", which learns nothing")
                                                  : ", but nothing is known of mode " + mode->name +
                                                        ": give it side information or a graph"));
  }
  if (part.spec.near.empty() && (part.spec.smoothness != 1.0 || part.open_smoothness))
    return usage_error("", "found smooth= in " + quoted(text) + ", which has no near mode such as " +
                               modes.front().name + "~8");
  return part;
}

}  // namespace

bool any_open(const std::vector<PartOptions>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const PartOptions& part) { return part.open(); });
}

std::vector<PartOptions> closed(std::vector<PartOptions> parts) {
  for (PartOptions& part : parts) {
    part.open_lengths.clear();
    part.open_smoothness = false;
  }
  return parts;
}

std::vector<PartOptions> full_structure(int order) {
  std::vector<PartOptions> parts;
  for (PartSpec& spec : full_parts(order)) parts.push_back({.spec = std::move(spec)});
  return parts;
}

std::vector<PartOptions> pair_structure(int order) {
  std::vector<PartOptions> parts;
  for (int mode = 0; mode < order; ++mode)
    for (int other = 0; other < order; ++other)
      if (other != mode) parts.push_back({.spec = {.mode = mode, .agree = {other}}});
  return parts;
}

Result<std::vector<PartOptions>> parse_parts(std::string_view text, const std::vector<Mode>& modes) {
  const int order = static_cast<int>(modes.size());
  std::vector<PartOptions> parts;
  for (const std::string_view piece : pieces(text, ';')) {
    std::vector<PartOptions> more;
    if (piece == "full") {
      more = full_structure(order);
    } else if (piece == "pairs") {
      more = pair_structure(order);
    } else {
      auto part = parse_part(piece, modes);
      if (!part) return part.error();
      more.push_back(std::move(*part));
    }
    for (PartOptions& part : more) {
      const bool twice = std::any_of(parts.begin(), parts.end(), [&](const PartOptions& other) {
        return other.spec.mode == part.spec.mode && other.spec.agree == part.spec.agree &&
               other.spec.near == part.spec.near && other.spec.smoothness == part.spec.smoothness;
      });
      if (twice && more.size() > 1) continue;  // "pairs" and "full" are the same at two modes
      if (twice) return usage_error("", "the part " + quoted(piece) + " is listed twice");
      parts.push_back(std::move(part));
    }
  }
  if (parts.empty()) return usage_error("", "no part at all, expected full, pairs or a list of parts");
  return parts;
}

Result<std::vector<int>> parse_mode_list(std::string_view text, const std::vector<Mode>& modes) {
  auto list = parse_modes(text, ',', -1, modes);
  if (list && list->empty()) return usage_error("", "no mode at all, expected a list such as 1,2");
  return list;
}

Result<OffsetSpec> parse_offsets(std::string_view text, const std::vector<Mode>& modes) {
  OffsetSpec spec;
  text = trimmed(text);
  if (text == "none") return spec;
  spec.mean = true;
  if (text == "mean") return spec;
  if (text == "modes") {
    for (int k = 0; k < static_cast<int>(modes.size()); ++k) spec.effects.push_back({k});
    return spec;
  }
  for (const std::string_view piece : pieces(text, ',')) {
    const auto list = parse_modes(piece, '*', -1, modes);
    if (!list) return list.error();
    if (list->empty() || list->size() > 2 || piece.back() == '*')
      return usage_error("", "found " + quoted(piece) + ", expected a mode, or two such as item*week");
    if (std::find(spec.effects.begin(), spec.effects.end(), *list) != spec.effects.end())
      return usage_error("", "the offset " + quoted(piece) + " is listed twice");
    spec.effects.push_back(*list);
  }
  if (spec.effects.empty()) return usage_error("", "expected none, mean, modes, auto or a list of modes");
  return spec;
}

std::string describe(const PartOptions& part, const std::vector<Mode>& modes) {
  std::string text = (part.spec.learns() ? modes[part.spec.mode].name : "") + "|";
  for (const int mode : part.spec.fiber_modes()) {
    if (text.back() != '|') text += ",";
    text += modes[mode].name;
    const bool open =
        std::find(part.open_lengths.begin(), part.open_lengths.end(), mode) != part.open_lengths.end();
    for (const NearMode& near : part.spec.near)
      if (near.mode == mode) text += "~" + (open ? "auto" : shortest(near.length));
  }
  if (part.rank > 0) text += " rank=" + std::to_string(part.rank);
  if (part.lambda != 1.0) text += " lambda=" + shortest(part.lambda);
  if (part.spec.row_power != 0.0) text += " rows=" + shortest(part.spec.row_power);
  if (part.spec.fiber_power != 0.0) text += " fibers=" + shortest(part.spec.fiber_power);
  if (part.spec.smoothness != 1.0) text += " smooth=" + shortest(part.spec.smoothness);
  if (part.open_smoothness) text += " smooth=auto";
  if (part.spec.side != 0.0) text += " side=" + shortest(part.spec.side);
  return text;
}

std::string describe(const std::vector<PartOptions>& parts, const std::vector<Mode>& modes) {
  std::string text;
  for (const PartOptions& part : parts) text += (text.empty() ? "" : " ; ") + describe(part, modes);
  return text;
}

std::string describe(const OffsetSpec& offsets, const std::vector<Mode>& modes) {
  if (!offsets.mean) return "none";
  if (offsets.effects.empty()) return "mean";
  std::string text;
  for (const std::vector<int>& effect : offsets.effects) {
    text += (text.empty() ? "" : ",") + modes[effect[0]].name;
    if (effect.size() == 2) text += "*" + modes[effect[1]].name;
  }
  return text;
}

}  // namespace lacuna
