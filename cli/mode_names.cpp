// SPDX-License-Identifier: MIT
#include "mode_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/nearest.hpp"
#include "io/text/number.hpp"
#include "io/text/table_head.hpp"
#include "io/text/time.hpp"

namespace lacuna::cli {
namespace {

std::string meant(const std::optional<std::string>& near, const char* quote) {
  return near ? fmt::format("; did you mean {}{}{}?", quote, *near, quote) : std::string();
}

}  // namespace

ModeNames::ModeNames(const Model& model) : model_(&model) {
  for (const Mode& mode : model.modes) {
    lookups_.emplace_back(mode, model.index_base);
    texts_.push_back(
        io::PositionText::of(mode, model.index_base).value());  // load_model has found its time zone
  }
}

std::optional<int> ModeNames::find_mode(std::string_view name) const {
  for (int k = 0; k < order(); ++k)
    if (model_->modes[k].name == name) return k;
  for (int k = 0; k < order(); ++k)
    if (io::lower(model_->modes[k].name) == io::lower(name)) return k;
  return std::nullopt;
}

std::string ModeNames::no_such_mode(std::string_view name) const {
  std::vector<std::string> names;
  std::string list;
  for (const Mode& mode : model_->modes) {
    names.push_back(mode.name);
    list += (list.empty() ? "" : ", ") + mode.name;
  }
  return fmt::format("found {}, expected a mode of the model: {}{}", io::quoted(name), list,
                     meant(nearest(name, names), ""));
}

// Where a number or a time stamp lies; NaN for what is neither, which equals no position.
double ModeNames::place(int mode, std::string_view text) const {
  double position = 0.0;
  return io::parse_position(text, '.', position, texts_[mode].zone())
             ? position
             : std::numeric_limits<double>::quiet_NaN();
}

Index ModeNames::find(int mode, std::string_view text) const {
  const Mode& of = model_->modes[mode];
  if (!of.binning) {
    const Index named = lookups_[mode].find(text);
    if (named != kUnseen || of.labels.empty() || of.positions.empty()) return named;
    const auto at = std::find(of.positions.begin(), of.positions.end(), place(mode, text));
    return at == of.positions.end() ? kUnseen : static_cast<Index>(at - of.positions.begin());
  }
  if (const Index named = of.labels.empty() ? kUnseen : lookups_[mode].find(text); named != kUnseen)
    return named;
  std::int64_t seconds = 0;
  if (!io::parse_stamp(text, texts_[mode].zone(), seconds)) return kUnseen;
  if (of.binning->unit != BinUnit::kSecond && !io::has_a_date(seconds)) return kUnseen;
  const std::int64_t bin = io::bin_of(seconds, *of.binning, texts_[mode].zone());
  if (!of.labels.empty()) return lookups_[mode].find(io::bin_text(bin, *of.binning, texts_[mode].zone()));
  return bin >= 0 && bin < std::int64_t{of.size} ? static_cast<Index>(bin) : kUnseen;
}

std::string ModeNames::no_such_position(int mode, std::string_view text) const {
  const Mode& of = model_->modes[mode];
  if (of.binning)
    return fmt::format("found {}, expected a time of mode {}: from {} on, {} steps of {}", io::quoted(text),
                       of.name, this->text(mode, 0), of.size, io::width_text(*of.binning));
  if (!of.labels.empty() && !of.positions.empty() && !std::isnan(place(mode, text)))
    return fmt::format(
        "found {}, where mode {} has no entry, expected one of its {} positions, such as {}: "
        "what lies between them is for lacuna predict",
        io::quoted(text), of.name, of.size, io::quoted(of.labels.front()));
  return fmt::format("found {}, expected {}{}", io::quoted(text), lookups_[mode].expected(),
                     meant(nearest(text, of.labels), "'"));
}

std::string ModeNames::text(int mode, Index position) const { return texts_[mode].text(position); }

}  // namespace lacuna::cli
