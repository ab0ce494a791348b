// SPDX-License-Identifier: MIT
// Settings as people write them, parts, offsets and ranges among them: what is understood is written so that it is
// understood the same, and what is not is an error with a sentence.
#include <lacuna/method/settings.hpp>
#include <lacuna/model/structure.hpp>

#include "support.hpp"

using namespace lacuna;

namespace {

const std::vector<Mode> kModes = {
    {.name = "user", .size = 5}, {.name = "item", .size = 4}, {.name = "week 1", .size = 3}};

template <class Value>
void check_reading(const Result<Value>& read) {
  if (!read) fuzz::check(read.error());
}

// Of one setting: the text that it is written as stands for itself.
void check_setting(const SettingField& field, const std::string& text) {
  Settings settings;
  const auto read = read_setting(field.name, text, kModes, settings);
  check_reading(read);
  if (!read) return;
  const std::string written = field.write(settings, kModes);
  if (written.empty()) return;
  Settings again;
  const auto reread = read_setting(field.name, written, kModes, again);
  fuzz::require(reread.ok(),
                std::string(field.name) + " is written as '" + written + "', which cannot be read");
  fuzz::require(field.write(again, kModes) == written,
                std::string(field.name) + " changes when written: " + written);
}

void check_structure(const std::string& text) {
  const auto parts = parse_parts(text, kModes);
  check_reading(parts);
  if (parts) {
    const auto again = parse_parts(describe(*parts, kModes), kModes);
    fuzz::require(again && *again == *parts, "parts change when written: " + describe(*parts, kModes));
  }
  const auto offsets = parse_offsets(text, kModes);
  check_reading(offsets);
  if (offsets) {
    const std::string written = describe(*offsets, kModes);
    const auto again = parse_offsets(written, kModes);
    fuzz::require(again && describe(*again, kModes) == written, "offsets change when written: " + written);
  }
  check_reading(parse_mode_list(text, kModes));
  check_reading(parse_duration(text));
  check_reading(parse_bin_width(text));
}

}  // namespace

// "rank=3,3" is a setting; what begins with no setting's name is read by the grammars of parts, offsets and lists.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::size_t equals = text.find('=');
  const SettingField* const field =
      equals == std::string::npos ? nullptr : find_setting(text.substr(0, equals));
  if (field != nullptr)
    check_setting(*field, text.substr(equals + 1));
  else
    check_structure(text);
  return 0;
}
